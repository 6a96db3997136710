"""How a tournament goes on by itself: entry opens, it is locked, rounds are planned, it ends."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from arena.errors import ArenaError
from arena.live.clocks import ServiceClock
from arena.live.event import OVER, Entered, Event, PlannedGroup, TournamentNotFound
from arena.live.gate import Gate
from arena.live.published import published
from arena.live.remote_groups import RemoteGroups
from arena.live.store_tournaments import NewGroup, Row, TournamentStore
from arena.ratings.results import OPEN, SEALED, GroupResult, Player
from arena.ratings.standings import Standings, standings
from arena.tournaments.entry import seed_order
from arena.tournaments.formats import plan
from arena.tournaments.formats.open import plan_open
from arena.tournaments.plan import Planned
from arena.tournaments.spec import KNOCKOUT, SWISS, check_entrants
from arena.tournaments.spec import OPEN as OPEN_FORMAT

_TRIES: Final = 20

LOOK_MS: Final = 2_000
"""A tournament that runs is looked at this often at least."""


class TournamentBusy(ArenaError):
    """So many changes at once that this one did not get through; nothing was changed by it."""

    code = "tournament_busy"


class Advanced(NamedTuple):
    """How far a tournament is: its state, how many groups the house can play now, when to look again
    (milliseconds since 1970; None: never).
    """

    state: str
    house: int
    due_ms: int | None


class Planner:
    """Everything here may run twice, and at the same time: a step is taken from one version only."""

    def __init__(
        self,
        store: TournamentStore,
        clock: Callable[[], ServiceClock],
        remote: RemoteGroups,
        gate: Gate,
        record_ms: int | None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._remote = remote
        self._gate = gate
        self._record_ms = record_ms

    # Steps

    def load(self, event_id: str) -> tuple[Event, Row]:
        """Raises :class:`TournamentNotFound`."""
        (row,) = self._store.load([event_id])
        if row is None:
            raise TournamentNotFound(f"there is no tournament {event_id!r}", field="tournament")
        return Event.loads(row.meta), row

    def change(self, event_id: str, act: Callable[[Event, Row], Sequence[NewGroup] | None]) -> Event:
        """Let ``act`` change the tournament, and store that with the groups it returns (None: nothing
        is to be stored). It may be called again with a newer one; what it raises is raised.
        """
        for _ in range(_TRIES):
            event, row = self.load(event_id)
            groups = act(event, row)
            if groups is None or self._store.step(event_id, row.version, event.dumps(), groups):
                return event
        raise TournamentBusy("too many changes at once; try again", field="tournament")

    def advance(self, event_id: str) -> Advanced:
        """Do what is due."""
        while True:
            event = self.change(event_id, self._advance)
            more = event.state in ("announced", "entry") and self._due_ms(event) <= self._clock().now_ms
            if event.state == "running":
                more = self._remote.drive(event)
            self.release(event)
            if not more:
                break
        if event.state in OVER:
            if event.state == "cancelled":
                self._remote.give_up(event, "the tournament was cancelled")
            if event.purpose:
                self._gate.note(event)
            if self._record_ms is not None:
                self._store.keep_records(event_id, self._record_ms)
        due_ms = None if event.state in OVER else self._due_ms(event)
        self._store.settle(event_id, due_ms)
        house = self._store.due(event_id, self._clock().now_ms) if event.state == "running" else 0
        return Advanced(event.state, house, due_ms)

    def release(self, event: Event) -> None:
        """Put results on the lists that were not put there when they were stored."""
        ids = self._store.unreleased(event.id)
        for group_id, (row, voided), pack, result in zip(
            ids,
            self._store.rows(event.id, ids),
            self._store.packs(event.id, ids),
            self._store.results(event.id, ids),
            strict=True,
        ):
            if row is None or result is None:
                continue
            group = PlannedGroup.loads(group_id, row)
            packed = [(group_id, len(group.seats))] if pack is not None else []
            others = [] if packed else [group_id]
            if others:
                self._remote.release(event, group, voided)
            self._store.release(event.id, event.spec.kind, event.board_of(group), packed, others)

    def _due_ms(self, event: Event) -> int:
        if event.state == "announced":
            return event.spec.opens_ms
        if event.state == "entry":
            return self._gate.due_ms(event)
        return self._clock().now_ms + LOOK_MS

    def _advance(self, event: Event, row: Row) -> Sequence[NewGroup] | None:
        now_ms = self._clock().now_ms
        if event.state == "announced" and now_ms >= event.spec.opens_ms:
            event.state = "entry"
            return ()
        if event.state == "entry":
            changed = self._gate.look(event, now_ms)
            if self._gate.may_lock(event, now_ms):
                self._gate.close(event, now_ms)
                return self._lock(event, now_ms)
            return () if changed else None
        if event.state == "running" and (row.done == row.planned or event.spec.format == OPEN_FORMAT):
            return self._go_on(event, now_ms)
        return None

    def _lock(self, event: Event, now_ms: int) -> Sequence[NewGroup]:
        """Entry is over: who plays is fixed, and the first round is planned."""
        playing = [entry for entry in event.entries if entry.status == "qualified"]
        others = [entry for entry in event.entries if entry not in playing]
        try:
            check_entrants(event.spec, [entry.entrant for entry in playing])
        except ArenaError as error:
            event.state, event.reason, event.finished_ms = "cancelled", str(error), now_ms
            return ()
        by_name = {entry.name: entry for entry in playing}
        seed = bytes.fromhex(event.seed)
        ordered = seed_order([entry.entrant for entry in playing], self._ratings(event, playing), seed)
        event.entries = [*(by_name[entrant.name] for entrant in ordered), *others]
        event.in_play = len(playing)
        event.entries_hash = event.hash_entries().hex()
        event.state, event.started_ms = "running", now_ms
        return self._take(event, self._plan(event, [], {}, now_ms), now_ms)

    def _go_on(self, event: Event, now_ms: int) -> Sequence[NewGroup] | None:
        groups = self.planned_groups(event)
        results = self.results(event)
        planned = self._plan(event, groups, results, now_ms)
        if planned.finished:
            if planned.places is not None:
                event.places = [[*player, place] for player, place in sorted(planned.places.items())]
            event.state, event.finished_ms = "finished", now_ms
            event.final = final_standings(event, results.values()).as_json()
        elif not planned.groups:
            return None
        return self._take(event, planned, now_ms)

    def _plan(
        self,
        event: Event,
        groups: Sequence[PlannedGroup],
        results: Mapping[str, GroupResult | None],
        now_ms: int,
    ) -> Planned:
        spec = event.spec
        entrants = [entry.entrant for entry in event.playing]
        seed = bytes.fromhex(event.seed)
        known = [group.plan for group in groups]
        if spec.format != OPEN_FORMAT:
            return plan(spec, entrants, results, seed, planned=known)
        if spec.ends_ms is not None and now_ms >= spec.ends_ms:
            waiting = len(known) > len(results)
            return Planned((), {}, not waiting, event.round, len(known))
        online = set(self._gate.online())
        return plan_open(
            spec,
            entrants,
            results,
            seed,
            planned=known,
            online={entry.player for entry in event.playing if entry.uploaded or entry.name in online},
            widths=self._widths(event),
        )

    def _take(self, event: Event, planned: Planned, now_ms: int) -> list[NewGroup]:
        """Note what was planned; the groups to be stored."""
        numbers = {entry.player: number for number, entry in enumerate(event.playing)}
        event.byes = {numbers[player]: count for player, count in planned.byes.items() if count}
        event.round = planned.round
        event.expected = planned.expected
        groups = map(event.planned, planned.groups)
        return [NewGroup(group.id, group.dumps(), now_ms if group.mirrored else None) for group in groups]

    def _ratings(self, event: Event, playing: Sequence[Entered]) -> dict[Player, float]:
        """The published ratings, where the order of the seeds matters."""
        if event.spec.format not in (SWISS, KNOCKOUT):
            return {}
        return {player: rating["rating"] for player, rating in self._published(event, playing).items()}

    def _widths(self, event: Event) -> dict[Player, float]:
        """Half the widths of the published intervals."""
        return {
            player: (rating["high"] - rating["low"]) / 2
            for player, rating in self._published(event, event.playing).items()
        }

    def _published(self, event: Event, playing: Sequence[Entered]) -> dict[Player, dict[str, Any]]:
        """The ratings of all versions on the board of the tournament."""
        division = SEALED if all(entry.arena_run for entry in playing) else OPEN
        return published(self._store, event.spec.kind, division)

    # Looking

    def planned_groups(self, event: Event) -> list[PlannedGroup]:
        """All groups that were planned, in their order."""
        return [PlannedGroup.loads(group, row) for group, row in self._store.groups(event.id)]

    def results(self, event: Event) -> dict[str, GroupResult | None]:
        """The results by group, None for those that were given up."""
        return {group: read_result(data) for group, data in self._store.all_results(event.id).items()}


def read_result(data: bytes) -> GroupResult | None:
    """A result as stored."""
    value: Any = json.loads(data)
    return None if value is None else GroupResult.from_json(value)


def final_standings(event: Event, results: Any) -> Standings:
    """The standings after ``results``; those of None were given up. A knockout that is over has places."""
    playing = event.playing
    found = standings(
        [result for result in results if result is not None],
        entrants=[entry.player for entry in playing],
        byes={playing[number].player: count for number, count in event.byes.items()},
        tie_breaks=event.spec.tie_breaks,
    )
    if event.places is None:
        return found
    return found.placed({Player(name, version): place for name, version, place in event.places})
