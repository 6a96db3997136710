"""Which tables the people of an address have at a time. Addresses are stored as hashes, and expire."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from arena.store.connection import Repository


class PeopleStore(Repository):
    """The tables of people by address."""

    def tables(self, address: str, now_ms: int) -> list[str]:
        """Return the games that were added and have not expired; some may be over."""
        key = _key(address)
        _, found = self._connection.run([("ZREMRANGEBYSCORE", key, "-inf", now_ms), ("ZRANGE", key, 0, -1)])
        return [game.decode() for game in found]

    def add(self, address: str, game: str, until_ms: int, kept_ms: int) -> int:
        """Add a game and return how many there are now."""
        key = _key(address)
        _, _, count = self._connection.run(
            [("ZADD", key, until_ms, game), ("PEXPIRE", key, kept_ms), ("ZCARD", key)]
        )
        return int(count)

    def remove(self, address: str, games: Sequence[str]) -> None:
        """Remove games."""
        if games:
            self._one("ZREM", _key(address), *games)


def _key(address: str) -> str:
    return f"people:{hashlib.sha256(address.encode()).hexdigest()}"
