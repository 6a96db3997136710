"""Tables of the people at each network address. Addresses are stored as hashes and expire."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from arena.store.connection import Repository


class PeopleStore(Repository):
    """Stores the tables of people by address."""

    def tables(self, address: str, now_ms: int) -> list[str]:
        """Return the games of an address that have not expired; some of them may be over."""
        key = _key(address)
        _, found = self._connection.run([("ZREMRANGEBYSCORE", key, "-inf", now_ms), ("ZRANGE", key, 0, -1)])
        return [game.decode() for game in found]

    def add(self, address: str, game: str, until_ms: int, kept_ms: int) -> int:
        """Add a game to an address, and return the number of its games."""
        key = _key(address)
        _, _, count = self._connection.run(
            [("ZADD", key, until_ms, game), ("PEXPIRE", key, kept_ms), ("ZCARD", key)]
        )
        return int(count)

    def remove(self, address: str, games: Sequence[str]) -> None:
        """Remove games from an address."""
        if games:
            self._one("ZREM", _key(address), *games)


def _key(address: str) -> str:
    return f"people:{hashlib.sha256(address.encode()).hexdigest()}"
