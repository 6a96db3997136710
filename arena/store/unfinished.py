"""The unfinished games of accounts and addresses, for limits on their number. Names are stored as hashes and
expire.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from arena.store.connection import Repository


class UnfinishedStore(Repository):
    """Stores the unfinished games by account or address."""

    def games(self, of: str) -> Mapping[str, int]:
        """Return the games of an account or an address, with the times at which they were added. Some of them
        may be over.
        """
        found = self._one("ZRANGE", _key(of), 0, -1, "WITHSCORES")
        return {found[at].decode(): int(found[at + 1]) for at in range(0, len(found), 2)}

    def add(self, of: str, game: str, now_ms: int, kept_ms: int) -> int:
        """Add a game to an account or an address, and return the number of its games, all of which are kept
        for ``kept_ms`` from now on.
        """
        key = _key(of)
        _, _, count = self._connection.run(
            [("ZADD", key, now_ms, game), ("PEXPIRE", key, kept_ms), ("ZCARD", key)]
        )
        return int(count)

    def remove(self, of: str, games: Sequence[str]) -> None:
        """Remove games from an account or an address."""
        if games:
            self._one("ZREM", _key(of), *games)

    def forget(self, of: str) -> None:
        """Remove all games of an account."""
        self._one("DEL", _key(of))


def _key(of: str) -> str:
    return f"unfinished:{hashlib.sha256(of.encode()).hexdigest()}"
