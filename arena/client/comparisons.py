"""Comparisons of versions of a bot."""

from __future__ import annotations

from typing import Any

from arena.client.http import HttpClient, path


class ComparisonsCalls(HttpClient):
    """The operations of ``/v1/comparisons``."""

    def create_comparison(self, bot: str, new: str, old: str, kind: str, **more: Any) -> dict[str, Any]:
        """Compare two versions of a bot, and return the comparison; ``more``: ``preset``, ``elo0``, ``elo1``,
        ``alpha``, ``beta`` and ``most``.
        """
        body = {"bot": bot, "new": new, "old": old, "kind": kind, **more}
        made: dict[str, Any] = self.request("POST", path("comparisons"), body, creates=True)
        return made

    def comparison(
        self, comparison: str, *, since: int | None = None, wait: float = 0
    ) -> dict[str, Any] | None:
        """A comparison; None if it has not changed from version ``since``."""
        query = {"since": since, "wait": wait or None}
        found: dict[str, Any] | None = self.request("GET", path("comparisons", comparison), query=query)
        return found
