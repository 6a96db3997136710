"""The likelihood, against its definition."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from math import exp, log

import numpy as np
import pytest

from arena.ratings.blocks import Block
from arena.ratings.model import SCALE, FloatArray, Likelihood


def ints(values: object) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    return np.array(values, dtype=np.int64)


def duels(*games: tuple[int, int, str], losers: Sequence[int] | None = None) -> Block:
    """``(first, second, results)``: a letter per game, w, d or l for the first; equally many games each."""
    places = {"w": (1, 2), "d": (1, 1), "l": (2, 1)}
    return Block(
        ints([[[first], [second]] for first, second, _ in games]),
        ints([[places[letter] for letter in results] for _, _, results in games]),
        None if losers is None else ints(losers),
    )


def mixed_blocks(players: int, seed: int) -> list[Block]:
    """Duels, tables of three and four with ties, and pairs of partners."""
    rng = np.random.default_rng(seed)

    def places(groups: int, games: int, m: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
        marks = rng.integers(0, m, (groups, games, m))
        return ints(1 + (marks[..., None, :] < marks[..., :, None]).sum(axis=-1))

    def sides(groups: int, m: int, k: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
        return ints([rng.permutation(players)[: m * k].reshape(m, k) for _ in range(groups)])

    return [
        Block(sides(15, 2, 1), places(15, 2, 2)),
        Block(sides(8, 4, 1), places(8, 4, 4)),
        Block(sides(5, 3, 1), places(5, 2, 3)),
        Block(sides(9, 2, 2), places(9, 2, 2)),
    ]


def log_likelihood(strengths: FloatArray, blocks: Sequence[Block]) -> float:
    """By definition: the average over the orders that the ties allow, and the virtual draws with a
    phantom (the last strength).
    """
    total = 0.0
    for block in blocks:
        for sides, games in zip(block.sides, block.places, strict=True):
            values = [float(np.mean([strengths[player] for player in side])) for side in sides]
            for places in games:
                m = len(places)
                orders = [
                    order
                    for order in permutations(range(m))
                    if all(places[order[i]] <= places[order[i + 1]] for i in range(m - 1))
                ]
                total += sum(
                    values[order[i]] - log(sum(exp(values[side]) for side in order[i:]))
                    for order in orders
                    for i in range(m)
                ) / len(orders)
    phantom = strengths[-1]
    for own in strengths[:-1]:
        total += (own + phantom) / 2 - log(exp(own) + exp(phantom))
    return total


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_fit_is_the_maximum_of_the_likelihood_by_definition(seed: int) -> None:
    blocks = mixed_blocks(6, seed)
    likelihood = Likelihood(6, blocks)
    strengths = likelihood.fit()
    assert likelihood.groups == 37
    highest = log_likelihood(strengths, blocks)
    for player in range(6):
        for step in (-0.01, 0.01):
            moved = strengths.copy()
            moved[player] += step
            assert log_likelihood(moved, blocks) < highest - 1e-6
        # The slope at the maximum, by differences.
        up, down = strengths.copy(), strengths.copy()
        up[player] += 1e-4
        down[player] -= 1e-4
        assert abs(log_likelihood(up, blocks) - log_likelihood(down, blocks)) / 2e-4 < 1e-5


def test_the_derivatives_are_those_of_the_scores() -> None:
    blocks = [*mixed_blocks(6, 4), duels((0, 3, "ww"), (5, 3, "ww"), losers=[3, 3])]
    likelihood = Likelihood(6, blocks)
    strengths = likelihood.fit() + 0.1 * np.sin(np.arange(likelihood.size))
    counts = likelihood.counts.astype(float)
    curvature = likelihood.curvature(likelihood.moments(strengths))
    derivatives = curvature @ np.eye(likelihood.size - 1)
    for player in range(likelihood.size - 1):
        up, down = strengths.copy(), strengths.copy()
        up[player] += 1e-5
        down[player] -= 1e-5
        change = likelihood.scores(likelihood.moments(up), counts) - likelihood.scores(
            likelihood.moments(down), counts
        )
        assert np.abs(change / 2e-5 + derivatives[:, player]).max() < 1e-7
    scores = np.random.default_rng(1).normal(size=(likelihood.size - 1, 3))
    assert derivatives @ curvature.solve(scores) == pytest.approx(scores, abs=1e-9)
    assert curvature.solve(scores[:, 0]) == pytest.approx(curvature.solve(scores)[:, 0], abs=1e-9)


def test_two_players_by_hand() -> None:
    """3 wins of 4, and a virtual draw each with a phantom in the middle: 400 log10 of the odds."""
    strengths = Likelihood(2, [duels((0, 1, "ww"), (0, 1, "wl"))]).fit()
    difference = strengths[0] - strengths[1]
    expected_points = 4 / (1 + exp(-difference)) + 1 / (1 + exp(-difference / 2))
    assert expected_points == pytest.approx(3 + 0.5)
    assert 150 < SCALE * difference < 400 * np.log10(3)


def test_a_draw_is_half_a_win_each() -> None:
    drawn = Likelihood(3, [duels((0, 1, "dd"), (1, 2, "wd"))]).fit()
    halved = Likelihood(3, [duels((0, 1, "wl"), (1, 2, "wd"))]).fit()
    assert drawn == pytest.approx(halved, abs=1e-9)


def test_partners_who_are_the_same_player_are_one_side() -> None:
    alone = Likelihood(3, [duels((0, 1, "wl"), (1, 2, "ww"))]).fit()
    block = duels((0, 1, "wl"), (1, 2, "ww"))
    doubled = Block(np.repeat(block.sides, 2, axis=2), block.places)
    assert Likelihood(3, [doubled]).fit() == pytest.approx(alone, abs=1e-9)


def test_a_player_twice_at_a_table_does_not_break_the_fit() -> None:
    block = Block(ints([[[0], [1], [1]], [[2], [1], [1]]]), ints([[[1, 2, 3]], [[2, 1, 3]]]))
    strengths = Likelihood(3, [block]).fit()
    assert strengths[0] > strengths[2] > strengths[1]


def test_without_a_single_loss_and_without_any_link_strengths_stay_finite() -> None:
    strengths = Likelihood(5, [duels((0, 1, "w" * 50)), duels((2, 3, "w" * 50))]).fit()
    assert np.abs(strengths).max() < 6
    assert strengths[0] == pytest.approx(strengths[2])
    assert strengths[4] == pytest.approx(0)


def test_the_virtual_draws_do_not_pull_the_field_towards_a_weak_anchor() -> None:
    """Every one of 40 players wins three of four games against player 0: about 191 points more."""
    games = [(other, 0, "wwwl" * 5) for other in range(1, 41)]
    strengths = Likelihood(41, [duels(*games)]).fit()
    assert SCALE * (strengths[1] - strengths[0]) == pytest.approx(400 * np.log10(3), abs=3)


def test_a_forfeited_group_costs_only_the_forfeiter() -> None:
    played = duels((0, 1, "wl"), (1, 2, "wd"), (2, 0, "lw"), (1, 0, "ww"))
    before = Likelihood(3, [played]).fit()
    likelihood = Likelihood(3, [played, duels((0, 1, "ww"), (2, 1, "ww"), losers=[1, 1])])
    after = likelihood.fit()
    rated = after[likelihood.rated]
    assert rated[[0, 2]] == pytest.approx(before[[0, 2]], abs=1e-9)
    assert rated[1] < before[1] - 0.5


def test_a_forfeiters_rating_is_its_best_fit_to_all_its_groups_with_the_others_fixed() -> None:
    played = duels((0, 1, "wl"), (1, 2, "wd"), (2, 0, "lw"), (1, 0, "ww"))
    others = Likelihood(3, [played]).fit()
    likelihood = Likelihood(3, [played, duels((0, 1, "ww"), losers=[1])])
    found = likelihood.fit()[likelihood.rated[1]]

    def own(strength: float) -> float:
        strengths = others.copy()
        strengths[1] = strength
        return log_likelihood(strengths, [played, duels((0, 1, "ww"))])

    assert own(found) > max(own(found - 0.01), own(found + 0.01))


def test_finished_games_of_a_forfeited_group_count_for_all_but_the_forfeiter() -> None:
    played = duels((0, 1, "wl"), (1, 2, "wd"), (2, 0, "lw"), (1, 0, "ww"))
    lost, finished = duels((0, 1, "ww"), losers=[1]), duels((0, 1, "l"))
    left = Likelihood(3, [played, lost, finished._replace(leavers=np.array([[1]]))])
    everybody = Likelihood(3, [played, finished])
    fitted = left.fit()
    assert fitted[:3] == pytest.approx(everybody.fit()[:3], abs=1e-9)

    def own(strength: float) -> float:
        strengths = fitted.copy()
        strengths[1] = strength
        return log_likelihood(strengths, [played, lost._replace(losers=None)])

    found = fitted[left.rated[1]]
    assert own(found) > max(own(found - 0.01), own(found + 0.01))


def test_nothing_depends_on_the_order_of_groups_games_sides_and_blocks() -> None:
    rng = np.random.default_rng(5)
    blocks = mixed_blocks(6, 6)
    first = Likelihood(6, blocks)
    turned = []
    for block in reversed(blocks):
        order = rng.permutation(len(block.sides))
        half = len(order) // 2
        for part in (order[:half], order[half:]):
            turned.append(Block(block.sides[part][:, ::-1], block.places[part][:, ::-1, ::-1]))
    second = Likelihood(6, turned)
    assert (first.counts == second.counts).all()
    assert first.fit().tobytes() == second.fit().tobytes()


def test_the_curvature_gives_the_textbook_error_of_one_pair() -> None:
    """200 games at even odds: the variance of the difference is 4 / 200, a bit less for the phantom."""
    likelihood = Likelihood(2, [duels(*[(0, 1, "wl")] * 100)])
    strengths = likelihood.fit()
    difference = np.array([1.0, -1.0])
    variance = difference @ likelihood.curvature(likelihood.moments(strengths)).solve(difference)
    assert variance == pytest.approx(4 / 200.5)
