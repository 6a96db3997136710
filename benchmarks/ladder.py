"""The ladder of the house bots: each must beat the next over mirrored groups. Seeds and numbers of groups are
fixed in advance.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import click
from rich.console import Console
from rich.table import Table

from arena.bots import bot_spec
from arena.cli.params import KIND, jobs_option
from arena.games import GAMES, game_of
from arena.play.stats import mean_interval
from arena.tournaments.local_run import GroupSummary, Plan, adjusted_margins, run

SEED: Final = "botequim ladder 1"


@dataclass(frozen=True)
class LadderStep:
    """One step of the ladder: ``stronger`` should beat ``weaker`` over ``groups`` mirrored groups."""

    kind: str
    rules: Mapping[str, Any]
    stronger: str
    weaker: str
    groups: int

    def plan(self, *, seed: str = SEED, mirrored: bool = True, luck: bool = False) -> Plan:
        """The run that shows it."""
        rules = game_of(self.kind).options.complete(self.rules)
        bots = (bot_spec(self.stronger, self.kind), bot_spec(self.weaker, self.kind))
        return Plan(self.kind, rules, bots, self.groups, seed, mirrored, luck=luck)


TABLES: Final[tuple[tuple[str, Mapping[str, Any]], ...]] = tuple(
    (game.kind, rules) for game in GAMES.values() for rules in game.ladder_rules
)

LADDER: Final[tuple[LadderStep, ...]] = tuple(
    LadderStep(kind, rules, stronger, weaker, groups)
    for kind, rules in TABLES
    for stronger, weaker, groups in (
        ("rookie", "random", 300),
        ("regular", "rookie", 300),
        ("shark", "regular", 150),
    )
)


def rules_text(rules: Mapping[str, Any]) -> str:
    """Rules for a table."""
    return ", ".join(f"{name}={value}" for name, value in rules.items())


def faultless_results(plan: Plan, where: str, jobs: int) -> list[GroupSummary]:
    """Play all groups of a run. Raises :class:`click.ClickException` at the first fault, which names the run
    by ``where``: the margin of a bot that fails tells nothing.
    """
    results: list[GroupSummary] = []
    for group in run(plan, jobs=jobs, think_limit=None):
        for (player, _), fault in group.reports.items():
            bot = plan.bots[player].name
            raise click.ClickException(f"{where}: {bot} {fault.type} at {fault.turn}: {fault.detail}")
        results.append(group)
    return results


@click.command()
@jobs_option
@click.option("--kind", type=KIND, help="Only this game.")
def main(jobs: int, kind: str | None) -> None:
    """Play the ladder, and print the margin per game of each step: points minus those of the opponents, from
    -1 to 1, without the luck of the cards where that is measured. The exit code is 1 if an interval includes
    zero, or if a bot has a fault.
    """
    table = Table()
    for heading in ("game", "rules", "stronger", "weaker"):
        table.add_column(heading)
    for heading in ("groups", "games", "margin, 95%"):
        table.add_column(heading, justify="right")
    failed = False
    progress = Console(stderr=True)
    for step in LADDER:
        if kind not in (None, step.kind):
            continue
        rules = rules_text(step.rules)
        where = f"{step.kind} {rules}"
        with progress.status(f"{where}: {step.stronger} against {step.weaker}"):
            plan = step.plan(luck=True)
            results = faultless_results(plan, where, jobs)
        mean, half = mean_interval(adjusted_margins(plan, results))
        failed |= mean - half <= 0
        games = sum(len(result.records) for result in results)
        counts = (f"{step.groups}", f"{games}", f"{mean:+.3f} ± {half:.3f}")
        table.add_row(step.kind, rules, step.stronger, step.weaker, *counts)
    console = Console(highlight=False, width=120)
    console.print(table)
    console.print(
        "a step of the ladder is not confirmed" if failed else "every step of the ladder is confirmed"
    )
    if failed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
