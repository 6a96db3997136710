"""``botequim watch``: replays a match whenever a bot's file is saved."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, Final

import click
from rich.text import Text

from arena.bots import HOUSE_BOTS, BotSpec, GameNotPlayed, InvalidBot
from arena.bots.games import check_game
from arena.bots.loader import games_of
from arena.cli.commands import Command
from arena.cli.local_bots import files_of, is_script, local_bot
from arena.cli.params import jobs_option, local_rules, preset_option
from arena.cli.play import distinct_names, print_faults
from arena.cli.terminal import console
from arena.errors import UnknownBot
from arena.games import GAMES
from arena.play.programs import ProgramSpec
from arena.play.saved_files import saved_file
from arena.play.stats import MARGINS_SPAN, is_telling, mean_interval
from arena.text import printable
from arena.tournaments.local_run import GroupSummary, Plan, check_plan, margins, run

_PAUSE: Final = 0.2
"""Seconds between two checks of the files."""

Stamp = tuple[tuple[int, int] | None, ...]
"""The modification time and size of each file, or None if it does not exist."""


@click.command(
    cls=Command,
    examples=(
        "botequim watch my_bot.py rookie --kind truco",
        "botequim watch my_bot.py old_bot.py shark --kind toepen --groups 20",
    ),
)
@click.argument("bot")
@click.argument("opponents", nargs=-1, required=True, metavar="OPPONENT...")
@click.option(
    "--kind", "kinds", multiple=True, type=click.Choice(tuple(GAMES)), help="Only this game; may be repeated."
)
@preset_option
@click.option(
    "--groups", type=click.IntRange(1), default=50, show_default=True, help="The number of groups per table."
)
@click.option("--seed", help="Any text, which determines the deals of every round. [default: random]")
@jobs_option
def watch(
    bot: str,
    opponents: tuple[str, ...],
    kinds: tuple[str, ...],
    preset: str | None,
    groups: int,
    seed: str | None,
    jobs: int,
) -> None:
    """Play BOT against each OPPONENT, and again whenever one of their files is saved, until Ctrl-C. The files
    of a program are those that its command names.

    Every round has the same deals and the same randomness, so the margin changes only if the bot does. Its
    95% interval is based on the differences between rounds, group by group. If a file cannot be loaded, the
    error and its line are shown, and the command waits for the next save. Bots and rules are specified as in
    'botequim play'; --preset requires one --kind.
    """
    if preset is not None and len(kinds) != 1:
        raise click.UsageError("--preset requires exactly one --kind")
    seed = seed or secrets.token_hex(8)
    bots = (bot, *opponents)
    files = [file for text in bots for file in files_of(text)]
    rules = {kind: local_rules(kind, preset) for kind in kinds or tuple(GAMES)}
    rounds = Rounds(bots, rules, bool(kinds), groups, seed, jobs)
    try:
        while True:
            stamp = stamp_of(files)
            rounds.play(partial(_changed, files, stamp))
            while not _changed(files, stamp):
                time.sleep(_PAUSE)
    except KeyboardInterrupt:
        return


def stamp_of(files: Sequence[Path]) -> Stamp:
    """Return a value that changes when any of the files is saved."""
    stamps: list[tuple[int, int] | None] = []
    for file in files:
        try:
            found = file.stat()
        except OSError:
            stamps.append(None)
        else:
            stamps.append((found.st_mtime_ns, found.st_size))
    return tuple(stamps)


def _changed(files: Sequence[Path], since: Stamp) -> bool:
    return stamp_of(files) != since


class Rounds:
    """Plays rounds with the same deals, and compares each round with the previous one. If ``every``, all
    games in ``rules`` are played, otherwise only those that the bots play.
    """

    def __init__(
        self,
        bots: Sequence[str],
        rules: Mapping[str, Mapping[str, Any]],
        every: bool,
        groups: int,
        seed: str,
        jobs: int,
    ) -> None:
        self._bots = bots
        self._rules = rules
        self._every = every
        self._groups = groups
        self._seed = seed
        self._jobs = jobs
        self._before: dict[tuple[str, int], dict[int, float]] = {}

    def play(self, changed: Callable[[], bool]) -> None:
        """Play a round, unless a file cannot be loaded. Stop early if ``changed()`` is true.

        Raises :class:`~arena.bots.GameNotPlayed`.
        """
        try:
            plans = self._plans()
        except (FileNotFoundError, UnknownBot):
            # Some editors remove a file before rewriting it.
            return
        except (InvalidBot, OSError) as error:
            _say(printable(str(error), 1000))
            return
        width = max(len(f"{kind} against {plan.bots[1].name}") for (kind, _), plan in plans.items())
        status = console()
        for (kind, number), plan in plans.items():
            name = f"{kind} against {plan.bots[1].name}".ljust(width)
            with status.status(Text(name)) if status.is_terminal else nullcontext():
                results = self._results(plan, changed)
            if results is None:
                return
            self._report(name, plan, (kind, number), results)

    def _plans(self) -> dict[tuple[str, int], Plan]:
        plans: dict[tuple[str, int], Plan] = {}
        refused: GameNotPlayed | None = None
        for kind, number in product(self._rules, range(1, len(self._bots))):
            try:
                plans[kind, number] = self._plan(kind, number)
            except GameNotPlayed as error:
                refused = error
        if refused is not None and (self._every or not plans):
            raise refused
        return plans

    def _plan(self, kind: str, number: int) -> Plan:
        specs = [_spec(self._bots[0], kind), _spec(self._bots[number], kind)]
        plan = Plan(kind, self._rules[kind], tuple(distinct_names(specs)), self._groups, self._seed)
        check_plan(kind, plan.rules, plan.bots, plan.groups)
        return plan

    def _results(self, plan: Plan, changed: Callable[[], bool]) -> list[GroupSummary] | None:
        running = run(plan, jobs=self._jobs)
        results = []
        try:
            for result in running:
                results.append(result)
                if changed():
                    return None
        finally:
            running.close()
        return sorted(results, key=lambda result: result.index)

    def _report(self, name: str, plan: Plan, key: tuple[str, int], results: list[GroupSummary]) -> None:
        found = {result.index: margins([result])[0] for result in results if not result.void}
        line = f"{name}: {_interval(list(found.values()))}, {len(found)} groups"
        before = self._before.get(key)
        if before is not None:
            changes = [found[index] - before[index] for index in found.keys() & before.keys()]
            line += f"; change {_interval(changes)}" if any(changes) else "; no change"
        self._before[key] = found
        _say(line)
        print_faults(plan, results)


def _spec(text: str, kind: str) -> BotSpec:
    spec = local_bot(text, kind, check=False)
    if spec.source in HOUSE_BOTS:
        return spec
    # Names and versions determine the deals.
    if isinstance(spec, ProgramSpec) or is_script(text):
        return replace(local_bot(text, kind), version="saved")
    saved = saved_file(spec.name, spec.source)
    check_game(spec.source, games_of(saved.load(), spec.source), kind)
    return saved


def _interval(values: Sequence[float]) -> str:
    mean, half = mean_interval(values)
    return f"{mean:+.3f}" + (f" ± {half:.3f}" if is_telling(half, MARGINS_SPAN) else "")


def _say(line: str) -> None:
    click.echo(f"{datetime.now():%H:%M:%S} {line}")
