"""Client connections: deadlines for what arrives and for what is sent.

Gunicorn imports this before gevent patches the sockets, so it does not import the app.
"""

from __future__ import annotations

import errno
import ipaddress
import math
import time
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import gevent
import gevent.socket
import orjson

if TYPE_CHECKING:
    from gunicorn.http.message import Request

_IPV6_NETWORK: Final = 64
"""The prefix length of an IPv6 network whose addresses count as one client."""

_LINGER_SECONDS: Final = 5.0
_LINGER_BYTES: Final = 64 << 20
"""How many bytes of a refused body are discarded, so that its sender gets to read the response."""

_READ_AT_ONCE: Final = 8192
"""The maximum number of bytes that gunicorn reads at once, except from the contents of a body."""

_CHUNKS_AT_ONCE: Final = 1024

_SENT_AT_ONCE: Final = 262_144
"""The number of bytes of a response that a client must accept within the configured time."""

_MOST_AHEAD: Final = 65_536
"""The maximum number of bytes that are read in advance while a request waits. A client that sends
more than this no longer waits for the response.
"""

_READABLE: Final = 1
"""The event-loop flag for "readable"."""

_WRITE_SECONDS: Final = 1.0
"""The seconds that a client has to accept the last response on a connection."""


@lru_cache(4096)
def client_of(address: str) -> str:
    """Return the client to which limits for an address apply: the address itself, or its /64 network for
    IPv6.
    """
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, _IPV6_NETWORK), strict=False))


class Connection(gevent.socket.socket):  # type: ignore[misc]
    """An accepted connection. Reading past the deadline behaves as if the client had closed it. The client
    has ``send_seconds`` to accept each part of a response; None means unlimited.
    """

    def __init__(
        self,
        accepted: gevent.socket.socket,
        head_seconds: float,
        send_seconds: float | None = None,
    ) -> None:
        super().__init__(accepted.family, accepted.type, accepted.proto, fileno=accepted.detach())
        self._send_seconds = send_seconds
        self.expired = False
        """Whether the deadline has passed."""
        self.crowded = False
        """Whether this connection exceeds the configured number."""
        self._configured_head_seconds = head_seconds
        self.first = True
        """Whether no request has been awaited yet."""
        self._deadline = math.inf
        self._idle: gevent.Timeout | None = None
        self._head_seconds = head_seconds
        self.refused = False
        """Whether to discard the rest of the body."""
        self._request: Any = None
        self._received = False
        self._ahead = b""
        """What arrived while a request was waiting, and is not read yet."""

    def await_head(self, idle: gevent.Timeout, seconds: float | None = None) -> None:
        """Expect the next request head, which must begin before ``idle`` fires, and be complete within
        ``seconds`` (None: as configured) of its first byte. The first head of a connection must be complete
        within this time from now.
        """
        self._idle = idle
        self._request = None
        self._received = False
        self._head_seconds = self._configured_head_seconds if seconds is None else seconds
        self._deadline = math.inf
        if self.first:
            self.first = False
            self._begin()

    def head_complete(self, request: Request) -> None:
        """Record that the head was read. ``request`` is gunicorn's request."""
        self._deadline = math.inf
        self._request = request

    def expect_body(self, seconds: float) -> None:
        """Expect the body to arrive within ``seconds``."""
        self._deadline = time.monotonic() + seconds

    def body_complete(self) -> None:
        """Record that the body was read."""
        self._deadline = math.inf

    def close_after_response(self) -> None:
        """Close the connection after the response."""
        self._request.force_close()

    def refuse_body(self) -> None:
        """Close the connection after the response, since the rest of the body is not read."""
        self.close_after_response()
        self.refused = True

    def recv(self, size: int, flags: int = 0) -> bytes:
        """See :meth:`socket.socket.recv`. Returns no bytes if the deadline passes."""
        if self._received:
            # Yield, since data that arrives faster than it is read would block the other greenlets.
            gevent.sleep(0)
            if self._request is not None and size <= _READ_AT_ONCE:
                # Parsing tiny chunks takes the longest.
                size = _CHUNKS_AT_ONCE
        left = self._deadline - time.monotonic()
        if left > 0:
            self.timeout = None if left == math.inf else left
            try:
                data: bytes = self._taken_ahead(size) or super().recv(size, flags)
            except TimeoutError:
                left = 0
            finally:
                self.timeout = None
        if left <= 0:
            self._expire()
            return b""
        self._received = True
        if data and self._idle is not None:
            self._idle.cancel()
            self._idle = None
            if self._deadline == math.inf:
                self._begin()
        return data

    def _taken_ahead(self, size: int) -> bytes:
        data, self._ahead = self._ahead[:size], self._ahead[size:]
        return data

    def read_ahead(self) -> bool:
        """Read what the client has sent in advance, which :meth:`recv` returns later. Returns whether the
        client has closed the connection, or has sent more than it may send in advance.
        """
        try:
            while len(self._ahead) < _MOST_AHEAD:
                data = self._sock.recv(_MOST_AHEAD)
                if not data:
                    return True
                self._ahead += data
        except BlockingIOError:
            return False
        except OSError:
            return True
        return True

    def sendall(self, data: bytes, flags: int = 0) -> None:
        """See :meth:`socket.socket.sendall`. Raises :class:`BrokenPipeError` if the client does not accept
        the next part of the data within the configured time.
        """
        left = memoryview(data)
        self.timeout = self._send_seconds
        try:
            while left:
                super().sendall(left[:_SENT_AT_ONCE], flags)
                left = left[_SENT_AT_ONCE:]
        except TimeoutError:
            raise BrokenPipeError(errno.EPIPE, "the client reads too slowly") from None
        finally:
            self.timeout = None

    def linger(self) -> None:
        """End the response, and discard any data that still arrives."""
        self._deadline = time.monotonic() + _LINGER_SECONDS
        left = _LINGER_BYTES
        with suppress(OSError):
            self.shutdown(gevent.socket.SHUT_WR)
            while left > 0 and (data := self.recv(65536)):
                left -= len(data)

    def _begin(self) -> None:
        self._deadline = time.monotonic() + self._head_seconds

    def _expire(self) -> None:
        self.expired = True
        if self._request is None and self._received:
            with suppress(OSError), gevent.Timeout(_WRITE_SECONDS, False):
                write_problem(self, 408, "Request Timeout", "the head of the request took too long")


class Watch:
    """Calls ``when_closed`` once, in a separate greenlet, if the client closes the connection before
    :meth:`end` is called, or has closed it by then. Anything other than a :class:`Connection` is not watched.

    What the client sends in advance is read, because the end of a connection is behind it.
    """

    def __init__(self, connection: object, when_closed: Callable[[], object]) -> None:
        self._connection = connection if isinstance(connection, Connection) else None
        self._when_closed = when_closed
        self._watcher: Any = None
        if self._connection is not None:
            self._watcher = gevent.get_hub().loop.io(self._connection.fileno(), _READABLE)
            self._watcher.start(self._look)

    def _look(self) -> None:
        assert self._connection is not None
        if self._connection.read_ahead():
            self._watcher.stop()
            self._connection = None
            gevent.spawn(self._when_closed)

    def end(self) -> None:
        """Stop watching. Can be called again."""
        watcher, self._watcher = self._watcher, None
        if watcher is None:
            return
        watcher.stop()
        watcher.close()
        # A failed write can end the request before the loop has polled.
        if self._connection is not None and self._connection.read_ahead():
            self._when_closed()


_OF_HTTP: Final = {408: "request_timeout", 414: "uri_too_long", 431: "headers_too_large", 503: "busy"}


def write_problem(socket: gevent.socket.socket, status: int, reason: str, message: str) -> None:
    """Send an error response to a request that does not reach the app. The connection is closed after it."""
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
    retry = "Retry-After: 1\r\n" if status == 503 else ""
    head = (
        f"HTTP/1.1 {status} {reason}\r\nConnection: close\r\nContent-Type: application/problem+json\r\n"
        f"{retry}Content-Length: {len(body)}\r\n\r\n"
    )
    socket.sendall(head.encode("latin1") + body)
