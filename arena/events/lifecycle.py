"""The steps of a tournament: entry opens and is locked, rounds are planned, and the tournament ends."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import orjson

from arena.accounts.allowances import BudgetExceeded
from arena.errors import ArenaError
from arena.events.admission import Admission
from arena.events.board_ratings import PublishedRating, board_ratings
from arena.events.bot_games import OverGroup, PlayedGames
from arena.events.group_results import read_result
from arena.events.house_entries import draw_from_pool
from arena.events.listing import is_found, own_lists, place
from arena.events.live_groups import LiveGroups
from arena.events.planning import GameTimes, note_live_games
from arena.events.tournament import OVER, Entered, PlannedGroup, Tournament, TournamentNotFound
from arena.play.players import MODELS, PlayerId, division_of
from arena.ratings.results import GroupResult
from arena.ratings.standings import Standings, standings
from arena.store.amounts import DAY_MS
from arena.store.repositories import Store
from arena.store.tournaments import NewGroup, TournamentRow, TournamentStore
from arena.text import printable
from arena.tournaments.comparison import ComparisonFormat
from arena.tournaments.entry import by_party, seed_order
from arena.tournaments.formats import plan
from arena.tournaments.plan import Field, Now, Planned

log = logging.getLogger(__name__)

_TRIES: Final = 20

STEP_MS: Final = 2_000
"""The maximum time between two steps of a running tournament."""


STANDINGS_MS: Final = 3_000
STANDINGS_SHARE: Final = 20
"""The minimum ratio of the interval between computations of live standings to their computing time. The
interval is also at least ``STANDINGS_MS``.
"""


_SAID_MS: Final = DAY_MS
"""A tournament that waits for its owner's budget is logged at most once in this time."""

_LARGE: Final = 64
"""Final standings with more entries than this are stored separately at once, because readers always load the
rest of the tournament in full.
"""


class TournamentBusy(ArenaError):
    """The change had no effect because there were too many concurrent changes."""

    code = "tournament_busy"


class TournamentStep(NamedTuple):
    """The outcome of a step: the state of the tournament, the number of local groups that can be played now,
    the time at which the next step is due (Unix time in milliseconds; None: never), whether the standings are
    due, and the account that pays for the groups.
    """

    state: str
    local_groups_due: int
    due_ms: int | None
    standings_due: bool
    payer: str


class TournamentLifecycle:
    """Takes the steps of tournaments. Safe to run concurrently, because each version of a tournament has
    exactly one next step.
    """

    def __init__(
        self,
        store: Store,
        live_groups: LiveGroups,
        admission: Admission,
        record_ms: int | None,
        charge_to: Callable[[str], None],
    ) -> None:
        self._store = store.tournaments
        self._lists = store.tournament_lists
        self._boards = store.boards
        self._clock = store.clock
        self._flags = store.flags
        self._live_groups = live_groups
        self._admission = admission
        self._record_ms = record_ms
        self.charge_to = charge_to
        self._times = GameTimes(store.game_times)
        self._played = PlayedGames(store)

    # Steps

    def load(self, event_id: str) -> tuple[Tournament, TournamentRow]:
        """Load a tournament. Raises :class:`TournamentNotFound`."""
        (row,) = self._store.load([event_id])
        if row is None:
            raise TournamentNotFound(f"there is no tournament {event_id!r}", field="tournament")
        return Tournament.loads(row.meta), row

    def change(
        self, event_id: str, act: Callable[[Tournament, TournamentRow], Sequence[NewGroup] | None]
    ) -> Tournament:
        """Apply ``act`` to the tournament, and store the result with the groups that ``act`` returns (None:
        store nothing). ``act`` can be called again with a newer version. Its exceptions are propagated.
        """
        for _ in range(_TRIES):
            tournament, row = self.load(event_id)
            before, listed, name = tournament.state, own_lists(tournament), tournament.spec.name
            groups = act(tournament, row)
            if groups is None:
                # The process that stored this version can have been killed before it placed it.
                place(self._lists, tournament, row.version)
                return tournament
            # Noted before it is stored, because a process that is killed in between leaves only a name that
            # readers of the lists skip.
            self._lists.note(event_id, tournament.created_ms, own_lists(tournament) - listed)
            if tournament.spec.name != name and is_found(tournament):
                self._lists.note_name(event_id, tournament.spec.name, tournament.created_ms)
            if self._store.step(event_id, row.version, tournament.dumps(), groups):
                if tournament.state != before:
                    _log_state(tournament)
                place(self._lists, tournament, row.version + 1)
                return tournament
        raise TournamentBusy("too many changes at once; try again", field="tournament")

    def step(self, event_id: str) -> TournamentStep:
        """Take the steps that are due."""
        while True:
            tournament = self._take_step(event_id)
            self.charge_to(tournament.payer)
            more = (
                tournament.state in ("announced", "entry")
                and self._due_ms(tournament) <= self._clock().now_ms
            )
            if tournament.state == "running":
                more = self._live_groups.start_and_collect(tournament)
            self.release(tournament)
            if not more:
                break
        if tournament.state in OVER:
            if tournament.state == "cancelled":
                self._live_groups.give_up(tournament, "the tournament was cancelled")
            if tournament.purpose:
                self._admission.finish_qualification(tournament)
            if tournament.final is not None:
                self._store.delete_standings(event_id)
                if tournament.in_play > _LARGE:
                    keep_final(self._store, event_id)
            if self._record_ms is not None:
                self._store.keep_records(event_id, self._record_ms)
            if self._store.note_over(event_id, self._clock().now_ms) and tournament.state == "finished":
                note_live_games(self._times, tournament, self.load(event_id)[1].games)
        due_ms = None if tournament.state in OVER else self._due_ms(tournament)
        self._store.settle(event_id, due_ms)
        local = self._store.due(event_id, self._clock().now_ms) if tournament.state == "running" else 0
        due = self.standings_due(tournament)
        return TournamentStep(tournament.state, local, due_ms, due, tournament.payer)

    def _take_step(self, event_id: str) -> Tournament:
        """Store the next step, and log its decisions about entries and rounds."""
        statuses: dict[str, str] = {}
        planned = (0, 0)

        def act(tournament: Tournament, row: TournamentRow) -> Sequence[NewGroup] | None:
            nonlocal planned
            statuses.clear()
            statuses.update((entry.name, entry.status) for entry in tournament.entries)
            groups = self._act(tournament, row)
            planned = (tournament.round, len(groups or ()))
            return groups

        tournament = self.change(event_id, act)
        for entry in tournament.entries:
            if entry.status != statuses.get(entry.name) and entry.status != "qualifying":
                _log_entry(tournament, entry, entry.name not in statuses)
        round_, groups = planned
        if groups:
            fields = {"tournament": event_id, "round": round_, "groups": groups}
            # Tournaments that pair while they run plan groups all the time.
            level = logging.DEBUG if tournament.pairs_by.plans_while_running else logging.INFO
            text = "tournament %s: %d groups are planned, up to round %d"
            log.log(level, text, event_id, groups, round_, extra=fields)
        return tournament

    def standings_due(self, tournament: Tournament) -> bool:
        """Return whether the live standings are outdated and may be computed now."""
        if tournament.purpose or tournament.final is not None:
            return False
        if tournament.state not in ("running", "cancelled"):
            return False
        changes, known = self._store.standings_age(tournament.id)
        if known is None or tournament.state == "cancelled":
            return known is None or known[0] != changes
        at_changes, at_ms, cost_ms = known
        pause = max(STANDINGS_MS, STANDINGS_SHARE * cost_ms)
        return at_changes != changes and self._clock().now_ms >= at_ms + pause

    def release(self, tournament: Tournament) -> None:
        """Release stored results that are not on the lists of released groups yet."""
        ids = self._store.unreleased(tournament.id)
        for group_id, (row, voided), records, result in zip(
            ids,
            self._store.rows(tournament.id, ids),
            self._store.records(tournament.id, ids),
            self._store.results(tournament.id, ids),
            strict=True,
        ):
            if row is None or result is None:
                continue
            group = PlannedGroup.loads(group_id, row)
            local = [] if records is None else [(group_id, len(group.seats))]
            others = [] if local else [group_id]
            board = tournament.board_of(group)
            if others:
                self._live_groups.release(tournament, group, voided)
            key = board and board.key
            self._played.add(tournament, [OverGroup(group, result if local else None)])
            self._store.release(tournament.id, tournament.is_public, key, local, others)

    def _due_ms(self, tournament: Tournament) -> int:
        if tournament.state == "announced":
            return tournament.spec.opens_ms
        if tournament.state == "entry":
            return self._admission.due_ms(tournament)
        return self._clock().now_ms + STEP_MS

    def _act(self, tournament: Tournament, row: TournamentRow) -> Sequence[NewGroup] | None:
        now_ms = self._clock().now_ms
        if tournament.state == "announced" and now_ms >= tournament.spec.opens_ms:
            tournament.state = "entry"
            return ()
        if tournament.state == "entry":
            changed = self._admission.check(tournament, now_ms)
            if self._admission.may_lock(tournament, now_ms):
                self._admission.close(tournament, now_ms)
                return self._lock(tournament, now_ms)
            return () if changed else None
        if tournament.state == "running":
            left = self._admission.withdraw_absent(tournament.playing, tournament.round)
            groups = None
            if row.done == row.planned or tournament.pairs_by.plans_while_running:
                groups = self._go_on(tournament, now_ms)
            return () if left and groups is None else groups
        return None

    def _lock(self, tournament: Tournament, now_ms: int) -> Sequence[NewGroup]:
        """Fix the entries in play, and plan the first round."""
        draw_from_pool(tournament)
        playing = [entry for entry in tournament.entries if entry.status == "qualified"]
        others = [entry for entry in tournament.entries if entry not in playing]
        try:
            entrants = [entry.entrant for entry in playing]
            tournament.pairs_by.check_entrants(tournament.spec, by_party(entrants))
        except ArenaError as error:
            tournament.state, tournament.reason, tournament.finished_ms = "cancelled", str(error), now_ms
            return ()
        by_player = {entry.player: entry for entry in playing}
        seed = bytes.fromhex(tournament.seed)
        ordered = seed_order([entry.entrant for entry in playing], self._ratings(tournament, playing), seed)
        tournament.entries = [*(by_player[entrant.player] for entrant in ordered), *others]
        tournament.in_play = len(playing)
        tournament.entries_hash = tournament.hash_entries().hex()
        tournament.state, tournament.started_ms = "running", now_ms
        planned = self._plan(tournament, [], {}, now_ms)
        running = _takes_as_planned(tournament)
        try:
            self._admission.take_groups(tournament, 0, len(planned.groups) if running else planned.expected)
        except BudgetExceeded as error:
            tournament.state, tournament.reason, tournament.finished_ms = "cancelled", str(error), now_ms
            return ()
        return self._take(tournament, planned, now_ms)

    def _go_on(self, tournament: Tournament, now_ms: int) -> Sequence[NewGroup] | None:
        groups = self.planned_groups(tournament)
        results = self.results(tournament)
        planned = self._plan(tournament, groups, results, now_ms)
        format = tournament.pairs_by
        if tournament.comparison is not None and isinstance(format, ComparisonFormat):
            field = _field(tournament, groups, results)
            tournament.comparison = {**tournament.comparison, **format.state(field)}
        if planned.finished:
            if planned.places is not None:
                tournament.places = [[*player, place] for player, place in sorted(planned.places.items())]
            tournament.state, tournament.finished_ms = "finished", now_ms
            tournament.decide(final_standings(tournament, results.values()))
        elif not planned.groups:
            return None
        elif _takes_as_planned(tournament):
            try:
                self._admission.take_groups(tournament, len(groups), len(planned.groups))
            except BudgetExceeded as error:
                # It continues when the budget is renewed, unless the tournament has ended by then.
                if self._flags.first(f"waits-for-budget-{tournament.id}", _SAID_MS):
                    fields = {"tournament": tournament.id, "owner": tournament.created_by}
                    log.info("tournament %s plans nothing for now: %s", tournament.id, error, extra=fields)
                return None
        return self._take(tournament, planned, now_ms)

    def _plan(
        self,
        tournament: Tournament,
        groups: Sequence[PlannedGroup],
        results: Mapping[str, GroupResult | None],
        now_ms: int,
    ) -> Planned:
        spec = tournament.spec
        return plan(
            spec,
            [entry.entrant for entry in tournament.playing],
            results,
            bytes.fromhex(tournament.seed),
            planned=[group.plan for group in groups],
            now=self._now(tournament, now_ms) if tournament.pairs_by.plans_while_running else None,
            format=tournament.pairs_by,
        )

    def _now(self, tournament: Tournament, now_ms: int) -> Now:
        """The current time, the players that are online, and half the widths of the published intervals."""
        online = set(self._admission.online())
        published = self._published(tournament, tournament.playing)
        return Now(
            now_ms,
            {entry.player for entry in tournament.playing if entry.name in online},
            {player: (rating.high - rating.low) / 2 for player, rating in published.items()},
        )

    def _take(self, tournament: Tournament, planned: Planned, now_ms: int) -> list[NewGroup]:
        """Add the plan to the tournament, and return the groups to store."""
        numbers = {entry.player: number for number, entry in enumerate(tournament.playing)}
        tournament.byes = {numbers[player]: count for player, count in planned.byes.items() if count}
        tournament.round = planned.round
        tournament.expected = planned.expected
        groups = map(tournament.planned, planned.groups)
        return [NewGroup(group.id, group.dumps(), now_ms if group.mirrored else None) for group in groups]

    def _ratings(self, tournament: Tournament, playing: Sequence[Entered]) -> dict[PlayerId, float]:
        """The published ratings, or an empty value if the format does not seed by rating."""
        if not tournament.pairs_by.seeded_by_rating:
            return {}
        return {player: rating.rating for player, rating in self._published(tournament, playing).items()}

    def _published(
        self, tournament: Tournament, playing: Sequence[Entered]
    ) -> dict[PlayerId, PublishedRating]:
        """The ratings of these bots' versions on the board for the tournament's rules, if there is one."""
        mirrored = all(entry.runner.arena_run for entry in playing)
        division = division_of(mirrored, tournament.spec.division == MODELS)
        names = [entry.name for entry in playing]
        return board_ratings(self._boards, tournament.spec.board(division), names)

    # Reading

    def planned_groups(self, tournament: Tournament) -> list[PlannedGroup]:
        """Return all planned groups of a tournament that is not over, in order."""
        return [PlannedGroup.loads(group, row) for group, row in self._store.plan(tournament.id)]

    def results(self, tournament: Tournament) -> dict[str, GroupResult | None]:
        """Return the results by group, with None for abandoned groups."""
        return {group: read_result(data) for group, data in self._store.all_results(tournament.id).items()}


def _log_state(tournament: Tournament) -> None:
    """Log the state that a tournament has entered, and the reason."""
    fields: dict[str, object] = {"tournament": tournament.id, "state": tournament.state}
    if tournament.purpose:
        fields["purpose"] = tournament.purpose
    text = "entry is open"
    if tournament.state == "running":
        fields["entries"] = tournament.in_play
        text = f"locked with {tournament.in_play} entries"
    elif tournament.state == "cancelled":
        fields["reason"] = reason = printable(tournament.reason, 200)
        text = f"cancelled: {reason}"
    elif tournament.state == "finished":
        text = f"finished after round {tournament.round}"
    log.info("tournament %s: %s", tournament.id, text, extra=fields)


def _log_entry(tournament: Tournament, entry: Entered, is_new: bool) -> None:
    """Log the decision about an entry. ``is_new``: whether the bot was entered in this step."""
    reason = printable(entry.reason, 200)
    fields = {"tournament": tournament.id, "bot": entry.name, "status": entry.status}
    how = "entered automatically" if is_new else entry.status + (f": {reason}" if reason else "")
    log.info("tournament %s: bot %s is %s", tournament.id, entry.name, how, extra=fields)


def _takes_as_planned(tournament: Tournament) -> bool:
    """Whether groups are taken from the budget as they are planned, instead of all at the lock."""
    format = tournament.pairs_by
    return format.plans_while_running or format.plans_in_batches


def _field(
    tournament: Tournament, groups: Sequence[PlannedGroup], results: Mapping[str, GroupResult | None]
) -> Field:
    entrants = [entry.entrant for entry in tournament.playing]
    planned = tuple(group.plan for group in groups)
    return Field(tournament.spec, entrants, planned, results, bytes.fromhex(tournament.seed))


def keep_final(store: TournamentStore, event: str) -> bool:
    """Store the final standings separately. Return False if the tournament has changed in the meantime."""
    (row,) = store.load([event])
    if row is None:
        return True
    tournament = Tournament.loads(row.meta)
    # The end of a qualification reads the final standings from the tournament.
    if tournament.final is None or tournament.purpose:
        return True
    final = orjson.dumps(tournament.final)
    tournament.final_hash, tournament.final = tournament.final["records_hash"], None
    return store.keep_final(event, row.version, tournament.dumps(), final)


def final_standings(tournament: Tournament, results: Iterable[GroupResult | None]) -> Standings:
    """Return the standings after ``results``, where None is an abandoned group. For a finished knockout, its
    places determine the order.
    """
    playing = tournament.playing
    found = standings(
        [result for result in results if result is not None],
        entrants=[entry.player for entry in playing],
        byes={playing[number].player: count for number, count in tournament.byes.items()},
        tie_breaks=tournament.spec.tie_breaks,
        baseline={entry.player for entry in playing if entry.baseline},
    )
    if tournament.places is None:
        return found
    return found.placed({PlayerId(name, version): place for name, version, place in tournament.places})
