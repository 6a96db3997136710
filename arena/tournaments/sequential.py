"""A sequential test, based on the margins of mirrored groups, of whether one bot is better than another.

It is the generalised sequential probability ratio test that computer chess uses to compare engine versions.
Its unit is the mirrored group, because games in one group are correlated and groups are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, log, log10
from typing import Final, NamedTuple

from arena.play.stats import mean_interval

FLOOR: Final = 60
"""The minimum number of groups before the test can stop. With fewer groups, the variance estimate is too
poor, and the error rates would exceed ``alpha`` and ``beta``.
"""

_SKEWNESS_MOST: Final = 0.5
"""The largest term for skewness in the likelihood ratio, as a share of the other term. The expansion that it
comes from holds only while it is small.
"""


class Estimate(NamedTuple):
    """A value with its 95% confidence interval; the bounds of an Elo difference can be infinite."""

    value: float
    low: float
    high: float


@dataclass
class SequentialTest:
    """A test that decides between two differences in strength, using the margins (-1 to 1) of groups in
    order.

    ``elo0`` and ``elo1`` are the differences to distinguish, in Elo points of the score of a game. If the
    true difference is at most ``elo0``, the test accepts ``elo1`` with probability at most ``alpha``. If it
    is at least ``elo1``, the test accepts ``elo0`` with probability at most ``beta``.
    """

    elo0: float = 0.0
    elo1: float = 20.0
    alpha: float = 0.05
    beta: float = 0.05
    margins: list[float] = field(default_factory=list)
    decision: float | None = None
    """The accepted difference, ``elo0`` or ``elo1``; None before the decision."""

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise ValueError("elo1 must be greater than elo0")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError("alpha and beta must be between 0 and 0.5")
        self._sum = self._squares = self._cubes = 0.0

    @property
    def bounds(self) -> tuple[float, float]:
        """Wald's bounds: the values of :attr:`llr` at which ``elo0`` and ``elo1`` are accepted."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)

    @property
    def llr(self) -> float:
        """The generalised log-likelihood ratio of ``elo1`` to ``elo0``, using the unbiased variance.

        The margins of very unequal bots are skewed. A sample without their rare results then has both an
        extreme mean and a small variance, from which the ratio of a normal distribution would conclude too
        much. The next term in the expansion of the empirical likelihood makes up for that; it is 0 without
        skewness.
        """
        count = len(self.margins)
        if count < 2:
            return 0.0
        mean = self._sum / count
        variance = (self._squares - count * mean * mean) / (count - 1)
        low, high = margin_of(self.elo0), margin_of(self.elo1)
        tendency = (high - low) * (2 * mean - low - high)
        if variance < 1e-12:
            return inf if tendency > 0 else -inf if tendency < 0 else 0.0
        third = self._cubes / count - 3 * mean * self._squares / count + 2 * mean**3
        skewness = third * ((mean - low) ** 3 - (mean - high) ** 3) / (3 * variance**3)
        normal = tendency / (2 * variance)
        most = _SKEWNESS_MOST * abs(normal)
        return count * (normal + min(most, max(-most, skewness)))

    def add(self, margin: float) -> None:
        """Count the next group. Raises ValueError after the decision."""
        if self.decision is not None:
            raise ValueError("the test has ended")
        self.margins.append(margin)
        self._sum += margin
        self._squares += margin * margin
        self._cubes += margin**3
        if len(self.margins) >= FLOOR:
            lower, upper = self.bounds
            llr = self.llr
            self.decision = self.elo1 if llr >= upper else self.elo0 if llr <= lower else None

    @property
    def margin(self) -> Estimate:
        """The mean margin so far. After a decision, it is biased slightly away from zero, because the test
        tends to stop when luck has favoured the decision.
        """
        return estimate_of(self.margins)

    @property
    def elo(self) -> Estimate:
        """The mean margin as Elo points."""
        return Estimate(*map(elo_of, self.margin))


def estimate_of(margins: Sequence[float]) -> Estimate:
    """Return the mean of groups' margins with its interval."""
    mean, half = mean_interval(margins)
    return Estimate(mean, mean - half, mean + half)


def margin_of(elo: float) -> float:
    """Return the margin of a game, from -1 to 1, that corresponds to a difference in Elo points."""
    return 2 / (1 + 10 ** (-elo / 400)) - 1


def elo_of(margin: float) -> float:
    """Return the difference in Elo points for a margin; the inverse of :func:`margin_of`. It is infinite for
    margins of 1 or more, and of -1 or less.
    """
    if abs(margin) >= 1:
        return inf if margin > 0 else -inf
    return 400 * log10((1 + margin) / (1 - margin))
