"""Uncertainty of ratings, by a bootstrap over whole groups that gives the same results on every machine.

In each replicate, the weight of every group is drawn from the Poisson distribution with mean 1. The games of
a group stay together, so they can depend on each other in any way. One Newton step is then taken from the
fitted strengths with the scores of the groups weighted accordingly. The equations of all steps differ only in
their right-hand sides. The interval is the rating plus or minus 1.96 times the standard deviation over the
replicates.

There are also replicates of the likelihood. In them, the scores vary as the likelihood predicts for
independent games (every link between two sides has a random sign), times the dispersion. The dispersion is
the ratio of the variance of all groups on the board to this prediction. The wider of the two intervals is
used; with few groups, it is always that of the likelihood. (The groups of a player that nearly always wins
are all alike, so resampling them does not show how often it will lose. The likelihood does show this, but not
how the games of a group depend on each other.)

The draws are derived from the seed in a language-neutral way. Replicate ``r`` (from 0) reads SHAKE-256 of the
32-byte seed followed by ``r`` as 4 big-endian bytes. The 16-bit little-endian numbers of this stream are
assigned to the groups in canonical order (see ``model``), and ``_THRESHOLDS`` maps them to counts. The signs
are the bits of the same stream with ``r`` + 2**31.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import shake_256
from math import ceil, exp, factorial, sqrt
from statistics import NormalDist
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.ratings.model import Likelihood
from arena.ratings.solver import FloatArray, IntArray, Sparse

REPLICATES: Final = 500

Z: Final = NormalDist().inv_cdf(0.975)
"""The number of standard deviations on each side of a 95% interval."""

_THRESHOLDS: Final = [round(65536 * sum(exp(-1) / factorial(i) for i in range(k + 1))) for k in range(8)]
"""The count for a drawn number is the number of thresholds that do not exceed it."""

_PRIOR: Final = 50.0
"""The amount of prior information that pulls the dispersion of a board towards 1. A game between two equal
players has 1/2.
"""

_WIDENED: Final = 3.5
_UNLIKELY: Final = 1 / 3
"""A variance by the likelihood is multiplied by 1 + ``_WIDENED`` * min(variance, ``_UNLIKELY``)**2. For a bot
that lost only one or two of many games, the variance itself is poorly known.
"""

_AT_ONCE: Final = 1 << 22
"""The approximate maximum number of counts or signs in memory at once."""

_ROWS: Final = 256
"""The number of players whose differences from all others are computed at once."""

_FURTHEST: Final = 16
"""The number of players at each end of a replicate among whom the largest standardised difference is sought.
With all pairs of thousands of players, it would take minutes.
"""

_LEAST_VARIANCE: Final = 1e-12
"""The variance of a difference below which two players always change alike, up to rounding."""

_SIGNS: Final = 1 << 31
"""An offset added to a replicate's number for its signs, so that they are derived from different bytes than
its counts.
"""

_COUNTS: Final[FloatArray] = np.searchsorted(np.array(_THRESHOLDS), np.arange(65536), side="right").astype(
    np.float64
)


def draws(seed: bytes, replicate: int, groups: int) -> FloatArray:
    """Return the number of times that each group counts in a replicate (groups). ``seed`` has 32 bytes."""
    data = shake_256(seed + replicate.to_bytes(4)).digest(2 * groups)
    counts: FloatArray = _COUNTS[np.frombuffer(data, dtype="<u2")]
    return counts


def signs(seed: bytes, replicate: int, count: int) -> FloatArray:
    """Return the ``count`` signs (1 or -1) of a replicate of the likelihood. ``seed`` has 32 bytes."""
    data = shake_256(seed + (replicate + _SIGNS).to_bytes(4)).digest(-(-count // 8))
    bits = np.unpackbits(np.frombuffer(data, dtype=np.uint8), count=count, bitorder="little")
    return bits * np.float64(2) - 1


def redraws(likelihood: Likelihood, seed: bytes, replicates: int) -> Iterator[FloatArray]:
    """Yield, for each replicate, the number of groups drawn from each cell (cells)."""
    counts = likelihood.counts[:-1]
    starts = np.cumsum(counts) - counts
    for replicate in range(replicates):
        drawn = draws(seed, replicate, likelihood.groups)
        yield np.add.reduceat(drawn, starts) if len(starts) else drawn


def resampled(
    likelihood: Likelihood, strengths: FloatArray, anchor: int, seed: bytes, replicates: int = REPLICATES
) -> FloatArray:
    """Return the changes (players, replicates) of the rated strengths relative to the anchor's when groups
    are resampled.
    """
    moments = likelihood.moments(strengths)
    curvature = likelihood.curvature(moments)
    scores = likelihood.scores_of_cells(likelihood.residuals(moments, curvature.diagonal))
    drawn = redraws(likelihood, seed, replicates)

    def counts(some: range) -> FloatArray:
        more = [np.append(next(drawn) - likelihood.counts[:-1], 0.0) for _ in some]
        return np.ascontiguousarray(np.array(more).T)

    return _to_anchor(likelihood, curvature.solve(_products(scores, counts, replicates)), anchor)


class Adjusted(NamedTuple):
    """The rated strengths without luck, relative to the anchor's (players), their standard errors, and the
    information about each player, which is the sum of p(1 - p) over its games.
    """

    centers: FloatArray
    errors: FloatArray
    information: FloatArray


def adjusted(
    likelihood: Likelihood, strengths: FloatArray, anchor: int, seed: bytes, replicates: int = REPLICATES
) -> Adjusted:
    """Return the rated strengths without luck, computed by one Newton step from ``strengths`` (n). The
    standard errors are those of the bootstrap over groups.
    """
    moments = likelihood.moments(strengths)
    curvature = likelihood.curvature(moments)
    luck = likelihood.luck_of_groups(moments) @ np.ones(len(likelihood.luck))
    fitted = strengths[:-1] - curvature.solve(luck)
    centers = _to_anchor(likelihood, fitted[:, None], anchor)[:, 0]
    scores = likelihood.scores_of_cells(likelihood.residuals(moments, curvature.diagonal))
    lucks = likelihood.luck_of_groups(moments, curvature.diagonal)
    starts = np.cumsum(likelihood.counts[:-1]) - likelihood.counts[:-1]

    def product(some: range) -> FloatArray:
        drawn = np.array([draws(seed, number, likelihood.groups) for number in some]).T - 1.0
        cells = np.concatenate([np.add.reduceat(drawn, starts), np.zeros((1, len(some)))])
        return np.asarray(scores @ cells - lucks @ np.ascontiguousarray(drawn))

    products = _in_batches(product, scores.shape[0], likelihood.groups, replicates)
    changes = _to_anchor(likelihood, curvature.solve(products), anchor)
    information = curvature.diagonal[likelihood.rated]
    return Adjusted(centers, np.sqrt(_squares(_deviations(changes))), information)


def independent(
    likelihood: Likelihood, strengths: FloatArray, anchor: int, seed: bytes, replicates: int = REPLICATES
) -> FloatArray:
    """Return the changes (players, replicates) of the rated strengths relative to the anchor's that the
    likelihood predicts if all games are independent.
    """
    moments = likelihood.moments(strengths)
    curvature = likelihood.curvature(moments)
    noise = likelihood.noise(moments)

    def all_signs(some: range) -> FloatArray:
        return np.ascontiguousarray(np.array([signs(seed, number, noise.shape[1]) for number in some]).T)

    return _to_anchor(likelihood, curvature.solve(_products(noise, all_signs, replicates)), anchor)


def _products(scores: Sparse, columns: Callable[[range], FloatArray], replicates: int) -> FloatArray:
    """Return the products (n - 1, replicates) of ``scores`` with the columns of all replicates."""

    def product(some: range) -> FloatArray:
        return np.asarray(scores @ columns(some))

    return _in_batches(product, *scores.shape, replicates)


def _in_batches(
    product: Callable[[range], FloatArray], rows: int, numbers: int, replicates: int
) -> FloatArray:
    """Return the columns (rows, replicates) that ``product`` computes in batches of replicates. ``numbers``
    is the number of drawn numbers that one replicate holds in memory.
    """
    products: FloatArray = np.empty((rows, replicates))
    step = max(1, _AT_ONCE // numbers)
    for start in range(0, replicates, step):
        end = min(start + step, replicates)
        products[:, start:end] = product(range(start, end))
    return products


def _to_anchor(likelihood: Likelihood, steps: FloatArray, anchor: int) -> FloatArray:
    changes: FloatArray = steps[likelihood.rated] - steps[anchor]
    changes[anchor] = 0.0
    return changes


class Ranks(NamedTuple):
    """How many others are better and how many are worse than each of some players."""

    better: IntArray
    worse: IntArray


class Differences:
    """The standard errors of differences between rated strengths, all from the same replicates.

    ``to_anchor`` (players) holds the standard error of each player's difference from the anchor.
    ``dispersion`` is the dispersion of the board's groups (see
    :meth:`~arena.ratings.model.Likelihood.dispersion`).
    """

    def __init__(
        self,
        likelihood: Likelihood,
        strengths: FloatArray,
        anchor: int,
        seed: bytes,
        settled: NDArray[np.bool_],
        replicates: int = REPLICATES,
    ) -> None:
        """Compute the replicates. ``settled`` (players) marks the players that have enough groups for
        resampling.
        """
        self.dispersion = likelihood.dispersion(strengths, _PRIOR)
        self._drawn, self._played = (
            _deviations(changes(likelihood, strengths, anchor, seed, replicates))
            for changes in (resampled, independent)
        )
        drawn, played = _squares(self._drawn), self._likely(_squares(self._played))
        self.to_anchor: FloatArray = np.sqrt(np.where(settled, np.maximum(drawn, played), played))

    def error(self, one: int, other: int) -> float:
        """Return the standard error of the difference between two settled players."""
        drawn, played = (_squares(part[[one]] - part[[other]]) for part in (self._drawn, self._played))
        return float(np.sqrt(np.maximum(drawn, self._likely(played)))[0])

    def ranks(self, players: IntArray, values: FloatArray) -> Ranks:
        """Return, for each of the settled ``players``, how many of them are better and how many are worse by
        differences that are all true together with a probability of 95%. ``values`` are their rated
        strengths, highest first.
        """
        parts = [part[players] for part in (self._drawn, self._played)]
        drawn, played = (_squares(part) for part in parts)
        errors = _critical(parts[0], drawn)
        # No interval of a difference is longer than both players' intervals together, widened to the maximum.
        most = self.dispersion * (1 + _WIDENED * _UNLIKELY**2)
        reach = errors * np.sqrt(np.maximum(drawn, most * played))
        found = Ranks(*np.zeros((2, len(players)), dtype=np.int64))
        for start in range(0, len(players), _ROWS):
            end = min(start + _ROWS, len(players))
            apart = values[:end] - reach[:end] > (values[start:end] + reach[start:end]).max()
            first = int(np.argmin(apart))
            here, others = slice(start, end), slice(first, end)
            both = [
                own[here, None] + own[None, others] - 2 * part[here] @ part[others].T
                for part, own in zip(parts, (drawn, played), strict=True)
            ]
            variance = np.maximum(0.0, np.maximum(both[0], self._likely(both[1])))
            above = values[None, others] - values[here, None] > errors * np.sqrt(variance)
            found.better[here] = first + above.sum(axis=1)
            found.worse[:first] += end - start
            found.worse[others] += above.sum(axis=0)
        return found

    def _likely(self, variance: FloatArray) -> FloatArray:
        """Return the variance by the likelihood, given the ``variance`` for independent games."""
        return self.dispersion * variance * (1 + _WIDENED * np.minimum(variance, _UNLIKELY) ** 2)


def _critical(changes: FloatArray, squares: FloatArray) -> float:
    """Return the number of standard errors that no difference between two players exceeds by chance in 95% of
    the replicates; at least ``Z``. ``changes`` (players, replicates) are scaled as by :func:`_deviations`.
    """
    apart = changes - changes.mean(axis=0)
    apart /= np.sqrt(np.maximum(_squares(apart), _LEAST_VARIANCE))[:, None]
    count, replicates = changes.shape
    few = min(_FURTHEST, count)
    ends = (
        np.argpartition(apart, count - few, axis=0)[-few:],
        np.argpartition(apart, few - 1, axis=0)[:few],
    )
    largest = np.zeros(replicates)
    for number, (up, down) in enumerate(zip(*(end.T for end in ends), strict=True)):
        covariance = changes[up] @ changes[down].T
        variance = squares[up, None] + squares[None, down] - 2 * covariance
        gaps = changes[up, number][:, None] - changes[None, down, number]
        largest[number] = (gaps / np.sqrt(np.maximum(variance, _LEAST_VARIANCE))).max()
    critical = np.sort(largest)[ceil(0.95 * replicates) - 1] * sqrt(replicates - 1)
    return max(Z, float(critical))


def _deviations(changes: FloatArray) -> FloatArray:
    """Return the deviations of ``changes`` (players, replicates) from their means, scaled so that the
    products of two players' deviations sum to their covariance.
    """
    found: FloatArray = changes - changes.mean(axis=1, keepdims=True)
    found /= sqrt(changes.shape[1] - 1)
    return found


def _squares(deviations: FloatArray) -> FloatArray:
    squares: FloatArray = np.einsum("ij,ij->i", deviations, deviations)
    return squares
