"""Boards in Redis: the list of released groups, the board computed from it, and its daily points.

Of a board, all in its hash tag: the hash itself (:func:`board_key`); ``:log`` the released groups,
``:last`` their last place; ``:days`` the days with points, and ``:days:<part>`` the points of some of the
bots by day, so that those of one bot are read without those of all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple
from zlib import crc32

import orjson

from arena.store.connection import RedisConnection, Script
from arena.store.rows import reading, shown_or_left_out

_PUBLISH: Final = Script("board_publish")
BOARD_SCRIPTS: Final = (_PUBLISH,)
"""The scripts that the connection of boards must load."""


_PARTS: Final = 64
"""The number of parts of a day's points."""

_IN_PARTS: Final = b"{}"
"""Stands on the list of days for points in parts. Earlier releases stored the points of all bots there."""

Point = Sequence[Any]
"""What is stored of a bot on a day."""


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
        """The state of a board. Raises :class:`~arena.errors.CorruptState`."""
        key = board_key(board)
        (shown, *numbers), last = self._connection.run(
            [("HMGET", key, "board", "place", "at", "cost"), ("GET", f"{key}:last")]
        )
        return _state(board, shown, (*numbers, last))

    def progress(self, board: str) -> BoardState:
        """The same without the board itself, which may be large."""
        key = board_key(board)
        numbers, last = self._connection.run([("HMGET", key, "place", "at", "cost"), ("GET", f"{key}:last")])
        return _state(board, None, (*numbers, last))

    def ledger(self, board: str) -> tuple[bytes | None, int | None]:
        """The ledger of the counted groups, and their last place in the list. Raises
        :class:`~arena.errors.CorruptState`.
        """
        ledger, place = self._one("HMGET", board_key(board), "ledger", "place")
        with reading(f"board {board}"):
            return ledger, None if place is None else int(place)

    def publish(
        self,
        board: str,
        before: int | None,
        *,
        state: BoardState,
        ledger: bytes,
        day: str,
        points: Mapping[str, Point],
    ) -> bool:
        """Publish a board whose previous place was ``before``, and replace the points of ``day`` by name;
        False if another process was faster.
        """
        values = ("board", state.shown, "place", state.place, "at", state.at_ms, "cost", state.cost_ms)
        expected = "" if before is None else before
        parts = [orjson.dumps(part) if part else b"" for part in _parts(points)]
        call = _PUBLISH.call(
            [board_key(board)], expected, day, _IN_PARTS, _PARTS, *parts, *values, "ledger", ledger
        )
        return bool(self._one(*call))

    def forget_ledger(self, board: str) -> None:
        """Delete the ledger, which is then recomputed."""
        self._one("HDEL", board_key(board), "ledger", "place")

    def days(self, board: str) -> list[str]:
        """The days with points, in their order."""
        return sorted(day.decode() for day in self._one("HKEYS", f"{board_key(board)}:days"))

    def points(self, board: str, days: Sequence[str], bot: str | None = None) -> list[dict[str, Point]]:
        """The points of each of ``days`` by name; with ``bot``, only its own."""
        key = f"{board_key(board)}:days"
        numbers = range(_PARTS) if bot is None else [_part_of(bot)]
        whole, *parts = self._connection.run(
            [("HMGET", key, *days), *(("HMGET", f"{key}:{number}", *days) for number in numbers)]
        )
        found = []
        for at, stored in enumerate(whole):
            chosen = [part[at] for part in parts] if stored == _IN_PARTS else [stored]
            points: dict[str, Point] = {}
            for part in chosen:
                points.update(_points(f"points of {board} on {days[at]}", part))
            found.append({name: point for name, point in points.items() if bot in (None, name)})
        return found

    def split_days(self, board: str, most: int) -> int:
        """Split the points of up to ``most`` days that an earlier release stored whole, and return how many
        there were.
        """
        key = f"{board_key(board)}:days"
        days = self.days(board)
        sizes = self._connection.run([("HSTRLEN", key, day) for day in days]) if days else []
        whole = [day for day, size in zip(days, sizes, strict=True) if size > len(_IN_PARTS)][:most]
        for day, points in zip(whole, self.points(board, whole) if whole else [], strict=True):
            parts = enumerate(_parts(points))
            self._connection.run(
                [
                    *(("HSET", f"{key}:{number}", day, orjson.dumps(part)) for number, part in parts if part),
                    ("HSET", key, day, _IN_PARTS),
                ]
            )
        return len(whole)


def _state(board: str, shown: bytes | None, numbers: Sequence[bytes | None]) -> BoardState:
    with reading(f"board {board}"):
        return BoardState(shown, *(int(number or 0) for number in numbers))


def _points(name: str, part: bytes | None) -> dict[str, Point]:
    """The points of a part, without those that cannot be read."""

    def read() -> dict[str, Point]:
        points: dict[str, Point] = orjson.loads(part or b"{}")
        if not all(isinstance(point, list) for point in points.values()):
            raise TypeError("a point is not a list")
        return points

    return shown_or_left_out(name, read) or {}


def _part_of(bot: str) -> int:
    return crc32(bot.encode()) % _PARTS


def _parts(points: Mapping[str, Point]) -> list[dict[str, Point]]:
    parts: list[dict[str, Point]] = [{} for _ in range(_PARTS)]
    for name, point in points.items():
        parts[_part_of(name)][name] = point
    return parts


def board_key(board: str) -> str:
    """The hash of a board ``<kind>/<division>``: ``board`` as published, ``ledger``, ``place``, ``at``."""
    return f"{{board:{board}}}"


__all__ = ["BOARD_SCRIPTS", "BoardState", "BoardStore", "board_key"]
