"""A sequential test of the margins of mirrored groups: is one bot better than another?

It is the generalised sequential probability ratio test that computer chess uses for versions of engines, with
the mirrored group as the unit: games of one group are correlated, groups are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, log, log10
from typing import Final, NamedTuple

from arena.play.stats import mean_interval

FLOOR: Final = 60
"""Groups before which the test does not stop: with fewer the variance is not known well enough, and more
than the promised share of the tests errs.
"""


class Estimate(NamedTuple):
    """A value with its 95% interval; the bounds of ``elo`` may be infinite."""

    value: float
    low: float
    high: float


@dataclass
class SequentialTest:
    """A test that decides between two differences of strength from the margins (-1 to 1) of groups, in their
    order.

    ``elo0`` and ``elo1`` are the differences to distinguish, as Elo points of the score of a game. If the
    true difference is ``elo0`` or less, the test accepts ``elo1`` in at most a share ``alpha`` of all cases;
    if it is ``elo1`` or more, it accepts ``elo0`` in at most a share ``beta``.
    """

    elo0: float = 0.0
    elo1: float = 20.0
    alpha: float = 0.05
    beta: float = 0.05
    margins: list[float] = field(default_factory=list)
    decision: float | None = None
    """``elo0`` or ``elo1``: which was accepted."""

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise ValueError("elo1 must be greater than elo0")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError("alpha and beta must be between 0 and 0.5")
        self._sum = self._squares = 0.0

    @property
    def bounds(self) -> tuple[float, float]:
        """The values of :attr:`llr` at which ``elo0`` and ``elo1`` are accepted (Wald)."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)

    @property
    def llr(self) -> float:
        """The generalised log-likelihood ratio of ``elo1`` to ``elo0``, with the unbiased variance."""
        count = len(self.margins)
        if count < 2:
            return 0.0
        mean = self._sum / count
        variance = (self._squares - count * mean * mean) / (count - 1)
        low, high = margin_of(self.elo0), margin_of(self.elo1)
        tendency = (high - low) * (2 * mean - low - high)
        if variance < 1e-12:
            return inf if tendency > 0 else -inf if tendency < 0 else 0.0
        return count * tendency / (2 * variance)

    def add(self, margin: float) -> None:
        """Count the next group. Raises ValueError after the decision."""
        if self.decision is not None:
            raise ValueError("the test has ended")
        self.margins.append(margin)
        self._sum += margin
        self._squares += margin * margin
        if len(self.margins) >= FLOOR:
            lower, upper = self.bounds
            llr = self.llr
            self.decision = self.elo1 if llr >= upper else self.elo0 if llr <= lower else None

    @property
    def margin(self) -> Estimate:
        """The mean margin so far. After a decision it is slightly too far from zero, because the test stops
        when the luck of the groups has helped.
        """
        return estimate_of(self.margins)

    @property
    def elo(self) -> Estimate:
        """The mean margin as Elo points."""
        return Estimate(*map(elo_of, self.margin))


def estimate_of(margins: Sequence[float]) -> Estimate:
    """Return the mean of the margins of groups."""
    mean, half = mean_interval(margins)
    return Estimate(mean, mean - half, mean + half)


def margin_of(elo: float) -> float:
    """Return the margin of a game, -1 to 1, that corresponds to a difference in Elo points."""
    return 2 / (1 + 10 ** (-elo / 400)) - 1


def elo_of(margin: float) -> float:
    """Return the difference in Elo points for a margin, the inverse of :func:`margin_of`. It is infinite from
    a margin of 1 on.
    """
    if abs(margin) >= 1:
        return inf if margin > 0 else -inf
    return 400 * log10((1 + margin) / (1 - margin))
