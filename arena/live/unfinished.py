"""Limits on the number of unfinished games that an account or an address has at a time."""

from __future__ import annotations

from typing import Final

from arena.errors import ArenaError
from arena.live.header import GameHeader
from arena.store.amounts import DAY_MS
from arena.store.repositories import Store

KEPT_MS: Final = 60 * DAY_MS
"""How long the games of an account are counted after it has begun the last one. A game whose players never
answer is over sooner: a decision can take 7 days and the bank of a seat 30, and three faults forfeit.
"""

PEOPLE_KEPT_MS: Final = DAY_MS
"""The same for an address, which is stored no longer than that. Tables of people have short clocks."""

_CREATION_MS: Final = 60_000
"""The time after which a game without a header counts as over. It is counted before it is stored, so that the
process that creates it may still be about to store it.
"""


class TooManyTables(ArenaError):
    """An account or an address has too many unfinished games."""

    code = "too_many_tables"


class UnfinishedGames:
    """Counts the unfinished games of accounts and addresses. ``most`` is the limit of each, or None. All
    games are kept for ``kept_ms`` after the last one was added.
    """

    def __init__(self, store: Store, most: int | None, kept_ms: int) -> None:
        self._games = store.unfinished
        self._index = store.game_index
        self._clock = store.clock
        self._most = most
        self._kept_ms = kept_ms

    def add(self, of: str, game: str) -> None:
        """Count a game of an account or an address, before it is stored. Raises :class:`TooManyTables`."""
        if self._most is None:
            return
        now_ms = self._clock().now_ms
        # The game is added first, so that simultaneous requests can be refused needlessly, but never exceed
        # the limit.
        if self._games.add(of, game, now_ms, self._kept_ms) <= self._most:
            return
        known = {one: added_ms for one, added_ms in self._games.games(of).items() if one != game}
        headers = zip(known.items(), self._index.headers(list(known)), strict=True)
        over = [one for (one, added_ms), data in headers if _is_over(data, now_ms - added_ms)]
        self._games.remove(of, over)
        if len(known) - len(over) >= self._most:
            self._games.remove(of, [game])
            raise TooManyTables(
                f"at most {self._most} games at a time can be unfinished",
                expected="to finish, leave or cancel a game first",
            )

    def remove(self, of: str, game: str) -> None:
        """Stop counting a game."""
        self._games.remove(of, [game])


def _is_over(header: bytes | None, age_ms: int) -> bool:
    if header is None:
        return age_ms > _CREATION_MS
    return GameHeader.loads(header).state not in ("waiting", "running")
