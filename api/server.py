"""Gunicorn's worker and logger: graceful draining, problem documents for invalid HTTP, JSON logs.

Gunicorn imports this before gevent patches the sockets, so it does not import the app at the top.
"""

from __future__ import annotations

import math
from typing import Any, Final
from weakref import WeakKeyDictionary

import gevent
import gunicorn.util
import orjson
from gunicorn.glogging import Logger
from gunicorn.workers.ggevent import GeventWorker

from api.jsonlines import JsonFormatter
from arena.ops.settings import MOST_GRACE


class JsonLogger(Logger):
    """Logs gunicorn's messages in the app's format."""

    def setup(self, cfg: Any) -> None:
        """See :class:`gunicorn.glogging.Logger`."""
        super().setup(cfg)
        for handler in self.error_log.handlers:
            handler.setFormatter(JsonFormatter())


class DrainingWorker(GeventWorker):
    """On SIGTERM, accepts no more connections, ends requests that wait, finishes requests in progress, and
    closes idle connections.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._idle: WeakKeyDictionary[gevent.Greenlet, gevent.Timeout] = WeakKeyDictionary()

    def timeout_ctx(self) -> gevent.Timeout:
        """The time a connection is kept open for the next request."""
        wait = super().timeout_ctx() if self.alive else gevent.Timeout(_LAST_WAIT, False)
        self._idle[gevent.getcurrent()] = wait
        return wait

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Drain on SIGTERM."""
        super().handle_exit(sig, frame)
        # A signal handler must not block, and waking the subscriptions takes locks.
        gevent.spawn(self._drain)

    def _drain(self) -> None:
        from api import streams

        streams.drain()
        app = getattr(self, "wsgi", None)
        if app is None:
            # The app is not loaded yet, so there are no requests.
            return
        service = app.extensions["botequim"]
        grace = service.settings.http.grace_seconds
        more = min(MOST_GRACE, math.ceil(len(self._idle) * _SECONDS_EACH))
        self.cfg.set("graceful_timeout", grace + more)
        service.live.notifier.stop()
        for connection, wait in list(self._idle.items()):
            # Only the hub may throw; connections with a request by then are left alone.
            gevent.get_hub().loop.run_callback(_close_if_idle, connection, wait)


_SECONDS_EACH: Final = 0.003
"""How much longer requests may take to finish per open connection: a few times what a poll costs."""

_LAST_WAIT: Final = 1.0
"""Seconds that a connection accepted while draining has to send its request."""


def _close_if_idle(connection: gevent.Greenlet, wait: gevent.Timeout) -> None:
    if wait.pending:
        connection.throw(wait)


_OF_HTTP: Final = {414: "uri_too_long", 431: "headers_too_large"}


def _write_problem(socket: Any, status: int, reason: str, message: str) -> None:
    """Replaces gunicorn's error page for requests that never reach the app."""
    code = _OF_HTTP.get(status, "bad_request" if status < 500 else "internal_error")
    body = orjson.dumps(
        {
            "type": f"/docs/errors#{code}",
            "title": reason,
            "status": status,
            "code": code,
            "detail": message or reason,
            "request_id": "",
        }
    )
    head = (
        f"HTTP/1.1 {status} {reason}\r\nConnection: close\r\nContent-Type: application/problem+json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    gunicorn.util.write_nonblock(socket, head.encode("latin1") + body)


gunicorn.util.write_error = _write_problem
