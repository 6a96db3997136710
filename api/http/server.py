"""Gunicorn's worker and logger: connection limits, graceful draining, problem documents for invalid HTTP, and
JSON logs.

Gunicorn imports this before gevent patches the sockets, so it does not import the app at the top.
"""

from __future__ import annotations

import math
import sys
import time
from contextlib import suppress
from types import FrameType
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

import gevent
import gevent.socket
import gunicorn.util
from gunicorn.glogging import Logger
from gunicorn.workers.ggevent import GeventWorker

from api.http.connections import Connection, write_problem
from api.http.descriptors import KEPT, RESERVED
from arena.errors import ArenaError
from arena.ops.logs import JsonFormatter, TextFormatter
from arena.ops.settings import MOST_GRACE, HttpSettings

if TYPE_CHECKING:
    from gunicorn.config import Config
    from gunicorn.http.message import Request


class JsonLogger(Logger):
    """Logs gunicorn's messages in the app's format."""

    def setup(self, cfg: Config) -> None:
        """See :class:`gunicorn.glogging.Logger`."""
        super().setup(cfg)
        for handler in self.error_log.handlers:
            handler.setFormatter(TextFormatter() if sys.stderr.isatty() else JsonFormatter("api"))


class DrainingWorker(GeventWorker):
    """A worker that limits how long requests can take to arrive, and reserves connections for health checks.

    On SIGTERM, it stops accepting connections, ends waiting requests, finishes requests in progress, and
    closes idle connections.
    """

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self._most = self.worker_connections
        self.worker_connections += RESERVED
        self._open: WeakKeyDictionary[gevent.Greenlet, Connection] = WeakKeyDictionary()
        self._idle: WeakKeyDictionary[gevent.Greenlet, gevent.Timeout] = WeakKeyDictionary()
        self._crowded = -_QUIET_SECONDS
        self._kept = 0
        """How many requests of bots are being handled on reserved connections."""

    def run(self) -> None:
        """Serve until the worker is stopped."""
        from api.http import metrics

        metrics.connections_limit.set(self._most)
        http = self.http_settings()
        self.wsgi.extensions["botequim-places"].resize(self._most)
        self._send_seconds = http.send_seconds
        self._head_seconds = http.head_seconds
        super().run()

    def http_settings(self) -> HttpSettings:
        """Return the HTTP settings of the served app."""
        http: HttpSettings = self.wsgi.extensions["botequim"].settings.http
        return http

    def handle(
        self, listener: gevent.socket.socket, client: gevent.socket.socket, addr: tuple[str, int] | str
    ) -> None:
        """Serve one connection."""
        from api.http import metrics

        connection = Connection(client, self._head_seconds, self._send_seconds)
        current = gevent.getcurrent()
        self._open[current] = connection
        metrics.connections.inc()
        try:
            if len(self._open) > self._most:
                connection.crowded = not self._close_oldest_idle()
            super().handle(listener, connection, addr)
        finally:
            metrics.connections.dec()
            del self._open[current]

    def timeout_ctx(self) -> gevent.Timeout:
        """Return how long a connection is kept open for the next request."""
        current = gevent.getcurrent()
        connection = self._open[current]
        if not connection.first:
            # Yield to other connections before the next request on this one.
            gevent.sleep(0)
        wait = super().timeout_ctx() if self.alive else gevent.Timeout(_LAST_WAIT, False)
        self._idle[current] = wait
        connection.await_head(wait, _LAST_WAIT if connection.crowded else None)
        return wait

    def handle_request(self, listener_name: object, req: Request, sock: Connection, addr: object) -> None:
        """Handle a request whose head was read."""
        sock.head_complete(req)
        self._idle.pop(gevent.getcurrent(), None)
        is_kept = sock.crowded and req.path not in HEALTH
        if is_kept:
            if not self._has_room(req):
                self._refuse(sock)
            req.force_close()
        self._kept += is_kept
        try:
            super().handle_request(listener_name, req, sock, addr)
        finally:
            self._kept -= is_kept
            if sock.refused:
                sock.linger()

    def _has_room(self, req: Request) -> bool:
        """Return whether a request can use a reserved connection: that of a bot with turns pending. If
        a bot's request cannot, the clocks of the bot stand still for a while.
        """
        from api.http.auth import token_holder

        services = self.wsgi.extensions["botequim"]
        with suppress(ArenaError):
            who = token_holder(dict(req.headers).get("AUTHORIZATION"), services)
            if who is not None and who.scope == "bot":
                if self._kept < KEPT and services.live.has_turns(who.name):
                    return True
                services.live.stand_still(who.name)
        return False

    def _refuse(self, connection: Connection) -> None:
        from api.http import metrics

        metrics.connections_refused.inc()
        now = time.monotonic()
        if now - self._crowded > _QUIET_SECONDS:
            self._crowded = now
            self.log.warning(
                "all %d connections are in use (BOTEQUIM_CONNECTIONS): further connections get 503 busy",
                self._most,
            )
        write_problem(connection, 503, "Service Unavailable", "all connections of this process are in use")
        raise StopIteration

    def _close_oldest_idle(self) -> bool:
        for connection, wait in self._idle.items():
            if wait.pending:
                del self._idle[connection]
                gevent.get_hub().loop.run_callback(_close_if_idle, connection, wait)
                return True
        return False

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Drain on SIGTERM."""
        super().handle_exit(sig, frame)
        # A signal handler must not block, and waking the subscriptions takes locks.
        gevent.spawn(self._drain)

    def _drain(self) -> None:
        from api.http import streams

        streams.drain()
        app = getattr(self, "wsgi", None)
        if app is None:
            # The app is not loaded yet, so there are no requests.
            return
        service = app.extensions["botequim"]
        grace = service.settings.http.grace_seconds
        more = min(MOST_GRACE, math.ceil(len(self._open) * _SECONDS_EACH))
        self.cfg.set("graceful_timeout", grace + more)
        service.live.notifier.stop()
        for connection, wait in list(self._idle.items()):
            # Only the hub can throw; connections that have a request by then are left alone.
            gevent.get_hub().loop.run_callback(_close_if_idle, connection, wait)


_SECONDS_EACH: Final = 0.003
"""The extra seconds that requests have to finish, per open connection: a few times the cost of a poll."""

HEALTH: Final = frozenset({"/healthz", "/readyz", "/metrics"})

_QUIET_SECONDS: Final = 60.0
"""The minimum seconds between two log lines about connections having run out."""

_LAST_WAIT: Final = 1.0
"""The seconds that a connection accepted during draining has to send its request."""


def _close_if_idle(connection: gevent.Greenlet, wait: gevent.Timeout) -> None:
    if wait.pending:
        connection.throw(wait)


gunicorn.util.write_error = write_problem
