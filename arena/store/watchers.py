"""How many people watch each live game, and whether anybody looks at the exhibition games.

Each process of the API reports its numbers every few seconds while it has spectators, so that a move of a
game costs no write.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

import orjson

from arena.store.connection import Command, Repository
from arena.store.documents import by_name

REPORT_MS: Final = 10_000
"""How often a process reports its spectators, in milliseconds."""

LOOKED_MS: Final = 600_000
"""How long exhibition games go on after somebody has looked at them."""

_KEPT_MS: Final = 3 * REPORT_MS
"""How long a report counts; a process that was killed withdraws none."""

_WATCHERS: Final = "{arena}:watchers"
"""The time of the last report and the spectators by game, keyed by process."""

_LOOKED: Final = "{arena}:looked"


class WatcherStore(Repository):
    """Stores the spectators by process and game."""

    def report(self, process: str, watched: Mapping[str, int], now_ms: int) -> Mapping[str, int]:
        """Replace the numbers of a process, and return those of all processes together."""
        *_, reply = self._connection.run(
            [
                ("HSET", _WATCHERS, process, orjson.dumps([now_ms, watched])),
                ("PEXPIRE", _WATCHERS, 2 * _KEPT_MS),
                ("HGETALL", _WATCHERS),
            ]
        )
        all_watched: Counter[str] = Counter()
        old: list[Command] = []
        for name, data in by_name(reply).items():
            at_ms, own = orjson.loads(data)
            if now_ms - at_ms > _KEPT_MS:
                old.append(("HDEL", _WATCHERS, name))
            else:
                all_watched.update(own)
        if old:
            self._connection.run(old)
        return all_watched

    def withdraw(self, process: str) -> None:
        """Remove the numbers of a process that has no spectators any more."""
        self._one("HDEL", _WATCHERS, process)

    def look(self) -> None:
        """Record that somebody looks at the exhibition games."""
        self._one("SET", _LOOKED, 1, "PX", LOOKED_MS)

    def is_looked_at(self) -> bool:
        """Return whether somebody has looked at the exhibition games in the last minutes."""
        found = self._one("EXISTS", _LOOKED)
        return bool(found)


__all__ = ["LOOKED_MS", "REPORT_MS", "WatcherStore"]
