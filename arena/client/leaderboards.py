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

    def leaderboard(self, kind: str, division: str, form: str = "json") -> str:
        """A published leaderboard as text: ``json``, ``csv`` or ``text``."""
        return self._text(path("leaderboards", kind, division), {"format": form})

    def leaderboard_history(self, kind: str, division: str, bot: str | None = None) -> Any:
        """The daily ratings of a leaderboard, or of one bot on it."""
        return self.request("GET", path("leaderboards", kind, division, "history"), query={"bot": bot})
