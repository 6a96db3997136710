"""Local groups of tournaments, played in process and in batches."""

from __future__ import annotations

import gzip
import json
import logging
import math
import time
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import orjson

from arena.accounts.budgets import Budgets
from arena.events.tournament import MAX_VOIDS, PlannedGroup, Sandbox, Tournament
from arena.play.clocks import ServiceClock
from arena.sandbox.processor_time import telling_if_stuck
from arena.store.journals import GameJournal, JournalStore
from arena.store.tournaments import Counted, NewResult, TournamentStore
from arena.tournaments.sealed import PlayedGroup, SeatJournal, play_local_group

log = logging.getLogger(__name__)

LEASE_MS: Final = 10_000
"""A claimed group is played again if its worker has not renewed the lease for this long."""

BATCH_SECONDS: Final = 0.5
"""About how long a batch of groups takes, which is what a killed process loses at most."""

MOST_AT_ONCE: Final = 512
_RENEW: Final = 3.0
_MOST_ENDED: Final = 2
"""A group that has ended this many workers is stopped."""

_COMPRESSION: Final = 3


class Played(NamedTuple):
    """The number of groups played, whether more are due, and whether all planned groups are over."""

    groups: int
    more: bool
    done: bool


class LocalGroups:
    """Plays local groups. Any number of processes may: a result counts once."""

    def __init__(
        self,
        store: TournamentStore,
        clock: Callable[[], ServiceClock],
        journals: JournalStore,
        sandbox: Sandbox,
        budgets: Budgets,
    ) -> None:
        self._store = store
        self._clock = clock
        self._journals = journals
        self._sandbox = sandbox
        self._budgets = budgets

    def play(self, event_id: str, seconds: float) -> Played:
        """Play groups of a tournament for about ``seconds``, or until none is due."""
        until = time.monotonic() + seconds
        count, size = 0, 1
        waiting = self._running(event_id)
        if waiting is not None and not self._budgets.has_fuel(waiting.created_by):
            # The tick asks again; it goes on when the budget renews.
            return Played(0, False, False)
        while True:
            now_ms = self._clock().now_ms
            ids = self._store.claim_groups(event_id, now_ms, now_ms + LEASE_MS, size)
            tournament = self._running(event_id) if ids else None
            if tournament is None:
                return Played(count, False, False)
            start = time.monotonic()
            counted = self._play_batch(tournament, ids)
            count += len(ids)
            if counted.done == counted.planned:
                return Played(count, False, True)
            took = time.monotonic() - start
            size = max(1, min(MOST_AT_ONCE, int(len(ids) * BATCH_SECONDS / max(took, 1e-6)), 4 * size))
            if time.monotonic() >= until:
                return Played(count, True, False)

    def _running(self, event_id: str) -> Tournament | None:
        (row,) = self._store.load([event_id])
        tournament = None if row is None else Tournament.loads(row.meta)
        return tournament if tournament is not None and tournament.state == "running" else None

    def _play_batch(self, tournament: Tournament, ids: Sequence[str]) -> Counted:
        left = list(ids)
        renewal = time.monotonic() + _RENEW

        def renew_lease(seat: int) -> None:
            nonlocal renewal
            if time.monotonic() > renewal:
                renewal = time.monotonic() + _RENEW
                self._store.renew(tournament.id, left, self._clock().now_ms + LEASE_MS)

        results = []
        packed = []
        journals: list[SeatJournal] = []
        board = None
        for group_id, (row, voided) in zip(ids, self._store.rows(tournament.id, ids), strict=True):
            assert row is not None
            group = PlannedGroup.loads(group_id, row)

            def ended(group_id: str = group_id, voided: int = voided) -> None:
                reason = "a bot's call did not come back and ended the worker"
                void(self._store, tournament.id, group_id, voided, reason, self._now_ms(), _MOST_ENDED)

            try:
                with telling_if_stuck(ended):
                    played = play_local_group(
                        tournament.local_group(group, self._sandbox), self._now_ms, renew_lease
                    )
            except Exception as error:
                # Errors of bots are handled below this: what arrives here is a server fault.
                log.exception("group %s of %s is void", group_id, tournament.id)
                void(self._store, tournament.id, group_id, voided, str(error), self._now_ms())
            else:
                results.append(new_result(group_id, voided, played))
                packed.append((group_id, len(played.records)))
                journals += played.journals
                board = tournament.board_of(group)
            left.remove(group_id)
        self._budgets.burn(tournament.created_by, _fuel_ms(journals))
        # Before the results: the reason of a failed qualification comes from the journals.
        self._journals.keep(_by_game(journals))
        counted = self._store.add_results(tournament.id, results)
        self._store.release(tournament.id, tournament.spec.kind, board, packed, ())
        return counted

    def _now_ms(self) -> int:
        return self._clock().now_ms


def _by_game(journals: Sequence[SeatJournal]) -> list[GameJournal]:
    seats: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for game, bot, journal in journals:
        seats.setdefault((bot, game), []).append(journal)
    return [GameJournal(bot, game, own) for (bot, game), own in seats.items()]


def _fuel_ms(journals: Sequence[SeatJournal]) -> int:
    """What uploaded bots used."""
    used = 0.0
    for _, _, journal in journals:
        used += journal["load_ms"] + sum(decision["ms"] for decision in journal["decisions"])
    return math.ceil(used)


def new_result(group: str, voided: int, played: PlayedGroup) -> NewResult:
    """A played group as it is stored."""
    result = json.dumps(played.result.as_json(), separators=(",", ":")).encode()
    pack = gzip.compress("\n".join(played.records).encode(), _COMPRESSION, mtime=0)
    return NewResult(group, voided, len(played.records), result, pack)


def void(
    store: TournamentStore,
    event_id: str,
    group: str,
    voided: int,
    reason: str,
    now_ms: int,
    most: int = MAX_VOIDS,
) -> int:
    """Void an attempt of a group because of a server fault; returns the number of void attempts. The
    ``most``-th stops the group.
    """
    published = {"group": group, "attempt": voided, "reason": reason[:200], "at_ms": now_ms}
    return store.void(event_id, group, voided, orjson.dumps(published), most, b"null")
