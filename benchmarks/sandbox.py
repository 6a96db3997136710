"""How fast sandboxed bots are, as ratios measured in one run.

    python -m benchmarks.sandbox [--groups N]

prints games per second of a mirrored match of ``rookie`` in process and in the sandbox, taken in turns; the
median overhead per decision; the time of a fresh instance; the same with the plain engine; and, if kaggle-
environments is installed, how many decisions are made in the sandbox, by one core and by all, for each step
of its ``connectx`` between its own random agents.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from time import perf_counter
from time import process_time as cpu
from typing import Final

from arena.bots import Bot, BotSpec, bot_spec
from arena.games import GAMES, game_of
from arena.games.kernel import Turn
from arena.play.pairings import Group
from arena.play.table import Table
from arena.sandbox.bot import SandboxedBot, sandboxed_spec
from arena.sandbox.building import python_component
from arena.sandbox.plain import PlainEngine
from arena.sandbox.runtime import runtime_id
from arena.tournaments.local_run import Plan, play_group, run

ROOKIE: Final = "from botequim import RookieBot as Bot\n"
RULES: Final = {kind: game.ladder_rules[0] for kind, game in GAMES.items()}


@cache
def plain_engine() -> PlainEngine:
    """The plain engine, built at the first use."""
    return PlainEngine(python_component())


@dataclass(frozen=True)
class PlainSpec(BotSpec):
    """A bot that the plain engine runs."""

    def make(self, seed: int) -> SandboxedBot:
        """See :meth:`arena.bots.BotSpec.make`."""
        return SandboxedBot(plain_engine().python, self.source, seed)


def spec_of(name: str, version: str, source: str, plain: bool) -> BotSpec:
    """A bot in the sandbox, run by the engine of this process or by the plain one."""
    return PlainSpec(name, version, source) if plain else sandboxed_spec(name, version, source)


def plan_of(kind: str, sandboxed: bool, groups: int, plain: bool = False) -> Plan:
    """A mirrored match between two rookies, both in the sandbox or both in process."""
    native = [bot_spec(f"{name}=rookie", kind) for name in ("one", "two")]
    specs: list[BotSpec] = native
    if sandboxed:
        specs = [spec_of(spec.name, spec.version, ROOKIE, plain) for spec in native]
    return Plan(kind, game_of(kind).options.complete(RULES[kind]), tuple(specs), groups, "bench")


def measure(kind: str, groups: int, plain: bool = False) -> tuple[float, float, int]:
    """Games per second of processor time in process and in the sandbox, and decisions per game.

    Raises ``AssertionError`` unless both play the same games.
    """
    plans = [plan_of(kind, sandboxed, groups, plain) for sandboxed in (False, True)]
    for plan in plans:
        _play(plan, 0, plan.all_groups()[0])
    seconds = [0.0, 0.0]
    games = decisions = 0
    for index, group in enumerate(plans[0].all_groups()):
        records: list[list[str]] = []
        for side, plan in enumerate(plans):
            start = cpu()
            played, made = _play(plan, index, group)
            seconds[side] += cpu() - start
            records.append(played)
        assert records[0] == records[1]
        games += len(records[0])
        decisions += made
    return games / seconds[0], games / seconds[1], decisions // games


def _play(plan: Plan, index: int, group: Group) -> tuple[list[str], int]:
    result = play_group(plan, index, group)
    decisions = sum(tally.thinking.decisions for tally in result.tallies.values())
    return [json.loads(record)["hash"] for record in result.records], decisions


def on_all_cores(kind: str, groups: int) -> float:
    """Decisions per second of the wall's clock in the sandbox, with a process per core.

    Raises ``AssertionError`` if a group is void.
    """
    start, decisions = perf_counter(), 0
    for result in run(plan_of(kind, True, groups), jobs=cores(), think_limit=None):
        assert not result.void, result.void
        decisions += sum(tally.thinking.decisions for tally in result.tallies.values())
    return decisions / (perf_counter() - start)


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0))


def overhead(kind: str, plain: bool = False) -> tuple[float, float]:
    """Median milliseconds in the sandbox of a decision that takes no thought, and of an instance: to load a
    source of two lines, and to be restored or closed.
    """
    return overhead_of(
        spec_of("first", "1", "def choose(turn):\n    return turn['legal_actions'][0]\n", plain), kind
    )


def overhead_of(spec: BotSpec, kind: str) -> tuple[float, float]:
    """Return the median milliseconds of a decision of a bot, and of an instance."""
    turns = turns_of(kind)
    starts, calls = [], []
    for number in range(30):
        start = cpu()
        bot = spec.make(number)
        loaded = cpu()
        calls += [_timed(bot, turn) for turn in turns]
        played = cpu()
        assert isinstance(bot, SandboxedBot)
        bot.close()
        starts.append(loaded - start + cpu() - played)
    return 1000 * statistics.median(calls), 1000 * statistics.median(starts)


def _timed(bot: Bot, turn: Turn) -> float:
    start = cpu()
    bot.choose(turn)
    return cpu() - start


def turns_of(kind: str) -> list[Turn]:
    table = Table("bench", kind, RULES[kind], bytes(32))
    bot = bot_spec("random").make(1)
    table.start()
    turns: list[Turn] = []
    while not table.is_over() and len(turns) < 100:
        seat = table.awaited()[0]
        turn = table.turn(seat)
        assert turn is not None
        turns.append(turn)
        table.submit(seat, table.turn_number(seat), str(bot.choose(turn)))
    return turns


def kaggle_steps(seconds: float = 5.0) -> float | None:
    """Steps per second of processor time of kaggle-environments, or None if it is not installed."""
    try:
        from kaggle_environments import make
    except ImportError:
        return None
    random.seed(1)
    environment = make("connectx")
    environment.run(["random", "random"])
    steps, start = 0, cpu()
    while cpu() - start < seconds:
        steps += len(environment.run(["random", "random"])) - 1
    return steps / (cpu() - start)


def main(arguments: Sequence[str] | None = None) -> int:
    """See the top of this file."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sandbox")
    parser.add_argument("--groups", type=int, default=40, help="mirrored groups per game")
    groups = parser.parse_args(arguments).groups
    print(f"runtime {runtime_id()}")
    rates, together = [], []
    for kind in RULES:
        native, sandboxed, decisions = measure(kind, groups)
        call, start = overhead(kind)
        rates.append(sandboxed * decisions)
        together.append(on_all_cores(kind, 5 * groups))
        print(
            f"{kind}: {native:.0f} games/s in process, {sandboxed:.0f} in the sandbox, ratio "
            f"{sandboxed / native:.2f}; {decisions} decisions a game, the same games"
        )
        print(f"{kind}: {call:.3f} ms per decision that takes no thought, {start:.2f} ms per instance")
        native, sandboxed, _ = measure(kind, max(1, groups // 4), plain=True)
        call, start = overhead(kind, plain=True)
        print(
            f"{kind}, plain engine: {sandboxed:.0f} games/s, ratio {sandboxed / native:.2f}; {call:.3f} ms "
            f"per decision that takes no thought, {start:.2f} ms per instance"
        )
    steps = kaggle_steps()
    if steps is None:
        print("kaggle-environments: not installed")
    else:
        print(f"kaggle-environments: {steps:.0f} steps/s; decisions in the sandbox over its steps:")
        for kind, alone, all_cores in zip(RULES, rates, together, strict=True):
            print(f"{kind}: {alone / steps:.1f} by one core, {all_cores / steps:.1f} by all {cores()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
