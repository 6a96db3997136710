"""The drawing of ratings over time. Positions are in per cent of the drawing's width and height."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any, Final, NamedTuple

from api.pages.bars import Axis, axis_of
from arena.events.histories import BotHistory

_LABEL: Final = 15
"""The minimum distance between two names, in pixels."""


class Plot(NamedTuple):
    """A drawing of ratings. ``line`` and ``band`` (of the intervals) are the points of their SVG elements.
    ``end`` is the height of the last point. ``versions`` are the positions at which each version after the
    first begins.
    """

    axis: Axis
    line: str
    band: str
    end: float
    versions: Sequence[tuple[float, str]]


class PlottedLine(NamedTuple):
    """One bot in the drawing of a leaderboard. ``role`` is ``first``, ``second`` or ``other``. ``label`` is
    the height of the bot's name, adjusted to avoid other names.
    """

    name: str
    role: str
    points: str
    end: tuple[float, float]
    label: float


class BoardPlot(NamedTuple):
    """The plot of several bots on a leaderboard. ``band`` belongs to the first. Highlighted lines come
    last.
    """

    axis: Axis
    lines: Sequence[PlottedLine]
    band: str
    first_day: str
    last_day: str


def plot(points: Sequence[Mapping[str, Any]]) -> Plot | None:
    """Plot the points of a published history, one per day, without those that are provisional. Return None if
    fewer than two are left.
    """
    points = [point for point in points if not point["provisional"]]
    if len(points) < 2:
        return None
    axis = axis_of(points)
    across = _across([point["day"] for point in points])

    def along(name: str) -> list[str]:
        return [f"{x:g},{height(axis, point[name]):g}" for x, point in zip(across, points, strict=True)]

    begins = [
        (x, str(point["version"]))
        for x, point, before in zip(across[1:], points[1:], points, strict=False)
        if point["version"] != before["version"]
    ]
    band = " ".join([*along("high"), *reversed(along("low"))])
    return Plot(axis, " ".join(along("rating")), band, height(axis, points[-1]["rating"]), begins)


def board_plot(
    series: Sequence[BotHistory], first: str, second: str | None, *, days: int, pixels: int
) -> BoardPlot | None:
    """Return the drawing of the last ``days`` days of a leaderboard, ``pixels`` high, or None if there are
    fewer than two days.

    ``first`` and ``second`` are the names of the highlighted bots.
    """
    shown = sorted({point[0] for one in series for point in one.points})[-days:]
    if len(shown) < 2:
        return None
    at = dict(zip(shown, _across(shown), strict=True))
    kept = {one.name: [point for point in one.points if point[0] in at] for one in series}
    kept = {name: points for name, points in kept.items() if points}
    axis = axis_of(
        {"low": low if name == first else rating, "high": high if name == first else rating}
        for name, points in kept.items()
        for _, rating, low, high in points
    )
    ends = {name: height(axis, points[-1][1]) for name, points in kept.items()}
    labels = pushed_apart(ends, 100 * _LABEL / pixels)
    lines = [
        PlottedLine(
            name,
            "first" if name == first else "second" if name == second else "other",
            " ".join(f"{at[day]:g},{height(axis, rating):g}" for day, rating, _, _ in points),
            (at[points[-1][0]], ends[name]),
            labels[name],
        )
        for name, points in kept.items()
    ]
    own = kept.get(first, ())
    band = [
        *(f"{at[day]:g},{height(axis, high):g}" for day, _, _, high in own),
        *(f"{at[day]:g},{height(axis, low):g}" for day, _, low, _ in reversed(own)),
    ]
    order = ("other", "second", "first")
    lines.sort(key=lambda line: order.index(line.role))
    return BoardPlot(axis, lines, " ".join(band), shown[0], shown[-1])


def pushed_apart(heights: Mapping[str, float], gap: float) -> dict[str, float]:
    """Return heights in the same order that are at least ``gap`` apart, moved in one pass down and one pass
    up, and therefore close to the original ones. They are between 0 and 100 if there is room.
    """
    order = sorted(heights, key=heights.__getitem__)
    found: list[float] = []
    for name in order:
        found.append(max(heights[name], found[-1] + gap if found else 0.0))
    most = 100.0
    for number in reversed(range(len(found))):
        found[number] = min(found[number], most)
        most = found[number] - gap
    return {name: round(value, 2) for name, value in zip(order, found, strict=True)}


def height(axis: Axis, value: float) -> float:
    """Return the distance of ``value`` from the top."""
    return round(100 - axis.at(value), 2)


def _across(days: Iterable[str]) -> list[float]:
    """Return the horizontal positions of the days, from the first to the last."""
    numbers = [date.fromisoformat(day).toordinal() for day in days]
    width = (numbers[-1] - numbers[0]) or 1
    return [round(100 * (number - numbers[0]) / width, 2) for number in numbers]
