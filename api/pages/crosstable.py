"""Renders published crosstables, on a scale of seven steps."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from markupsafe import Markup, escape

_BELOW: Final = (0.2, 0.333)
_ABOVE: Final = (0.667, 0.8)
_EVEN: Final = 0.05
_DIGITS: Final = 9


class Cell(NamedTuple):
    """The result of one bot against another: its ``share`` of the points of ``groups``, with a 95%
    interval.
    """

    points: float
    groups: int
    share: float
    low: float
    high: float

    @property
    def step(self) -> str:
        """The step of the scale, from ``worse-3`` to ``better-3``."""
        share = round(self.share, _DIGITS)
        if abs(round(share - 0.5, _DIGITS)) <= _EVEN:
            return "even"
        if share < 0.5:
            return f"worse-{3 - bisect_left(_BELOW, share)}"
        return f"better-{1 + bisect_right(_ABOVE, share)}"

    @property
    def is_clear(self) -> bool:
        """Whether the interval excludes one half."""
        return not self.low <= 0.5 <= self.high

    @property
    def short(self) -> str:
        """The share as ``.62``, or ``1.00``."""
        return f"{self.share:.2f}".removeprefix("0")

    @property
    def words(self) -> str:
        """The points, the share and the interval in words."""
        return (
            f"{self.points:g} of {self.groups} group{'' if self.groups == 1 else 's'}, "
            f"{self.share:.2f}, from {self.low:.2f} to {self.high:.2f}"
        )


def cells(crosstable: Sequence[Sequence[Mapping[str, Any] | None]]) -> list[list[Cell | None]]:
    """Return the cells of a published crosstable, with None for pairs of bots that did not meet."""
    return [[_cell(meeting) for meeting in row] for row in crosstable]


def _cell(meeting: Mapping[str, Any] | None) -> Cell | None:
    return Cell(**meeting) if meeting and meeting["groups"] else None


def drawn(
    table: Sequence[Sequence[Cell | None]], names: Sequence[str], whiskers: bool, page: str
) -> list[Markup]:
    """Return the HTML cells of each row of a crosstable between ``names``. ``whiskers``: whether to draw
    intervals. Each cell links to the groups of its pair on ``page``.

    They are rendered here because there can be 1,600 of them, and a template takes three times as long.
    """
    escaped = [escape(name) for name in names]
    return [
        Markup(
            "".join(
                _drawn_cell(cell, who, whom, whiskers, page)
                if cell
                else f'<td class="{"self" if who is whom else "unmet"}"></td>'
                for whom, cell in zip(escaped, row, strict=False)
            )
        )
        for who, row in zip(escaped, table, strict=False)
    ]


def _drawn_cell(cell: Cell, who: str, whom: str, whiskers: bool, page: str) -> str:
    clear = " clear" if cell.is_clear else ""
    title = f"{who} against {whom}: {cell.words}"
    # In URLs, only the names of copies of house bots need escaping.
    link = f"{page}?bot={who.replace('+', '%2B')}&amp;against={whom.replace('+', '%2B')}#groups"
    drawing = ""
    if whiskers:
        low, share, high = (round(100 * value, 1) for value in (cell.low, cell.share, cell.high))
        drawing = (
            '<svg aria-hidden="true"><line class="half" x1="50%" x2="50%" y1="0" y2="8"/>'
            f'<line x1="{low}%" x2="{high}%" y1="4" y2="4"/><circle cx="{share}%" cy="4" r="2"/></svg>'
        )
    return f'<td class="{cell.step}{clear}" title="{title}"><a href="{link}">{cell.short}</a>{drawing}</td>'
