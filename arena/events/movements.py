"""What moved on a leaderboard since yesterday: its rows beside the points of an earlier day."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final, NamedTuple

from arena.events.moderation import Moderation
from arena.play.board_names import BoardName
from arena.store.amounts import DAY_MS
from arena.store.boards import Point
from arena.store.repositories import Store
from arena.store.rows import shown_or_left_out

_LEAST_MS: Final = DAY_MS // 2
"""The day before counts from noon on; until then the one before it does, so that a morning is not empty."""


class Movement(NamedTuple):
    """What changed for a bot. ``rating`` is the change, or None if its version is new on the board: it had no
    rating that was more than provisional, or has none now.
    ``groups`` is the number of groups since then, or None if it is unknown. ``from_rank`` is its rank then,
    if it has another one now.
    """

    rating: float | None
    groups: int | None
    from_rank: int | None

    @property
    def is_any(self) -> bool:
        """Whether anything changed."""
        return bool(round(self.rating or 0) or self.groups or self.from_rank)


class Movements(NamedTuple):
    """What changed on a board since a time (Unix time in milliseconds), by the displayed name of the bot."""

    since_ms: int
    bots: Mapping[str, Movement]


class BoardMovements:
    """Compares the boards with the points of an earlier day."""

    def __init__(self, store: Store, moderation: Moderation) -> None:
        self._moderation = moderation
        self._boards = store.boards
        self._clock = store.clock

    def of(self, name: BoardName, rows: Iterable[Mapping[str, Any]]) -> Movements | None:
        """Return what changed for the ``rows`` of a board since the end of the latest day that is at least
        twelve hours ago. Returns None if the board did not exist then, or cannot be read.
        """
        since_ms = (self._clock().now_ms - _LEAST_MS) // DAY_MS * DAY_MS
        return shown_or_left_out(f"points of {name.key}", partial(self._of, name.key, list(rows), since_ms))

    def _of(self, board: str, rows: list[Mapping[str, Any]], since_ms: int) -> Movements | None:
        first = datetime.fromtimestamp(since_ms / 1000, UTC).date().isoformat()
        day = max((day for day in self._boards.days(board) if day < first), default=None)
        if day is None:
            return None
        names = {row["name"]: self._moderation.real_name("bot", row["name"]) for row in rows}
        points = self._boards.points_on(board, day, names.values())
        bots = {row["name"]: movement(row, points.get(names[row["name"]])) for row in rows}
        return Movements(since_ms, bots)


def movement(row: Mapping[str, Any], point: Point | None) -> Movement:
    """Return what changed from a bot's point, if it had one, to its row on the board."""
    if point is None or point[0] != row["version"]:
        return Movement(None, row["groups"], None)
    # The points of earlier versions of the program have no rank and no groups.
    _, rating, _, _, was_provisional, rank, groups, *_ = [*point, None, None]
    played = None if groups is None else max(0, row["groups"] - groups)
    if was_provisional or row["provisional"]:
        return Movement(None, played, None)
    moved = rank is not None and row["rank"] not in (None, rank)
    return Movement(row["rating"] - rating, played, rank if moved else None)
