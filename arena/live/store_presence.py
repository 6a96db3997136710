"""Which bots are there: those that asked for turns lately."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from arena.live.clocks import ServiceClock
from arena.live.store_wire import Wire

ONLINE_MS: Final = 40_000
"""A bot counts as online for so long after it asked: longer than it may wait for an answer."""

_NOTE_EVERY: Final = 10.0
_KEPT_MS: Final = 86_400_000
_REMEMBERED: Final = 20_000
_SEEN: Final = "live:seen"


class Presence:
    """When bots were last seen, over all processes."""

    def __init__(self, wire: Wire, clock: Callable[[], ServiceClock]) -> None:
        self._wire = wire
        self._clock = clock
        self._noted: dict[str, float] = {}

    def note(self, bot: str) -> None:
        """The bot has asked for turns or answered some; written down every ten seconds at most."""
        now = time.monotonic()
        if now - self._noted.get(bot, -_NOTE_EVERY) < _NOTE_EVERY:
            return
        if len(self._noted) >= _REMEMBERED:
            self._noted.clear()
        self._noted[bot] = now
        now_ms = self._clock().now_ms
        self._wire.run([("ZADD", _SEEN, now_ms, bot), ("ZREMRANGEBYSCORE", _SEEN, "-inf", now_ms - _KEPT_MS)])

    def online(self) -> list[str]:
        """The bots that are online, by name."""
        oldest = self._clock().now_ms - ONLINE_MS
        (names,) = self._wire.run([("ZRANGEBYSCORE", _SEEN, oldest, "+inf")])
        return sorted(name.decode() for name in names)
