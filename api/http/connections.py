"""Connections of clients: deadlines for what is read from them, and a limit on the unfinished requests per
address.

Gunicorn imports this before gevent patches the sockets, so it does not import the app.
"""

from __future__ import annotations

import ipaddress
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from socket import MSG_PEEK
from typing import TYPE_CHECKING, Any, Final

import gevent
import gevent.socket
import orjson

if TYPE_CHECKING:
    from gunicorn.http.message import Request

_IPV6_NETWORK: Final = 64
"""The prefix of the networks that IPv6 hands out: one client has all of its addresses."""

_LINGER_SECONDS: Final = 5.0
_LINGER_BYTES: Final = 64 << 20
"""How much of a refused body is thrown away, so that its sender gets to read the answer."""

_READ_AT_ONCE: Final = 8192
"""The most that gunicorn reads of anything but the contents of a body."""

_CHUNKS_AT_ONCE: Final = 1024

_READABLE: Final = 1
"""The event of a watcher of the loop."""

_WRITE_SECONDS: Final = 1.0
"""How long the last answer on a connection may take to be accepted."""


@lru_cache(4096)
def client_of(address: str) -> str:
    """Return what limits count for an address: the address itself, or for IPv6 its /64."""
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
    """An accepted connection. Reading past the deadline behaves as if the client had closed it."""

    def __init__(self, accepted: gevent.socket.socket, address: str, heads: UnfinishedHeads) -> None:
        super().__init__(accepted.family, accepted.type, accepted.proto, fileno=accepted.detach())
        self.client = client_of(address)
        self.expired = False
        """Whether the deadline has passed."""
        self.crowded = False
        """Whether there are more connections than configured."""
        self._heads = heads
        self.first = True
        """Whether no request was awaited yet."""
        self._deadline = math.inf
        self._idle: gevent.Timeout | None = None
        self._head_seconds = heads.seconds
        self.refused = False
        """Whether the rest of the body is to be thrown away."""
        self._request: Any = None
        self._received = False

    def await_head(self, idle: gevent.Timeout, seconds: float | None = None) -> None:
        """Expect the next head, which may begin until ``idle`` fires. It must arrive within ``seconds``
        (None: as configured) of its first byte. The first head of a connection must arrive within this time
        from now.
        """
        self._idle = idle
        self._request = None
        self._received = False
        self._head_seconds = self._heads.seconds if seconds is None else seconds
        self._deadline = math.inf
        if self.first:
            self.first = False
            self._begin()

    def head_complete(self, request: Request) -> None:
        """Note that the head was read; ``request`` is gunicorn's."""
        self._heads.discard(self)
        self._deadline = math.inf
        self._request = request

    def expect_body(self, seconds: float) -> None:
        """Expect the body to arrive within ``seconds``."""
        self._deadline = time.monotonic() + seconds

    def body_complete(self) -> None:
        """Note that the body was read."""
        self._deadline = math.inf

    def refuse_body(self) -> None:
        """Close the connection after the response, since the rest of the body is not read."""
        self._request.force_close()
        self.refused = True

    def recv(self, size: int, flags: int = 0) -> bytes:
        """See :meth:`socket.socket.recv`. Returns no bytes if the deadline passes."""
        if self._received:
            # What arrives faster than it is read would keep the others waiting.
            gevent.sleep(0)
            if self._request is not None and size <= _READ_AT_ONCE:
                # Tiny chunks take the longest.
                size = _CHUNKS_AT_ONCE
        left = self._deadline - time.monotonic()
        if left > 0:
            self.timeout = None if left == math.inf else left
            try:
                data: bytes = super().recv(size, flags)
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

    @property
    def is_closed(self) -> bool:
        """Whether the client has closed the connection and everything that it sent was read."""
        try:
            return not self._sock.recv(1, MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True

    def linger(self) -> None:
        """End the response, and discard what still arrives."""
        self._deadline = time.monotonic() + _LINGER_SECONDS
        left = _LINGER_BYTES
        with suppress(OSError):
            self.shutdown(gevent.socket.SHUT_WR)
            while left > 0 and (data := self.recv(65536)):
                left -= len(data)

    def end(self) -> None:
        """Stop reading, as if the client had closed the connection."""
        self._deadline = 0.0
        with suppress(OSError):
            self.shutdown(gevent.socket.SHUT_RD)

    def _begin(self) -> None:
        self._deadline = time.monotonic() + self._head_seconds
        self._heads.add(self)

    def _expire(self) -> None:
        self.expired = True
        if self in self._heads and self._received:
            with suppress(OSError), gevent.Timeout(_WRITE_SECONDS, False):
                write_problem(self, 408, "Request Timeout", "the head of the request took too long")


@contextmanager
def watch(connection: object, when_closed: Callable[[], object]) -> Iterator[None]:
    """Call ``when_closed`` if the client closes the connection inside the block, at once in a separate
    greenlet or at its end. If ``connection`` is anything else, it is not watched.
    """
    if not isinstance(connection, Connection):
        yield
        return
    watcher = gevent.get_hub().loop.io(connection.fileno(), _READABLE)
    closed = False

    def look() -> None:
        nonlocal closed
        # What is not the end is the next request.
        watcher.stop()
        if connection.is_closed:
            closed = True
            gevent.spawn(when_closed)

    watcher.start(look)
    try:
        yield
    finally:
        watcher.stop()
        watcher.close()
        # A failed write ends the request before the loop has polled.
        if not closed and connection.is_closed:
            when_closed()


class UnfinishedHeads:
    """The connections whose request has begun but whose head is incomplete. ``seconds`` is the deadline of a
    head. ``most`` is the limit per client, beyond which the oldest connection is dropped; None means no
    limit.
    """

    def __init__(self, seconds: float, most: int | None) -> None:
        self.seconds = seconds
        self._most = most
        self._of: dict[str, dict[Connection, None]] = {}

    def add(self, connection: Connection) -> None:
        """Count a connection."""
        ours = self._of.setdefault(connection.client, {})
        if self._most is not None and len(ours) >= self._most:
            oldest = next(iter(ours))
            self.discard(oldest)
            oldest.end()
        self._of.setdefault(connection.client, {})[connection] = None

    def discard(self, connection: Connection) -> None:
        """Forget a connection."""
        ours = self._of.get(connection.client, {})
        ours.pop(connection, None)
        if not ours:
            self._of.pop(connection.client, None)

    def __contains__(self, connection: Connection) -> bool:
        return connection in self._of.get(connection.client, ())


_OF_HTTP: Final = {408: "request_timeout", 414: "uri_too_long", 431: "headers_too_large", 503: "busy"}


def write_problem(socket: gevent.socket.socket, status: int, reason: str, message: str) -> None:
    """Answer a request that never reaches the app. It is the last one of its connection."""
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
