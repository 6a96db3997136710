"""Calls for leaderboards, which fetch all pages and return whole tables."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypedDict, cast

from arena.client.calls import Calls
from arena.client.http import path

if TYPE_CHECKING:
    from arena.client.types import BotStyle, HistoryPoint


class AllPoints(TypedDict):
    """The complete history of a leaderboard."""

    kind: str
    division: str
    points: list[HistoryPoint]


class AllStyles(TypedDict):
    """Playing-style statistics of all bots on a leaderboard."""

    kind: str
    division: str
    bots: list[BotStyle]


class LeaderboardsCalls(Calls):
    """Methods for operations of ``/v1/leaderboards`` that can take several requests."""

    def leaderboard(
        self,
        kind: str,
        division: str,
        form: str = "json",
        *,
        preset: str | None = None,
        limit: int | None = None,
    ) -> str:
        """Return all rows of a published leaderboard as ``json``, ``csv`` or ``text``. ``preset`` is by
        default the game's first preset, and ``limit`` is the number of rows per request.
        """
        where = path("leaderboards", kind, division)
        return self._table(
            "get_leaderboard", where, form, "published_ms", ("rows",), preset=preset, limit=limit
        )

    def matchups(self, kind: str, division: str, form: str = "json", *, preset: str | None = None) -> str:
        """Return the matchups of a leaderboard as ``json``, ``csv`` or ``text``. ``preset`` is by default the
        game's first preset. Raises ``matchups_not_found`` if there are none.
        """
        where = path("leaderboards", kind, division, "matchups")
        if form != "json":
            return self._text(where, {"format": form, "preset": preset})
        return json.dumps(self._object("get_matchups", where, {"preset": preset}), ensure_ascii=False)

    def styles(
        self, kind: str, division: str, *, preset: str | None = None, limit: int | None = None
    ) -> AllStyles:
        """Return playing-style statistics for a leaderboard: all ``bots`` with their counts. ``preset`` is by
        default the game's first preset, and ``limit`` is the number of bots per request.
        """
        where = path("leaderboards", kind, division, "styles")
        bots = cast(
            "list[BotStyle]", list(self._pages("get_styles", where, "bots", preset=preset, limit=limit))
        )
        return {"kind": kind, "division": division, "bots": bots}

    def leaderboard_history(
        self,
        kind: str,
        division: str,
        bot: str | None = None,
        *,
        preset: str | None = None,
        limit: int | None = None,
    ) -> AllPoints:
        """Return all ``points`` of a leaderboard's daily ratings, or of one bot's. ``preset`` is by default
        the game's first preset, and ``limit`` is the number of points per request.
        """
        where = path("leaderboards", kind, division, "history")
        pages = self._pages("get_history", where, "points", preset=preset, bot=bot, limit=limit)
        return {"kind": kind, "division": division, "points": cast("list[HistoryPoint]", list(pages))}
