"""The share of their luck that is subtracted from the results of groups, fitted to other groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

FITTED_FROM: Final = 10
"""The minimum number of groups from which a share is fitted."""

_NO_SPREAD: Final = 1e-12
"""A sum of squares that is 0 except for rounding."""


class LuckShare:
    """The share of their luck that is subtracted from the values of groups: the regression coefficient of
    the values of the groups added so far on their luck, from 0 to 1, and 1 for fewer than
    :data:`FITTED_FROM` groups. Because the share does not depend on the luck of the group from which it is
    subtracted, and that luck has the mean 0, the mean of the values does not change.
    """

    def __init__(self) -> None:
        self._count = 0
        self._value = self._luck = self._product = self._square = 0.0

    def add(self, value: float, luck: float, times: int = 1) -> None:
        """Add a group, or remove it if ``times`` is -1."""
        self._count += times
        self._value += times * value
        self._luck += times * luck
        self._product += times * value * luck
        self._square += times * luck * luck

    @property
    def share(self) -> float:
        """The share for groups that were not added."""
        if self._count < FITTED_FROM:
            return 1.0
        product = self._product - self._value * self._luck / self._count
        square = self._square - self._luck * self._luck / self._count
        return min(1.0, max(0.0, product / square)) if square > _NO_SPREAD else 1.0


def without_luck(values: Sequence[float], lucks: Sequence[float]) -> list[float]:
    """Return the value of each group without its luck, of which the share is fitted to all other groups."""
    groups = list(zip(values, lucks, strict=True))
    fitted = LuckShare()
    for value, luck in groups:
        fitted.add(value, luck)
    found = []
    for value, luck in groups:
        fitted.add(value, luck, -1)
        found.append(value - fitted.share * luck)
        fitted.add(value, luck)
    return found
