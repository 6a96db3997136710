"""Tournaments: creating, entering and following them, and the schedules that announce them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from arena.client.http import HttpClient, ServerEvent, given, path

_PAGE: Final = 100


class TournamentsCalls(HttpClient):
    """The operations of ``/v1/tournaments`` and ``/v1/schedules``."""

    def create_tournament(self, **fields: Any) -> dict[str, Any]:
        """Announce a tournament and return it; ``fields`` as ``POST /v1/tournaments`` takes them."""
        made: dict[str, Any] = self.request("POST", path("tournaments"), fields, creates=True)
        return made

    def plan_tournament(self, entrants: int | None = None, **fields: Any) -> Any:
        """What a tournament of ``fields`` with ``entrants`` would be, without announcing it."""
        query = {"entrants": entrants}
        return self.request("POST", path("tournament-dry-runs"), fields, query=query)

    def tournaments(
        self, *, state: str | None = None, kind: str | None = None, bot: str | None = None, limit: int = 50
    ) -> list[dict[str, Any]]:
        """The newest ``limit`` tournaments; with ``bot``, of those in which it has played."""
        page = self._pages(
            path("tournaments"), "tournaments", state=state, kind=kind, bot=bot, limit=min(limit, _PAGE)
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

    def edit_tournament(self, tournament: str, **changes: Any) -> dict[str, Any]:
        """Change settings of a tournament and return it; ``changes`` as ``PATCH /v1/tournaments/...`` takes
        them.
        """
        edited: dict[str, Any] = self.request("PATCH", path("tournaments", tournament), changes)
        return edited

    def clone_tournament(self, tournament: str, locks_ms: int, **changes: Any) -> dict[str, Any]:
        """Announce a tournament like an earlier one and return it; ``changes`` as the operation takes."""
        body = {"locks_ms": locks_ms, **changes}
        where = path("tournaments", tournament, "clone")
        made: dict[str, Any] = self.request("POST", where, body, creates=True)
        return made

    def guests(self, tournament: str) -> dict[str, Any]:
        """The invited owners (``owners``) and the links without their codes (``links``)."""
        found: dict[str, Any] = self.request("GET", path("tournaments", tournament, "invitations"))
        return found

    def invite_owners(self, tournament: str, owners: list[str]) -> dict[str, Any]:
        """Invite owners, and return all invitations."""
        where = path("tournaments", tournament, "invitations")
        found: dict[str, Any] = self.request("POST", where, {"owners": owners})
        return found

    def uninvite_owner(self, tournament: str, owner: str) -> dict[str, Any]:
        """Take back the invitation of an owner, and return all others."""
        where = path("tournaments", tournament, "invitations", "owners", owner)
        found: dict[str, Any] = self.request("DELETE", where)
        return found

    def create_invitation_link(self, tournament: str, expires_ms: int | None = None) -> dict[str, Any]:
        """Make a link that invites whoever has it, and return it with its ``code`` and ``url``."""
        where = path("tournaments", tournament, "invitations", "links")
        made: dict[str, Any] = self.request("POST", where, given(expires_ms=expires_ms), creates=True)
        return made

    def revoke_invitation_link(self, tournament: str, link: str) -> dict[str, Any]:
        """Revoke a link, and return all other invitations."""
        where = path("tournaments", tournament, "invitations", "links", link)
        found: dict[str, Any] = self.request("DELETE", where)
        return found

    def accept_invitation(self, tournament: str, code: str) -> dict[str, Any]:
        """Accept an invitation by the code of its link, and return the tournament."""
        where = path("tournaments", tournament, "invitations", "accept")
        found: dict[str, Any] = self.request("POST", where, {"code": code})
        return found

    def add_organiser(self, tournament: str, owner: str) -> dict[str, Any]:
        """Make an owner a co-organiser, and return the tournament."""
        found: dict[str, Any] = self.request("PUT", path("tournaments", tournament, "organisers", owner))
        return found

    def remove_organiser(self, tournament: str, owner: str) -> None:
        """Remove a co-organiser."""
        self.request("DELETE", path("tournaments", tournament, "organisers", owner))

    def subscribe(self, tournament: str, url: str, secret: str | None = None) -> dict[str, Any]:
        """Let the announcements of a tournament be posted to ``url``; returns the subscription with its
        signing secret.
        """
        where, body = path("tournaments", tournament, "subscriptions"), given(url=url, secret=secret)
        made: dict[str, Any] = self.request("POST", where, body, creates=True)
        return made

    def subscriptions(self, tournament: str) -> list[dict[str, Any]]:
        """The own subscriptions to a tournament."""
        where = path("tournaments", tournament, "subscriptions")
        found: list[dict[str, Any]] = self.request("GET", where)["subscriptions"]
        return found

    def ping_subscription(self, tournament: str, subscription: str) -> dict[str, Any]:
        """Let a ping be posted to the URL of a subscription; one that had failed goes on. Returns it."""
        where = path("tournaments", tournament, "subscriptions", subscription, "ping")
        pinged: dict[str, Any] = self.request("POST", where)
        return pinged

    def unsubscribe(self, tournament: str, subscription: str) -> None:
        """Delete a subscription."""
        self.request("DELETE", path("tournaments", tournament, "subscriptions", subscription))

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

    def results(self, tournament: str) -> str:
        """The results per owner as CSV."""
        return self._text(path("tournaments", tournament, "results.csv"), {})

    def groups(
        self,
        tournament: str,
        *,
        bot: str | None = None,
        against: str | None = None,
        limit: int | None = None,
    ) -> Iterator[dict[str, Any]]:
        """All groups of a tournament, or those with a bot, or with two; ``limit`` per request."""
        where = path("tournaments", tournament, "groups")
        return self._pages(where, "groups", bot=bot, against=against, limit=limit)

    def tournament_records(self, tournament: str, group: str | None = None) -> list[str]:
        """The released records of a tournament, or of one group, a line of JSON each."""
        return self._text(path("tournaments", tournament, "records"), {"group": group}).splitlines()

    def create_series(self, **fields: Any) -> Any:
        """Create a series and return it; ``fields`` as ``POST /v1/series`` takes them."""
        return self.request("POST", path("series"), fields, creates=True)

    def series_list(self, owner: str | None = None, *, limit: int | None = None) -> Iterator[dict[str, Any]]:
        """All series, or those of an owner; ``limit`` per request."""
        return self._pages(path("series"), "series", owner=owner, limit=limit)

    def series(self, series: str) -> Any:
        """A series."""
        return self.request("GET", path("series", series))

    def change_series(self, series: str, **fields: Any) -> Any:
        """Change a series and return it; ``fields`` as ``PATCH /v1/series/{series}`` takes them."""
        return self.request("PATCH", path("series", series), fields)

    def delete_series(self, series: str) -> None:
        """Delete a series; its tournaments stay."""
        self.request("DELETE", path("series", series))

    def series_table(self, series: str, form: str = "json") -> str:
        """The table of a series as text: ``json``, ``csv`` or ``text``."""
        where = path("series", series, "table")
        if form != "json":
            return self._text(where, {"format": form})
        return json.dumps(self.request("GET", where), ensure_ascii=False)

    def create_schedule(self, **fields: Any) -> dict[str, Any]:
        """Create a schedule and return it; ``fields`` as ``POST /v1/schedules`` takes them."""
        made: dict[str, Any] = self.request("POST", path("schedules"), fields, creates=True)
        return made

    def schedules(self) -> list[dict[str, Any]]:
        """All schedules, by id."""
        found: list[dict[str, Any]] = self.request("GET", path("schedules"))["schedules"]
        return found

    def schedule(self, schedule: str) -> Any:
        """A schedule."""
        return self.request("GET", path("schedules", schedule))

    def change_schedule(
        self,
        schedule: str,
        enabled: bool | None = None,
        *,
        cron: str | None = None,
        at_ms: int | None = None,
        tournament: dict[str, Any] | None = None,
    ) -> Any:
        """Change what is given, and return the schedule. ``tournament``: all its settings."""
        body = given(enabled=enabled, cron=cron, at_ms=at_ms, tournament=tournament)
        return self.request("PATCH", path("schedules", schedule), body)

    def delete_schedule(self, schedule: str) -> None:
        """Delete a schedule; tournaments that it has created stay."""
        self.request("DELETE", path("schedules", schedule))
