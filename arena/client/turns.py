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
        tournaments: bool = False,
        leaving: bool = False,
    ) -> dict[str, Any]:
        """Answer turns and get the next ones: ``{"results", "turns", "cursor"}``. ``tournaments``: the bot
        takes part in scheduled tournaments while it says so. ``leaving``: it plays what has begun, and counts
        as gone otherwise.
        """
        query = _selection(after, wait, rights, limit, tournaments, leaving)
        reply: dict[str, Any] = self.request("POST", path("turns"), {"answers": list(answers)}, query)
        return reply

    def turns(
        self,
        after: str | None = None,
        *,
        wait: float = 0,
        rights: bool = False,
        limit: int = 100,
        tournaments: bool = False,
        leaving: bool = False,
    ) -> dict[str, Any]:
        """The turns since the cursor ``after``, or all pending ones: ``{"turns", "cursor"}``; the others as
        for :meth:`exchange`.
        """
        query = _selection(after, wait, rights, limit, tournaments, leaving)
        reply: dict[str, Any] = self.request("GET", path("turns"), query=query)
        return reply

    def stream_turns(
        self, *, rights: bool = False, tournaments: bool = False, last_event_id: str | None = None
    ) -> Iterator[ServerEvent]:
        """The bot's turns as they arrive."""
        query = {"rights": rights, "tournaments": tournaments or None}
        return self._stream(path("turns", "stream"), query, last_event_id)

    def end_presence(self) -> Any:
        """Say good-bye: the bot is not online any more. Returns the ``games`` that it leaves, and whether
        ``tournaments`` is set for it.
        """
        return self.request("DELETE", path("presence"))


def _selection(
    after: str | None, wait: float, rights: bool, limit: int, tournaments: bool, leaving: bool
) -> dict[str, object]:
    """The query for turns, without flags that are off."""
    return {
        "after": after,
        "wait": wait or None,
        "rights": rights,
        "limit": limit,
        "tournaments": tournaments or None,
        "leaving": leaving or None,
    }
