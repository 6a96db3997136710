"""What is shown beside a board and computed after it, in the hash tag of the board."""

from __future__ import annotations

from arena.store.boards import board_key
from arena.store.connection import RedisConnection


class BoardDetails:
    """Documents by the name of the board (``BoardName.key``) and their own. Holds no rules."""

    def __init__(self, connection: RedisConnection) -> None:
        self._connection = connection

    def load(self, board: str, name: str) -> bytes | None:
        """Return a document, or None if there is none."""
        found: bytes | None = self._connection.run([("GET", _key(board, name))])[0]
        return found

    def save(self, board: str, name: str, document: bytes) -> None:
        """Replace a document."""
        self._connection.run([("SET", _key(board, name), document)])


def _key(board: str, name: str) -> str:
    return f"{board_key(board)}:{name}"


__all__ = ["BoardDetails"]
