"""The bootstrap: its draws, and whether its intervals tell the truth."""

from __future__ import annotations

from hashlib import sha256, shake_256
from math import exp, factorial

import numpy as np
import pytest

from arena.ratings.bootstrap import Z, draws, standard_errors
from arena.ratings.model import SCALE, Block, FloatArray, Likelihood
from benchmarks.coverage import SCENARIOS, Scenario, coverage, results

SEED = sha256(b"seed").digest()
BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}


def test_draws_follow_from_the_seed_as_documented() -> None:
    data = shake_256(SEED + b"\x00\x00\x00\x07").digest(600)
    expected = []
    for group in range(300):
        number = data[2 * group] + 256 * data[2 * group + 1]
        count = 0
        while number >= round(65536 * sum(exp(-1) / factorial(i) for i in range(count + 1))):
            count += 1
        expected.append(count)
    assert draws(SEED, 7, 300).tolist() == expected
    assert draws(SEED, 7, 10).tolist() == expected[:10]
    assert draws(SEED, 8, 300).tolist() != expected


def test_draws_are_poisson_with_mean_one() -> None:
    counts = draws(SEED, 0, 100_000)
    assert counts.mean() == pytest.approx(1, abs=0.01)
    assert counts.var() == pytest.approx(1, abs=0.02)
    assert (counts == 0).mean() == pytest.approx(exp(-1), abs=0.005)


def test_the_error_of_one_pair_is_that_of_its_groups() -> None:
    """100 groups of two equal results each are 100 results, not 200: the variance is 4 / 100."""
    sides = np.tile(np.array([[[0], [1]]]), (100, 1, 1))
    places = np.array([[[1, 2]] * 2 if number % 2 else [[2, 1]] * 2 for number in range(100)])
    likelihood = Likelihood(2, [Block(sides, places)])
    strengths = likelihood.fit()
    errors = standard_errors(likelihood, strengths, 0, SEED, 2000)
    assert errors[0] == 0
    assert errors[1] == pytest.approx(0.2, rel=0.08)


def covered_by_curvature(scenario: Scenario, repetitions: int) -> float:
    """How often intervals cover that take all games for independent."""
    truth = scenario.strengths()
    hits = 0.0
    for repetition in range(repetitions):
        rng = np.random.default_rng([1, repetition])
        likelihood = Likelihood(scenario.bots, [results(scenario, rng)])
        strengths = likelihood.fit()
        covariance = likelihood.covariance(strengths)[:-1, :-1]
        variances = np.diag(covariance) + covariance[scenario.anchor, scenario.anchor]
        half = Z * np.sqrt(variances - 2 * covariance[scenario.anchor])
        error = strengths[:-1] - strengths[scenario.anchor] - truth
        hits += (np.delete(np.abs(error) <= half, scenario.anchor)).mean()
    return hits / repetitions


@pytest.mark.parametrize("name", ["pairs", "tables of 4"])
@pytest.mark.system
def test_intervals_cover_the_true_difference_to_the_anchor(name: str) -> None:
    """A short run; ``python -m benchmarks.coverage`` is the long one (docs/ratings.md)."""
    found = coverage(BY_NAME[name], repetitions=80, replicates=100)
    assert 0.915 <= found.covered <= 0.985
    assert found.lowest >= 0.85
    assert abs(found.bias) < 12


def test_intervals_that_ignore_groups_are_too_short() -> None:
    dependent = BY_NAME["pairs"]._replace(dependence=0.9)
    assert covered_by_curvature(dependent, 60) < 0.88
    assert coverage(dependent, repetitions=60, replicates=100).covered > 0.915


def pairwise_shares(block: Block, values: FloatArray) -> tuple[float, float]:
    """How often the stronger of two sides was placed better (ties half), and how often it should be."""
    seen = expected = 0.0
    count = 0
    m = block.places.shape[2]
    for a in range(m):
        for b in range(a):
            stronger = values[:, a] > values[:, b]
            better = np.where(stronger[:, None], block.places[:, :, a] < block.places[:, :, b],
                              block.places[:, :, b] < block.places[:, :, a])  # fmt: skip
            equal = block.places[:, :, a] == block.places[:, :, b]
            seen += float((better + 0.5 * equal).mean())
            expected += float((1 / (1 + np.exp(-np.abs(values[:, a] - values[:, b])))).mean())
            count += 1
    return seen / count, expected / count


@pytest.mark.parametrize("name", ["pairs", "pairs, mirrored luck", "tables of 4"])
def test_synthetic_games_follow_the_model_one_by_one(name: str) -> None:
    scenario = BY_NAME[name]._replace(rounds=2000, ties=0.05 if BY_NAME[name].seats == 2 else 0.0)
    block = results(scenario, np.random.default_rng(3))
    seen, expected = pairwise_shares(block, scenario.strengths()[block.sides[:, :, 0]])
    assert seen == pytest.approx(expected, abs=0.008)


@pytest.mark.system
def test_much_data_with_ties_finds_the_true_strengths() -> None:
    scenario = BY_NAME["tables of 4, more ties"]._replace(rounds=3000)
    block = results(scenario, np.random.default_rng(4))
    assert ((block.places[:, :, :, None] == block.places[:, :, None, :]).sum(axis=(2, 3)) > 4).mean() > 0.1
    strengths = Likelihood(scenario.bots, [block]).fit()[: scenario.bots]
    error = strengths - strengths[scenario.anchor] - scenario.strengths()
    assert SCALE * np.abs(error).max() < 25
