"""``botequim ladder`` and ``botequim mirroring``: reproduce figures of the documentation."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from arena.play.stats import mean_interval
from arena.tournaments.ladder import LADDER, MIRRORING, margins, measure_mirroring
from arena.tournaments.local_run import run

_jobs = click.option("--jobs", default=os.cpu_count() or 1, show_default="the cores", help="Processes.")


def _rules(rules: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in rules.items())


@click.command()
@_jobs
@click.option("--kind", help="Only this game.")
def ladder(jobs: int, kind: str | None) -> None:
    """Play the house bots' ladder: each must beat the next over mirrored groups.

    Seeds and numbers of groups are fixed in arena/tournaments/ladder.py. The exit code is 1 if an interval of
    the margin per game (points minus those of the opponents, -1 to 1) includes zero.
    """
    console = Console(highlight=False)
    table = Table()
    for heading in ("game", "rules", "stronger", "weaker"):
        table.add_column(heading)
    for heading in ("groups", "games", "margin, 95%", "faults"):
        table.add_column(heading, justify="right")
    failed = False
    for step in LADDER:
        if kind not in (None, step.kind):
            continue
        with console.status(f"{step.kind} {_rules(step.rules)}: {step.stronger} against {step.weaker}"):
            results = list(run(step.plan(), jobs=jobs, think_limit=None))
        mean, half = mean_interval(margins(results))
        failed |= mean - half <= 0
        faults = sum(len(tally.faults) for result in results for tally in result.tallies.values())
        games = sum(len(result.records) for result in results)
        table.add_row(
            step.kind,
            _rules(step.rules),
            step.stronger,
            step.weaker,
            str(step.groups),
            str(games),
            f"{mean:+.3f} ± {half:.3f}",
            str(faults),
        )
    console.print(table)
    if failed:
        console.print("a step of the ladder is not confirmed")
        raise SystemExit(1)
    console.print("every step of the ladder is confirmed")


@click.command()
@_jobs
def mirroring(jobs: int) -> None:
    """Measure how many games mirrored groups save compared with independent ones, for the same interval.

    A ratio of 1.25 means that 1.25 independent games give the interval of one mirrored game. Measured by
    results (who won) and by scores (points in Truco, lives in Toepen), with fixed seeds.
    """
    console = Console(highlight=False, width=120)
    table = Table()
    for heading in ("game", "rules", "bots"):
        table.add_column(heading)
    for heading in ("games each", "by results: ratio (95%)", "by scores: ratio (95%)"):
        table.add_column(heading, justify="right")
    for step in MIRRORING:
        with console.status(f"{step.kind} {_rules(step.rules)}: {step.stronger}, {step.weaker}"):
            measured = measure_mirroring(step, jobs)
        table.add_row(
            step.kind,
            _rules(step.rules),
            f"{step.stronger}, {step.weaker}",
            str(measured.games),
            *(f"{s.ratio:.2f} ({s.low:.2f}-{s.high:.2f})" for s in (measured.results, measured.scores)),
        )
    console.print(table)
