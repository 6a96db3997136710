"""``botequim ladder`` and ``botequim mirroring``: reproduce figures of the documentation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from arena.cli.commands import Command
from arena.cli.output import json_option, show
from arena.cli.params import KIND, jobs_option
from arena.play.stats import mean_interval
from arena.tournaments.ladder import LADDER, MIRRORING, margins, measure_mirroring
from arena.tournaments.local_run import run


def _rules(rules: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in rules.items())


@click.command(cls=Command, examples=("botequim ladder --kind truco",))
@jobs_option
@click.option("--kind", type=KIND, help="Only this game.")
@json_option
def ladder(jobs: int, kind: str | None, as_json: bool) -> None:
    """Play the house bots' ladder: each must beat the next over mirrored groups.

    Seeds and numbers of groups are fixed in arena/tournaments/ladder.py. The exit code is 1 if an interval of
    the margin per game (points minus those of the opponents, -1 to 1) includes zero.
    """
    console = Console(highlight=False, width=120)
    progress = Console(stderr=True)
    table = Table()
    for heading in ("game", "rules", "stronger", "weaker"):
        table.add_column(heading)
    for heading in ("groups", "games", "margin, 95%", "faults"):
        table.add_column(heading, justify="right")
    failed = False
    rows: list[dict[str, Any]] = []
    for step in LADDER:
        if kind not in (None, step.kind):
            continue
        with progress.status(f"{step.kind} {_rules(step.rules)}: {step.stronger} against {step.weaker}"):
            results = list(run(step.plan(), jobs=jobs, think_limit=None))
        mean, half = mean_interval(margins(results))
        failed |= mean - half <= 0
        faults = sum(len(tally.faults) for result in results for tally in result.tallies.values())
        games = sum(len(result.records) for result in results)
        rows.append(
            {
                "kind": step.kind,
                "rules": dict(step.rules),
                "stronger": step.stronger,
                "weaker": step.weaker,
                "groups": step.groups,
                "games": games,
                "margin": mean,
                "half_width": half,
                "faults": faults,
            }
        )
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
    if as_json:
        show({"steps": rows, "confirmed": not failed}, as_json)
    else:
        console.print(table)
        console.print(
            f"{'a step' if failed else 'every step'} of the ladder is {'not ' if failed else ''}confirmed"
        )
    if failed:
        raise SystemExit(1)


@click.command(cls=Command, examples=("botequim mirroring --jobs 2",))
@jobs_option
@json_option
def mirroring(jobs: int, as_json: bool) -> None:
    """Measure how many games mirrored groups save compared with independent ones, for the same interval.

    A ratio of 1.25 means that 1.25 independent games give the interval of one mirrored game. Measured by
    results (who won) and by scores (points in Truco, lives in Toepen), with fixed seeds.
    """
    console = Console(highlight=False, width=120)
    progress = Console(stderr=True)
    table = Table()
    for heading in ("game", "rules", "bots"):
        table.add_column(heading)
    for heading in ("games each", "by results: ratio (95%)", "by scores: ratio (95%)"):
        table.add_column(heading, justify="right")
    rows: list[dict[str, Any]] = []
    for step in MIRRORING:
        with progress.status(f"{step.kind} {_rules(step.rules)}: {step.stronger}, {step.weaker}"):
            measured = measure_mirroring(step, jobs)
        saved = {"results": measured.results, "scores": measured.scores}
        rows.append(
            {
                "kind": step.kind,
                "rules": dict(step.rules),
                "bots": [step.stronger, step.weaker],
                "games": measured.games,
                **{
                    name: {"ratio": one.ratio, "low": one.low, "high": one.high}
                    for name, one in saved.items()
                },
            }
        )
        table.add_row(
            step.kind,
            _rules(step.rules),
            f"{step.stronger}, {step.weaker}",
            str(measured.games),
            *(f"{s.ratio:.2f} ({s.low:.2f}-{s.high:.2f})" for s in (measured.results, measured.scores)),
        )
    if as_json:
        show({"steps": rows}, as_json)
    else:
        console.print(table)
