"""Presence: which bots are online, which of them take part in scheduled tournaments, and when bots were last
entered automatically.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from arena.play.clocks import ServiceClock
from arena.store.connection import Command, RedisConnection, Repository

ONLINE_MS: Final = 40_000
"""How long a bot stays online after a request; longer than the maximum wait of a request for turns."""

_NOTE_EVERY: Final = 10.0
_KEPT_MS: Final = 86_400_000
_REMEMBERED: Final = 20_000
_SEEN: Final = "live:seen"
_WILLING: Final = "live:willing"
"""The bots whose last request stated that they take part in tournaments."""

_ARRIVED: Final = "{arena}:arrived"
_KEPT_ENTERED: Final = 10_000


class Sight(NamedTuple):
    """When a bot was last seen, and when it last stated that it takes part in tournaments, in Unix
    milliseconds.

    Each is None if the bot was never seen or has since signed off.
    """

    seen_ms: int | None
    willing_ms: int | None


class Presence(Repository):
    """Stores when bots were last seen and last entered automatically, across all processes."""

    def __init__(self, connection: RedisConnection, clock: Callable[[], ServiceClock]) -> None:
        super().__init__(connection)
        self._clock = clock
        self._noted: dict[str, tuple[float, bool | None]] = {}

    def note(self, bot: str, *, tournaments: bool | None = None) -> None:
        """Record that the bot requested turns or sent answers, and whether it stated that it takes part in
        tournaments (None: unchanged). The database is updated at most every ten seconds.
        """
        now = time.monotonic()
        at, said = self._noted.get(bot, (-_NOTE_EVERY, tournaments))
        if now - at < _NOTE_EVERY and tournaments in (None, said):
            return
        if len(self._noted) >= _REMEMBERED:
            self._noted.clear()
        self._noted[bot] = now, said if tournaments is None else tournaments
        now_ms = self._clock().now_ms
        commands: list[Command] = [("ZADD", _SEEN, now_ms, bot)]
        if tournaments:
            commands += (("ZSCORE", _WILLING, bot), ("ZADD", _WILLING, now_ms, bot))
        elif tournaments is not None:
            commands.append(("ZREM", _WILLING, bot))
        commands += (("ZREMRANGEBYSCORE", key, "-inf", now_ms - _KEPT_MS) for key in (_SEEN, _WILLING))
        replies = self._connection.run(commands)
        if tournaments and (replies[1] is None or float(replies[1]) < now_ms - ONLINE_MS):
            self.note_arrival("open")

    def forget(self) -> None:
        """Clear this process's memory of requests, so that the next request of each bot is stored."""
        self._noted.clear()

    def end(self, bot: str) -> None:
        """Record that the bot signed off or that its connection was closed."""
        self._noted.pop(bot, None)
        self._connection.run([("ZREM", _SEEN, bot), ("ZREM", _WILLING, bot)])

    def online(self) -> list[str]:
        """Return the names of the bots that are online, in order."""
        oldest = self._clock().now_ms - ONLINE_MS
        return sorted(self._names("ZRANGEBYSCORE", _SEEN, oldest, "+inf"))

    def sights(self, bots: Sequence[str]) -> list[Sight]:
        """Return when each of the bots was last seen."""
        found = self._connection.run([("ZSCORE", key, bot) for bot in bots for key in (_SEEN, _WILLING)])
        times = [None if score is None else int(float(score)) for score in found]
        return [Sight(*pair) for pair in zip(times[::2], times[1::2], strict=True)]

    # Arrivals

    def note_arrival(self, board: str) -> None:
        """Record that a bot may need groups on a board, on all boards for which bots qualify together, or on
        any board of a division.
        """
        self._one("SADD", _ARRIVED, board)

    def arrivals(self) -> set[str]:
        """Return the boards and divisions with recorded arrivals."""
        return set(self._names("SMEMBERS", _ARRIVED))

    def forget_arrivals(self, boards: Sequence[str]) -> None:
        """Remove recorded arrivals."""
        if boards:
            self._one("SREM", _ARRIVED, *boards)

    # Automatic entries

    def entered(self, board: str) -> Mapping[str, int]:
        """Return when bots were last entered automatically in a tournament of ``board`` (``BoardName.key``),
        in Unix milliseconds. Only the last 10,000 entries are kept.
        """
        found = self._one("ZRANGE", _entered(board), 0, -1, "WITHSCORES")
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
