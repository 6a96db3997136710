"""Trials of a bot: games against ``random`` in every preset, to check that it plays without faults and to
measure how long it thinks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from arena.bots import BotSpec, bot_spec
from arena.errors import UnknownPreset
from arena.games import GAMES, game_of
from arena.play.dealing import group_seed
from arena.play.fault_reports import FaultReport
from arena.play.groups import SeatedGroup, play_games
from arena.play.match import Journaled, Thinking
from arena.tournaments.local_run import Plan, run

OPPONENT: Final = "random"

ENOUGH: Final = 5
"""The number of groups with faults after which the trial of a preset ends."""


@dataclass
class Trial:
    """The trial of a bot in one preset: the games played, its thinking and its faults.

    ``reports`` holds the first fault of each kind. ``void`` lists the reasons why groups do not count.
    ``records`` are the records of games in which it had a fault, one line of JSON each. ``ended``: whether
    faults ended the trial early.
    """

    kind: str
    preset: str
    sandbox: bool = False
    games: int = 0
    thinking: Thinking = field(default_factory=Thinking)
    faults: list[str] = field(default_factory=list)
    reports: dict[tuple[str, ...], FaultReport] = field(default_factory=dict)
    void: list[str] = field(default_factory=list)
    records: list[str] = field(default_factory=list)
    ended: bool = False

    @property
    def failed(self) -> bool:
        """Whether anything went wrong."""
        return bool(self.faults or self.void)

    @property
    def slow(self) -> bool:
        """Whether the bot or its process ran out of time, so that continuing would take too long."""
        return "late" in self.faults or bool(self.void)


def chosen_presets(kinds: Collection[str], names: Collection[str]) -> list[tuple[str, str]]:
    """Return the game and name of each preset of these games that has one of these names, or of all their
    presets if no names are given.

    Raises :class:`~arena.errors.UnknownPreset` or :class:`~arena.errors.UnknownGame`.
    """
    games = [game_of(kind) for kind in kinds] or list(GAMES.values())
    every = [(game.kind, preset.name) for game in games for preset in game.presets]
    for name in names:
        if name not in {preset for _, preset in every}:
            raise UnknownPreset.among("there is no preset", name, [preset for _, preset in every])
    return [one for one in every if not names or one[1] in names]


def trial_plan(spec: BotSpec, kind: str, preset: str, games: int, seed: str) -> Plan:
    """Return the groups of a trial, with at least ``games`` games. Every game has different deals."""
    game = game_of(kind)
    rules = game.options.complete(game.preset(preset).rules)
    opponent = bot_spec(OPPONENT, kind)
    if spec.name == opponent.name:
        spec = replace(spec, name=f"{spec.name}-2")
    plan = Plan(kind, rules, (spec, opponent), 1, f"{seed} {kind} {preset}", mirrored=False)
    per_group = len(plan.all_groups()[0].seats)
    return replace(plan, groups=-(-games // per_group))


def try_out(
    plan: Plan, preset: str, *, jobs: int, think_limit: float, on_games: Callable[[int], None]
) -> Trial:
    """Play a :func:`trial_plan` in other processes. ``on_games`` is called with the number of games that have
    ended since its last call.
    """
    trial = Trial(plan.kind, preset)
    running = run(plan, jobs=jobs, think_limit=think_limit)
    failed = 0
    try:
        for result in running:
            tally = result.tallies.get(0)
            if result.void:
                trial.void.append(result.void)
            if tally is not None:
                trial.thinking.merge(tally.thinking)
                trial.faults += tally.faults
                failed += bool(tally.faults)
                trial.records += result.records if tally.faults else []
            for (player, kind), report in result.reports.items():
                if player == 0:
                    trial.reports.setdefault(kind, report)
            trial.games += len(result.records)
            on_games(len(result.records))
            if trial.slow or failed >= ENOUGH:
                trial.ended = True
                break
    finally:
        running.close()
    return trial


def try_sandboxed(plan: Plan, preset: str, on_games: Callable[[int], None]) -> Trial:
    """Play a :func:`trial_plan` in this process for a bot that runs in the sandbox. Its thinking time is
    derived from the fuel that it uses.

    Raises :class:`~arena.bots.HostFailure`.
    """
    trial = Trial(plan.kind, preset, sandbox=True)
    for group in plan.all_groups():
        seed = group_seed(plan.event_seed, plan.entries, group.id)
        seated = SeatedGroup(
            group.id, plan.kind, plan.rules, plan.bots, group.seats, seed, mirrored=plan.mirrored
        )

        def failed(player: int, report: FaultReport) -> None:
            if player == 0:
                trial.faults.append(report.type)
                trial.reports.setdefault(report.kind, report)

        for played in play_games(seated, on_fault=failed):
            for seat, player in enumerate(played.players):
                if player == 0:
                    for ms in _fuel_ms(played.bots[seat]):
                        trial.thinking.add(ms / 1000)
            trial.games += 1
            on_games(1)
            if trial.faults:
                trial.ended = True
                return trial
    return trial


def _fuel_ms(bot: object) -> Iterator[float]:
    if isinstance(bot, Journaled):
        yield from (decision.ms for decision in bot.journal.decisions)


def distinct_reports(trials: Sequence[Trial]) -> list[FaultReport]:
    """Return the first report of each kind of fault, in the order of the trials. Reports from the sandbox are
    omitted if the same line also caused the fault outside the sandbox.
    """
    found: dict[tuple[str, ...], FaultReport] = {}
    for trial in trials:
        for report in trial.reports.values():
            found.setdefault(_cause(report), report)
    return list(found.values())


def _cause(report: FaultReport) -> tuple[str, ...]:
    """Return the kind of a fault without the file name, because every file in the sandbox is named
    ``bot.py``.
    """
    *kind, last = report.kind
    line = re.search(r"\d+\)?$", last) if len(kind) > 1 else None
    return (*kind, line[0].rstrip(")") if line else last)
