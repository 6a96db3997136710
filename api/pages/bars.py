"""Positions of intervals on a common axis, in per cent of its width."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import ceil, floor
from typing import Any, Final, NamedTuple

REFERENCE: Final = 1500
"""The rating marked by the dashed line."""

_ROUNDING: Final = 50
_STEPS: Final = (100, 200, 500)
_MOST_LINES: Final = 6


class Axis(NamedTuple):
    """An axis from ``low`` to ``high``."""

    low: int
    high: int

    def at(self, value: float) -> float:
        """Return the position of ``value``."""
        return round(100 * (value - self.low) / (self.high - self.low), 2)

    @property
    def lines(self) -> list[int]:
        """The multiples of one hundred that are marked with a line: as many as fit."""
        step, size = 0, 1
        while True:
            for step in _STEPS:
                step *= size
                found = list(range(ceil(self.low / step) * step, self.high + 1, step))
                if len(found) <= _MOST_LINES:
                    return found
            size *= 10

    @property
    def reference(self) -> float | None:
        """The position of the reference, or None if it is outside the axis."""
        return self.at(REFERENCE) if self.low <= REFERENCE <= self.high else None


def axis_of(rows: Iterable[Mapping[str, Any]]) -> Axis:
    """Return the axis for the intervals of ``rows``, from ``low`` to ``high``: their range,
    rounded outwards. Provisional ratings are not drawn.
    """
    drawn = (row for row in rows if not row.get("provisional"))
    bounds = [bound for row in drawn for bound in (row["low"], row["high"])] or [REFERENCE]
    low = floor(min(bounds) / _ROUNDING) * _ROUNDING
    high = ceil(max(bounds) / _ROUNDING) * _ROUNDING
    return Axis(low, high) if low < high else Axis(low - _ROUNDING, high + _ROUNDING)
