"""Creation of tournaments, both announced ones and those for qualification groups."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping
from typing import Any

from arena.accounts.allowances import Budgets
from arena.accounts.versions import BotAccount
from arena.events.house_entries import house_entry, house_names
from arena.events.listing import is_found, own_lists, place
from arena.events.tournament import Entered, Tournament
from arena.live.jobs import GameJobs
from arena.live.limits import check_length
from arena.play.dealing import SEED_BYTES
from arena.store.tournament_lists import TournamentLists
from arena.store.tournaments import TournamentStore
from arena.tournaments.entry import check_entry
from arena.tournaments.parsing import parse_spec
from arena.tournaments.spec import invalid

log = logging.getLogger(__name__)


def new_tournament(
    fields: Mapping[str, object], tournament_id: str, created_by: str, now_ms: int, seed: bytes
) -> Tournament:
    """Return an unstored tournament built from ``fields``: those of ``parse_spec``, ``house`` (the house bots
    that take part), ``invited_owners``, and ``organisers`` (owners invited to organise it, too).
    Raises the errors of ``parse_spec`` and ``check_entry``, and ``game_too_long``.
    """
    own: dict[str, Any] = dict(fields)
    house, guests = own.pop("house", None), own.pop("invited_owners", None)
    organisers = [owner for owner in own.pop("organisers", ()) if owner != created_by]
    tournament = Tournament(tournament_id, parse_spec(own, now_ms), created_by, now_ms, seed.hex())
    check_length(tournament.spec.game, tournament.spec.rules)
    tournament.asked, tournament.guests = organisers, list(dict.fromkeys(guests or ()))
    tournament.pending = [owner for owner in tournament.guests if owner != created_by]
    if tournament.guests and tournament.spec.who != "invited":
        raise invalid(
            "owners can only be invited if nobody else may enter",
            "invited_owners",
            'none, or who "invited"',
        )
    if tournament.spec.hidden:
        tournament.visibility = "private"
    enter_house_bots(tournament, house, now_ms)
    return tournament


def enter_house_bots(tournament: Tournament, house: object, now_ms: int) -> None:
    """Enter the requested house bots. Raises the errors of ``house_names`` and ``check_entry``."""
    for bot in house_names(house, tournament.spec.kind):
        add_entry(tournament, house_entry(bot, tournament.spec.kind, now_ms))


def add_entry(tournament: Tournament, entry: Entered) -> None:
    """Add ``entry``. Raises the errors of ``check_entry``."""
    present = [other.entrant for other in tournament.entries if other.status not in ("withdrawn", "failed")]
    check_entry(tournament.spec, present, tournament.marked(entry).entrant, tournament.guests)
    tournament.entries.append(entry)


class TournamentCreation:
    """Stores new tournaments. Storing a tournament twice has no further effect."""

    def __init__(
        self, store: TournamentStore, lists: TournamentLists, jobs: GameJobs, budgets: Budgets
    ) -> None:
        self._store = store
        self._lists = lists
        self._budgets = budgets
        self._jobs = jobs

    def add(self, tournament: Tournament) -> None:
        """Store ``tournament`` and, if its first step is due, request it."""
        if tournament.created_ms >= tournament.spec.opens_ms:
            tournament.state = "entry"
        row = tournament.dumps()
        if self._store.step(tournament.id, 0, row):
            self._budgets.add_bytes(tournament.created_by, len(row))
            fields = {"tournament": tournament.id, "owner": tournament.created_by}
            if tournament.purpose:
                fields["purpose"] = tournament.purpose
            log.info("tournament %s: announced", tournament.id, extra=fields)
        place(self._lists, tournament, 1)
        self._lists.note(tournament.id, tournament.created_ms, own_lists(tournament))
        if is_found(tournament):
            self._lists.note_name(tournament.id, tournament.spec.name, tournament.created_ms)
        for owner in (*tournament.asked, *tournament.pending):
            self._store.note_invitation(owner, tournament.id, tournament.created_ms)
        self._store.enlist(
            tournament.id, tournament.created_ms, tournament.spec.opens_ms, listed=not tournament.purpose
        )
        if tournament.spec.locks_ms <= tournament.created_ms:
            self._jobs.step_tournament(tournament.id)

    def add_qualification(
        self,
        fields: Mapping[str, Any],
        tournament_id: str,
        bot: BotAccount,
        version: str,
        purpose: str,
        auto: bool,
    ) -> None:
        """Store the tournament in which a version plays its qualification group. ``auto``: whether it was
        started automatically instead of on request.
        """
        now_ms: int = fields["locks_ms"]
        tournament = new_tournament(fields, tournament_id, bot.owner, now_ms, secrets.token_bytes(SEED_BYTES))
        tournament.purpose, tournament.visibility = purpose, "private"
        add_entry(tournament, Entered.of(bot, version, entered_ms=now_ms, status="qualified", auto=auto))
        self.add(tournament)
