"""Sparse equations, against dense ones."""

from __future__ import annotations

import numpy as np
import pytest

from arena.ratings.solver import FloatArray, Sparse, solve


def graph(size: int, edges: int, seed: int) -> tuple[FloatArray, Sparse, FloatArray]:
    """The diagonal and the links of a weighted graph with random edges, and the matrix of both."""
    rng = np.random.default_rng(seed)
    keys = np.unique(rng.integers(0, size * size, edges))
    low, high = keys // size, keys % size
    low, high = low[low < high], high[low < high]
    weights = rng.uniform(0.01, 5, len(low))
    links = Sparse((size, size), np.concatenate([low, high]), np.concatenate([high, low]))
    links.fill(np.concatenate([weights, weights]))
    dense = np.zeros((size, size))
    dense[low, high] = dense[high, low] = weights
    diagonal: FloatArray = dense.sum(axis=1) + 0.25
    return diagonal, links, np.diag(diagonal) - dense


@pytest.mark.parametrize(("size", "edges"), [(1, 1), (30, 2000), (300, 300), (300, 2000), (300, 40_000)])
def test_solutions_and_products_are_those_of_the_dense_matrix(size: int, edges: int) -> None:
    diagonal, links, dense = graph(size, edges, edges)
    right = np.random.default_rng(1).normal(size=(size, 5))
    right[:, 2] = 0
    assert diagonal[:, None] * right - links @ right == pytest.approx(dense @ right)
    assert diagonal * right[:, 0] - links @ right[:, 0] == pytest.approx(dense @ right[:, 0])
    expected = np.linalg.solve(dense, right)
    assert solve(diagonal, links, right) == pytest.approx(expected, abs=1e-10)
    assert solve(diagonal, links, right[:, 0]) == pytest.approx(expected[:, 0], abs=1e-10)


def test_a_chain_is_solved_too() -> None:
    """Where every step goes one player further, and the two ends hold each other over all of it."""
    size = 400
    along = np.arange(size - 1)
    links = Sparse((size, size), np.concatenate([along, along + 1]), np.concatenate([along + 1, along]))
    links.fill(np.full(2 * size - 2, 500.0))
    diagonal = links @ np.ones(size) + 0.25
    right = np.eye(size)[:, [0, -1]]
    solution = solve(diagonal, links, right)
    assert diagonal[:, None] * solution - links @ solution == pytest.approx(right, abs=1e-8)


def test_the_entries_may_come_in_any_order() -> None:
    matrix = Sparse((2, 3), np.array([1, 0, 1]), np.array([2, 1, 0]))
    matrix.fill(np.array([7.0, 5.0, 3.0]))
    assert (matrix @ np.eye(3)).tolist() == [[0, 5, 0], [3, 0, 7]]
    matrix.fill(np.array([1.0, 0.0, 0.0]))
    assert (matrix @ np.ones(3)).tolist() == [0, 1]
