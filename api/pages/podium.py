"""The best bots of a tournament, those of the visitor, and a game of it to watch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

from api.http.sessions import visitor
from api.services import services
from arena.errors import ArenaError
from arena.live.header import Viewer

_LABELS: Final = ("winner", "second", "third")
_LIVE_GROUPS_MOST: Final = 5
"""How many of the planned groups of a page are searched for a game that runs."""


class PlacedRow(NamedTuple):
    """A row of the standings: its ``label`` on the podium, and the ``share`` of the points, between the
    bounds ``low`` and ``high`` of its 95% interval, in per cent. ``entry`` is the entry of the bot, ``mine``
    says whether the bot belongs to the visitor.
    """

    row: Mapping[str, Any]
    entry: Mapping[str, Any] | None
    mine: bool
    label: str
    low: float
    share: float
    high: float

    @property
    def most(self) -> int:
        """The points that the bot could have."""
        return int(self.row["groups"] + self.row["byes"])


class GameToWatch(NamedTuple):
    """A game to watch."""

    game: str
    live: bool


def places(rows: Iterable[Mapping[str, Any]], entries: Iterable[Mapping[str, Any]]) -> list[PlacedRow]:
    """Return the rows of the standings with what the page draws of them."""
    by_bot = {entry["bot"]: entry for entry in entries}
    return [_place(row, by_bot.get(row["name"])) for row in rows]


def _place(row: Mapping[str, Any], entry: Mapping[str, Any] | None) -> PlacedRow:
    me = visitor().name_in_views
    mine = entry is not None and bool(me) and me in (entry["owner"], *entry["co_owners"])
    half = row["half_width"] or 0.0
    low, share, high = (
        round(100 * min(max(value, 0.0), 1.0), 2)
        for value in (row["score"] - half, row["score"], row["score"] + half)
    )
    place = row["place"]
    label = _LABELS[place - 1] if place is not None and place <= len(_LABELS) else ""
    return PlacedRow(row, entry, mine, label, low, share, high)


def watched(groups: Sequence[Mapping[str, Any]], viewer: Viewer) -> GameToWatch | None:
    """Return a game of these groups that runs and may be watched, else the last one that is over."""
    planned = [group for group in groups if group["state"] == "planned" and not group["mirrored"]]
    for group in planned[:_LIVE_GROUPS_MOST]:
        for game in group["games"]:
            with suppress(ArenaError):
                if services().live.summary(game, viewer)["state"] == "running":
                    return GameToWatch(game, live=True)
    done = [group for group in groups if group["state"] == "done" and group["games"]]
    return GameToWatch(done[-1]["games"][-1], live=False) if done else None
