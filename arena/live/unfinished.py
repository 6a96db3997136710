"""Limits on the number of unfinished games that an account or an address has at a time."""

from __future__ import annotations

from typing import Final

from arena.errors import ArenaError
from arena.live.header import GameHeader
from arena.store.repositories import Store

_DAY_MS: Final = 86_400_000


class TooManyTables(ArenaError):
    """An account or an address has too many unfinished games."""

    code = "too_many_tables"


class UnfinishedGames:
    """Counts the unfinished games of accounts and addresses. ``most`` is the limit of each, or None."""

    def __init__(self, store: Store, most: int | None) -> None:
        self._people = store.people
        self._index = store.game_index
        self._clock = store.clock
        self._most = most

    def add(self, of: str, game: str) -> None:
        """Count a game of an account or an address. Raises :class:`TooManyTables`."""
        if self._most is None:
            return
        now_ms = self._clock().now_ms
        # Add the game first: of two simultaneous requests, one too many can be refused, but none too many
        # admitted.
        if self._people.add(of, game, now_ms + _DAY_MS, _DAY_MS) <= self._most:
            return
        known = [one for one in self._people.tables(of, now_ms) if one != game]
        over = [
            one
            for one, data in zip(known, self._index.headers(known), strict=True)
            if data is None or GameHeader.loads(data).state not in ("waiting", "running")
        ]
        self._people.remove(of, over)
        if len(known) - len(over) >= self._most:
            self._people.remove(of, [game])
            raise TooManyTables(
                f"at most {self._most} games at a time can be unfinished",
                expected="to finish, leave or cancel a game first",
            )

    def remove(self, of: str, game: str) -> None:
        """Stop counting a game."""
        self._people.remove(of, [game])
