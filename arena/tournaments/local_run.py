"""Plays groups among local bots in several processes. The records do not depend on the number of
processes.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Generator, Mapping, Sequence
from ctypes import Array, c_double
from dataclasses import dataclass, field
from hashlib import sha256
from multiprocessing.connection import Connection, wait
from time import monotonic
from types import FrameType
from typing import Any, Final, NoReturn

from arena import __version__
from arena.bots import BotSpec
from arena.errors import ArenaError
from arena.games import game_of
from arena.games.options import Rules
from arena.luck.equity import has_table
from arena.luck.games import luck_of
from arena.luck.share import without_luck
from arena.play.dealing import Entry, entries_hash, group_seed
from arena.play.fault_reports import FaultReport
from arena.play.groups import PlayedGame, SeatedGroup, play_games
from arena.play.match import Thinking
from arena.play.outcomes import points
from arena.play.pairings import Group, distinct_seatings, lineups
from arena.play.programs import end_programs, kill_programs
from arena.records.record import build_record, dumps

_END_SECONDS: Final = 1.0
"""How long a process that ends may take to end the programs that play in it."""

HANG_GRACE: Final = 5.0
"""The grace period in seconds after the thinking limit, before a process that ignores its alarm is killed."""


@dataclass(frozen=True)
class Plan:
    """Everything that a run depends on, so that the same plan gives the same records. ``luck``: whether the
    luck of the games is measured, if the rules have a measure for it.
    """

    kind: str
    rules: Mapping[str, Any]
    bots: tuple[BotSpec, ...]
    groups: int
    seed: str
    mirrored: bool = True
    luck: bool = False

    @property
    def measures_luck(self) -> bool:
        """Whether the luck of the games is measured."""
        return self.luck and has_table(self.kind, self.rules)

    @property
    def event_seed(self) -> bytes:
        """The 256-bit seed of the run, derived from the text ``seed``."""
        return sha256(b"botequim play v1 " + self.seed.encode()).digest()

    @property
    def entries(self) -> bytes:
        """The hash of the entries."""
        return entries_hash(Entry(bot.name, bot.version) for bot in self.bots)

    def all_groups(self) -> list[Group]:
        """Return the groups in the order of their records: table by table within each round."""
        game = game_of(self.kind)
        teams = game.teams(self.rules)
        run = sha256(self.event_seed + self.entries + self.kind.encode()).hexdigest()[:8]
        tables = [distinct_seatings(teams, lineup) for lineup in lineups(game, self.rules, len(self.bots))]
        return [
            Group(f"{run}-t{table + 1}-g{number + 1}", seats)
            for number in range(self.groups)
            for table, seats in enumerate(tables)
        ]


@dataclass
class GroupTally:
    """The results of a bot in a group: points (0 to 1) and a win flag per game and seat, thinking and faults.
    ``margins`` are its points minus the mean of the other bots' points in the same game, and ``luck`` is the
    part of them due to luck, if measured.
    """

    points: list[float] = field(default_factory=list)
    margins: list[float] = field(default_factory=list)
    wins: list[float] = field(default_factory=list)
    luck: list[float] = field(default_factory=list)
    thinking: Thinking = field(default_factory=Thinking)
    faults: list[str] = field(default_factory=list)


@dataclass
class GroupSummary:
    """A played group: its records, as one line of JSON each, and a tally per bot, by index.

    ``void`` is the reason why the group does not count; in that case, it has no records. ``reports`` holds
    the first fault of each kind for each bot.
    """

    index: int
    records: list[str]
    tallies: dict[int, GroupTally]
    void: str = ""
    reports: dict[tuple[int, tuple[str, ...]], FaultReport] = field(default_factory=dict)


def play_group(
    plan: Plan,
    index: int,
    group: Group,
    *,
    think_limit: float | None = None,
    on_decision: Callable[[int], None] | None = None,
) -> GroupSummary:
    """Play the games of one group in this process. ``on_decision`` is called with the index of the bot."""
    teams = game_of(plan.kind).teams(plan.rules)
    seed = group_seed(plan.event_seed, plan.entries, group.id)
    seated = SeatedGroup(
        group.id, plan.kind, plan.rules, plan.bots, group.seats, seed, mirrored=plan.mirrored
    )
    summary = GroupSummary(index, [], {player: GroupTally() for player in sorted(set(group.seats[0]))})

    def failed(player: int, report: FaultReport) -> None:
        summary.reports.setdefault((player, report.kind), report)

    for played in play_games(seated, think_limit=think_limit, on_decision=on_decision, on_fault=failed):
        record = build_record(
            played.table,
            players=[(plan.bots[player].name, plan.bots[player].version) for player in played.players],
            group=seated.place(played.number),
            info={"producer": f"botequim {__version__}"},
        )
        summary.records.append(dumps(record))
        luck = luck_of(record).taken_out(teams) if plan.measures_luck else None
        _count(summary.tallies, teams, played, luck)
    return summary


def _count(
    tallies: dict[int, GroupTally],
    teams: Sequence[Sequence[int]],
    played: PlayedGame,
    luck: Sequence[float] | None,
) -> None:
    outcome = played.table.outcome()
    assert outcome is not None
    seats, places = played.players, outcome.places
    means = _means(seats, points(places, teams))
    margins = _margins(means)
    lucks = {} if luck is None else _margins(_means(seats, luck))
    for player, mean in means.items():
        tally = tallies[player]
        own_seats = [seat for seat, other in enumerate(seats) if other == player]
        tally.points.append(mean)
        tally.margins.append(margins[player])
        tally.wins.append(float(any(places[seat] == 1 for seat in own_seats) and len(set(places)) > 1))
        if luck is not None:
            tally.luck.append(lucks[player])
        for seat in own_seats:
            tally.thinking.merge(played.thinking[seat])
        tally.faults += [fault.type for fault in played.table.faults if fault.seat in own_seats]


def _means(seats: Sequence[int], values: Sequence[float]) -> dict[int, float]:
    """Return the mean of the values over each player's seats."""
    found: dict[int, list[float]] = {}
    for player, value in zip(seats, values, strict=True):
        found.setdefault(player, []).append(value)
    return {player: sum(own) / len(own) for player, own in found.items()}


def _margins(means: Mapping[int, float]) -> dict[int, float]:
    """Return the difference between each player's value and the mean of the others."""
    margins = {}
    for player, mean in means.items():
        others = [value for other, value in means.items() if other != player]
        margins[player] = mean - sum(others) / len(others)
    return margins


class _Worker:
    """A process that plays groups, and its current job."""

    def __init__(self, plan: Plan, think_limit: float | None) -> None:
        self.connection, theirs = multiprocessing.Pipe()
        # Two doubles: the time at which the current decision began (0: none), and the bot that makes it.
        self.deciding = multiprocessing.RawArray("d", 2)
        self.process = multiprocessing.Process(
            target=_work, args=(plan, theirs, self.deciding, think_limit), daemon=True
        )
        self.process.start()
        theirs.close()
        self.job: tuple[int, Group] | None = None

    def give(self, job: tuple[int, Group]) -> None:
        self.job = job
        self.deciding[0] = 0.0
        self.connection.send(job)

    def stuck_player(self, limit: float | None) -> int | None:
        """Return the bot whose decision has exceeded the limit and the grace period."""
        start = self.deciding[0]
        if limit is None or not start or monotonic() - start < limit + HANG_GRACE:
            return None
        return int(self.deciding[1])

    def end(self) -> None:
        # It ends the programs that play in it.
        self.process.terminate()
        self.process.join(_END_SECONDS)
        self.process.kill()
        self.process.join()
        self.connection.close()


def _work(plan: Plan, jobs: Connection, deciding: Array[c_double], think_limit: float | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end_at_once)

    def on_decision(player: int) -> None:
        deciding[1] = player
        deciding[0] = monotonic()

    # The output of bots is discarded, because it would disturb the progress bar and the table.
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    command = multiprocessing.parent_process()
    assert command is not None
    # This process has both ends of the pipe, so the pipe does not end with the command.
    while jobs in wait([jobs, command.sentinel]):
        index, group = jobs.recv()
        try:
            result = play_group(plan, index, group, think_limit=think_limit, on_decision=on_decision)
        except Exception as error:
            # Errors of bots do not reach this point, so this is an error of the service.
            result = GroupSummary(index, [], {}, void=f"group {group.id}: server fault, {error!r}")
        deciding[0] = 0.0
        jobs.send(result)
    end_programs()


def _end_at_once(number: int, frame: FrameType | None) -> NoReturn:
    kill_programs()
    os._exit(128 + number)


def run(
    plan: Plan, *, jobs: int = 1, think_limit: float | None = 10.0
) -> Generator[GroupSummary, None, None]:
    """Play all groups of ``plan`` in ``jobs`` processes, and yield the results in the order of completion.

    If a process is lost or stuck, its group is void and the reason is given. Closing the iterator ends the
    processes.
    """
    waiting = list(enumerate(plan.all_groups()))[::-1]
    workers = [_Worker(plan, think_limit) for _ in range(max(1, min(jobs, len(waiting))))]
    try:
        for worker in workers:
            worker.give(waiting.pop())
        while busy := [worker for worker in workers if worker.job is not None]:
            ready = wait([worker.connection for worker in busy], timeout=0.5)
            for worker in busy:
                stuck = worker.stuck_player(think_limit)
                if worker.connection in ready:
                    result = _receive(plan, worker)
                elif stuck is not None:
                    result = _void(plan, worker, stuck, "late", "did not return from a decision")
                else:
                    continue
                if not worker.process.is_alive() or stuck is not None:
                    worker.end()
                    workers[workers.index(worker)] = worker = _Worker(plan, think_limit)
                worker.job = None
                if waiting:
                    worker.give(waiting.pop())
                yield result
    finally:
        for worker in workers:
            worker.end()


def _receive(plan: Plan, worker: _Worker) -> GroupSummary:
    try:
        result = worker.connection.recv()
    except (EOFError, OSError):
        worker.process.join()
        return _void(plan, worker, int(worker.deciding[1]), "crashed", "ended its process")
    assert isinstance(result, GroupSummary)
    return result


def _void(plan: Plan, worker: _Worker, player: int, fault: str, why: str) -> GroupSummary:
    """Return the result of a group whose process ended: a fault of the bot that was deciding, or else a
    server fault.
    """
    assert worker.job is not None
    index, group = worker.job
    if not worker.deciding[0]:
        return GroupSummary(index, [], {}, void=f"group {group.id}: server fault, the process was lost")
    tallies = {player: GroupTally(faults=[fault])}
    return GroupSummary(index, [], tallies, void=f"group {group.id}: {plan.bots[player].name} {why}")


def check_plan(kind: str, rules: Rules, bots: Sequence[BotSpec], groups: int) -> None:
    """Raise :class:`~arena.errors.ArenaError` if a plan cannot be played."""
    if groups < 1:
        raise ArenaError(
            f"the number of groups cannot be {groups}",
            code="invalid_groups",
            field="groups",
            expected="1 or more",
        )
    lineups(game_of(kind), rules, len(bots))


def margins(results: Sequence[GroupSummary], player: int = 0) -> list[float]:
    """Return the margin of a bot over its opponents, from -1 to 1, for each group that counts."""
    return [
        sum(result.tallies[player].margins) / len(result.tallies[player].margins)
        for result in results
        if not result.void
    ]


def lucks_in_margins(results: Sequence[GroupSummary], player: int = 0) -> list[float]:
    """Return the part of each of the :func:`margins` that is due to luck, which must have been measured."""
    lucks = [result.tallies[player].luck for result in results if not result.void]
    return [sum(luck) / len(luck) for luck in lucks]


def adjusted_margins(plan: Plan, results: Sequence[GroupSummary]) -> list[float]:
    """Return the :func:`margins` of the first bot without the luck of the cards, if that was measured."""
    values = margins(results)
    return without_luck(values, lucks_in_margins(results)) if plan.measures_luck else values
