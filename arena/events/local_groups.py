"""Local groups of tournaments, played in batches in the worker's process."""

from __future__ import annotations

import gzip
import json
import logging
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

import orjson

from arena.accounts.allowances import Budgets
from arena.accounts.suspensions import Suspensions
from arena.accounts.versions import Suspension
from arena.bots import HostFailure
from arena.errors import ArenaError
from arena.events.bot_games import OverGroup, PlayedGames
from arena.events.planning import HOUSE_GAMES, UPLOADED_GAMES, GameTimes
from arena.events.tournament import MAX_VOIDS, PlannedGroup, Sandbox, Tournament
from arena.play.board_names import BoardName
from arena.play.clocks import ServiceClock
from arena.sandbox.progress import PROGRESS, GroupAttempt
from arena.store.amounts import DAY_MS
from arena.store.documents import Flags
from arena.store.journals import GameJournal, JournalStore
from arena.store.rows import shown_or_left_out
from arena.store.tournaments import Counted, NewResult, TournamentStore
from arena.text import printable
from arena.tournaments.sealed import PlayedGroup, SeatJournal, play_local_group

log = logging.getLogger(__name__)

LEASE_MS: Final = 10_000
"""A claimed group is played again if its worker has not renewed the lease for this long."""

RENEW_SECONDS: Final = 3.0

BATCH_SECONDS: Final = 0.5
"""The approximate duration of a batch of groups, and therefore the most work that is lost when a process is
killed.
"""

MOST_AT_ONCE: Final = 512
_MOST_ENDED: Final = 2
"""A group during which this many workers have hung or crashed is stopped, and its uploaded bots are
suspended.
"""

_REMEMBERED_MS: Final = DAY_MS
"""How long the service remembers that a worker hung or crashed during a call of a bot."""

_MOST_SAID: Final = 1000

_COMPRESSION: Final = 3


class Played(NamedTuple):
    """The number of groups claimed, whether more are due, and whether all planned groups are over."""

    groups: int
    more: bool
    done: bool


class LocalGroups:
    """Plays local groups. Safe to run in any number of processes; each result is counted once."""

    def __init__(
        self,
        store: TournamentStore,
        clock: Callable[[], ServiceClock],
        journals: JournalStore,
        sandbox: Sandbox,
        budgets: Budgets,
        suspensions: Suspensions,
        flags: Flags,
        times: GameTimes,
        played: PlayedGames,
        charge_to: Callable[[str], None],
    ) -> None:
        self._store = store
        self._clock = clock
        self._journals = journals
        self._sandbox = sandbox
        self._budgets = budgets
        self._suspensions = suspensions
        self._flags = flags
        self._times = times
        self._played = played
        self._charge_to = charge_to
        self._said: set[str] = set()

    def play(self, event_id: str, seconds: float) -> Played:
        """Play groups of a tournament for about ``seconds`` of processor time, or until none is due. Play
        ends between two games, however long the groups are; the rest of a group is due again.
        """
        until = time.process_time() + seconds
        count, size = 0, 1
        waiting = self._running(event_id)
        if waiting is None:
            return Played(0, False, False)
        self._charge_to(waiting.payer)
        if not self._budgets.has_time(waiting.payer):
            # The scheduler's tick retries; the tournament continues when the budget is renewed.
            if self._flags.first(f"waits-for-time-{event_id}", _REMEMBERED_MS):
                fields = {"tournament": event_id, "owner": waiting.created_by}
                text = "tournament %s waits until its owner has processor time again"
                log.info(text, event_id, extra=fields)
            return Played(0, False, False)
        sandboxed = any(entry.uploaded for entry in waiting.playing)
        while True:
            if sandboxed:
                self._sandbox.check()
            now_ms = self._clock().now_ms
            ids = self._store.claim_groups(event_id, now_ms, now_ms + LEASE_MS, size)
            tournament = self._running(event_id) if ids else None
            if tournament is None:
                return Played(count, False, False)
            start = time.monotonic()
            self._log_claim(event_id, ids)
            counted = self._play_groups(tournament, ids, until)
            count += len(ids)
            if counted.done == counted.planned:
                return Played(count, False, True)
            took = time.monotonic() - start
            size = max(1, min(MOST_AT_ONCE, int(len(ids) * BATCH_SECONDS / max(took, 1e-6)), 4 * size))
            if time.process_time() >= until:
                return Played(count, True, False)

    def _log_claim(self, event_id: str, ids: Sequence[str]) -> None:
        """Log the groups that this process plays: once per tournament, and the rest at debug level."""
        level = logging.DEBUG if event_id in self._said else logging.INFO
        if len(self._said) >= _MOST_SAID:
            self._said.clear()
        self._said.add(event_id)
        fields = {"tournament": event_id, "groups": ids}
        text = "tournament %s: this worker plays its groups, now %d starting with %s"
        log.log(level, text, event_id, len(ids), ids[0], extra=fields)

    def _running(self, event_id: str) -> Tournament | None:
        (row,) = self._store.load([event_id])
        tournament = None if row is None else Tournament.loads(row.meta)
        return tournament if tournament is not None and tournament.state == "running" else None

    def note_ended_worker(self, ended: GroupAttempt) -> None:
        """Void an attempt during which a worker hung or crashed. Safe to repeat.

        After the second such attempt, the group is stopped and its uploaded bots are suspended; if both
        attempts ended during a call of the same bot, only that bot is. A bot is also suspended if workers
        hang or crash during its calls in two groups.
        """
        ((row, voided),) = self._store.rows(ended.tournament, [ended.group])
        tournament = self._running(ended.tournament)
        if row is None or voided != ended.attempt or tournament is None:
            return
        calling = [*self._store.ended_workers(ended.tournament, ended.group), ended.calling]
        is_last = len(calling) >= _MOST_ENDED
        if is_last:
            # Suspend before the group is stopped: after that, a repeated call does nothing.
            is_known = calling[0] and len(set(calling)) == 1
            self._suspend(ended, calling[:1] if is_known else ended.uploaded)
        void(
            self._store,
            ended.tournament,
            ended.group,
            voided,
            "a worker hung or crashed",
            self._now_ms(),
            1 if is_last else MAX_VOIDS,
            ended_by=ended.calling,
        )
        if ended.calling and not self._flags.first(f"ended-{ended.calling}", _REMEMBERED_MS):
            self._suspend(ended, [ended.calling])

    def _suspend(self, ended: GroupAttempt, bots: Sequence[str]) -> None:
        during = "calls of this bot"
        if list(bots) != [ended.calling]:
            during = "games with this bot, possibly because of another bot"
        reason = f"{_MOST_ENDED} workers hung or crashed during {during}"
        for bot in bots:
            suspension = Suspension(reason, self._now_ms(), ended.tournament, ended.group)
            self._suspensions.suspend(bot, suspension)

    def _play_groups(self, tournament: Tournament, ids: Sequence[str], until: float) -> Counted:
        held, start = list(ids), time.monotonic()
        until = max(until, time.process_time() + BATCH_SECONDS)

        def renew_lease() -> None:
            self._store.renew(tournament.id, list(held), self._now_ms() + LEASE_MS)

        def gives_way() -> bool:
            return time.process_time() >= until

        results = []
        left: list[str] = []
        played_games = 0
        local: dict[BoardName | None, list[tuple[str, int]]] = defaultdict(list)
        journals: list[SeatJournal] = []
        rows = []
        for group_id, (row, voided) in zip(ids, self._store.rows(tournament.id, ids), strict=True):
            assert row is not None
            rows.append((PlannedGroup.loads(group_id, row), voided))
        suspended = self._suspensions.among(
            {name for group, _ in rows for name in tournament.uploaded(group).values()}
        )
        with _repeated(RENEW_SECONDS, renew_lease):
            parts = self._store.parts(tournament.id, ids)
            for number, ((group, voided), part) in enumerate(zip(rows, parts, strict=True)):
                if number and gives_way():
                    left.append(group.id)
                    continue
                uploaded = tournament.uploaded(group)
                attempt = GroupAttempt(tournament.id, group.id, voided, tuple(uploaded.values()))
                place = (tournament.id, group.id, voided)
                if not suspended.isdisjoint(attempt.uploaded):
                    held.remove(group.id)
                    void(self._store, *place, "a bot in the group is suspended", self._now_ms(), 1)
                    continue
                try:
                    before = None if part is None else _read_part(place, part)
                    with PROGRESS.playing(attempt, uploaded):
                        played = play_local_group(
                            tournament.local_group(group, self._sandbox),
                            self._now_ms,
                            PROGRESS.decides if uploaded else None,
                            before,
                            gives_way,
                        )
                except Exception as error:
                    # Errors of bots are handled further down the stack, so this is a server fault.
                    held.remove(group.id)
                    cause = None if isinstance(error, ArenaError | HostFailure) else error
                    void(self._store, *place, str(error), self._now_ms(), cause=cause)
                    continue
                played_games += len(played.records) - (0 if before is None else len(before.records))
                if not played.is_complete:
                    # Otherwise, another worker has taken over: this one was stopped for a long time.
                    if self._store.keep_part(*place, _write_part(played)):
                        left.append(group.id)
                    continue
                results.append(new_result(group.id, voided, played))
                local[tournament.board_of(group)].append((group.id, len(played.records)))
                journals += played.journals
            # Store the journals before the results: a failed qualification takes its reason from them.
            self._journals.keep(_by_game(journals))
            counted = self._store.add_results(tournament.id, results, self._now_ms())
        # These are due at once, before groups that nobody has begun, so that few unfinished groups are kept.
        self._store.renew(tournament.id, left, 0)
        if not tournament.purpose:
            how = UPLOADED_GAMES if any(entry.uploaded for entry in tournament.playing) else HOUSE_GAMES
            self._times.note(tournament.spec.kind, how, played_games, time.monotonic() - start)
        self._played.add(tournament, self._over(tournament, rows, results, counted))
        for board, some in local.items():
            self._store.release(tournament.id, tournament.is_public, board and board.key, some, ())
        return counted

    def _over(
        self,
        tournament: Tournament,
        rows: Sequence[tuple[PlannedGroup, int]],
        results: Sequence[NewResult],
        counted: Counted,
    ) -> list[OverGroup]:
        """The groups that were played, with their stored results."""
        stored: dict[str, bytes | None] = {own.group: own.result for own in results}
        if counted.new < len(results):
            # Another worker also played some of these groups and was first.
            stored = dict(zip(stored, self._store.results(tournament.id, list(stored)), strict=True))
        return [OverGroup(group, stored[group.id]) for group, _ in rows if group.id in stored]

    def _now_ms(self) -> int:
        return self._clock().now_ms


@contextmanager
def _repeated(seconds: float, act: Callable[[], None]) -> Iterator[None]:
    """Inside the block, call ``act`` every ``seconds`` in another thread. This also happens during calls of
    bots, which release Python's global interpreter lock.
    """
    end = threading.Event()

    def run() -> None:
        while not end.wait(seconds):
            try:
                act()
            except ArenaError as error:
                log.warning("the lease of groups was not renewed: %s", error)

    thread = threading.Thread(target=run, name="lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        end.set()
        thread.join()


def _by_game(journals: Sequence[SeatJournal]) -> list[GameJournal]:
    seats: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for game, bot, journal in journals:
        seats.setdefault((bot, game), []).append(journal)
    return [GameJournal(bot, game, own) for (bot, game), own in seats.items()]


def _write_part(played: PlayedGroup) -> bytes:
    return gzip.compress(json.dumps(played.as_json()).encode(), _COMPRESSION, mtime=0)


def _read_part(place: tuple[str, str, int], part: bytes) -> PlayedGroup | None:
    """Return the first games of a group, or None if they cannot be read, because then all are played."""
    name = "first games of group {1} of {0}".format(*place)
    return shown_or_left_out(name, lambda: PlayedGroup.from_json(json.loads(gzip.decompress(part))))


def new_result(group: str, voided: int, played: PlayedGroup) -> NewResult:
    """Return a played group in the form in which it is stored."""
    result = json.dumps(played.result.as_json(), separators=(",", ":")).encode()
    records = gzip.compress("\n".join(played.records).encode(), _COMPRESSION, mtime=0)
    return NewResult(group, voided, len(played.records), result, records)


def void(
    store: TournamentStore,
    event_id: str,
    group: str,
    voided: int,
    reason: str,
    now_ms: int,
    most: int = MAX_VOIDS,
    ended_by: str | None = None,
    cause: Exception | None = None,
) -> int:
    """Void an attempt at a group because of a server fault, and return the number of void attempts. The group
    is stopped after ``most`` void attempts. ``ended_by``: see
    :meth:`arena.store.tournaments.TournamentStore.void`. ``cause``: an error whose traceback is logged.
    """
    published = {"group": group, "attempt": voided, "reason": reason[:200], "at_ms": now_ms}
    count = store.void(event_id, group, voided, orjson.dumps(published), most, b"null", ended_by)
    fields = {"tournament": event_id, "group": group, "attempt": voided}
    then = "it is stopped" if count >= most else f"attempt {count} follows"
    why = printable(reason, 300)
    log.warning("group %s of %s is void: %s; %s", group, event_id, why, then, exc_info=cause, extra=fields)
    return count
