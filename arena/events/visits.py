"""What happened to an owner's bots since the owner's last visit to the account page.

A visit ends :data:`PAUSE_MS` after its last look. At every look, the figures of the owner's bots are stored.
The next visit compares the boards with those of the last look, however often the page is loaded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from arena.events.boards import Boards
from arena.events.moderation import Moderation
from arena.events.movements import Movement, movement
from arena.play.board_names import BoardName, all_boards
from arena.store.repositories import Store

PAUSE_MS: Final = 3_600_000
MOST_ITEMS: Final = 20
"""The maximum number of items in the list, largest changes first."""

_Figures = dict[str, dict[str, list[Any]]]
"""By bot and board: the version, rating, rank, groups and faults."""


class BotNews(NamedTuple):
    """What happened to a bot on a board. ``row`` is its row now, and ``faults`` the number of new faults."""

    bot: str
    board: BoardName
    row: Mapping[str, Any]
    movement: Movement
    faults: int


class News(NamedTuple):
    """What happened since a time (Unix time in milliseconds), and how many items are left out."""

    since_ms: int
    items: Sequence[BotNews]
    more: int


class Visits:
    """The visits of owners."""

    def __init__(self, store: Store, boards: Boards, moderation: Moderation) -> None:
        self._rows = store.visits
        self._clock = store.clock
        self._boards = boards
        self._moderation = moderation

    def look(self, owner: str, bots: Sequence[str]) -> News | None:
        """Record that the owner looks at the page now, and return what happened to the bots since the last
        visit, or None at the first one.
        """
        now_ms = self._clock().now_ms
        places = self._places(bots)
        figures: _Figures = {bot: {} for bot in bots}
        for bot, board, row in places:
            own = (row["version"], row["rating"], row["rank"], row["groups"], row["faults"])
            figures[bot][board.key] = list(own)

        def act(row: dict[str, Any] | None) -> dict[str, Any]:
            if row is None:
                row = {"since_ms": None, "before": {}}
            elif now_ms >= row["seen_ms"] + PAUSE_MS:
                row = {"since_ms": row["seen_ms"], "before": row["figures"]}
            return {**row, "seen_ms": now_ms, "figures": figures}

        stored = self._rows.change(owner, act)
        if stored["since_ms"] is None:
            return None
        found = [_news(bot, board, row, stored["before"]) for bot, board, row in places]
        items = sorted((one for one in found if one.movement.is_any or one.faults), key=_order)
        return News(stored["since_ms"], items[:MOST_ITEMS], max(0, len(items) - MOST_ITEMS))

    def _places(self, bots: Sequence[str]) -> list[tuple[str, BoardName, Mapping[str, Any]]]:
        """The rows of the bots on all boards."""
        shown = {self._moderation.name("bot", bot): bot for bot in bots}
        return [
            (shown[row["name"]], board, row)
            for board in all_boards()
            for row in (self._boards.read(*board) or {"rows": ()})["rows"]
            if row["name"] in shown
        ]

    def exported(self, owner: str) -> object:
        """Return what is stored about an owner's visits, or None."""
        return self._rows.find(owner)

    def forget(self, owner: str) -> None:
        """Delete what is stored about an owner's visits."""
        self._rows.delete(owner)


def _news(bot: str, board: BoardName, row: Mapping[str, Any], before: _Figures) -> BotNews:
    known = before.get(bot, {}).get(board.key)
    if known is None:
        return BotNews(bot, board, row, movement(row, None), row["faults"])
    version, rating, rank, groups, faults = known
    # What had no rank was provisional.
    moved = movement(row, (version, rating, None, None, rank is None, rank, groups))
    return BotNews(
        bot, board, row, moved, row["faults"] - faults if version == row["version"] else row["faults"]
    )


def _order(one: BotNews) -> tuple[bool, float]:
    """New versions first, then the largest changes."""
    return one.movement.rating is not None, -abs(one.movement.rating or 0)
