"""Tournaments of owners that an earlier release rated count for no leaderboard, and their records say so."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, Final

from arena.accounts.accounts import Accounts, OwnerNotFound
from arena.events.lifecycle import TournamentLifecycle
from arena.events.record_changes import RecordChanges
from arena.events.tournament import OVER, PlannedGroup, Tournament
from arena.live.service import LiveGames
from arena.play.board_names import all_boards
from arena.store.repositories import Store
from arena.store.rows import shown_or_left_out
from arena.store.tournaments import NewGroup, TournamentRow

UNRATED: Final = {"rated": False}
"""What changes in the part ``info`` of their records."""

_LISTED: Final = "unrated-listed"
_DONE: Final = "unrated"
_PAUSE_MS: Final = 60_000


class Unrating:
    """Happens once, after the update. May run twice, also at the same time, and be killed at any step."""

    def __init__(
        self, store: Store, live: LiveGames, accounts: Accounts, lifecycle: TournamentLifecycle
    ) -> None:
        self._store = store
        self._tournaments = store.tournaments
        self._accounts = accounts
        self._finished = live.finished
        self._lifecycle = lifecycle
        self._records = RecordChanges(store.tournaments, live)

    def run(self) -> None:
        """Unrate these tournaments, and change the records of those that are over.

        Raises :class:`~arena.records.archive.objects.ArchiveUnavailable` where the archive is not configured.
        """
        flags = self._store.flags
        if flags.is_set(_DONE):
            return
        # First: a process that cannot do it must not take the turn of one that can.
        self._finished.current()
        if not flags.first(_DONE, _PAUSE_MS):
            return
        if not flags.is_set(_LISTED):
            self._list()
            flags.set(_LISTED)
        waiting = [name for name, change in self._store.unrated.all().items() if not change]
        done = [self._change_records(name) for name in waiting]
        if all(done):
            flags.set(_DONE)

    def _list(self) -> None:
        for name in self._store.tournament_names():
            shown_or_left_out(f"tournament {name}", partial(self._unrate, name))
        if self._store.unrated.all():
            for board in all_boards():
                self._store.boards.forget_ledger(board.key)

    def _find(self, name: str) -> Tournament | None:
        (row,) = self._tournaments.load([name])
        return None if row is None else Tournament.loads(row.meta)

    def _unrate(self, name: str) -> None:
        tournament = self._find(name)
        if tournament is not None and tournament.spec.rated and self._is_owner(tournament.created_by):
            self._store.unrated.add(name, {})
            self._lifecycle.change(name, _without_rating)

    def _is_owner(self, name: str) -> bool:
        """Whether this is the name of an owner who is no admin."""
        try:
            return bool(name) and not self._accounts.owner(name).admin
        except OwnerNotFound:
            return False

    def _change_records(self, name: str) -> bool:
        """False if the tournament is not over; one that cannot be read is left out."""
        return shown_or_left_out(f"tournament {name}", partial(self._try_to_change, name)) is not False

    def _try_to_change(self, name: str) -> bool:
        tournament = self._find(name)
        results: dict[str, bytes] = {}
        if tournament is not None:
            if tournament.state not in OVER or self._tournaments.unreleased(name):
                return False
            results = self._tournaments.all_results(name)
            groups = list(results)
            for group, (stored, voided) in zip(groups, self._tournaments.rows(name, groups), strict=True):
                if stored is not None:
                    planned = PlannedGroup.loads(group, stored)
                    self._records.apply(tournament, planned, voided, results[group], UNRATED)
        change: dict[str, Any] = {"at_ms": self._store.clock().now_ms, "groups": sorted(results)}
        self._store.unrated.change(name, lambda known: known or change)
        return True


def _without_rating(tournament: Tournament, row: TournamentRow) -> list[NewGroup]:
    tournament.spec = replace(tournament.spec, rated=False)
    return []


__all__ = ["UNRATED", "Unrating"]
