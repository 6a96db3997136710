"""Calls for leaderboards, which return whole tables with all their pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, cast

from arena.client.calls import Calls
from arena.client.http import path

if TYPE_CHECKING:
    from arena.client.types import BotStyle, HistoryPoint


class AllPoints(TypedDict):
    """The history of a leaderboard."""

    kind: str
    division: str
    points: list[HistoryPoint]


class AllStyles(TypedDict):
    """How the bots of a leaderboard play."""

    kind: str
    division: str
    bots: list[BotStyle]


class LeaderboardsCalls(Calls):
    """Methods for those operations of ``/v1/leaderboards`` that take more than one request."""

    def leaderboard(
        self,
        kind: str,
        division: str,
        form: str = "json",
        *,
        preset: str | None = None,
        limit: int | None = None,
    ) -> str:
        """Return a published leaderboard with all rows as ``json``, ``csv`` or ``text``, by default that of
        the game's first preset. ``limit`` is the number of rows per request.
        """
        where = path("leaderboards", kind, division)
        return self._table(where, form, "published_ms", ("rows",), preset=preset, limit=limit)

    def matchups(self, kind: str, division: str, form: str = "json", *, preset: str | None = None) -> str:
        """Return who beats whom on a leaderboard, by default that of the game's first preset, as ``json``,
        ``csv`` or ``text``. Raises ``matchups_not_found`` if there is nothing.
        """
        where = path("leaderboards", kind, division, "matchups")
        return self._text(where, {"format": form, "preset": preset})

    def styles(
        self, kind: str, division: str, *, preset: str | None = None, limit: int | None = None
    ) -> AllStyles:
        """Return how the bots of a leaderboard (by default that of the game's first preset) play: all
        ``bots`` with their counts. ``limit`` is the number of bots per request.
        """
        where = path("leaderboards", kind, division, "styles")
        bots = cast("list[BotStyle]", list(self._pages(where, "bots", preset=preset, limit=limit)))
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
        """Return the daily ratings of a leaderboard (by default that of the game's first preset), or of one
        bot on it: all ``points``. ``limit`` is the number of points per request.
        """
        where = path("leaderboards", kind, division, "history")
        pages = self._pages(where, "points", preset=preset, bot=bot, limit=limit)
        return {"kind": kind, "division": division, "points": cast("list[HistoryPoint]", list(pages))}
