"""Comparisons of versions of a bot."""

from __future__ import annotations

from collections.abc import Iterator
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

    def comparisons(self, *, limit: int | None = None) -> Iterator[dict[str, Any]]:
        """All comparisons of the owner's bots, newest first; ``limit`` per request."""
        return self._pages(path("comparisons"), "comparisons", limit=limit)

    def comparison(
        self, comparison: str, *, since: int | None = None, wait: float = 0
    ) -> dict[str, Any] | None:
        """A comparison; None if it has not changed from version ``since``."""
        query = {"since": since, "wait": wait or None}
        found: dict[str, Any] | None = self.request("GET", path("comparisons", comparison), query=query)
        return found
