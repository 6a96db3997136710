"""Games: creating, joining, watching, and their records."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from arena.client.http import ApiError, HttpClient, ServerEvent, given, path

LIVE_STATES: Final = ("waiting", "running")
"""States of games that are not over."""

_LONG_POLL: Final = 20
_LATE_RECORD: Final = 15.0
"""Seconds within which the record of a finished game must appear."""

_RECORDS_AT_ONCE: Final = 500


class RecordsPage(NamedTuple):
    """A page of records, one line of JSON each, and where the next one continues."""

    lines: list[str]
    after: str


class GamesCalls(HttpClient):
    """The operations of ``/v1/games`` and ``/v1/records``."""

    def create_game(self, kind: str, seats: Sequence[Mapping[str, Any]], **options: Any) -> dict[str, Any]:
        """Create a game; ``seats``: ``{"bot": name}``, ``{"house": name}`` or ``{"open": True}`` each.

        ``options``: ``rules``, ``clock``, ``visibility`` and so on. Returns its summary.
        """
        body = {"kind": kind, "seats": list(seats), **options}
        game: dict[str, Any] = self.request("POST", path("games"), body, creates=True)
        return game

    def games(
        self,
        *,
        kind: str | None = None,
        state: str | None = None,
        bot: str | None = None,
        limit: int | None = None,
    ) -> Iterator[dict[str, Any]]:
        """All games that this token may see, the newest first; ``limit`` per request."""
        return self._pages(path("games"), "games", kind=kind, state=state, bot=bot, limit=limit)

    def game(
        self, game: str, *, seat: int | None = None, since: int | None = None, wait: float = 0
    ) -> dict[str, Any] | None:
        """The view of a game from ``seat``; None if it has not changed since version ``since``."""
        query = {"seat": seat, "since": since, "wait": wait or None}
        found: dict[str, Any] | None = self.request("GET", path("games", game), query=query)
        return found

    def join(self, game: str, seat: int | None = None, nonce: str | None = None) -> dict[str, Any]:
        """Take an open seat for this bot and return the summary, with ``seat``."""
        body = given(seat=seat, nonce=nonce)
        joined: dict[str, Any] = self.request("POST", path("games", game, "join"), body)
        return joined

    def resign(self, game: str, seat: int | None = None) -> Any:
        """Give up a seat of this bot, which the table plays to the end."""
        return self.request("POST", path("games", game, "resign"), given(seat=seat))

    def cancel_game(self, game: str) -> Any:
        """Cancel a game that has not begun."""
        return self.request("POST", path("games", game, "cancel"))

    def events(
        self,
        game: str,
        *,
        seat: int | None = None,
        start: int | None = None,
        limit: int | None = None,
        wait: float = 0,
    ) -> Any:
        """A page of a game's events, from number ``start``."""
        query = {"seat": seat, "start": start, "limit": limit, "wait": wait or None}
        return self.request("GET", path("games", game, "events"), query=query)

    def stream_events(
        self, game: str, *, seat: int | None = None, last_event_id: str | None = None
    ) -> Iterator[ServerEvent]:
        """The events of a game as they happen."""
        return self._stream(path("games", game, "events", "stream"), {"seat": seat}, last_event_id)

    def record(self, game: str, *, wait: bool = False) -> dict[str, Any]:
        """The record of a finished game; with ``wait``, waits for the game to finish."""
        state = self._state_when_over(game) if wait else ""
        until = time.monotonic() + _LATE_RECORD
        while True:
            try:
                record: dict[str, Any] = self.request("GET", path("games", game, "record"))
                return record
            except ApiError as error:
                late = state == "finished" and time.monotonic() < until
                if not late or error.code != "record_not_ready":
                    raise
                time.sleep(0.1)

    def _state_when_over(self, game: str) -> str:
        version = None
        while True:
            view = self.game(game, since=version, wait=_LONG_POLL)
            if view is not None and view["state"] not in LIVE_STATES:
                return str(view["state"])
            version = version if view is None else view["version"]

    def records(
        self, kind: str | None = None, *, after: str | None = None, limit: int | None = None
    ) -> Iterator[str]:
        """All released public records, the oldest first, one line of JSON each; ``limit`` per request."""
        while (page := self.records_page(kind, after=after, limit=limit)).lines:
            yield from page.lines
            after = page.after

    def records_page(
        self, kind: str | None = None, *, after: str | None = None, limit: int | None = None
    ) -> RecordsPage:
        """The released public records after ``after``, up to ``limit``; no lines if there are no more."""
        query = {"kind": kind, "after": after, "limit": limit or _RECORDS_AT_ONCE}
        reply = self._send("GET", path("records"), None, query, True)
        text = reply.body.decode().rstrip("\n")
        return RecordsPage(text.split("\n") if text else [], reply.headers["X-Next"])

    def all_records(self, kind: str | None = None) -> str:
        """All released public records as one text, one line of JSON each; for many, see :meth:`records`."""
        return self._text(path("records", "all"), {"kind": kind})

    def record_changes(self, *, limit: int | None = None) -> Iterator[dict[str, Any]]:
        """What changed in records after their release, oldest first: ``{"group", "info", "at_ms"}``;
        ``limit`` per request.
        """
        return self._pages(path("records", "changes"), "changes", limit=limit)
