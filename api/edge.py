"""What happens to every request, whatever answers it: an id, safe headers, a line in the log, counts.

It wraps the app from outside, because four hooks inside cost as much as the rest of Flask.
"""

from __future__ import annotations

import logging
import re
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from api import metrics

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
App = Callable[[Environ, StartResponse], Iterable[bytes]]

DirectView = Callable[[Environ, Any], bytes]
"""``view(environ, services)`` returns the JSON of a reply of status 200, or raises."""

JSON: Final = "application/json"

REQUEST_ID: Final = "botequim.request_id"
OPERATION: Final = "botequim.operation"
PRINCIPAL: Final = "botequim.principal"
ERROR_CODE: Final = "botequim.error_code"
"""What the app tells the edge, in the environment of the request."""

QUIET: Final = frozenset({"exchangeTurns", "getTurns", "isAlive", "isReady", "getMetrics"})
"""Operations that are asked for all the time: their successes are logged for debugging only."""

_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}").fullmatch
_log = logging.getLogger("botequim.request")


class Edge:
    """The outermost layer of the app. ``direct``: what is answered past Flask, by method and path."""

    def __init__(self, app: App, direct: Mapping[tuple[str, str], App]) -> None:
        self._app = app
        self._direct = direct

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """See WSGI."""
        began = time.perf_counter()
        given = environ.get("HTTP_X_REQUEST_ID")
        request_id = given if given is not None and _ID(given) else secrets.token_hex(8)
        environ[REQUEST_ID] = request_id

        def start(status: str, headers: list[tuple[str, str]], *rest: Any) -> Any:
            headers.append(("X-Request-Id", request_id))
            headers.append(("X-Content-Type-Options", "nosniff"))
            if not any(name == "Cache-Control" for name, _ in headers):
                headers.append(("Cache-Control", "no-store"))
            _note(environ, int(status[:3]), time.perf_counter() - began)
            return start_response(status, headers, *rest)

        app = self._direct.get((environ["REQUEST_METHOD"], environ.get("PATH_INFO", "")), self._app)
        return app(environ, start)


class Direct:
    """A WSGI app of one operation: Flask's way to a view and back costs more than the busiest views do."""

    def __init__(
        self, name: str, view: DirectView, services: Any, on_error: Callable[[Exception, Environ], App]
    ) -> None:
        self._name = name
        self._view = view
        self._services = services
        self._on_error = on_error

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """See WSGI."""
        environ[OPERATION] = self._name
        try:
            body = self._view(environ, self._services)
        except Exception as error:
            return self._on_error(error, environ)(environ, start_response)
        start_response("200 OK", [("Content-Type", JSON), ("Content-Length", str(len(body)))])
        return (body,)


def _note(environ: Environ, status: int, seconds: float) -> None:
    operation = environ.get(OPERATION, "none")
    metrics.count_request(operation, status, seconds)
    level = logging.DEBUG if operation in QUIET and status < 400 else logging.INFO
    if _log.isEnabledFor(level):
        principal = environ.get(PRINCIPAL)
        _log.log(
            level,
            "%s %s",
            environ["REQUEST_METHOD"],
            environ.get("PATH_INFO", ""),
            extra={
                "request_id": environ[REQUEST_ID],
                "status": status,
                "ms": round(seconds * 1000, 2),
                "operation": operation,
                "who": f"{principal.scope}:{principal.name}" if principal else None,
                "code": environ.get(ERROR_CODE),
            },
        )
