"""Leaderboards: current and past ratings."""

from __future__ import annotations

from typing import Any

from arena.client.http import HttpClient, path


class LeaderboardsCalls(HttpClient):
    """The operations of ``/v1/leaderboards``."""

    def leaderboards(self) -> list[dict[str, Any]]:
        """Summaries of all published leaderboards."""
        found: list[dict[str, Any]] = self.request("GET", path("leaderboards"))["leaderboards"]
        return found

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
    ) -> dict[str, Any]:
        """How the bots of a leaderboard play: all ``bots`` with their counts; by default that of the game's
        first preset. ``limit`` per request.
        """
        where = path("leaderboards", kind, division, "styles")
        bots = self._pages(where, "bots", preset=preset, limit=limit)
        return {"kind": kind, "division": division, "bots": list(bots)}

    def leaderboard_history(
        self,
        kind: str,
        division: str,
        bot: str | None = None,
        *,
        preset: str | None = None,
        limit: int | None = None,
    ) -> dict[str, Any]:
        """The daily ratings of a leaderboard, or of one bot on it: all ``points``; by default of the game's
        first preset. ``limit`` per request.
        """
        where = path("leaderboards", kind, division, "history")
        points = self._pages(where, "points", preset=preset, bot=bot, limit=limit)
        return {"kind": kind, "division": division, "points": list(points)}
