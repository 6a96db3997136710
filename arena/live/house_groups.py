"""The groups of tournaments that the arena plays itself, in process, in batches."""

from __future__ import annotations

import gzip
import json
import logging
import time
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import orjson

from arena.live.clocks import ServiceClock
from arena.live.event import MAX_VOIDS, Event, PlannedGroup, Sandbox
from arena.live.store_journals import GameJournal, JournalStore
from arena.live.store_tournaments import Counted, NewResult, TournamentStore
from arena.tournaments.playing import PlayedGroup, SeatJournal, play_house_group

log = logging.getLogger(__name__)

LEASE_MS: Final = 10_000
"""A group that was taken is played again if its player has not shown life for so long."""

BATCH_SECONDS: Final = 0.5
"""About how long a batch of groups is played: what is lost at most with a killed process."""

MOST_AT_ONCE: Final = 512
_RENEW: Final = 3.0
_COMPRESSION: Final = 3


class Played(NamedTuple):
    """How much was played: groups, whether there is more, and whether all that was planned is done."""

    groups: int
    more: bool
    done: bool


class HouseGroups:
    """Plays what is due. Any number of processes may; a result is taken once. ``sandbox``: for uploaded
    bots.
    """

    def __init__(
        self,
        store: TournamentStore,
        clock: Callable[[], ServiceClock],
        journals: JournalStore,
        sandbox: Sandbox | None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._journals = journals
        self._sandbox = sandbox

    def play(self, event_id: str, seconds: float) -> Played:
        """Play groups of a tournament for about ``seconds``, or until none is left to take."""
        until = time.monotonic() + seconds
        count, size = 0, 1
        while True:
            now_ms = self._clock().now_ms
            ids = self._store.claim_groups(event_id, now_ms, now_ms + LEASE_MS, size)
            event = self._running(event_id) if ids else None
            if event is None:
                return Played(count, False, False)
            start = time.monotonic()
            counted = self._play_batch(event, ids)
            count += len(ids)
            if counted.done == counted.planned:
                return Played(count, False, True)
            took = time.monotonic() - start
            size = max(1, min(MOST_AT_ONCE, int(len(ids) * BATCH_SECONDS / max(took, 1e-6)), 4 * size))
            if time.monotonic() >= until:
                return Played(count, True, False)

    def _running(self, event_id: str) -> Event | None:
        (row,) = self._store.load([event_id])
        event = None if row is None else Event.loads(row.meta)
        return event if event is not None and event.state == "running" else None

    def _play_batch(self, event: Event, ids: Sequence[str]) -> Counted:
        left = list(ids)
        renewal = time.monotonic() + _RENEW

        def show_life(seat: int) -> None:
            nonlocal renewal
            if time.monotonic() > renewal:
                renewal = time.monotonic() + _RENEW
                self._store.renew(event.id, left, self._clock().now_ms + LEASE_MS)

        results = []
        packed = []
        journals: list[SeatJournal] = []
        board = None
        for group_id, (row, voided) in zip(ids, self._store.rows(event.id, ids), strict=True):
            assert row is not None
            group = PlannedGroup.loads(group_id, row)
            try:
                played = play_house_group(event.house_group(group, self._sandbox), self._now_ms, show_life)
            except Exception as error:
                # Bots' errors do not come here: this one is ours, and nobody's fault.
                log.exception("group %s of %s is void", group_id, event.id)
                void(self._store, event.id, group_id, voided, str(error), self._now_ms())
            else:
                results.append(new_result(group_id, voided, played))
                packed.append((group_id, len(played.records)))
                journals += played.journals
                board = event.board_of(group)
            left.remove(group_id)
        # Before the results, so that a qualification that is over can say why it failed.
        self._journals.keep(_by_game(journals))
        counted = self._store.add_results(event.id, results)
        self._store.release(event.id, event.spec.kind, board, packed, ())
        return counted

    def _now_ms(self) -> int:
        return self._clock().now_ms


def _by_game(journals: Sequence[SeatJournal]) -> list[GameJournal]:
    seats: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for game, bot, journal in journals:
        seats.setdefault((bot, game), []).append(journal)
    return [GameJournal(bot, game, own) for (bot, game), own in seats.items()]


def new_result(group: str, voided: int, played: PlayedGroup) -> NewResult:
    """A group as played, as it is stored."""
    result = json.dumps(played.result.as_json(), separators=(",", ":")).encode()
    pack = gzip.compress("\n".join(played.records).encode(), _COMPRESSION, mtime=0)
    return NewResult(group, voided, len(played.records), result, pack)


def void(store: TournamentStore, event_id: str, group: str, voided: int, reason: str, now_ms: int) -> int:
    """Void an attempt of a group by a fault of the service; how many are void now."""
    told = {"group": group, "attempt": voided, "reason": reason[:200], "at_ms": now_ms}
    return store.void(event_id, group, voided, orjson.dumps(told), MAX_VOIDS, b"null")
