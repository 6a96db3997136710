"""Spectators of one game or of /watch, in a process of their own, started with a port, the path of the stream
and their number.

Prints ``ready`` when all have the table, and what they got, as a line of JSON, when its input ends.
"""

from __future__ import annotations

import selectors
import socket
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Final

import orjson

from benchmarks.http.load import BenchFailed, head
from benchmarks.http.measure import raise_file_limit

READY_SECONDS: Final = 120.0
"""How long the tables may take to arrive at all."""

_SPARE_FILES: Final = 50
_END: Final = b"\n\n"
_TICK: Final = 0.2


@dataclass
class Got:
    """What all got after their tables: ``bytes`` and ``messages``; ``moves``: those that one spectator
    received, in messages of ``move_bytes``. ``tables``: how many were sent the table again because they
    missed a message.
    """

    bytes: int = 0
    messages: int = 0
    moves: int = 0
    move_bytes: int = 0
    tables: int = 0


@dataclass
class Spectator:
    """One stream. ``counts``: whether the moves in it are counted."""

    socket: socket.socket
    counts: bool
    data: bytearray = field(default_factory=bytearray)
    has_table: bool = False

    def take(self, received: bytes, got: Got) -> None:
        """Read what has come. Raises :class:`~benchmarks.http.load.BenchFailed`."""
        if not received:
            raise BenchFailed("the server closed a stream")
        self.data += received
        while (end := self.data.find(_END)) >= 0:
            # The head ends with an empty line too, as do its chunks.
            message = bytes(self.data[: end + len(_END)])
            del self.data[: end + len(_END)]
            at = message.find(b"event: ")
            if at >= 0:
                self._take_message(message[at:], got)

    def _take_message(self, message: bytes, got: Got) -> None:
        if message.startswith(b"event: felts"):
            self._take_felts(message, got)
        elif message.startswith(b"event: table"):
            got.tables += self.has_table
            self.has_table = True
        elif not message.startswith(b"event: moves"):
            raise BenchFailed(f"a stream ended: {message[:200]!r}")
        got.messages += 1
        got.bytes += len(message)
        if self.counts and message.startswith(b"event: moves"):
            data = message.partition(b"data: ")[2]
            got.moves += len(orjson.loads(data)["changes"])
            got.move_bytes += len(message)

    def _take_felts(self, message: bytes, got: Got) -> None:
        """Read a message of /watch; each table that it changes counts as a move."""
        data = orjson.loads(message.partition(b"data: ")[2])
        if self.counts and self.has_table and "changed" in data:
            got.moves += len(data["changed"])
            got.move_bytes += len(message)
        self.has_table = True


class Crowd:
    """The spectators of a stream at a port; a context manager."""

    def __init__(self, port: int, path: str, count: int) -> None:
        self._selector = selectors.DefaultSelector()
        self._spectators: list[Spectator] = []
        self._address = ("127.0.0.1", port)
        self._request = head("GET", path)
        self._count = count

    def __enter__(self) -> Crowd:
        return self

    def __exit__(self, *_: object) -> None:
        for spectator in self._spectators:
            spectator.socket.close()
        self._selector.close()

    def gather(self) -> None:
        """Until all have the table. Raises :class:`~benchmarks.http.load.BenchFailed`."""
        for number in range(self._count):
            opened = socket.create_connection(self._address, READY_SECONDS)
            spectator = Spectator(opened, counts=number == 0)
            self._spectators.append(spectator)
            opened.sendall(self._request)
            opened.setblocking(False)
            self._selector.register(opened, selectors.EVENT_READ, spectator)
        deadline = time.monotonic() + READY_SECONDS
        while not all(spectator.has_table for spectator in self._spectators):
            self._read(Got(), self._selector.select(_TICK))
            if time.monotonic() > deadline:
                raise BenchFailed("not all spectators got the table")

    def watch(self, until: int) -> Got:
        """Until there is something to read at ``until``, a file descriptor."""
        got = Got()
        self._selector.register(until, selectors.EVENT_READ)
        while True:
            ready = self._selector.select()
            self._read(got, [one for one in ready if one[0].data is not None])
            if any(key.data is None for key, _ in ready):
                return got

    def _read(self, got: Got, ready: Sequence[tuple[selectors.SelectorKey, int]]) -> None:
        for key, _ in ready:
            spectator: Spectator = key.data
            spectator.take(spectator.socket.recv(65_536), got)


def main(port: int, path: str, count: int) -> None:
    """Watch until the input ends."""
    raise_file_limit(count + _SPARE_FILES)
    with Crowd(port, path, count) as crowd:
        crowd.gather()
        print("ready", flush=True)
        got = crowd.watch(sys.stdin.fileno())
    print(orjson.dumps(asdict(got)).decode(), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
