"""POST requests to users' URLs: to checked addresses, with limits on time and size.

urllib3 keeps the connections, handles TLS and parses HTTP. This module makes connections to addresses that
were checked, sets one deadline for the whole call, and limits the size of the reply. Redirects are not
followed, and proxies are not used.
"""

from __future__ import annotations

import io
import socket
import ssl
import time
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, cast

from urllib3 import BaseHTTPResponse, HTTPConnectionPool, HTTPSConnectionPool, Timeout
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import (
    ConnectTimeoutError,
    HTTPError,
    NewConnectionError,
    ProtocolError,
    ReadTimeoutError,
    SSLError,
)

from arena.webhook_messages.errors import BadReply, CallFailed, NotConnected, ReplyTimeout, ReplyTooLarge
from arena.webhooks.addresses import Policy, Target
from arena.webhooks.resolving import Resolve

MAX_REPLY: Final = 65_536
"""The maximum size of a reply's body in bytes."""

MAX_HEAD: Final = 16_384
"""The maximum size of a reply's status line and headers in bytes."""

CONNECT_SECONDS: Final = 5.0
"""The maximum time to resolve the name and connect, including TLS. The whole call has a separate deadline."""

MAX_IDLE: Final = 8
IDLE_SECONDS: Final = 60.0
"""The number of connections that an endpoint keeps, and how long it keeps them after its last call."""

Connect = Callable[[str, Policy, str], "Endpoint"]
"""A function that creates the endpoint of a URL, with the policy of the service and the owner of the webhook.
"""

_CHUNK_ROOM: Final = 16_384
_HEADERS: Final = {
    "Content-Type": "application/json",
    "User-Agent": "botequim-webhook/1",
    "Accept-Encoding": "identity",
}


class Endpoint:
    """A webhook of ``owner`` and its open connections. It can be used by several threads.

    ``resolve`` and ``context`` replace the system's resolver and its trusted certificates.
    """

    def __init__(
        self,
        url: str,
        policy: Policy,
        owner: str = "",
        *,
        resolve: Resolve | None = None,
        context: ssl.SSLContext | None = None,
    ) -> None:
        self.url = url
        self._policy = policy
        self._owner = owner
        self._resolve = resolve
        self._context = context
        self._pools: list[HTTPConnectionPool] = []
        self._used = 0.0

    def post(self, body: bytes, headers: Mapping[str, str], seconds: float) -> bytes:
        """Post JSON and return the body of the reply if its status is 2xx. The whole call takes at most
        ``seconds``.

        Raises :class:`CallFailed`, or its subclass :class:`NotConnected` if the receiver could not be
        reached. Error messages reveal nothing about the reply except its status.
        """
        self._used = time.monotonic()
        deadline = self._used + seconds
        connected_by = min(deadline, self._used + CONNECT_SECONDS)
        failure: NotConnected | None = None
        target = self._policy.target(self.url)
        # Threads that start at the same time can each open pools; replaced pools close themselves.
        pools = self._pools or self._open(target, connected_by)
        for index, pool in enumerate(pools):
            try:
                response = _request(pool, target, body, headers, deadline, connected_by)
            except NotConnected as error:
                failure = error
                continue
            self._pools = pools[index:]
            return _body(response)
        self.close()
        assert failure is not None
        raise failure

    def tidy(self) -> None:
        """Close the connections if there has been no call for ``IDLE_SECONDS``."""
        if time.monotonic() - self._used > IDLE_SECONDS:
            self.close()

    def close(self) -> None:
        """Close idle connections now, and others after use. The next call resolves the name again."""
        # A pool without references closes its connections; closing it explicitly would break calls in
        # progress.
        self._pools = []

    def _open(self, target: Target, deadline: float) -> list[HTTPConnectionPool]:
        """Open a pool for each checked address."""
        pools: list[HTTPConnectionPool] = []
        for address in self._policy.addresses(target, deadline, self._resolve, owner=self._owner):
            pool = HTTPConnectionPool(address, target.port, maxsize=MAX_IDLE)
            pool.ConnectionCls = BoundedConnection
            if target.scheme == "https":
                # OpenSSL checks that the certificate matches server_hostname. With urllib3's assert_hostname
                # it would not do so, for any connection with this context.
                context = self._context or trusted()
                pool = HTTPSConnectionPool(
                    address,
                    target.port,
                    maxsize=MAX_IDLE,
                    ssl_context=context,
                    server_hostname=target.host,
                )
                pool.ConnectionCls = SecureConnection
            pools.append(pool)
        return pools


def _request(
    pool: HTTPConnectionPool,
    target: Target,
    body: bytes,
    headers: Mapping[str, str],
    deadline: float,
    connected_by: float,
) -> BaseHTTPResponse:
    """Send the request to one address, and return the response without its body."""
    while True:
        now = time.monotonic()
        if now >= connected_by:
            raise _not_connected("it took too long to connect")
        connections = pool.num_connections
        try:
            return pool.urlopen(
                "POST",
                target.path,
                body,
                {**_HEADERS, "Host": target.authority, **headers},
                retries=False,
                redirect=False,
                timeout=Timeout(connect=connected_by - now, total=deadline - now),
                preload_content=False,
                decode_content=False,
            )
        except HTTPError as error:
            # The receiver can close a kept connection at any time; in this case, try another one.
            kept = isinstance(error, ProtocolError) and pool.num_connections == connections
            if not kept or time.monotonic() >= connected_by:
                raise _failed(error) from None


def _body(response: BaseHTTPResponse) -> bytes:
    try:
        if 300 <= response.status < 400:
            raise BadReply(
                f"it replied with a redirect ({response.status}); redirects are not followed", field="url"
            )
        if not 200 <= response.status < 300:
            raise BadReply(f"it replied with status {response.status}", field="url", expected="a status 2xx")
        body = response.read(MAX_REPLY + 1, decode_content=False)
        if len(body) > MAX_REPLY:
            raise _too_large()
        return body
    except HTTPError as error:
        raise _failed(error) from None
    finally:
        # A response that was read completely has already returned its connection.
        response.close()


def _failed(error: HTTPError) -> CallFailed:
    cause = error.args[-1] if error.args else None
    if isinstance(error, ReadTimeoutError):
        return ReplyTimeout("it did not reply in time", field="url")
    if isinstance(error, SSLError):
        return BadReply(
            f"TLS failed: {getattr(cause, 'reason', None) or 'the connection broke off'}", field="url"
        )
    if isinstance(cause, OSError):
        return BadReply(f"the connection broke: {_reason(cause)}", field="url")
    return BadReply("the reply is not HTTP, is truncated, or has too many headers", field="url")


class BoundedConnection(HTTPConnection):
    """A connection with a bounded socket that raises the same type of error for all failures."""

    def connect(self) -> None:
        try:
            super().connect()
        except NewConnectionError as error:
            raise _not_connected(f"it cannot be reached: {_reason(error.__cause__)}") from None
        except (TimeoutError, ConnectTimeoutError):
            raise _not_connected("it took too long to connect") from None
        except ssl.SSLCertVerificationError as error:
            message = f"the certificate is invalid: {error.verify_message}"
            raise _not_connected(message, "a trusted one") from None
        except OSError as error:
            raise _not_connected(
                f"TLS failed: {getattr(error, 'reason', None) or 'the connection broke off'}"
            ) from None
        self.sock: Any = _BoundedSocket(self.sock, cast(float, self.timeout))


class SecureConnection(BoundedConnection, HTTPSConnection):
    pass


class _BoundedSocket:
    """A connected socket with limits on the size of the reply and the time to receive it. A plain timeout
    would restart with every byte.
    """

    def __init__(self, connected: socket.socket, seconds: float) -> None:
        self._socket = connected
        self.settimeout(seconds)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._socket, name)

    def settimeout(self, seconds: float) -> None:
        """Set the time limit. urllib3 calls this before it sends a request, and again before it reads the
        reply.
        """
        self._deadline = time.monotonic() + seconds
        self.room = MAX_HEAD + MAX_REPLY + _CHUNK_ROOM

    def wait(self) -> None:
        """Limit the next socket call to the remaining time."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._socket.settimeout(left)

    def sendall(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            self.wait()
            view = view[self._socket.send(view) :]

    def makefile(self, *_: object) -> io.BufferedReader:
        return io.BufferedReader(_Reader(self, self._socket.makefile("rb", buffering=0)))


class _Reader(io.RawIOBase):
    def __init__(self, bounded: _BoundedSocket, raw: io.RawIOBase) -> None:
        self._bounded = bounded
        self._raw = raw

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        if self._bounded.room <= 0:
            raise _too_large()
        self._bounded.wait()
        count = self._raw.readinto(memoryview(buffer)[: self._bounded.room])
        self._bounded.room -= count or 0
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()


def _too_large() -> ReplyTooLarge:
    expected = f"at most {MAX_REPLY} bytes and {MAX_HEAD} bytes of headers"
    return ReplyTooLarge("the reply is too large", field="url", expected=expected)


def _not_connected(why: str, expected: str | None = None) -> NotConnected:
    return NotConnected(why, field="url", expected=expected)


def _reason(error: BaseException | None) -> str:
    return getattr(error, "strerror", None) or "closed by the receiver"


@cache
def trusted() -> ssl.SSLContext:
    """Return a TLS context with the certificates that this machine trusts."""
    return ssl.create_default_context()
