"""How a crosstable is shown."""

from __future__ import annotations

import pytest

from api.pages.crosstable import Cell, cells
from arena.play.stats import wilson
from arena.ratings.standings import Meeting


def cell(points: float, groups: int) -> Cell:
    (((found,),)) = cells([[Meeting(points, groups).as_json()]])
    assert found is not None
    return found


def test_a_cell_in_words() -> None:
    assert cell(7.5, 12).words == "7.5 of 12 groups, 0.62, from 0.35 to 0.84"
    assert cell(1, 1).words == "1 of 1 group, 1.00, from 0.21 to 1.00"
    assert [cell(points, 12).short for points in (7.5, 12, 0)] == [".62", "1.00", ".00"]


def test_who_did_not_meet() -> None:
    assert cells([[None, Meeting(0.0, 0).as_json()]]) == [[None, None]]


@pytest.mark.parametrize(
    ("share", "step"),
    [
        (0, "worse-3"),
        (20, "worse-3"),
        (33, "worse-2"),
        (44, "worse-1"),
        (45, "even"),
        (55, "even"),
        (56, "better-1"),
        (67, "better-2"),
        (80, "better-3"),
        (100, "better-3"),
    ],
)
def test_the_scale(share: int, step: str) -> None:
    own = cell(share, 100)
    other = cell(100 - share, 100)
    assert own.step == step
    opposite = {"worse": "better", "better": "worse"}
    name, dash, number = step.partition("-")
    assert other.step == opposite.get(name, name) + dash + number


def test_wilsons_interval() -> None:
    low, high = wilson(50, 100)
    assert (low, high) == (pytest.approx(0.4038, abs=1e-4), pytest.approx(0.5962, abs=1e-4))
    assert wilson(0, 3)[0] == pytest.approx(0)
    assert wilson(3, 3)[1] == pytest.approx(1)


def test_a_share_is_clear_if_the_interval_leaves_out_one_half() -> None:
    assert [cell(points, 12).is_clear for points in (2, 3, 9, 10)] == [True, False, False, True]


def test_what_is_published_is_rounded() -> None:
    assert Meeting(7.5, 12).as_json() == {
        "points": 7.5,
        "groups": 12,
        "share": 0.625,
        "low": 0.354369,
        "high": 0.835007,
    }
    assert Meeting(0.0, 0).as_json()["share"] is None
