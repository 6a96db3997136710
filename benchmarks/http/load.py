"""A load generator that costs little: one thread, one kept connection per player, bytes made by hand."""

from __future__ import annotations

import selectors
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from arena.errors import ArenaError

REPLY_SECONDS: Final = 30.0
"""How long the generator waits for any reply at all."""


class BenchFailed(ArenaError):
    """The service did not do what the benchmark measures."""

    code = "bench_failed"


class LoadPlayer(Protocol):
    """A client on one connection that sends each request after the reply to the last."""

    def request(self) -> bytes:
        """The next request, head and body."""

    def reply(self, body: bytes) -> int:
        """Take the reply and return how many answers it took."""


@dataclass(frozen=True)
class Load:
    """What was answered in how many seconds; ``latencies``: seconds of each request."""

    answers: int
    seconds: float
    latencies: list[float]

    @property
    def rate(self) -> float:
        """Answers per second."""
        return self.answers / self.seconds


def head(method: str, path: str, length: int | None = None, token: str = "") -> bytes:
    """The head of a request with a JSON body of ``length`` bytes, or with none."""
    lines = [f"{method} {path} HTTP/1.1", "Host: bench"]
    if token:
        lines.append(f"Authorization: Bearer {token}")
    if length is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {length}"]
    return "\r\n".join([*lines, "", ""]).encode()


def body_of(data: bytearray) -> bytes | None:
    """The body of the reply in ``data``; None while it is not whole. Raises :class:`BenchFailed`."""
    end = data.find(b"\r\n\r\n")
    if end < 0:
        return None
    if not data.startswith(b"HTTP/1.1 200 "):
        raise BenchFailed(f"the server refused: {bytes(data[:500])!r}")
    at = data.lower().find(b"content-length:", 0, end)
    length = int(data[at + 15 : data.find(b"\r\n", at)])
    body = data[end + 4 :]
    return bytes(body) if len(body) >= length else None


class _Line:
    """One player's connection."""

    __slots__ = ("data", "player", "sent_at", "socket")

    def __init__(self, port: int, player: LoadPlayer) -> None:
        self.player = player
        self.socket = socket.create_connection(("127.0.0.1", port), REPLY_SECONDS)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.data = bytearray()
        self.sent_at = 0.0

    def ask(self) -> None:
        request = self.player.request()
        self.sent_at = time.perf_counter()
        self.socket.sendall(request)

    def hear(self) -> bytes | None:
        received = self.socket.recv(262_144)
        if not received:
            raise BenchFailed("the server closed a connection")
        self.data += received
        body = body_of(self.data)
        if body is not None:
            self.data.clear()
        return body


def drive(port: int, players: Sequence[LoadPlayer], seconds: float) -> Load:
    """Let the players ask for ``seconds``, and hear the last replies. Raises :class:`BenchFailed`."""
    answers = 0
    latencies: list[float] = []
    lines = [_Line(port, player) for player in players]
    try:
        with selectors.DefaultSelector() as selector:
            for line in lines:
                selector.register(line.socket, selectors.EVENT_READ, line)
            began = time.perf_counter()
            until = began + seconds
            for line in lines:
                line.ask()
            under_way = len(lines)
            now = began
            while under_way:
                ready = selector.select(REPLY_SECONDS)
                if not ready:
                    raise BenchFailed(f"nothing came for {REPLY_SECONDS:g} s")
                for key, _ in ready:
                    line = key.data
                    body = line.hear()
                    if body is None:
                        continue
                    now = time.perf_counter()
                    latencies.append(now - line.sent_at)
                    answers += line.player.reply(body)
                    if now < until:
                        line.ask()
                    else:
                        under_way -= 1
            return Load(answers, now - began, latencies)
    finally:
        for line in lines:
            line.socket.close()


class Waiting:
    """Connections with requests that take long to answer."""

    def __init__(self) -> None:
        self._sockets: list[socket.socket] = []

    def open(self, port: int, requests: Sequence[bytes]) -> None:
        """Ask each request on a connection of its own, and do not wait for the reply."""
        for request in requests:
            opened = socket.create_connection(("127.0.0.1", port), REPLY_SECONDS)
            self._sockets.append(opened)
            opened.sendall(request)

    def heard(self) -> list[bytes]:
        """What has come on each connection since the last time. Raises :class:`BenchFailed`."""
        found = []
        for opened in self._sockets:
            opened.setblocking(False)
            try:
                found.append(opened.recv(65_536))
            except BlockingIOError:
                found.append(b"")
                continue
            if not found[-1]:
                raise BenchFailed("the server closed the connection of a waiting request")
        return found

    def close(self) -> None:
        """Close them all."""
        for opened in self._sockets:
            opened.close()
        self._sockets.clear()
