"""Leaderboards: whole tables, with all their pages."""

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
    """Methods of the operations of ``/v1/leaderboards`` that are more than a request."""

    def leaderboard(
        self,
        kind: str,
        division: str,
        form: str = "json",
        *,
        preset: str | None = None,
        limit: int | None = None,
    ) -> str:
        """A published leaderboard with all rows: ``json``, ``csv`` or ``text``; by default that of the game's
        first preset. ``limit`` per request.
        """
        where = path("leaderboards", kind, division)
        return self._table(where, form, "published_ms", ("rows",), preset=preset, limit=limit)

    def matchups(self, kind: str, division: str, form: str = "json", *, preset: str | None = None) -> str:
        """Who beats whom on a leaderboard, by default that of the game's first preset: ``json``, ``csv`` or
        ``text``. Raises ``matchups_not_found`` if there is nothing.
        """
        where = path("leaderboards", kind, division, "matchups")
        return self._text(where, {"format": form, "preset": preset})

    def styles(
        self, kind: str, division: str, *, preset: str | None = None, limit: int | None = None
    ) -> AllStyles:
        """How the bots of a leaderboard play: all ``bots`` with their counts; by default that of the game's
        first preset. ``limit`` per request.
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
        """The daily ratings of a leaderboard, or of one bot on it: all ``points``; by default of the game's
        first preset. ``limit`` per request.
        """
        where = path("leaderboards", kind, division, "history")
        pages = self._pages(where, "points", preset=preset, bot=bot, limit=limit)
        return {"kind": kind, "division": division, "points": cast("list[HistoryPoint]", list(pages))}
