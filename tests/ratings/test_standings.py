"""Standings, worked out by hand."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Mapping, Sequence
from hashlib import sha256
from math import sqrt

import pytest

from arena.play.players import PlayerId
from arena.ratings.results import GroupResult
from arena.ratings.standings import (
    TIE_BREAKS,
    Meeting,
    Standings,
    StandingsRow,
    UnknownTieBreak,
    group_points,
    standings,
)
from tests.ratings.made_up import group, league, player


def match(number: int | str, first: str, second: str, result: float, *, kind: str = "toepen") -> GroupResult:
    """Two games, of which ``first`` gained ``result``."""
    games = {1: ["12", "12"], 0.75: ["12", "11"], 0.5: ["12", "21"], 0.25: ["11", "21"], 0: ["21", "21"]}
    return group(number, [first, second], *games[result], kind=kind)


def table(*results: tuple[str, float]) -> list[GroupResult]:
    """``("ab", 1)``: a won against b."""
    return [match(number, *pair, result) for number, (pair, result) in enumerate(results)]


def line(found: Standings, name: str) -> StandingsRow:
    (own,) = [own for own in found.rows if own.name == name]
    return own


def places(found: Standings) -> dict[str, int]:
    return {own.name: own.place for own in found.rows}


def test_points_are_counted_per_group() -> None:
    found = standings(table(("ab", 1), ("ab", 0.75), ("bc", 0.5), ("ca", 0.25)))
    a, b, c = (line(found, name) for name in "abc")
    assert [own.name for own in found.rows] == ["a", "c", "b"]
    assert (a.points, a.groups, a.games, a.score, a.won) == (2.5, 3, 6, round(2.5 / 3, 9), 3)
    assert (b.points, b.groups, b.score, b.won) == (0.75, 3, 0.25, 0)
    assert (c.points, c.groups, c.score, c.won) == (0.75, 2, 0.375, 0)
    assert found.groups == 4


def test_standings_come_back_from_their_json() -> None:
    found = standings(table(("ab", 1), ("ab", 0.75), ("bc", 0.5), ("ca", 0.25)))
    assert Standings.from_json(json.loads(json.dumps(found.as_json()))) == found


def test_a_knockout_has_its_own_order() -> None:
    found = standings(table(("ab", 1), ("ab", 0.75), ("bc", 0.5), ("ca", 0.25)))
    placed = found.placed({player("b"): 1, player("a"): 2})
    assert [(own.name, own.place) for own in placed.rows] == [("b", 1), ("a", 2), ("c", 3)]
    assert line(placed, "b").points == line(found, "b").points
    names = [own.name for own in found.rows]
    before = {
        (mine, other): found.meetings[i][j] for i, mine in enumerate(names) for j, other in enumerate(names)
    }
    names = [own.name for own in placed.rows]
    assert before == {
        (mine, other): placed.meetings[i][j] for i, mine in enumerate(names) for j, other in enumerate(names)
    }


def test_fewer_groups_are_not_a_disadvantage() -> None:
    """Bots that may not meet leave pairings out: the score is per group played."""
    found = standings(table(("ab", 1), ("ac", 1), ("ad", 0), ("bd", 1), ("bc", 0), ("cd", 0.5)))
    fewer = standings(table(("ab", 1), ("ac", 1), ("bd", 1), ("bc", 0), ("cd", 0.5)))
    assert line(found, "a").score == round(2 / 3, 9)
    assert line(fewer, "a").score == 1
    assert fewer.meetings[0][[own.name for own in fewer.rows].index("d")] is None


def test_the_interval_is_students_over_groups() -> None:
    found = standings(table(("ab", 1), ("ab", 0.5), ("ab", 0.75), ("ab", 0)))
    mean = 2.25 / 4
    deviation = sqrt(sum((x - mean) ** 2 for x in (1, 0.5, 0.75, 0)) / 3)
    half = line(found, "a").half_width
    assert half == pytest.approx(3.1824 * deviation / 2, rel=0.01)
    assert line(found, "b").half_width == pytest.approx(half)
    assert line(standings(table(("ab", 1))), "a").half_width is None


def test_entrants_without_a_group_are_listed_with_zero() -> None:
    found = standings(table(("ab", 1)), entrants=[player("a"), player("c"), player("d")])
    assert places(found) == {"a": 1, "b": 2, "c": 2, "d": 2}
    c = line(found, "c")
    assert (c.groups, c.points, c.score, c.half_width, c.used_ms) == (0, 0, 0, None, None)
    assert places(standings([], entrants=[player("x")])) == {"x": 1}
    assert standings([]).rows == ()


def test_a_bye_scores_as_a_won_group() -> None:
    found = standings(table(("ab", 0.5), ("ac", 1)), byes={player("c"): 1, player("d"): 2})
    c, d = line(found, "c"), line(found, "d")
    assert (c.byes, c.groups, c.points, c.score, c.won) == (1, 1, 1, 0.5, 0)
    assert (d.byes, d.groups, d.points, d.score) == (2, 0, 2, 1)
    assert found.rows[0].name == "d"


def test_groups_that_do_not_count_are_left_out() -> None:
    groups = table(("ab", 1))
    left_out = [
        group("x", "b a", "12", size=2),
        group("y", "b a", "12", "12", annulled=True),
        group("z", "b b", "12", "12"),
    ]
    assert standings(groups + left_out) == standings(groups)


def test_a_forfeited_group_is_a_loss_of_the_forfeiter_and_for_the_others_what_was_finished() -> None:
    lost = group("x", "a b", "12", "12", forfeits=[(), (1,)], faults=[(0, 0), (1, 3)])
    found = standings([*table(("ab", 1), ("bc", 1)), lost])
    a, b = line(found, "a"), line(found, "b")
    assert (a.groups, a.points, a.forfeits, a.faults) == (2, 1, 1, 3)
    # Game 0 of the lost group, which a won, is half a group.
    assert (b.groups, b.points, b.score, b.games) == (3, 1, round(1 / 2.5, 9), 5)
    assert (b.forfeits, b.faults, b.won) == (0, 0, 1)
    order = [own.name for own in found.rows]
    assert found.meetings[order.index("a")][order.index("b")] == Meeting(1, 2)
    assert found.meetings[order.index("b")][order.index("a")] == Meeting(0, 1)


def test_a_player_whose_opponents_all_forfeited_is_listed_with_zero() -> None:
    lost = [group(n, f"{name} a", "12", "12", forfeits=[(1,), (0,)]) for n, name in enumerate("bcd")]
    for rules in (["head_to_head", "sonneborn_berger", "won"], list(TIE_BREAKS)):
        found = standings([*lost, *table(("be", 1))], tie_breaks=rules)
        assert places(found)["b"] == 1
        assert places(found)["c"] == places(found)["d"]
        assert (line(found, "c").groups, line(found, "c").points) == (0, 0)
        assert (line(found, "a").groups, line(found, "a").forfeits) == (3, 3)


def test_tables_of_four_give_the_share_of_opponents_beaten() -> None:
    played = group("t", "a b c d", "1234", "2134", "1224", "4321")
    found = standings([played])
    scores = {name: line(found, name).score for name in "abcd"}
    expected = {
        "a": (1 + 2 / 3 + 1 + 0) / 4,
        "b": (2 / 3 + 1 + 0.5 + 1 / 3) / 4,
        "c": (1 / 3 + 1 / 3 + 0.5 + 2 / 3) / 4,
        "d": (0 + 0 + 0 + 1) / 4,
    }
    assert scores == pytest.approx(expected)
    assert group_points(played, player("a"), player("b")) == 0.5
    assert group_points(played, player("b"), player("c")) == (1 + 1 + 0.5 + 0) / 4
    # Everybody's points are those against its three opponents, a third each.
    for own, meetings in zip(found.rows, found.meetings, strict=True):
        assert sum(m.points for m in meetings if m) / 3 == pytest.approx(own.points)


def test_partners_are_not_opponents() -> None:
    played = group("t", "a b c d", "1212", "1212", kind="truco")
    assert group_points(played, player("a"), player("c")) is None
    assert group_points(played, player("a"), player("b")) == 1
    assert group_points(played, player("a"), player("a")) is None
    found = standings([played])
    assert places(found) == {"a": 1, "c": 1, "b": 3, "d": 3}
    assert found.meetings[0] == (None, None, Meeting(1, 1), Meeting(1, 1))


def test_scores_that_differ_only_by_rounding_are_tied() -> None:
    groups = [group(number, "a b c d", "1234", "2143", "3412", "4321") for number in range(3)]
    assert set(places(standings(groups)).values()) == {1}
    thirds = [
        group("x", "a b c d", "2134", "2134", "2134", "1234"),
        group("y", "b a c d", "2134", "2134", "2134", "1234"),
    ]
    assert places(standings(thirds)) == {"a": 1, "b": 1, "c": 3, "d": 4}


# Tie-breaks

TIED = table(("ab", 1), ("ac", 0.5), ("ad", 0), ("bc", 1), ("bd", 0.5), ("cd", 0.5))
"""Scores: a, b 0.5, c 1/3, d 2/3; a beat b."""


def test_head_to_head_looks_at_the_games_among_the_tied() -> None:
    found = standings(TIED, tie_breaks=["head_to_head"])
    assert places(found) == {"d": 1, "a": 2, "b": 3, "c": 4}
    assert line(found, "a").tie_breaks == {"head_to_head": 1}
    assert line(found, "b").tie_breaks == {"head_to_head": 0}
    assert line(found, "d").tie_breaks == {}


def test_sonneborn_berger_weighs_points_by_the_opponents_score() -> None:
    found = standings(TIED, tie_breaks=["sonneborn_berger"])
    assert line(found, "a").tie_breaks == {"sonneborn_berger": pytest.approx(0.5 + 0.5 / 3)}
    assert line(found, "b").tie_breaks == {"sonneborn_berger": pytest.approx(1 / 3 + 0.5 * 2 / 3)}
    assert places(found)["a"] == places(found)["b"] == 2


def test_buchholz_adds_the_opponents_scores() -> None:
    groups = table(("ac", 1), ("bd", 1), ("cd", 1), ("ce", 0.5))
    found = standings(groups, tie_breaks=["buchholz"])
    assert line(found, "a").tie_breaks == {"buchholz": 0.5}
    assert line(found, "b").tie_breaks == {"buchholz": 0}
    assert line(found, "c").tie_breaks == {"buchholz": 1 + 0 + 0.5}
    assert places(found) == {"a": 1, "b": 2, "c": 3, "e": 4, "d": 5}
    twice = standings([*groups, match("again", "a", "c", 1)], tie_breaks=["buchholz"])
    assert line(twice, "a").tie_breaks == {"buchholz": pytest.approx(2 * 1.5 / 4)}


def test_won_counts_groups_won_alone() -> None:
    groups = table(("ac", 1), ("ac", 0.25), ("bc", 0.75), ("bc", 0.5))
    found = standings(groups, tie_breaks=["won"])
    assert (line(found, "a").won, line(found, "b").won) == (1, 1)
    groups = table(("ac", 1), ("ac", 0), ("bc", 0.5), ("bc", 0.5))
    found = standings(groups, tie_breaks=["won"])
    assert line(found, "a").tie_breaks == {"won": 1}
    assert line(found, "b").tie_breaks == {"won": 0}
    assert places(found)["a"] < places(found)["b"]


def test_fewest_faults() -> None:
    groups = [
        group(1, "a c", "12", "21", faults=[(1, 0), (0, 1)]),
        group(2, "b c", "12", "21", faults=[(1, 0), (0, 0)]),
    ]
    found = standings(groups, tie_breaks=["fewest_faults"])
    assert line(found, "a").faults == 2
    assert line(found, "b").tie_breaks == {"fewest_faults": -1}
    assert places(found)["b"] < places(found)["a"]


def test_tie_breaks_apply_in_order_until_the_tie_is_broken() -> None:
    first = standings(TIED, tie_breaks=["sonneborn_berger", "head_to_head"])
    assert places(first) == {"d": 1, "a": 2, "b": 3, "c": 4}
    assert list(line(first, "a").tie_breaks) == ["sonneborn_berger", "head_to_head"]
    other = standings(TIED, tie_breaks=["head_to_head", "sonneborn_berger"])
    assert list(line(other, "a").tie_breaks) == ["head_to_head"]
    assert other.tie_breaks == ("head_to_head", "sonneborn_berger")


def test_players_tied_after_the_last_tie_break_share_the_place() -> None:
    circle = table(("ab", 1), ("bc", 1), ("ca", 1))
    found = standings([*circle, match("x", "d", "a", 0), match("y", "d", "b", 0), match("z", "d", "c", 0)])
    assert places(found) == {"a": 1, "b": 1, "c": 1, "d": 4}


def test_a_part_of_the_tied_is_compared_among_itself() -> None:
    """a, b and c are tied; head to head leaves a and b equal ahead of c, of whom a won the other groups."""
    groups = table(("ab", 0.5), ("ac", 0.75), ("bc", 0.75), ("ae", 0), ("be", 0), ("ce", 0.75))
    found = standings(groups, tie_breaks=["head_to_head", "fewest_faults"])
    assert [line(found, name).score for name in "abc"] == [pytest.approx(1.25 / 3)] * 3
    assert places(found) == {"e": 1, "a": 2, "b": 2, "c": 4}
    assert list(line(found, "c").tie_breaks) == ["head_to_head"]
    assert list(line(found, "a").tie_breaks) == ["head_to_head", "fewest_faults"]


def test_an_unknown_rule_is_an_error() -> None:
    with pytest.raises(UnknownTieBreak) as raised:
        standings([], tie_breaks=["won", "luck"])
    assert raised.value.code == "unknown_tie_break"
    assert str(raised.value) == "there is no tie-break 'luck'; at tie_breaks; expected one of " + ", ".join(
        TIE_BREAKS
    )


def test_baseline_players_come_last_without_a_place() -> None:
    groups = table(("ab", 1), ("ac", 1), ("ad", 0), ("bd", 1), ("bc", 0.5), ("cd", 0.5))
    found = standings(groups, baseline=[player("a"), player("d")])
    assert [(own.name, own.place, own.baseline) for own in found.rows] == [
        ("b", 1, False),
        ("c", 2, False),
        ("a", None, True),
        ("d", None, True),
    ]
    # What anybody gained is the same.
    assert {own.name: own.score for own in found.rows} == {
        own.name: own.score for own in standings(groups).rows
    }
    assert Standings.from_json(json.loads(json.dumps(found.as_json()))) == found
    assert [line.split()[:2] for line in found.as_text().splitlines()[3:5]] == [
        ["baseline", "a"],
        ["baseline", "d"],
    ]


# The crosstable and the forms


def test_the_crosstable_has_what_each_gained_against_each() -> None:
    found = standings(table(("ab", 1), ("ab", 0.75), ("bc", 0.5), ("ca", 0.25)))
    order = [own.name for own in found.rows]
    cross: Mapping[str, Meeting | None] = {
        mine + other: found.meetings[i][j] for i, mine in enumerate(order) for j, other in enumerate(order)
    }
    assert cross["ab"] == Meeting(1.75, 2)
    assert cross["ba"] == Meeting(0.25, 2)
    assert cross["ac"] == Meeting(0.75, 1)
    assert cross["bc"] == cross["cb"] == Meeting(0.5, 1)
    assert cross["aa"] is None


def test_neither_order_nor_names_of_groups_change_anything() -> None:
    groups = league(5, names=["rookie", "a@1", "a@2", "b"])
    expected = standings(groups)
    for seed in range(3):
        random.Random(seed).shuffle(groups)
        assert standings(groups) == expected
    hashes = sorted(bytes.fromhex(game.hash) for own in groups for game in own.games)
    assert expected.records_hash == sha256(b"".join(hashes)).hexdigest()
    assert {(own.name, own.version) for own in expected.rows} >= {("a", "1"), ("a", "2")}


def test_time_used_needs_the_times_of_all_games() -> None:
    timed = group(1, "a b", "12", "21", used_ms=[(1500, 200), (300, 4000)])
    found = standings([timed])
    assert (line(found, "a").used_ms, line(found, "b").used_ms) == (5500, 500)
    assert "5.5 s" in found.as_text()
    assert line(standings([timed, match(2, "a", "b", 1)]), "a").used_ms is None


def test_the_json_holds_everything() -> None:
    found = standings(TIED, byes={player("c"): 1}, tie_breaks=["head_to_head", "won"])
    data = json.loads(json.dumps(found.as_json()))
    assert data["tie_breaks"] == ["head_to_head", "won"]
    assert data["records_hash"] == found.records_hash
    assert [own["name"] for own in data["rows"]] == [own.name for own in found.rows]
    assert data["rows"][0] == vars(found.rows[0])
    assert [
        [None if m is None else (m["points"], m["groups"]) for m in own] for own in data["crosstable"]
    ] == [[None if m is None else tuple(vars(m).values()) for m in own] for own in found.meetings]


def test_the_csv_has_a_column_per_opponent_and_rule() -> None:
    found = standings(TIED, tie_breaks=["head_to_head", "won"])
    headings, *lines = csv.reader(io.StringIO(found.as_csv()))
    rows = [dict(zip(headings, own, strict=True)) for own in lines]
    assert [own["name"] for own in rows] == ["d", "a", "b", "c"]
    assert [own["place"] for own in rows] == ["1", "2", "3", "4"]
    assert [own["tie_break_head_to_head"] for own in rows] == ["", "1.0", "0.0", ""]
    assert [own["tie_break_won"] for own in rows] == [""] * 4
    assert [own["half_width"] != "" for own in rows] == [True] * 4
    assert [rows[1][f"against_{number}"] for number in range(1, 5)] == ["0.0", "", "1.0", "0.5"]


def test_the_text_has_both_tables() -> None:
    text = standings([*TIED, match("long", "a", "=1+1", 1)], entrants=[PlayerId("late", "7")]).as_text()
    lines, cross = text.split("\n\n")
    assert lines.splitlines()[0].split() == [
        "place", "bot", "version", "points", "score", "95%", "groups", "byes", "won", "faults", "time",
    ]  # fmt: skip
    assert len(lines.splitlines()) == len(cross.splitlines()) == 1 + 6
    assert lines.splitlines()[1].split()[:5] == ["1", "d", "1", "2.00", "0.667"]
    row: Sequence[str] = next(own for own in cross.splitlines() if " a " in own).split()
    assert row[:2] == ["2", "a"]
    assert sorted(row[2:]) == ["0.5/1", "0/1", "1/1", "1/1"]
