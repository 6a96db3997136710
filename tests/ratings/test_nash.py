"""The equilibria of known games, and what makes an equilibrium of others."""

from __future__ import annotations

import numpy as np
import pytest

from arena.ratings.solver import FloatArray

CYCLE = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])


def nash_mix(matrix: FloatArray) -> FloatArray:
    """The mix of the arena, whose module takes a second to import."""
    from arena.ratings import nash

    return nash.nash_mix(matrix)


def copied(matrix: FloatArray, *rows: int) -> FloatArray:
    """``matrix`` with copies of some bots."""
    order = [*range(len(matrix)), *rows]
    return matrix[np.ix_(order, order)]


def drawn(count: int, seed: int, *, whole: bool = False) -> FloatArray:
    generator = np.random.default_rng(seed)
    size = (count, count)
    upper = np.triu(generator.integers(-1, 2, size) if whole else generator.normal(size=size), 1)
    matrix: FloatArray = upper - upper.T
    return matrix.astype(np.float64)


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        (np.zeros((1, 1)), [1]),
        (np.zeros((3, 3)), [1 / 3] * 3),
        (CYCLE, [1 / 3] * 3),
        (7 * CYCLE, [1 / 3] * 3),
        (np.array([[0.0, 2.0, 3.0], [-2.0, 0.0, 1.0], [-3.0, -1.0, 0.0]]), [1, 0, 0]),
        # A cycle in which one wins more: its prey's hunter is played more.
        (np.array([[0.0, 2.0, -1.0], [-2.0, 0.0, 1.0], [1.0, -1.0, 0.0]]), [1 / 4, 1 / 4, 1 / 2]),
        # Two that are equal, and one that only the second beats: never more of the first.
        (np.array([[0.0, 0.0, -1.0], [0.0, 0.0, 1.0], [1.0, -1.0, 0.0]]), [1 / 2, 1 / 2, 0]),
    ],
)
def test_known_games(matrix: FloatArray, expected: list[float]) -> None:
    assert nash_mix(matrix) == pytest.approx(expected, abs=1e-6)


def test_copies_share_the_weight_and_change_nothing_else() -> None:
    matrix = copied(CYCLE, 0, 1, 1)
    mix = nash_mix(matrix)
    assert mix == pytest.approx([1 / 6, 1 / 9, 1 / 3, 1 / 6, 1 / 9, 1 / 9], abs=1e-5)
    assert (matrix @ mix)[:3] == pytest.approx(CYCLE @ nash_mix(CYCLE), abs=1e-6)


def test_rounding_errors_do_not_decide_between_equal_bots() -> None:
    noise = 4.4e-16
    matrix = np.array([[0.0, noise, 4.76], [-noise, 0.0, 4.76], [-4.76, -4.76, 0.0]])
    assert nash_mix(matrix) == pytest.approx([1 / 2, 1 / 2, 0], abs=1e-6)


@pytest.mark.parametrize("count", [2, 5, 12, 50])
@pytest.mark.parametrize("whole", [False, True])
def test_nobody_beats_an_equilibrium_and_no_other_is_more_even(count: int, whole: bool) -> None:
    from scipy.optimize import linprog

    matrix = drawn(count, seed=count, whole=whole)
    if whole:
        matrix = copied(matrix, 0, 0, 1)
    mix = nash_mix(matrix)
    assert mix.sum() == pytest.approx(1)
    assert mix.min() >= 0
    assert (matrix @ mix).max() < 1e-6
    # Entropy is concave: if an equilibrium had more, it would rise towards the best one of this program.
    slope = -np.log(np.maximum(mix, 1e-12)) - 1
    best = linprog(
        -slope, A_ub=matrix, b_ub=np.zeros(len(matrix)), A_eq=np.ones((1, len(matrix))), b_eq=[1.0]
    )
    assert slope @ (best.x - mix) < 1e-3
