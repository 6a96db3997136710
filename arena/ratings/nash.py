"""Nash averaging: which bots are best if every bot can be beaten.

Consider a game in which each of two players chooses a bot, and the payoff is the bots' entry in the matrix.
Its Nash equilibrium is the mix of bots that no choice beats: several bots if they form a cycle, otherwise
only the best bot. The expected payoff of a bot against this mix is a measure of its strength that does not
change when other bots are duplicated. If there are several equilibria, Balduzzi et al., "Re-evaluating
evaluation" (2018), choose the one with the greatest entropy, which treats equal bots equally.

The solvers are those of scipy. A linear program (HiGHS) finds an equilibrium, which is usually the only one.
If results are exactly balanced, there are more. In that case, a second program finds all bots that are in any
equilibrium, and sequential quadratic programming (SLSQP) finds the one with the greatest entropy. scipy takes
50 MB of memory, so only processes that compute equilibria import this module. (``highspy`` is smaller and
solves the linear programs, but cannot maximise entropy. Conic solvers can, but they also need scipy, and they
require interior points, which equilibria lack.)
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import null_space
from scipy.optimize import linprog, minimize

from arena.ratings.solver import FloatArray

_STRICT: Final = 1e-6
"""Weights and losses below this can be rounding errors of the solver, whose tolerance is 1e-7."""

_DIGITS: Final = 9
_BALANCED: Final = 1e-8
"""The results of equal bots differ by rounding errors, so entries are rounded, and singular values below this
count as zero.
"""


def nash_mix(matrix: FloatArray) -> FloatArray:
    """Return the weights (n) of the Nash equilibrium with the greatest entropy; they sum to 1.

    ``matrix`` (n, n) is antisymmetric and holds the payoff of the row's bot against the column's bot, as
    logits. Raises :class:`ArithmeticError` if the solver finds no equilibrium.
    """
    matrix = matrix.round(_DIGITS)
    count = len(matrix)
    # A bot that beats all others is the only bot in the only equilibrium.
    best: NDArray[np.bool_] = (matrix > _STRICT).sum(axis=1) == count - 1
    if best.any():
        alone: FloatArray = best.astype(np.float64)
        return alone
    mix = _program(np.zeros(count), matrix, np.zeros(count), np.ones(count))
    loss = -(matrix @ mix)
    if (np.maximum(mix, loss) > _STRICT).all():
        inside = mix > _STRICT
        if _kernel(matrix, inside).shape[1] == 1:
            return _weights(mix)
    return _most_even(matrix)


def _most_even(matrix: FloatArray) -> FloatArray:
    """Return the equilibrium with the greatest entropy if there are several."""
    count = len(matrix)
    # Every bot is in or beaten by some equilibrium (Goldman and Tucker): find one that shows it for all.
    rows = np.block([[matrix, np.zeros((count, 1))], [matrix - np.eye(count), np.ones((count, 1))]])
    goal = np.append(np.zeros(count), -1.0)
    found = _program(goal, rows, np.zeros(2 * count), np.append(np.ones(count), 0.0))[:count]
    inside = found > -(matrix @ found)
    kernel = _kernel(matrix, inside)
    # The equilibria of these bots are ``start`` plus combinations of directions that sum to 0.
    start = kernel @ (kernel.T @ found[inside])
    start /= start.sum()
    directions = kernel @ null_space(kernel.sum(axis=0)[None, :])
    # No weight is negative, and no other bot wins.
    bounds = np.concatenate([np.eye(len(start)), -matrix[~inside][:, inside]])
    offset, slope = bounds @ start, bounds @ directions

    def evenness(step: FloatArray) -> tuple[float, FloatArray]:
        """Return the negative entropy and its derivatives."""
        weights = start + directions @ step
        logs = np.log(np.maximum(weights, 1e-300))
        return float(weights @ logs), directions.T @ (logs + 1)

    result = minimize(
        evenness,
        np.zeros(directions.shape[1]),
        jac=True,
        method="SLSQP",
        constraints={"type": "ineq", "fun": lambda step: offset + slope @ step, "jac": lambda _: slope},
        options={"ftol": 1e-12, "maxiter": 1000},
    )
    mix = np.zeros(count)
    mix[inside] = start + directions @ result.x
    return _weights(mix)


def _program(goal: FloatArray, rows: FloatArray, bounds: FloatArray, total: FloatArray) -> FloatArray:
    """Minimise ``goal`` @ x subject to ``rows`` @ x <= ``bounds``, ``total`` @ x = 1 and x >= 0, and return
    x.
    """
    found = linprog(goal, A_ub=rows, b_ub=bounds, A_eq=total[None, :], b_eq=[1.0], method="highs-ds")
    if found.x is None:
        raise ArithmeticError(f"the linear program has no solution: {found.message}")
    solution: FloatArray = found.x
    return solution


def _kernel(matrix: FloatArray, inside: NDArray[np.bool_]) -> FloatArray:
    """Return, as orthonormal columns, the weights of the bots ``inside`` against which each of these bots
    exactly breaks even.
    """
    _, values, rows = np.linalg.svd(matrix[np.ix_(inside, inside)])
    kernel: FloatArray = rows[int((values > _BALANCED).sum()) :].T
    return kernel


def _weights(mix: FloatArray) -> FloatArray:
    weights = np.maximum(mix, 0.0)
    weights /= weights.sum()
    return weights
