from __future__ import annotations

import json
from math import exp
from random import Random

import pytest

from arena.games.toepen.titles import Style
from arena.integrity.suspicions import DUMPING, SIGNALLING, suspicions
from arena.ratings.results import GroupResult
from tests.ratings.made_up import group, player

NAMES = ("a", "b", "c", "d", "e", "f")
STRENGTH = dict(zip(NAMES, (0.6, 0.4, 0.2, 0.0, -0.3, -0.6), strict=True))


def duel(random: Random, number: int, one: str, other: str, *, dumped: bool = False) -> GroupResult:
    """Two games; ``dumped``: ``other`` folds and loses nine of ten."""
    chance = 0.98 if dumped else 1 / (1 + exp(STRENGTH[other] - STRENGTH[one]))
    places = ["12" if random.random() < chance else "21" for _ in range(2)]
    folds = Style(folds=9 if dumped else 3, fold_opportunities=10)
    return group(number, f"{one} {other}", *places, styles=[(Style(), folds), (folds, Style())])


def duels(random: Random, dumper: str | None) -> list[GroupResult]:
    pairs = [(one, other) for one in NAMES for other in NAMES if one < other] * 40
    return [
        duel(random, number, one, other, dumped=(one, other) == ("b", dumper))
        for number, (one, other) in enumerate(pairs)
    ]


def test_a_bot_that_loses_to_one_friend_on_purpose_is_found_with_the_evidence() -> None:
    groups = duels(Random(1), "c")
    found = suspicions(groups[::-1], {})
    (one,) = found
    (helper,) = one.helpers
    assert (one.what, one.tournament, one.gainer, helper.player) == (DUMPING, None, player("b"), player("c"))
    assert one.groups == helper.groups == 40
    assert one.score == helper.score > 0.8 > 0.65 > one.expected
    assert (helper.fold_rate, helper.fold_rate_elsewhere) == (0.9, pytest.approx(0.3, abs=0.2))
    assert len(one.group_ids) == 20
    shown = json.loads(json.dumps(one.as_json()))
    assert shown["gainer"] == {"name": "b", "version": "1", "owner": None}
    assert (shown["helpers"][0]["name"], shown["helpers"][0]["groups"]) == ("c", 40)
    assert suspicions(groups, {}) == found


@pytest.mark.parametrize("seed", range(5))
def test_an_honest_field_is_not_named(seed: int) -> None:
    assert suspicions(duels(Random(seed), None), {}) == []


def table(random: Random, number: int, names: list[str], *, friends: bool) -> GroupResult:
    """Four games at a table of four. Friends, if both are there, come in before the others."""
    together = friends and {"a", "d"} <= set(names)
    places = []
    for _ in range(4):

        def luck(name: str) -> float:
            return STRENGTH[name] + random.gauss(0, 1) + (2 if together and name in "ad" else 0)

        order = sorted(names, key=luck, reverse=True)
        places.append("".join(str(order.index(name) + 1) for name in names))
    return group(number, names, *places)


def tables(friends: bool) -> list[GroupResult]:
    random = Random(3)
    return [table(random, number, random.sample(NAMES, 4), friends=friends) for number in range(200)]


def test_two_who_help_each_other_at_tables_are_found() -> None:
    found = suspicions(tables(True), {})
    assert (found[0].what, found[0].gainer, found[0].helpers[0].player) == (
        SIGNALLING,
        player("a"),
        player("d"),
    )
    assert suspicions(tables(False), {}) == []


def test_partners_who_understand_each_other_too_well_are_found() -> None:
    random = Random(5)
    groups = []
    for number in range(800):
        a, b, c, d = random.sample(NAMES, 4)
        friends = {a, c} == {"a", "b"} or {b, d} == {"a", "b"}
        edge = (STRENGTH[a] + STRENGTH[c] - STRENGTH[b] - STRENGTH[d]) / 2
        if friends:
            edge += 3 if {a, c} == {"a", "b"} else -3
        wins = [random.random() < 1 / (1 + exp(-edge)) for _ in range(2)]
        places = ["1212" if won else "2121" for won in wins]
        groups.append(group(number, [a, b, c, d], *places, kind="truco"))
    found = suspicions(groups, {})[0]
    (helper,) = found.helpers
    assert (found.what, found.gainer, helper.player) == (SIGNALLING, player("a"), player("b"))
    assert helper.fold_rate is None


def test_forfeits_are_evidence_but_do_not_score() -> None:
    groups = duels(Random(1), "c")
    lost = group("x", "b c", "12", "12", forfeits=[(1,), (0,)])
    (found,) = suspicions([*groups, lost], {})
    assert (found.helpers[0].forfeits, found.groups) == (1, 40)


def test_house_bots_are_not_named() -> None:
    groups = duels(Random(1), "c")
    assert suspicions(groups, {"c": ""}) == []
    assert suspicions(groups, {"b": ""}) == []
    found = suspicions(tables(True), {"a": ""})
    assert all("a" not in (one.gainer.name, *(helper.player.name for helper in one.helpers)) for one in found)


def test_without_groups_there_are_no_suspicions() -> None:
    assert suspicions([], {}) == []
    assert suspicions([group(1, "a b", "12", "12")], {}) == []
