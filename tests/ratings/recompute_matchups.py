"""Who beats whom, computed anew from nothing but ``docs/ratings.md``; two players per group, none twice."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256, shake_256
from itertools import combinations
from math import exp, log, sqrt
from statistics import NormalDist, mean, stdev
from typing import NamedTuple

import numpy as np

from arena.play.players import PlayerId
from arena.ratings.results import GroupResult
from tests.ratings.recompute import Array, Line, lines_of, names_of, numbered, poisson, rated, weights_of


class FoundPair(NamedTuple):
    groups: int
    share: float | None
    low: float | None
    high: float | None
    predicted: float
    fits: bool | None


class FoundMatchups(NamedTuple):
    """``pairs`` by the numbers of the bots; the others by bot."""

    pairs: dict[tuple[int, int], FoundPair]
    nash: list[float]
    mix: list[float]
    in_mix: list[float]
    error: float
    explained: float


def logistic(value: float) -> float:
    return 1 / (1 + exp(-value))


def share(line: Line, player: int) -> float:
    """The share of the games of a line that ``player`` won."""
    own = line.sides.index((player,))
    return mean(0.5 + 0.5 * ((a > b) - (a < b)) * (1 if own == 1 else -1) for a, b in line.games)


def nash(matrix: Array) -> Array:
    """The equilibrium, if there is one only: each set of bots is tried."""
    n = len(matrix)
    for size in range(1, n + 1, 2):
        for inside in combinations(range(n), size):
            part = matrix[np.ix_(inside, inside)]
            rows = np.vstack([part, np.ones(size)])
            weights, *_ = np.linalg.lstsq(rows, np.append(np.zeros(size), 1.0), rcond=None)
            mix = np.zeros(n)
            mix[list(inside)] = weights
            if (weights > 0).all() and (matrix @ mix < 1e-9).all() and abs(part @ weights).max() < 1e-9:
                return mix
    raise AssertionError("no set of bots is an equilibrium")


class Strengths:
    """Fitted strengths, and how they move when lines are drawn again."""

    def __init__(self, lines: Sequence[Line], names: Sequence[str]) -> None:
        self.lines, n = lines, len(names)
        self.n = n
        # A line counts as its games, multiplied by its weight.
        self.ends = [
            (line.sides[0][0], line.sides[1][0], weight * len(line.games))
            for line, weight in zip(lines, weights_of(lines, names), strict=True)
        ]
        self.won = [share(line, a) for line, (a, _, _) in zip(lines, self.ends, strict=True)]
        self.common = np.array([line.loser < 0 for line in lines])
        self.values = np.zeros(n)
        for _ in range(50):
            scores, self.information = self.equations(self.values, np.ones(len(lines)))
            self.values = self.values + np.linalg.solve(self.information, scores)
        self.own = {loser: self.shadow(loser) for loser in {line.loser for line in lines if line.loser >= 0}}

    def equations(self, values: Array, counts: Array) -> tuple[Array, Array]:
        scores = np.array([0.5 - logistic(value) for value in values])
        information = np.diag([logistic(value) * logistic(-value) for value in values])
        for (a, b, games), won, count, common in zip(self.ends, self.won, counts, self.common, strict=True):
            if common:
                chance = logistic(values[a] - values[b])
                scores[a] += count * games * (won - chance)
                scores[b] -= count * games * (won - chance)
                link = count * games * chance * (1 - chance)
                information += link * np.array(
                    [
                        [((i == a) - (i == b)) * ((j == a) - (j == b)) for j in range(self.n)]
                        for i in range(self.n)
                    ]
                )
        return scores, information

    def terms(self, loser: int, value: float) -> list[tuple[int, int, float, float]]:
        """The lines of a player who forfeited, at its own strength: number, opponent, score, link."""
        found = []
        for number, ((a, b, games), won, line) in enumerate(
            zip(self.ends, self.won, self.lines, strict=True)
        ):
            if loser in (a, b) and line.loser in (-1, loser) and loser not in line.leavers:
                other, got = (b, won) if a == loser else (a, 1 - won)
                chance = logistic(value - self.values[other])
                found.append((number, other, games * (got - chance), games * chance * (1 - chance)))
        return found

    def shadow(self, loser: int) -> float:
        low, high = -20.0, 20.0
        for _ in range(100):
            middle = (low + high) / 2
            slope = 0.5 - logistic(middle) + sum(score for _, _, score, _ in self.terms(loser, middle))
            low, high = (middle, high) if slope > 0 else (low, middle)
        return low

    def rated(self) -> Array:
        return np.array([self.own.get(number, self.values[number]) for number in range(self.n)])

    def redrawn(self, counts: Array) -> Array:
        """The rated strengths of a replicate."""
        diagonal = np.diag(self.information)
        scores = np.zeros(self.n)
        for (a, b, games), won, count, common in zip(self.ends, self.won, counts, self.common, strict=True):
            if common:
                chance = logistic(self.values[a] - self.values[b])
                link = games * chance * (1 - chance)
                factor = 1 / sqrt((1 - link / diagonal[a]) * (1 - link / diagonal[b]))
                scores[a] += (count - 1) * factor * games * (won - chance)
                scores[b] -= (count - 1) * factor * games * (won - chance)
        step = np.linalg.solve(self.information, scores)
        result = self.values + step
        for loser, value in self.own.items():
            terms = self.terms(loser, value)
            bend = logistic(value) * logistic(-value) + sum(link for _, _, _, link in terms)
            moved = sum(
                (counts[number] - 1) * score / sqrt(1 - link / bend) + link * step[other]
                for number, other, score, link in terms
            )
            result[loser] = value + moved / bend
        return np.array(result)


def recompute_matchups(
    groups: Sequence[GroupResult], bots: Sequence[PlayerId], replicates: int
) -> FoundMatchups:
    """The matrix of ``bots``, in the order of the board."""
    hashes = sorted(bytes.fromhex(game.hash) for group in groups for game in group.games)
    seed = sha256(b"".join(hashes)).digest()
    index, number_of = numbered(groups)
    lines = lines_of(groups, number_of)
    ends = [player for line in lines for side in line.sides for player in side]
    strengths = Strengths(lines, names_of(groups, number_of, 1 + max([*index.values(), *ends])))
    numbers = [index[rated(bot)] for bot in bots]
    pairs = list(combinations(range(len(bots)), 2))
    meeting = {
        (i, j): [
            (number, share(line, numbers[i]))
            for number, line in enumerate(lines)
            if {side[0] for side in line.sides} == {numbers[i], numbers[j]} and not line.leavers
        ]
        for i, j in pairs
    }

    def predictions(values: Array) -> dict[tuple[int, int], float]:
        return {(i, j): logistic(values[numbers[i]] - values[numbers[j]]) for i, j in pairs}

    def matrix(counts: Array, predicted: dict[tuple[int, int], float]) -> Array:
        found = np.zeros((len(bots), len(bots)))
        for (i, j), own in meeting.items():
            won = sum(counts[number] * value for number, value in own) + 2 * predicted[i, j]
            lost = sum(counts[number] * (1 - value) for number, value in own) + 2 * (1 - predicted[i, j])
            found[i, j], found[j, i] = log(won / lost), log(lost / won)
        return found

    predicted = predictions(strengths.rated())
    off: dict[tuple[int, int], list[float]] = {pair: [] for pair in pairs}
    inside = np.zeros(len(bots))
    for replicate in range(replicates):
        data = shake_256(seed + replicate.to_bytes(4, "big")).digest(2 * len(lines))
        counts = np.array([poisson(data[2 * i] + 256 * data[2 * i + 1]) for i in range(len(lines))])
        again = predictions(strengths.redrawn(counts))
        for pair, own in meeting.items():
            drawn = sum(counts[number] for number, _ in own) + 2
            won = sum(counts[number] * value for number, value in own) + 1
            off[pair].append(won / drawn - again[pair])
        inside += nash(matrix(counts, again)) >= 0.01

    met = [pair for pair in pairs if meeting[pair]]
    most = NormalDist().inv_cdf(1 - 0.05 / 2 / len(met))
    found = {}
    error = differing = 0.0
    for pair in pairs:
        values = [value for _, value in meeting[pair]]
        if not values:
            found[pair] = FoundPair(0, None, None, None, predicted[pair], None)
            continue
        more = [*values, 1.0, 0.0]
        center, deviation = mean(more), stdev(more) / sqrt(len(more))
        spread = max(deviation, stdev(off[pair]))
        half = NormalDist().inv_cdf(0.975) * deviation
        fits = abs(center - predicted[pair]) <= most * spread
        bounds = max(0.0, center - half), min(1.0, center + half)
        found[pair] = FoundPair(len(values), mean(values), *bounds, predicted[pair], fits)
        error += len(values) * ((center - predicted[pair]) ** 2 - spread**2)
        differing += len(values) * ((center - 0.5) ** 2 - deviation**2)
    total = sum(len(own) for own in meeting.values())
    logits = matrix(np.ones(len(lines)), predicted)
    mix = nash(logits)
    return FoundMatchups(
        found,
        list(400 / log(10) * (logits @ mix)),
        list(mix),
        list(inside / replicates),
        sqrt(max(0.0, error / total)),
        max(0.0, 1 - max(0.0, error) / differing),
    )
