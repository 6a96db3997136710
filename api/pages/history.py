"""The drawing of a rating over time. Positions are in per cent of its width and height."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from api.pages.bars import Axis, axis_of


class Plot(NamedTuple):
    """What is drawn. ``line`` and ``band`` (of the intervals): the points of their SVG elements. ``end``: the
    height of the last point. ``versions``: where each version but the first begins.
    """

    axis: Axis
    line: str
    band: str
    end: float
    versions: Sequence[tuple[float, str]]


def plot(points: Sequence[Mapping[str, Any]]) -> Plot | None:
    """The drawing of points of a published history, one a day; None for fewer than two."""
    if len(points) < 2:
        return None
    axis = axis_of(points)
    days = [date.fromisoformat(point["day"]).toordinal() for point in points]
    across = [round(100 * (day - days[0]) / (days[-1] - days[0]), 2) for day in days]

    def along(name: str) -> list[str]:
        return [f"{x:g},{height(axis, point[name]):g}" for x, point in zip(across, points, strict=True)]

    begins = [
        (x, str(point["version"]))
        for x, point, before in zip(across[1:], points[1:], points, strict=False)
        if point["version"] != before["version"]
    ]
    band = " ".join([*along("high"), *reversed(along("low"))])
    return Plot(axis, " ".join(along("rating")), band, height(axis, points[-1]["rating"]), begins)


def height(axis: Axis, value: float) -> float:
    """Where ``value`` stands, from the top."""
    return round(100 - axis.at(value), 2)
