"""Tournaments: creating, entering and following them, and the schedules that announce them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from arena.client.http import HttpClient, ServerEvent, given, path

_PAGE: Final = 100


class TournamentsCalls(HttpClient):
    """The operations of ``/v1/tournaments`` and ``/v1/schedules``."""

    def create_tournament(self, **fields: Any) -> dict[str, Any]:
        """Announce a tournament and return it; ``fields`` as ``POST /v1/tournaments`` takes them."""
        made: dict[str, Any] = self.request("POST", path("tournaments"), fields, repeatable=False)
        return made

    def tournaments(
        self, *, state: str | None = None, kind: str | None = None, limit: int = 50
    ) -> list[dict[str, Any]]:
        """The newest ``limit`` tournaments."""
        page = self._pages(
            path("tournaments"), "tournaments", state=state, kind=kind, limit=min(limit, _PAGE)
        )
        return list(islice(page, limit))

    def tournament(
        self, tournament: str, *, since: int | None = None, wait: float = 0
    ) -> dict[str, Any] | None:
        """A tournament; None if it has not changed from version ``since``."""
        query = {"since": since, "wait": wait or None}
        found: dict[str, Any] | None = self.request("GET", path("tournaments", tournament), query=query)
        return found

    def stream_tournament(
        self, tournament: str, *, last_event_id: str | None = None
    ) -> Iterator[ServerEvent]:
        """The progress of a tournament, whenever it changes."""
        return self._stream(path("tournaments", tournament, "events"), None, last_event_id)

    def enter_tournament(
        self, tournament: str, bot: str, nonce: str = "", version: str | None = None
    ) -> dict[str, Any]:
        """Enter a bot, by default its current version, and return the entry. May be repeated to change it."""
        body = given(bot=bot, nonce=nonce or None, version=version)
        entry: dict[str, Any] = self.request("POST", path("tournaments", tournament, "entries"), body)
        return entry

    def leave_tournament(self, tournament: str, bot: str) -> dict[str, Any]:
        """Withdraw a bot and return its entry; once play has begun it plays its round to the end."""
        entry: dict[str, Any] = self.request("DELETE", path("tournaments", tournament, "entries", bot))
        return entry

    def cancel_tournament(self, tournament: str, reason: str) -> dict[str, Any]:
        """Cancel a tournament and return it."""
        cancelled: dict[str, Any] = self.request(
            "POST", path("tournaments", tournament, "cancel"), {"reason": reason}
        )
        return cancelled

    def standings(self, tournament: str, form: str = "json", *, limit: int | None = None) -> str:
        """The standings and the crosstable as text: ``json``, ``csv`` or ``text``; ``limit`` per request."""
        where = path("tournaments", tournament, "standings")
        return self._table(where, form, "computed_ms", ("rows", "crosstable"), limit=limit)

    def groups(self, tournament: str, *, limit: int | None = None) -> Iterator[dict[str, Any]]:
        """All groups of a tournament; ``limit`` per request."""
        return self._pages(path("tournaments", tournament, "groups"), "groups", limit=limit)

    def tournament_records(self, tournament: str, group: str | None = None) -> list[str]:
        """The released records of a tournament, or of one group, a line of JSON each."""
        return self._text(path("tournaments", tournament, "records"), {"group": group}).splitlines()

    def create_schedule(self, **fields: Any) -> dict[str, Any]:
        """Create a schedule and return it; ``fields`` as ``POST /v1/schedules`` takes them."""
        made: dict[str, Any] = self.request("POST", path("schedules"), fields, repeatable=False)
        return made

    def schedules(self) -> list[dict[str, Any]]:
        """All schedules, by id."""
        found: list[dict[str, Any]] = self.request("GET", path("schedules"))["schedules"]
        return found

    def schedule(self, schedule: str) -> Any:
        """A schedule."""
        return self.request("GET", path("schedules", schedule))

    def change_schedule(self, schedule: str, enabled: bool) -> Any:
        """Switch a schedule on or off, and return it."""
        return self.request("PATCH", path("schedules", schedule), {"enabled": enabled})

    def delete_schedule(self, schedule: str) -> None:
        """Delete a schedule; tournaments that it has created stay."""
        self.request("DELETE", path("schedules", schedule))
