"""One POST to a URL that somebody else chose: to a checked address, within a time and a size."""

from __future__ import annotations

import http.client
import io
import select
import socket
import ssl
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, Final, NamedTuple

from arena.errors import ArenaError
from arena.webhooks.addresses import Policy, Resolve, Target

MAX_REPLY: Final = 65_536
"""Bytes of a reply's body."""

MAX_HEAD: Final = 16_384
"""Bytes of a reply's status line and headers."""

CONNECT_SECONDS: Final = 5.0
"""What connecting, TLS included, may take; the whole call has its own deadline."""

MOST_IDLE: Final = 8
IDLE_SECONDS: Final = 60.0
"""Connections of one webhook that are kept, and for how long they may be unused."""

_CHUNK_ROOM: Final = 16_384
_USER_AGENT: Final = "botequim-webhook/1"


class CallFailed(ArenaError):
    """No reply, or not one that counts: the bot could not be reached."""

    code = "webhook_failed"


class ReplyTooLarge(CallFailed):
    """A reply with more bytes than are read."""


class Reply(NamedTuple):
    """A successful reply."""

    status: int
    body: bytes


class Endpoint:
    """A webhook, with the connections to it that are kept open. May be used by many threads.

    ``resolve``, ``context``: in place of the system's resolver and its trusted certificates.
    """

    def __init__(
        self,
        url: str,
        policy: Policy,
        *,
        resolve: Resolve | None = None,
        context: ssl.SSLContext | None = None,
    ) -> None:
        self.url = url
        self._policy = policy
        self._target = policy.target(url)
        self._resolve = resolve
        self._context = context
        self._idle: list[tuple[float, _Connection]] = []
        self._lock = threading.Lock()
        self._closed = False

    def post(self, body: bytes, headers: Mapping[str, str], seconds: float) -> Reply:
        """Post JSON and return the reply if its status is 2xx, within ``seconds`` altogether.

        Raises :class:`CallFailed`, whose message tells nothing of the reply but its status, or one of
        the errors of :meth:`~arena.webhooks.addresses.Policy.addresses`.
        """
        deadline = time.monotonic() + seconds
        kept = self._kept()
        if kept is not None:
            with suppress(_Stale):
                return self._exchange(kept, body, headers, deadline)
        return self._exchange(self._connected(deadline), body, headers, deadline)

    def tidy(self) -> None:
        """Close the connections that were not in use for long."""
        oldest = time.monotonic() - IDLE_SECONDS
        with self._lock:
            old = [connection for since, connection in self._idle if since < oldest]
            self._idle = [kept for kept in self._idle if kept[0] >= oldest]
        for connection in old:
            connection.end()

    def close(self) -> None:
        """Close the connections that are not in use, and the others after use."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for _, connection in idle:
            connection.end()

    def _exchange(
        self, connection: _Connection, body: bytes, headers: Mapping[str, str], deadline: float
    ) -> Reply:
        kept = False
        try:
            reply, kept = connection.exchange(self._target.path, body, headers, deadline)
        except TimeoutError:
            raise CallFailed("it did not reply in time", field="url") from None
        except ssl.SSLError as error:
            raise CallFailed(f"TLS failed: {error.reason or 'broken off'}", field="url") from None
        except OSError as error:
            raise CallFailed(f"the connection broke: {_told(error)}", field="url") from None
        except http.client.HTTPException:
            raise CallFailed("the reply is not HTTP, or its headers are too many", field="url") from None
        finally:
            if kept:
                self._keep(connection)
            else:
                connection.end()
        if 300 <= reply.status < 400:
            raise CallFailed(f"it redirects ({reply.status}), which is not followed", field="url")
        if not 200 <= reply.status < 300:
            raise CallFailed(f"it replied with status {reply.status}", field="url", expected="a status 2xx")
        return reply

    def _connected(self, deadline: float) -> _Connection:
        until = min(deadline, time.monotonic() + CONNECT_SECONDS)
        addresses = self._policy.addresses(self._target, until, self._resolve)
        connection = _Connection(self._target, addresses, self._context)
        try:
            connection.open(until)
        except TimeoutError:
            raise CallFailed("connecting took too long", field="url") from None
        except ssl.SSLCertVerificationError as error:
            raise CallFailed(
                f"the certificate is not good: {error.verify_message}", field="url", expected="a trusted one"
            ) from None
        except ssl.SSLError as error:
            raise CallFailed(f"TLS failed: {error.reason or 'broken off'}", field="url") from None
        except OSError as error:
            raise CallFailed(f"it cannot be connected: {_told(error)}", field="url") from None
        return connection

    def _kept(self) -> _Connection | None:
        """A kept connection that looks alive."""
        while True:
            with self._lock:
                if not self._idle:
                    return None
                since, connection = self._idle.pop()
            if time.monotonic() - since < IDLE_SECONDS and connection.is_quiet():
                return connection
            connection.end()

    def _keep(self, connection: _Connection) -> None:
        with self._lock:
            if not self._closed and len(self._idle) < MOST_IDLE:
                self._idle.append((time.monotonic(), connection))
                return
        connection.end()


class _Stale(Exception):
    """A kept connection that was closed by the other side before it could be used again."""


class _Connection(http.client.HTTPConnection):
    """A connection to one of ``addresses``, with the name of the target in TLS and in ``Host``."""

    def __init__(self, target: Target, addresses: Sequence[str], context: ssl.SSLContext | None) -> None:
        super().__init__(target.host, target.port)
        self.default_port = 443 if target.scheme == "https" else 80
        self._target = target
        self._addresses = addresses
        self._context = context
        self._guarded: _Guarded | None = None
        self._used = False

    def open(self, deadline: float) -> None:
        """Connect to the first address that can be."""
        problem: OSError = OSError("there is no address")
        for address in self._addresses:
            try:
                plain = socket.create_connection((address, self._target.port), _left(deadline))
            except OSError as error:
                problem = error
                continue
            try:
                plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                plain.settimeout(_left(deadline))
                secure = plain
                if self._target.scheme == "https":
                    context = self._context or _trust()
                    secure = context.wrap_socket(plain, server_hostname=self._target.host)
            except BaseException:
                plain.close()
                raise
            self._guarded = _Guarded(secure)
            self.sock: Any = self._guarded
            return
        raise problem

    def connect(self) -> None:
        """Never by itself: to where, is decided once."""
        raise ConnectionError("the connection is closed")

    def end(self) -> None:
        """Close it for good."""
        self.close()
        if self._guarded is not None:
            self._guarded.socket.close()

    def is_quiet(self) -> bool:
        """Whether nothing came since the last reply, not even the end."""
        assert self._guarded is not None
        news = select.poll()
        news.register(self._guarded.socket, select.POLLIN)
        return not news.poll(0)

    def exchange(
        self, path: str, body: bytes, headers: Mapping[str, str], deadline: float
    ) -> tuple[Reply, bool]:
        """The reply, and whether the connection can be used again."""
        guarded = self._guarded
        assert guarded is not None
        guarded.deadline, guarded.room, guarded.heard = deadline, MAX_HEAD, False
        own = {"Content-Type": "application/json", "User-Agent": _USER_AGENT, "Accept-Encoding": "identity"}
        try:
            self.request("POST", path, body, {**own, **headers})
            response = self.getresponse()
        except (http.client.RemoteDisconnected, ConnectionError):
            if self._used and not guarded.heard:
                raise _Stale from None
            raise
        self._used = True
        guarded.room += MAX_REPLY + _CHUNK_ROOM
        if not 200 <= response.status < 300:
            return Reply(response.status, b""), False
        if (response.length or 0) > MAX_REPLY:
            raise _too_large()
        content = response.read(MAX_REPLY + 1)
        if len(content) > MAX_REPLY:
            raise _too_large()
        return Reply(response.status, content), response.isclosed() and not response.will_close


class _Guarded:
    """A socket as :mod:`http.client` uses it, with a deadline for everything and room for so many bytes."""

    def __init__(self, connected: socket.socket) -> None:
        self.socket = connected
        self.deadline = 0.0
        self.room = 0
        self.heard = False

    def sendall(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            self.socket.settimeout(_left(self.deadline))
            view = view[self.socket.send(view) :]

    def receive_into(self, buffer: memoryview) -> int:
        if self.room <= 0:
            raise _too_large()
        self.socket.settimeout(_left(self.deadline))
        count = self.socket.recv_into(buffer[: self.room])
        self.room -= count
        self.heard = self.heard or count > 0
        return count

    def makefile(self, *_: object) -> io.BufferedReader:
        return io.BufferedReader(_Reader(self))

    def close(self) -> None:
        """Not yet: of a reply that ends with its connection the body is still to be read."""


class _Reader(io.RawIOBase):
    def __init__(self, guarded: _Guarded) -> None:
        self._guarded = guarded

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._guarded.receive_into(memoryview(buffer))


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _too_large() -> ReplyTooLarge:
    return ReplyTooLarge(
        "the reply is too large",
        field="url",
        expected=f"at most {MAX_REPLY} bytes and {MAX_HEAD} bytes of headers",
    )


def _told(error: OSError) -> str:
    return error.strerror or "closed by the other side"


@cache
def _trust() -> ssl.SSLContext:
    """The certificates that this machine trusts."""
    return ssl.create_default_context()


__all__ = ["MAX_HEAD", "MAX_REPLY", "CallFailed", "Endpoint", "Reply", "ReplyTooLarge"]
