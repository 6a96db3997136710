"""Requests of organisers for their tournaments, with validation of the names in them and audit logging."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.accounts.accounts import Accounts, Principal
from arena.events.planning import DryRuns
from arena.events.rights import viewer_of
from arena.events.service import Tournaments


class OrganiserRequests:
    """Announces, plans, edits and cancels tournaments for the holder of a token. Raises the errors of
    :class:`~arena.events.service.Tournaments`.
    """

    def __init__(self, accounts: Accounts, tournaments: Tournaments, dry_runs: DryRuns) -> None:
        self._accounts = accounts
        self._tournaments = tournaments
        self._dry_runs = dry_runs

    def announce(
        self, who: Principal, fields: Mapping[str, Any], tournament_id: str | None = None
    ) -> dict[str, Any]:
        """Announce a tournament and return it."""
        self._check_named(who, fields)
        return self._tournaments.create(fields, who.owner, rated=who.admin, tournament_id=tournament_id)

    def plan(
        self, who: Principal, fields: Mapping[str, Any], entrants: int | None = None
    ) -> Mapping[str, object]:
        """Return the dry run of a tournament; see :meth:`~arena.events.planning.DryRuns.run`."""
        self._check_named(who, fields)
        return self._dry_runs.run(fields, who.owner, rated=who.admin, entrants=entrants)

    def _check_named(self, who: Principal, fields: Mapping[str, Any]) -> None:
        """Check that all invited bots and owners exist, and that each baseline bot belongs to ``who`` or is a
        house bot.
        """
        check = self._tournaments.invitations
        check.check_known(fields.get("invited", ()), fields.get("invited_owners", ()))
        check.check_baseline(fields.get("baseline", ()), [who.owner], fields["kind"])

    def edit(self, who: Principal, tournament: str, fields: Mapping[str, Any]) -> Mapping[str, object]:
        """Edit a tournament and return it. Edits of other owners' tournaments by an admin are audited."""
        arena, seen = self._tournaments, viewer_of(who)
        before = arena.view(tournament, seen)
        if who.admin and before["created_by"] != who.owner:
            self._accounts.audit(who, "edit tournament", f"tournament {tournament}", ", ".join(fields))
        arena.invitations.check_known(fields.get("invited", ()), ())
        organisers, kind = [before["created_by"], *before["organisers"]], fields.get("kind", before["kind"])
        arena.invitations.check_baseline(fields.get("baseline", ()), organisers, kind)
        arena.organising.edit(tournament, fields, by=who)
        return arena.view(tournament, seen)

    def cancel(self, who: Principal, tournament: str, reason: str) -> Mapping[str, object]:
        """Cancel a tournament and return it. Only an admin may cancel somebody else's tournament."""
        self._tournaments.view(tournament, viewer_of(who))
        self._accounts.audit(who, "cancel tournament", f"tournament {tournament}", reason)
        return self._tournaments.cancel(tournament, by=who, reason=reason)
