"""The matchups of boards in Redis, each in the hash tag of its board."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from arena.store.boards import board_key
from arena.store.connection import RedisConnection
from arena.store.rows import reading


class StoredMatchups(NamedTuple):
    """The matchups of a board (JSON; None: it has none), the version of the board that they are of (empty:
    they were never computed), and how long that took in milliseconds.
    """

    shown: bytes | None
    of: str
    cost_ms: int


class MatchupStore:
    """The matchups of boards, by the name of the board. Holds no rules."""

    def __init__(self, connection: RedisConnection) -> None:
        self._connection = connection

    def load(self, board: str) -> StoredMatchups:
        """Return the stored matchups. Raises :class:`~arena.errors.CorruptState`."""
        ((shown, of, cost),) = self._connection.run([("HMGET", _key(board), "shown", "of", "cost")])
        return _stored(board, shown or None, of, cost)

    def progress(self, boards: Sequence[str]) -> list[StoredMatchups]:
        """Return the state of several boards, without the matchups themselves, in one round trip."""
        replies = self._connection.run([("HMGET", _key(board), "of", "cost") for board in boards])
        return [_stored(board, None, *reply) for board, reply in zip(boards, replies, strict=True)]

    def save(self, board: str, stored: StoredMatchups) -> None:
        """Replace what is stored."""
        values = ("shown", stored.shown or b"", "of", stored.of, "cost", stored.cost_ms)
        self._connection.run([("HSET", _key(board), *values)])


def _stored(board: str, shown: bytes | None, of: bytes | None, cost: bytes | None) -> StoredMatchups:
    with reading(f"matchups of {board}"):
        return StoredMatchups(shown, (of or b"").decode(), int(cost or 0))


def _key(board: str) -> str:
    return f"{board_key(board)}:matchups"


__all__ = ["MatchupStore", "StoredMatchups"]
