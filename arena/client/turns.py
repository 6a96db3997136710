"""Turns: the decisions of a bot, and its answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arena.client.http import HttpClient, ServerEvent, path


class TurnsCalls(HttpClient):
    """The operations of ``/v1/turns``, for the token of a bot."""

    def exchange(
        self,
        answers: Sequence[Mapping[str, str]] = (),
        after: str | None = None,
        *,
        wait: float = 0,
        rights: bool = False,
        limit: int = 100,
    ) -> dict[str, Any]:
        """Answer turns and get the next ones: ``{"results", "turns", "cursor"}``."""
        query = {"after": after, "wait": wait or None, "rights": rights, "limit": limit}
        reply: dict[str, Any] = self.request("POST", path("turns"), {"answers": list(answers)}, query)
        return reply

    def turns(
        self, after: str | None = None, *, wait: float = 0, rights: bool = False, limit: int = 100
    ) -> dict[str, Any]:
        """The turns since the cursor ``after``, or all pending ones: ``{"turns", "cursor"}``."""
        query = {"after": after, "wait": wait or None, "rights": rights, "limit": limit}
        reply: dict[str, Any] = self.request("GET", path("turns"), query=query)
        return reply

    def stream_turns(
        self, *, rights: bool = False, last_event_id: str | None = None
    ) -> Iterator[ServerEvent]:
        """The bot's turns as they arrive."""
        return self._stream(path("turns", "stream"), {"rights": rights}, last_event_id)
