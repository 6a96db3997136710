"""How far ratings may be off: a bootstrap over whole groups, the same on every machine.

Each replicate draws for every group how often it counts, from the Poisson distribution with mean 1
(the games of a group stay together, however they depend on each other), and takes one Newton step
from the fitted strengths with the scores of the groups counted like that. The equations of all steps
are the same but for their right-hand sides. The interval is the rating plus and minus 1.96 times the
standard deviation over the replicates.

With few groups the scores vary instead as the likelihood says that they do if all games are
independent: every link between two sides has a random sign.

The draws follow from the seed by a language-neutral construction: replicate ``r`` (from 0) reads
SHAKE-256 of the 32-byte seed and ``r`` as 4 bytes, big-endian; its 16-bit little-endian numbers
go to the groups in canonical order (``model``), and ``_THRESHOLDS`` turns them into counts. The signs
are the bits of the same with ``r`` + 2**31.
"""

from __future__ import annotations

from hashlib import shake_256
from math import exp, factorial
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.ratings.model import Likelihood
from arena.ratings.solver import FloatArray

REPLICATES: Final = 500

Z: Final = NormalDist().inv_cdf(0.975)
"""Standard deviations on each side of a 95% interval."""

_THRESHOLDS: Final = [round(65536 * sum(exp(-1) / factorial(i) for i in range(k + 1))) for k in range(8)]
"""A number counts as many times as there are thresholds that are not above it."""

INFORMED: Final = 5.0
"""With less information about a player (a game of equals gives 1/4) an interval is at least as wide as
that of the likelihood: the groups of a player who wins nearly always are all alike, and drawing them
again does not tell how often it will lose.
"""

_SIGNS: Final = 1 << 31
"""Added to a replicate's number for its signs, so that they follow from other bytes than its counts."""

_COUNTS: Final[FloatArray] = np.searchsorted(np.array(_THRESHOLDS), np.arange(65536), side="right").astype(
    np.float64
)


def draws(seed: bytes, replicate: int, groups: int) -> FloatArray:
    """How often each group counts in a replicate (groups). ``seed``: 32 bytes."""
    data = shake_256(seed + replicate.to_bytes(4)).digest(2 * groups)
    counts: FloatArray = _COUNTS[np.frombuffer(data, dtype="<u2")]
    return counts


def signs(seed: bytes, replicate: int, count: int) -> FloatArray:
    """The signs (``count``, 1 or -1) of a replicate of the likelihood. ``seed``: 32 bytes."""
    data = shake_256(seed + (replicate + _SIGNS).to_bytes(4)).digest(-(-count // 8))
    bits = np.unpackbits(np.frombuffer(data, dtype=np.uint8), count=count, bitorder="little")
    return bits * np.float64(2) - 1


def resampled(
    likelihood: Likelihood, strengths: FloatArray, anchor: int, seed: bytes, replicates: int = REPLICATES
) -> FloatArray:
    """The changes (players, replicates) of the rated strengths less the anchor's, if groups are drawn
    again.
    """
    moments = likelihood.moments(strengths)
    curvature = likelihood.curvature(moments)
    residuals = likelihood.residuals(moments, curvature.diagonal)
    starts = np.cumsum(likelihood.counts[:-1]) - likelihood.counts[:-1]
    counts = np.zeros(len(likelihood.counts))
    scores: FloatArray = np.empty((likelihood.size - 1, replicates))
    for replicate in range(replicates):
        if len(starts):
            counts[:-1] = np.add.reduceat(draws(seed, replicate, likelihood.groups), starts)
            counts[:-1] -= likelihood.counts[:-1]
        scores[:, replicate] = likelihood.scores(residuals, counts)
    return _to_anchor(likelihood, curvature.solve(scores), anchor)


def independent(
    likelihood: Likelihood, strengths: FloatArray, anchor: int, seed: bytes, replicates: int = REPLICATES
) -> FloatArray:
    """The changes (players, replicates) of the rated strengths less the anchor's by the likelihood, as if all
    games were independent.
    """
    moments = likelihood.moments(strengths)
    curvature = likelihood.curvature(moments)
    noise = likelihood.noise(moments, curvature.diagonal)
    scores: FloatArray = np.empty((likelihood.size - 1, replicates))
    for replicate in range(replicates):
        scores[:, replicate] = noise.scores(signs(seed, replicate, noise.signs))
    return _to_anchor(likelihood, curvature.solve(scores), anchor)


def _to_anchor(likelihood: Likelihood, steps: FloatArray, anchor: int) -> FloatArray:
    changes: FloatArray = steps[likelihood.rated] - steps[anchor]
    changes[anchor] = 0.0
    return changes


def standard_errors(
    likelihood: Likelihood,
    strengths: FloatArray,
    anchor: int,
    seed: bytes,
    settled: NDArray[np.bool_],
    replicates: int = REPLICATES,
) -> FloatArray:
    """The standard error (players) of each rated strength less the anchor's. ``settled`` (players): for
    whom there are enough groups to be drawn again.
    """
    drawn, played = (
        changes(likelihood, strengths, anchor, seed, replicates).std(axis=1, ddof=1)
        for changes in (resampled, independent)
    )
    informed = likelihood.information(strengths) >= INFORMED
    errors: FloatArray = np.where(settled, np.where(informed, drawn, np.maximum(drawn, played)), played)
    return errors
