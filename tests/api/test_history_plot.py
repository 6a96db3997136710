"""The drawing of a rating over time."""

from __future__ import annotations

from typing import Any

from api.pages.bars import Axis
from api.pages.history import plot


def point(
    day: str, version: str, rating: float, half: float = 50, *, provisional: bool = False
) -> dict[str, Any]:
    bounds = {"low": rating - half, "high": rating + half}
    return {"day": day, "version": version, "rating": rating, **bounds, "provisional": provisional}


def test_days_stand_where_they_are_in_time() -> None:
    drawn = plot(
        [point("2026-11-20", "1", 1500), point("2026-11-21", "1", 1550, 0), point("2026-11-24", "2", 1600)]
    )
    assert drawn is not None
    assert drawn.axis == Axis(1450, 1650)
    assert drawn.line == "0,75 25,50 100,25"
    assert drawn.band == "0,50 25,50 100,0 100,50 25,50 0,100"
    assert drawn.end == 25
    assert drawn.versions == [(100, "2")]


def test_one_day_is_no_history() -> None:
    assert plot([]) is None
    assert plot([point("2026-11-20", "1", 1500)]) is None


def test_days_with_a_provisional_rating_are_not_drawn() -> None:
    days = [point("2026-11-20", "1", 1500), point("2026-11-21", "1", 1550)]
    first = point("2026-11-19", "1", 437, 595, provisional=True)
    assert plot([first, *days]) == plot(days)
    assert plot([first, days[0]]) is None
