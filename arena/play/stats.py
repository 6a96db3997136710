"""Means and confidence intervals over independent groups."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, sqrt
from statistics import NormalDist, fmean, stdev
from typing import Final

MARGINS_SPAN: Final = 2.0
"""The span of the margins of a game, from -1 to 1."""
SCORES_SPAN: Final = 1.0
"""The span of the scores of a game, from 0 to 1."""
_Z: Final = NormalDist().inv_cdf(0.975)


def mean_interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean of ``values`` and the half-width of its 95% confidence interval (Student's t).

    With one value the half-width is infinite; with none the result is ``(0.0, inf)``.
    """
    if not values:
        return 0.0, inf
    mean = fmean(values)
    if len(values) == 1:
        return mean, inf
    return mean, _t_quantile(len(values) - 1) * stdev(values, mean) / sqrt(len(values))


def is_telling(half_width: float | None, span: float) -> bool:
    """Return whether an interval excludes anything: whether it is narrower than the ``span`` of possible
    values.
    """
    return half_width is not None and 2 * half_width < span


def wilson(points: float, count: int) -> tuple[float, float]:
    """Return the bounds of Wilson's 95% interval, as shares, for ``points`` out of at least one group.

    Every group is treated as won or lost. Because many mirrored groups end in a draw, the interval is wider
    than necessary.
    """
    share = points / count
    square = _Z * _Z / count
    center = (share + square / 2) / (1 + square)
    half = _Z * sqrt(max(0.0, share * (1 - share)) / count + square / (4 * count)) / (1 + square)
    return max(0.0, center - half), min(1.0, center + half)


def _t_quantile(degrees: int) -> float:
    """Return the 97.5% quantile of Student's t from its series expansion (Abramowitz and Stegun 26.7.5).

    The result is within 1% for 3 or more degrees of freedom.
    """
    z = _Z
    g1 = (z**3 + z) / 4
    g2 = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    g3 = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + g1 / degrees + g2 / degrees**2 + g3 / degrees**3
