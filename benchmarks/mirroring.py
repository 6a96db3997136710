"""How many games mirrored groups save. Seeds and numbers of groups are fixed in advance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from json import loads
from math import exp, sqrt
from statistics import variance
from typing import Any, Final, NamedTuple

import click
from rich.console import Console
from rich.table import Table

from arena.cli.params import jobs_option
from arena.tournaments.local_run import GroupSummary, margins, run
from benchmarks.ladder import SEED, TABLES, LadderStep, rules_text

MIRRORING: Final[tuple[LadderStep, ...]] = tuple(
    LadderStep(kind, rules, stronger, weaker, groups)
    for kind, rules in TABLES
    for stronger, weaker, groups in (
        ("rookie", "random", 1200),
        ("regular", "rookie", 1200),
        ("shark", "regular", 300),
    )
)


def score_margins(results: Sequence[GroupSummary], name: str) -> list[float]:
    """The margin of bot ``name`` over its opponents in the game's own scores (``Outcome.scores``), per
    group that counts.
    """
    values = []
    for result in results:
        games = [loads(line)["canonical"] for line in result.records]
        differences = []
        for game in games:
            scores = [score for score, who in _scores(game) if who == name]
            others = [score for score, who in _scores(game) if who != name]
            differences.append(sum(scores) / len(scores) - sum(others) / len(others))
        if differences:
            values.append(sum(differences) / len(differences))
    return values


def _scores(game: Mapping[str, Any]) -> list[tuple[int, str]]:
    names = [player["name"] for player in game["players"]]
    return list(zip(game["outcome"]["scores"], names, strict=True))


class Saving(NamedTuple):
    """``ratio``: independent games needed for the interval of one mirrored game, with its 95% bounds;
    ``mirrored`` and ``independent``: the standard deviations of a group.
    """

    mirrored: float
    independent: float
    ratio: float
    low: float
    high: float


@dataclass(frozen=True)
class Mirroring:
    """What mirroring saves of ``games`` games, by results (margin per game, -1 to 1) and by scores."""

    step: LadderStep
    games: int
    results: Saving
    scores: Saving


def measure_mirroring(step: LadderStep, jobs: int) -> Mirroring:
    """Play ``step`` mirrored and independent and compare the variances of the group margins.

    Groups of both kinds have as many games, so that the ratio of the variances is the ratio of
    games needed.
    """
    by_result = []
    by_score = []
    games = 0
    for mirrored in (True, False):
        plan = step.plan(seed=f"{SEED} mirroring", mirrored=mirrored)
        results = list(run(plan, jobs=jobs))
        games = sum(len(result.records) for result in results)
        by_result.append(margins(results))
        by_score.append(score_margins(results, step.stronger))
    return Mirroring(step, games, saving(*by_result), saving(*by_score))


def saving(mirrored: Sequence[float], independent: Sequence[float]) -> Saving:
    """Compares the variances of two samples of group margins. The bounds are those of a log-normal ratio of
    two sample variances.
    """
    ratio = variance(independent) / variance(mirrored)
    spread = 1.96 * sqrt(sum(_log_variance(sample) for sample in (mirrored, independent)))
    deviations = sqrt(variance(mirrored)), sqrt(variance(independent))
    return Saving(*deviations, ratio, ratio * exp(-spread), ratio * exp(spread))


def _log_variance(sample: Sequence[float]) -> float:
    """The variance of the logarithm of a sample variance, from the sample's fourth moment."""
    count = len(sample)
    mean = sum(sample) / count
    second = sum((value - mean) ** 2 for value in sample) / count
    fourth = sum((value - mean) ** 4 for value in sample) / count
    return (fourth / second**2 - 1) / count


@click.command()
@jobs_option
def main(jobs: int) -> None:
    """Measure how many games mirrored groups save compared with independent ones, for the same interval.

    A ratio of 1.25 means that 1.25 independent games give the interval of one mirrored game. Measured by
    results (who won) and by scores (points in Truco, lives in Toepen).
    """
    table = Table()
    for heading in ("game", "rules", "bots"):
        table.add_column(heading)
    for heading in ("games each", "by results: ratio (95%)", "by scores: ratio (95%)"):
        table.add_column(heading, justify="right")
    progress = Console(stderr=True)
    for step in MIRRORING:
        rules, bots = rules_text(step.rules), f"{step.stronger}, {step.weaker}"
        with progress.status(f"{step.kind} {rules}: {bots}"):
            measured = measure_mirroring(step, jobs)
        ratios = [
            f"{saved.ratio:.2f} ({saved.low:.2f}-{saved.high:.2f})"
            for saved in (measured.results, measured.scores)
        ]
        table.add_row(step.kind, rules, bots, str(measured.games), *ratios)
    Console(highlight=False, width=120).print(table)


if __name__ == "__main__":
    main()
