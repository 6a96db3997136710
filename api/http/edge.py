"""WSGI middleware that adds an id, security headers, a log line and metrics to every request.

It wraps the app instead of using Flask's hooks, since four of these take as long as the rest of Flask.
"""

from __future__ import annotations

import logging
import re
import secrets
import time
from collections.abc import Callable, Iterable
from typing import Any, Final

from api.http import metrics
from api.http.connections import Connection
from arena.ops.logs import begin_request

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
App = Callable[[Environ, StartResponse], Iterable[bytes]]

SMALL_BODY: Final = 64_000
"""The maximum size of most bodies, in bytes."""

REQUEST_ID: Final = "botequim.request_id"
OPERATION: Final = "botequim.operation"
PRINCIPAL: Final = "botequim.principal"
ALLOWANCE: Final = "botequim.allowance"
ERROR_CODE: Final = "botequim.error_code"
BODY_READ: Final = "botequim.body_read"
"""Keys of the WSGI environment in which the app passes data to the middleware."""

QUIET: Final = frozenset({"exchangeTurns", "getTurns", "isAlive", "isReady", "getMetrics"})
"""Very frequent operations, whose successes are logged at debug level only."""

_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}").fullmatch
_log = logging.getLogger("botequim.request")


class Edge:
    """The outermost layer of the app."""

    def __init__(self, app: App) -> None:
        self._app = app

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Handle a request, as a WSGI app."""
        began = time.perf_counter()
        given = environ.get("HTTP_X_REQUEST_ID")
        request_id = given if given is not None and _ID(given) else secrets.token_hex(8)
        environ[REQUEST_ID] = request_id
        begin_request(request_id)

        def start(status: str, headers: list[tuple[str, str]], *rest: Any) -> Any:
            headers.append(("X-Request-Id", request_id))
            headers.append(("X-Content-Type-Options", "nosniff"))
            if not any(name == "Cache-Control" for name, _ in headers):
                headers.append(("Cache-Control", "no-store"))
            if BODY_READ not in environ:
                connection = environ.get("gunicorn.socket")
                if isinstance(connection, Connection) and (connection.expired or _has_large_body(environ)):
                    connection.refuse_body()
            _note(environ, int(status[:3]), time.perf_counter() - began)
            return start_response(status, headers, *rest)

        return self._app(environ, start)


def _has_large_body(environ: Environ) -> bool:
    """Return whether the body can be too large to be read after the response to keep the connection open."""
    length = environ.get("CONTENT_LENGTH") or "0"
    return "HTTP_TRANSFER_ENCODING" in environ or len(length) > 9 or int(length) > SMALL_BODY


def _note(environ: Environ, status: int, seconds: float) -> None:
    operation = environ.get(OPERATION, "none")
    metrics.count_request(operation, status, seconds, environ.get(ERROR_CODE))
    level = logging.DEBUG if operation in QUIET and status < 400 else logging.INFO
    if _log.isEnabledFor(level):
        principal = environ.get(PRINCIPAL)
        _log.log(
            level,
            "%s %s",
            environ["REQUEST_METHOD"],
            environ.get("PATH_INFO", ""),
            extra={
                "status": status,
                "ms": round(seconds * 1000, 2),
                "operation": operation,
                "who": f"{principal.scope}:{principal.name}" if principal else None,
                "code": environ.get(ERROR_CODE),
            },
        )
