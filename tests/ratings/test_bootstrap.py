"""The bootstrap: its draws, and whether its intervals tell the truth."""

from __future__ import annotations

from hashlib import sha256, shake_256
from math import exp, factorial

import numpy as np
import pytest

from arena.ratings.blocks import Block
from arena.ratings.bootstrap import Differences, draws, independent, resampled, signs
from arena.ratings.model import SCALE, Likelihood
from arena.ratings.solver import FloatArray
from benchmarks.coverage import SCENARIOS, Coverage, Scenario, coverage

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
    settled = np.array([True, True])
    errors = Differences(likelihood, strengths, 0, SEED, settled, 2000).to_anchor
    assert errors[0] == 0
    assert errors[1] == pytest.approx(0.2, rel=0.08)
    # For the likelihood they are 200, but the groups of the board vary more than that.
    found = Differences(likelihood, strengths, 0, SEED, ~settled, 2000)
    assert 1.5 < found.dispersion < 2
    assert found.to_anchor[1] == pytest.approx(np.sqrt(found.dispersion * 4 / 200), rel=0.08)


def test_signs_follow_from_the_seed_as_documented() -> None:
    data = shake_256(SEED + b"\x80\x00\x00\x07").digest(38)
    assert signs(SEED, 7, 300).tolist() == [1 if data[i // 8] >> i % 8 & 1 else -1 for i in range(300)]
    assert abs(signs(SEED, 0, 100_000).mean()) < 0.01


def forfeited(block: Block) -> list[Block]:
    """``block`` with every tenth group forfeited by its first side."""
    lost = np.arange(len(block.sides)) % 10 == 0
    return [Block(block.sides[~lost], block.places[~lost]),
            Block(block.sides[lost], block.places[lost], block.sides[lost][:, 0, 0])]  # fmt: skip


@pytest.mark.parametrize("name", ["pairs", "tables of 4, more ties"])
def test_the_likelihoods_replicates_have_its_covariance(name: str) -> None:
    """The inverse of the curvature; of who forfeited, with the strengths of the others fixed."""
    scenario = BY_NAME[name]
    likelihood = Likelihood(scenario.bots, forfeited(*scenario.blocks(np.random.default_rng(2))))
    strengths = likelihood.fit()
    curvature = likelihood.curvature(likelihood.moments(strengths)) @ np.eye(likelihood.size - 1)
    information = curvature.copy()
    information[scenario.bots :] = np.diag(np.diag(curvature))[scenario.bots :]
    inverse = np.linalg.inv(curvature)
    covariance = inverse @ information @ inverse.T
    to_anchor = np.eye(likelihood.size - 1)[likelihood.rated]
    to_anchor[:, scenario.anchor] -= 1
    to_anchor[scenario.anchor] = 0
    expected = np.sqrt(np.diag(to_anchor @ covariance @ to_anchor.T))
    errors = independent(likelihood, strengths, scenario.anchor, SEED, 4000).std(axis=1)
    assert errors == pytest.approx(expected, rel=0.06)


def test_the_replicates_of_a_difference_are_the_difference_of_replicates() -> None:
    """The interval of any two bots follows from the same replicates, without the error of the anchor."""
    scenario = BY_NAME["pairs"]
    likelihood = Likelihood(scenario.bots, scenario.blocks(np.random.default_rng(2)))
    strengths = likelihood.fit()
    one, other = (resampled(likelihood, strengths, anchor, SEED, 100) for anchor in (3, 7))
    assert one - one[7] == pytest.approx(other, abs=1e-9)


def measured(scenario: Scenario, repetitions: int) -> Coverage:
    others = [bot for bot in range(scenario.bots) if bot != scenario.anchor]
    return coverage(scenario, others, scenario.anchor, repetitions, 100)


@pytest.mark.nightly("simulations")
@pytest.mark.parametrize("name", ["pairs", "tables of 4"])
def test_intervals_cover_the_true_difference_to_the_anchor(name: str) -> None:
    """A short run; ``python -m benchmarks.coverage`` is the long one (docs/ratings.md)."""
    scenario = BY_NAME[name]
    found = measured(scenario, 150)
    shares = np.delete(found.bots, scenario.anchor)
    assert 0.92 <= shares.mean() <= 0.985
    assert shares.min() >= 0.88
    assert found.pairs.mean() > 0.92
    assert abs(found.bias) < 12


def test_groups_whose_games_are_alike_have_wide_intervals() -> None:
    dependent = BY_NAME["pairs"]._replace(dependence=0.9)
    assert np.delete(measured(dependent, 60).bots, dependent.anchor).mean() > 0.915


def test_the_dispersion_tells_how_much_the_games_of_a_group_depend_on_each_other() -> None:
    for dependence, low, high in ((0.9, 1.4, 2.0), (0.0, 0.85, 1.15), (-0.9, 0.4, 0.8)):
        scenario = BY_NAME["pairs"]._replace(rounds=400, dependence=dependence, ties=0.0)
        likelihood = Likelihood(scenario.bots, scenario.blocks(np.random.default_rng(2)))
        assert low < likelihood.dispersion(likelihood.fit(), 50.0) < high


def test_an_interval_is_never_narrower_than_the_likelihood_says() -> None:
    """Also if nobody ever lost, and for two who know each other well, but the anchor hardly."""
    sides = np.array([[[1], [0]], [[2], [0]]] * 40 + [[[1], [2]]] * 200)
    places = np.array([[[1, 2]] * 2] * 80 + [[[1, 2], [2, 1]]] * 200)
    likelihood = Likelihood(3, [Block(sides, places)])
    strengths = likelihood.fit()
    found = Differences(likelihood, strengths, 0, SEED, np.ones(3, dtype=np.bool_))
    inverse = np.linalg.inv(likelihood.curvature(likelihood.moments(strengths)) @ np.eye(3))
    for one, other in ((1, 0), (2, 0), (1, 2)):
        variance = inverse[one, one] + inverse[other, other] - 2 * inverse[one, other]
        assert found.error(one, other) > 0.9 * np.sqrt(found.dispersion * variance)
    assert found.to_anchor[1] == pytest.approx(found.error(1, 0))
    assert resampled(likelihood, strengths, 0, SEED)[1].std() < 0.2 * found.to_anchor[1]


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
    (block,) = scenario.blocks(np.random.default_rng(3))
    seen, expected = pairwise_shares(block, scenario.truth()[block.sides[:, :, 0]])
    assert seen == pytest.approx(expected, abs=0.008)


@pytest.mark.nightly("simulations")
def test_much_data_with_ties_finds_the_true_strengths() -> None:
    scenario = BY_NAME["tables of 4, more ties"]._replace(rounds=3000)
    (block,) = scenario.blocks(np.random.default_rng(4))
    assert ((block.places[:, :, :, None] == block.places[:, :, None, :]).sum(axis=(2, 3)) > 4).mean() > 0.1
    strengths = Likelihood(scenario.bots, [block]).fit()[: scenario.bots]
    error = strengths - strengths[scenario.anchor] - scenario.truth()
    assert SCALE * np.abs(error).max() < 25
