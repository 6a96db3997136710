"""The axis of interval bars."""

from __future__ import annotations

import pytest

from api.pages.bars import Axis, axis_of


def row(low: float, high: float) -> dict[str, float]:
    return {"low": low, "high": high}


@pytest.mark.parametrize(
    ("rows", "axis"),
    [
        ([row(1561.2, 1673.4), row(861, 1057)], Axis(850, 1700)),
        ([row(1450, 1600)], Axis(1450, 1600)),
        ([row(-120.5, 10)], Axis(-150, 50)),
        ([row(1500, 1500)], Axis(1450, 1550)),
        ([row(1510, 1510)], Axis(1500, 1550)),
        ([], Axis(1450, 1550)),
    ],
)
def test_the_axis_is_the_range_of_all_intervals_rounded_outwards(
    rows: list[dict[str, float]], axis: Axis
) -> None:
    assert axis_of(rows) == axis


def test_provisional_ratings_are_not_on_the_axis() -> None:
    rows = [{"low": 1410, "high": 1590}, {"low": -158, "high": 1031.9, "provisional": True}]
    assert axis_of(rows) == axis_of(rows[:1]) == Axis(1400, 1600)


def test_positions_are_in_per_cent() -> None:
    axis = Axis(1400, 1700)
    assert [axis.at(value) for value in (1400, 1500, 1550, 1700)] == [0, 33.33, 50, 100]


@pytest.mark.parametrize(
    ("axis", "lines"),
    [
        (Axis(1350, 1650), [1400, 1500, 1600]),
        (Axis(1400, 1700), [1400, 1500, 1600, 1700]),
        (Axis(850, 1700), [1000, 1200, 1400, 1600]),
        (Axis(-1000, 1900), [-1000, -500, 0, 500, 1000, 1500]),
        (Axis(0, 20_000), [0, 5000, 10_000, 15_000, 20_000]),
        (Axis(1450, 1550), [1500]),
        (Axis(1550, 1600), [1600]),
    ],
)
def test_lines_stand_at_round_hundreds(axis: Axis, lines: list[int]) -> None:
    assert axis.lines == lines


def test_the_reference_is_shown_if_it_is_on_the_axis() -> None:
    assert Axis(1400, 1600).reference == 50
    assert Axis(1550, 1600).reference is None
