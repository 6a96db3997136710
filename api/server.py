"""How gunicorn runs the app: draining before the end, problems for what HTTP itself gets wrong, JSON logs.

Gunicorn imports this before gevent has patched the sockets, so it imports nothing of the app at the top.
"""

from __future__ import annotations

from typing import Any, Final
from weakref import WeakKeyDictionary

import gevent
import gunicorn.util
import orjson
from gunicorn.glogging import Logger
from gunicorn.workers.ggevent import GeventWorker

from api.jsonlines import JsonFormatter


class JsonLogger(Logger):
    """Gunicorn's own messages in the form of the app's."""

    def setup(self, cfg: Any) -> None:
        """See :class:`gunicorn.glogging.Logger`."""
        super().setup(cfg)
        for handler in self.error_log.handlers:
            handler.setFormatter(JsonFormatter())


class DrainingWorker(GeventWorker):
    """Told to stop, it takes no more connections, ends what waits, finishes what is being answered, and
    closes the connections on which nothing is being asked.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._quiet: WeakKeyDictionary[gevent.Greenlet, gevent.Timeout] = WeakKeyDictionary()

    def timeout_ctx(self) -> gevent.Timeout:
        """How long a connection may be kept for the next request."""
        wait = super().timeout_ctx() if self.alive else gevent.Timeout(_LAST_WAIT, False)
        self._quiet[gevent.getcurrent()] = wait
        return wait

    def handle_exit(self, sig: int, frame: Any) -> None:
        """On SIGTERM."""
        super().handle_exit(sig, frame)
        # A signal handler may not block, and waking the waiters takes locks.
        gevent.spawn(self._drain)

    def _drain(self) -> None:
        from api import streams

        streams.drain()
        self.wsgi.extensions["botequim"].live.waker.stop()
        for connection, wait in list(self._quiet.items()):
            # Only the hub may throw; what has been asked something by then is left alone.
            gevent.get_hub().loop.run_callback(_let_go, connection, wait)


_LAST_WAIT: Final = 1.0
"""Seconds that a connection made at the last moment has for its request."""


def _let_go(connection: gevent.Greenlet, wait: gevent.Timeout) -> None:
    if wait.pending:
        connection.throw(wait)


_OF_HTTP: Final = {414: "uri_too_long", 431: "headers_too_large"}


def _write_problem(socket: Any, status: int, reason: str, message: str) -> None:
    """In place of gunicorn's page for requests that never reach the app."""
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
