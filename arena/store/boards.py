"""Boards in Redis: the list of released groups, the board computed from it, and its daily points."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from arena.store.connection import RedisConnection, Script
from arena.store.documents import by_name

_PUBLISH: Final = Script("board_publish")
BOARD_SCRIPTS: Final = (_PUBLISH,)
"""The scripts that the connection of boards must load."""


class BoardState(NamedTuple):
    """A board as published (JSON; None: never), the last place of its list that it includes, when it was
    published, how long that took, and the last place of the list. All numbers are 0 without a board.
    """

    shown: bytes | None
    place: int
    at_ms: int
    cost_ms: int
    last: int


class BoardStore:
    """The boards ``<kind>/<division>``. Holds no rules. All times are milliseconds."""

    def __init__(self, connection: RedisConnection) -> None:
        self._connection = connection

    def _one(self, *command: Any) -> Any:
        (reply,) = self._connection.run([command])
        return reply

    def released_after(self, board: str, after: int, count: int) -> list[tuple[int, str, str]]:
        """Groups released after a place of the list, oldest first: place, tournament, group."""
        reply = self._one(
            "ZRANGEBYSCORE", f"{board_key(board)}:log", f"({after}", "+inf", "WITHSCORES", "LIMIT", 0, count
        )
        found = []
        for at in range(0, len(reply), 2):
            event, _, group = reply[at].decode().partition("/")
            found.append((int(reply[at + 1]), event, group))
        return found

    def state(self, board: str) -> BoardState:
        """The state of a board."""
        key = board_key(board)
        (shown, *numbers), last = self._connection.run(
            [("HMGET", key, "board", "place", "at", "cost"), ("GET", f"{key}:last")]
        )
        return BoardState(shown, *(int(number or 0) for number in (*numbers, last)))

    def ledger(self, board: str) -> tuple[bytes | None, int | None]:
        """The ledger of the counted groups, and their last place in the list."""
        ledger, place = self._one("HMGET", board_key(board), "ledger", "place")
        return ledger, None if place is None else int(place)

    def publish(
        self, board: str, before: int | None, *, state: BoardState, ledger: bytes, day: str, point: bytes
    ) -> bool:
        """Publish a board whose previous place was ``before``; False if another process was faster."""
        values = ("board", state.shown, "place", state.place, "at", state.at_ms, "cost", state.cost_ms)
        expected = "" if before is None else before
        call = _PUBLISH.call([board_key(board)], expected, day, point, *values, "ledger", ledger)
        return bool(self._one(*call))

    def forget_ledger(self, board: str) -> None:
        """Delete the ledger, which is then recomputed."""
        self._one("HDEL", board_key(board), "ledger", "place")

    def days(self, board: str) -> dict[str, bytes]:
        """The board's daily points by day."""
        return by_name(self._one("HGETALL", f"{board_key(board)}:days"))


def board_key(board: str) -> str:
    """The hash of a board ``<kind>/<division>``: ``board`` as published, ``ledger``, ``place``, ``at``."""
    return f"{{board:{board}}}"


__all__ = ["BOARD_SCRIPTS", "BoardState", "BoardStore", "board_key"]
