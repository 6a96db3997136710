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

    def leaderboard(self, kind: str, division: str, form: str = "json", *, limit: int | None = None) -> str:
        """A published leaderboard with all rows: ``json``, ``csv`` or ``text``; ``limit`` per request."""
        where = path("leaderboards", kind, division)
        return self._table(where, form, "published_ms", ("rows",), limit)

    def leaderboard_history(
        self, kind: str, division: str, bot: str | None = None, *, limit: int | None = None
    ) -> dict[str, Any]:
        """The daily ratings of a leaderboard, or of one bot on it: all ``points``; ``limit`` per request."""
        where = path("leaderboards", kind, division, "history")
        points = self._pages(where, "points", bot=bot, limit=limit)
        return {"kind": kind, "division": division, "points": list(points)}
