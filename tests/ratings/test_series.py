"""The season table: points by place, best results, ties, and that anybody can make it again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.declarations import settings_of
from arena.ratings.series import SERIES_TIE_BREAKS, FinalPlaces, SeriesTable, recomputed, series_table
from arena.ratings.series_rules import InvalidSeries, SeriesRules

RULES = SeriesRules(points=(10, 6, 3))


def test_the_tie_breaks_are_those_that_there_are() -> None:
    assert settings_of(SeriesRules)["tie_breaks"].choices == tuple(SERIES_TIE_BREAKS)


def final(id: str, *rows: tuple[int, str, str]) -> FinalPlaces:
    """A tournament of rows of place, bot and owner."""
    return FinalPlaces(id, id.title(), "00", tuple((place, bot, "1", owner) for place, bot, owner in rows))


def points(table: SeriesTable) -> dict[str, float]:
    return {row.name: row.points for row in table.rows}


def test_points_by_place() -> None:
    table = series_table(
        RULES,
        [
            final("one", (1, "a1", "ana"), (2, "b1", "bia"), (3, "c1", "caio"), (4, "d1", "davi")),
            final("two", (1, "b1", "bia"), (2, "a1", "ana")),
        ],
    )
    assert points(table) == {"ana": 16, "bia": 16, "caio": 3, "davi": 0}
    assert table.rows[2].results == (3, None)
    assert [row.place for row in table.rows] == [1, 2, 3, 4]


def test_house_bots_take_no_place() -> None:
    table = series_table(RULES, [final("one", (1, "shark", ""), (2, "a1", "ana"), (3, "rookie", ""))])
    assert points(table) == {"ana": 10}


def test_of_an_owner_the_best_bot_counts() -> None:
    one = final("one", (1, "a1", "ana"), (2, "a2", "ana"), (3, "b1", "bia"))
    assert points(series_table(RULES, [one])) == {"ana": 10, "bia": 6}
    by_bot = series_table(SeriesRules(points=(10, 6, 3), by="bot"), [one])
    assert points(by_bot) == {"a1": 10, "a2": 6, "b1": 3}


def test_a_shared_place_shares_the_points() -> None:
    rows = (1, "a1", "ana"), (1, "b1", "bia"), (3, "c1", "caio"), (3, "d1", "davi")
    table = series_table(RULES, [final("one", *rows)])
    assert points(table) == {"ana": 8, "bia": 8, "caio": 1.5, "davi": 1.5}
    assert [row.place for row in table.rows] == [1, 1, 3, 3]


def test_the_best_results_count() -> None:
    rules = SeriesRules(points=(10, 6, 3), best=2)
    table = series_table(
        rules,
        [
            final("one", (1, "a1", "ana"), (2, "b1", "bia")),
            final("two", (1, "b1", "bia"), (2, "a1", "ana")),
            final("three", (1, "a1", "ana"), (2, "b1", "bia")),
        ],
    )
    assert points(table) == {"ana": 20, "bia": 16}
    assert table.rows[0].counted == (True, False, True)
    # Of equal results the earlier one counts.
    assert table.rows[1].counted == (True, True, False)
    assert "(6)" in table.as_text()


@pytest.mark.parametrize(
    ("tie_breaks", "first"), [(("wins",), "ana"), (("last",), "caio"), (("played", "wins"), "bia")]
)
def test_ties(tie_breaks: tuple[str, ...], first: str) -> None:
    rules = SeriesRules(points=(12, 6, 0), tie_breaks=tie_breaks)
    table = series_table(
        rules,
        [final("one", (1, "a1", "ana"), (2, "b1", "bia")), final("two", (1, "c1", "caio"), (2, "b1", "bia"))],
    )
    assert {row.points for row in table.rows} == {12}
    assert table.rows[0].name == first or table.rows[0].place == table.rows[1].place
    assert next(row for row in table.rows if row.name == first).place == 1
    assert tie_breaks[0] in table.rows[0].tie_breaks


def test_without_tie_breaks_the_place_is_shared() -> None:
    rules = SeriesRules(points=(1,), tie_breaks=())
    table = series_table(rules, [final("one", (1, "a1", "ana")), final("two", (1, "b1", "bia"))])
    assert [row.place for row in table.rows] == [1, 1]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"points": ()}, "points"),
        ({"points": (1, 2)}, "points"),
        ({"points": (float("nan"),)}, "points"),
        ({"best": 0}, "best"),
        ({"by": "team"}, "by"),
        ({"tie_breaks": ("luck",)}, "tie_breaks"),
        ({"tie_breaks": ("wins", "wins")}, "tie_breaks"),
    ],
)
def test_rules_that_cannot_be(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidSeries) as refused:
        series_table(SeriesRules(**changes), [])
    assert refused.value.field == field


_FINALS = st.lists(
    st.lists(
        st.tuples(st.integers(1, 6), st.sampled_from("abcdef"), st.sampled_from(["", "ana", "bia", "caio"])),
        max_size=6,
        unique_by=lambda row: row[1],
    ),
    max_size=5,
).map(lambda all_rows: [final(f"t{n}", *rows) for n, rows in enumerate(all_rows)])


@given(_FINALS, st.sampled_from(["owner", "bot"]), st.none() | st.integers(1, 3))
def test_anybody_makes_it_again(inputs: list[FinalPlaces], by: str, best: int | None) -> None:
    table = series_table(SeriesRules(by=by, best=best), inputs)
    published = json.loads(json.dumps(table.as_json()))
    assert recomputed(published) == table
    # Nobody has more points than all places together, and the order is that of the points.
    assert [row.points for row in table.rows] == sorted((row.points for row in table.rows), reverse=True)
    if table.rows and inputs[0].rows:
        changed = json.loads(json.dumps(published))
        changed["rows"][0]["points"] += 1
        with pytest.raises(InvalidSeries, match="do not match"):
            recomputed(changed)
        changed = json.loads(json.dumps(published))
        changed["inputs"][0]["rows"][0]["place"] += 1
        with pytest.raises(InvalidSeries, match="hash"):
            recomputed(changed)


def test_other_json_is_no_table() -> None:
    with pytest.raises(InvalidSeries, match="not a valid series table"):
        recomputed({"rows": []})
