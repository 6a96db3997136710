"""Recent rating histories of the top bots of each leaderboard, for the chart on its page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import orjson

from arena.events.moderation import Moderation
from arena.play.board_names import BoardName
from arena.ratings.board import ANCHOR
from arena.store.repositories import Store
from arena.store.rows import shown_or_left_out

DAYS: Final = 30
BOTS: Final = 12
"""``DAYS`` and ``BOTS`` are the maximum numbers of days and of top bots in a chart."""


class BotHistory(NamedTuple):
    """The points of a bot, one per day, oldest first: ``(day, rating, low, high)``."""

    name: str
    points: Sequence[tuple[str, float, float, float]]


class RecentHistories:
    """The recent daily ratings of bots on boards.

    Methods that take the name of a board raise :class:`~arena.errors.UnknownGame` and
    :class:`~arena.errors.UnknownPreset`.
    """

    def __init__(self, store: Store, moderation: Moderation) -> None:
        self._moderation = moderation
        self._boards = store.boards

    def read(self, kind: str, division: str, preset: str | None = None) -> list[BotHistory]:
        """Return the histories of the top bots in the order of the board, or an empty list if they are not
        stored yet or cannot be read.
        """
        board = BoardName.of(kind, division, preset).key
        found = shown_or_left_out(f"recent days of {board}", partial(self._read, board)) or []
        return [one._replace(name=self._moderation.name("bot", one.name)) for one in found]

    def of(self, bot: str, kind: str, division: str, preset: str | None = None) -> BotHistory | None:
        """Return the history of any bot on the board, or None if it has no point in the last ``DAYS``
        days.
        """
        board = BoardName.of(kind, division, preset).key
        found = self._series(board, self._boards.days(board)[-DAYS:], bot)
        return found if found.points else None

    def update(self, kind: str, division: str, preset: str | None = None) -> None:
        """Store the histories as of the last publication. Safe to run twice."""
        board = BoardName.of(kind, division, preset).key
        shown = self._boards.state(board).shown
        if shown is None:
            return
        days = self._boards.days(board)[-DAYS:]
        series = [self._series(board, days, bot) for bot in _first_bots(orjson.loads(shown))]
        self._boards.save_recent(board, orjson.dumps([[*one] for one in series if one.points]))

    def _read(self, board: str) -> list[BotHistory]:
        stored = self._boards.recent(board)
        found = [BotHistory(name, list(map(tuple, points))) for name, points in orjson.loads(stored or b"[]")]
        for series in found:
            if not isinstance(series.name, str) or any(len(point) != 4 for point in series.points):
                raise TypeError("the name of a bot is missing, or a point has no interval")
        return found

    def _series(self, board: str, days: Sequence[str], bot: str) -> BotHistory:
        points = self._boards.points_of(board, days, bot)
        # A stored point consists of version, rating, low, high, and whether the rating was provisional.
        return BotHistory(
            bot,
            [
                (day, point[1], point[2], point[3])
                for day, point in zip(days, points, strict=True)
                if point is not None and len(point) >= 4
            ],
        )


def _first_bots(board: Mapping[str, Any]) -> list[str]:
    """The top ranked bots, or the top bots overall if none is ranked; the anchor is always among them."""
    rows = [row["name"] for row in board["rows"] if row["rank"] is not None]
    names = (rows or [row["name"] for row in board["rows"] if not row["retired"]])[:BOTS]
    if board["anchor"]["played"] and ANCHOR not in names:
        names = [*names[: BOTS - 1], ANCHOR]
    return names
