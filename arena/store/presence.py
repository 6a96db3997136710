"""Presence: which bots are online, that is, have polled for turns recently, and which were entered when."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from arena.play.clocks import ServiceClock
from arena.store.connection import RedisConnection

ONLINE_MS: Final = 40_000
"""How long a bot is online after a request: longer than a request for turns may wait."""

_NOTE_EVERY: Final = 10.0
_KEPT_MS: Final = 86_400_000
_REMEMBERED: Final = 20_000
_SEEN: Final = "live:seen"
_KEPT_ENTERED: Final = 10_000


class Presence:
    """When bots were last seen, and last entered automatically, over all processes."""

    def __init__(self, connection: RedisConnection, clock: Callable[[], ServiceClock]) -> None:
        self._connection = connection
        self._clock = clock
        self._noted: dict[str, float] = {}

    def note(self, bot: str) -> None:
        """Record a request of the bot for turns or with answers; stored at most every ten seconds."""
        now = time.monotonic()
        if now - self._noted.get(bot, -_NOTE_EVERY) < _NOTE_EVERY:
            return
        if len(self._noted) >= _REMEMBERED:
            self._noted.clear()
        self._noted[bot] = now
        now_ms = self._clock().now_ms
        self._connection.run(
            [("ZADD", _SEEN, now_ms, bot), ("ZREMRANGEBYSCORE", _SEEN, "-inf", now_ms - _KEPT_MS)]
        )

    def online(self) -> list[str]:
        """The bots that are online, by name."""
        oldest = self._clock().now_ms - ONLINE_MS
        (names,) = self._connection.run([("ZRANGEBYSCORE", _SEEN, oldest, "+inf")])
        return sorted(name.decode() for name in names)

    def entered(self, board: str) -> Mapping[str, int]:
        """When bots were last entered automatically in a tournament of ``board`` (``<kind>/<division>``), in
        milliseconds since 1970; only the last 10,000 are known.
        """
        (found,) = self._connection.run([("ZRANGE", _entered(board), 0, -1, "WITHSCORES")])
        pairs = (
            found
            if found and isinstance(found[0], (list, tuple))
            else zip(found[::2], found[1::2], strict=True)
        )
        return {bytes(name).decode(): int(float(at)) for name, at in pairs}

    def note_entered(self, board: str, bots: Sequence[str], now_ms: int) -> None:
        """Record that bots were entered automatically."""
        if bots:
            scores = [value for bot in bots for value in (now_ms, bot)]
            trim = ("ZREMRANGEBYRANK", _entered(board), 0, -_KEPT_ENTERED - 1)
            self._connection.run([("ZADD", _entered(board), *scores), trim])


def _entered(board: str) -> str:
    return f"{{arena}}:entered:{board}"
