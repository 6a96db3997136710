"""The ladder of the house bots, and the measurement of mirrored groups: both are fixed in advance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from json import loads
from math import exp, sqrt
from statistics import variance
from typing import Any, Final, NamedTuple

from arena.bots import bot_spec
from arena.games import GAMES, game_of
from arena.tournaments.local_run import GroupSummary, Plan, run

SEED: Final = "botequim ladder 1"


@dataclass(frozen=True)
class LadderStep:
    """One step of the ladder: ``stronger`` should beat ``weaker`` over ``groups`` mirrored groups."""

    kind: str
    rules: Mapping[str, Any]
    stronger: str
    weaker: str
    groups: int

    def plan(self, *, seed: str = SEED, mirrored: bool = True) -> Plan:
        """The run that shows it."""
        rules = game_of(self.kind).options.complete(self.rules)
        bots = (bot_spec(self.stronger, self.kind), bot_spec(self.weaker, self.kind))
        return Plan(self.kind, rules, bots, self.groups, seed, mirrored)


TABLES: Final[tuple[tuple[str, Mapping[str, Any]], ...]] = tuple(
    (game.kind, rules) for game in GAMES.values() for rules in game.ladder_rules
)

LADDER: Final[tuple[LadderStep, ...]] = tuple(
    LadderStep(kind, rules, stronger, weaker, groups)
    for kind, rules in TABLES
    for stronger, weaker, groups in (
        ("rookie", "random", 300),
        ("regular", "rookie", 300),
        ("shark", "regular", 300),
    )
)

MIRRORING: Final[tuple[LadderStep, ...]] = tuple(
    LadderStep(kind, rules, stronger, weaker, groups)
    for kind, rules in TABLES
    for stronger, weaker, groups in (
        ("rookie", "random", 1200),
        ("regular", "rookie", 1200),
        ("shark", "regular", 300),
    )
)


def margins(results: Sequence[GroupSummary], player: int = 0) -> list[float]:
    """The margin of a bot over its opponents, per group that counts: from -1 to 1."""
    return [
        sum(result.tallies[player].margins) / len(result.tallies[player].margins)
        for result in results
        if not result.void
    ]


def adjusted_margins(results: Sequence[GroupSummary], player: int = 0) -> list[float]:
    """The same without the luck, which has to be measured. A single one may be outside -1 to 1."""
    lucks = [result.tallies[player].luck for result in results if not result.void]
    return [
        margin - sum(luck) / len(luck) for margin, luck in zip(margins(results, player), lucks, strict=True)
    ]


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
