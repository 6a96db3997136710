"""How far ratings may be off: a bootstrap over whole groups, the same on every machine.

Each replicate draws for every group how often it counts, from the Poisson distribution with mean 1
(the games of a group stay together, however they depend on each other), and takes one Newton step
from the fitted strengths with the groups counted like that. The interval is the rating plus and
minus 1.96 times the standard deviation over the replicates.

The draws follow from the seed by a language-neutral construction: replicate ``r`` (from 0) reads
SHAKE-256 of the 32-byte seed and ``r`` as 4 bytes, big-endian; its 16-bit little-endian numbers
go to the groups in canonical order (``model``), and ``_THRESHOLDS`` turns them into counts.
"""

from __future__ import annotations

from hashlib import shake_256
from math import exp, factorial
from statistics import NormalDist
from typing import Final

import numpy as np

from arena.ratings.model import FloatArray, Likelihood

REPLICATES: Final = 500

Z: Final = NormalDist().inv_cdf(0.975)
"""Standard deviations on each side of a 95% interval."""

_THRESHOLDS: Final = [round(65536 * sum(exp(-1) / factorial(i) for i in range(k + 1))) for k in range(8)]
"""A number counts as many times as there are thresholds that are not above it."""

_COUNTS: Final[FloatArray] = np.searchsorted(np.array(_THRESHOLDS), np.arange(65536), side="right").astype(
    np.float64
)


def draws(seed: bytes, replicate: int, groups: int) -> FloatArray:
    """How often each group counts in a replicate (groups). ``seed``: 32 bytes."""
    data = shake_256(seed + replicate.to_bytes(4)).digest(2 * groups)
    counts: FloatArray = _COUNTS[np.frombuffer(data, dtype="<u2")]
    return counts


def standard_errors(
    likelihood: Likelihood, strengths: FloatArray, anchor: int, seed: bytes, replicates: int = REPLICATES
) -> FloatArray:
    """The bootstrap standard error (players) of each player's rated strength less the anchor's."""
    moments = likelihood.moments(strengths)
    starts = np.cumsum(likelihood.counts[:-1]) - likelihood.counts[:-1]
    counts = np.ones(len(likelihood.counts))
    samples: FloatArray = np.empty((replicates, len(likelihood.rated)))
    for replicate in range(replicates):
        if len(starts):
            counts[:-1] = np.add.reduceat(draws(seed, replicate, likelihood.groups), starts)
        score, derivatives = likelihood.equations(moments, counts)
        step = np.linalg.solve(derivatives, score)
        samples[replicate] = step[likelihood.rated] - step[anchor]
    errors: FloatArray = samples.std(axis=0, ddof=1)
    return errors
