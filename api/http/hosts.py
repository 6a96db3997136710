"""Refuses requests for other hosts, so that no page of a stranger reaches a service on the visitor's own
machine by a name that points there (DNS rebinding).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final

from api.http.edge import App, Environ, StartResponse
from api.http.errors import HttpError, problem_response

_PORT: Final = re.compile(r":[0-9]*\Z")


class OwnHosts:
    """A layer of the app that answers only requests whose header ``Host`` is one of ``hosts``, with any
    port.
    """

    def __init__(self, app: App, hosts: Collection[str]) -> None:
        self._app = app
        self._hosts = hosts

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Handle a request, as a WSGI app."""
        given = environ.get("HTTP_HOST", "")
        if _PORT.sub("", given).lower() in self._hosts:
            return self._app(environ, start_response)
        error = HttpError(
            f"this service does not answer for the host {given[:80]!r}",
            code="unknown_host",
            field="Host",
            expected="one of " + ", ".join(sorted(self._hosts)),
        )
        return problem_response(error, environ)(environ, start_response)
