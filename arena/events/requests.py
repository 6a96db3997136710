"""What organisers request: their tournaments, with the checks of what they name and the audit log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.accounts.accounts import Accounts, Principal
from arena.events.planning import DryRuns
from arena.events.rights import viewer_of
from arena.events.service import Tournaments


class OrganiserRequests:
    """Announces, plans, edits and cancels tournaments for the holder of a token. Errors are those of
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
        """The dry run of a tournament; see :meth:`~arena.events.planning.DryRuns.run`."""
        self._check_named(who, fields)
        return self._dry_runs.run(fields, who.owner, rated=who.admin, entrants=entrants)

    def _check_named(self, who: Principal, fields: Mapping[str, Any]) -> None:
        """Check that who is invited exists, and that the baseline bots are of ``who`` or of the house."""
        check = self._tournaments.invitations
        check.check_known(fields.get("invited", ()), fields.get("invited_owners", ()))
        check.check_baseline(fields.get("baseline", ()), [who.owner], fields["kind"])

    def edit(self, who: Principal, tournament: str, fields: Mapping[str, Any]) -> Mapping[str, object]:
        """Edit a tournament and return it; that of somebody else as an admin, which is audited."""
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
        """Cancel a tournament and return it; that of somebody else only as an admin."""
        self._tournaments.view(tournament, viewer_of(who))
        self._accounts.audit(who, "cancel tournament", f"tournament {tournament}", reason)
        return self._tournaments.cancel(tournament, by=who, reason=reason)
