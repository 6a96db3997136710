"""Signs of life from processes that no queue tracks, for health checks on their hosts."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from typing import Final

from arena.play.clocks import ServiceClock
from arena.store.connection import RedisConnection, Repository

_EVERY: Final = 5.0
_KEPT_MS: Final = 86_400_000
_SIGNS: Final = "{arena}:signs"
"""The time of the last sign, keyed by ``<process> <host>``."""


class Signs(Repository):
    """Stores when processes last showed that they are working."""

    def __init__(self, connection: RedisConnection, clock: Callable[[], ServiceClock]) -> None:
        super().__init__(connection)
        self._clock = clock
        self._next = 0.0

    def give(self, process: str) -> None:
        """Record that ``process`` is working on this host, in the database at most every five seconds."""
        now = time.monotonic()
        if now >= self._next:
            self._next = now + _EVERY
            now_ms = self._clock().now_ms
            old = ("ZREMRANGEBYSCORE", _SIGNS, "-inf", now_ms - _KEPT_MS)
            self._connection.run([("ZADD", _SIGNS, now_ms, _member(process)), old])

    def age_s(self, process: str) -> float | None:
        """Return the seconds since the last sign of ``process`` on this host, or None after a day without
        one.
        """
        found = self._one("ZSCORE", _SIGNS, _member(process))
        return None if found is None else max(0, self._clock().now_ms - int(float(found))) / 1000


def _member(process: str) -> str:
    return f"{process} {socket.gethostname()}"


__all__ = ["Signs"]
