from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.ratings.standings import standings
from arena.tournaments.entry import Entrant
from arena.tournaments.formats import plan
from arena.tournaments.plan import GroupPlan
from tests.tournaments.made_up import SEED, entrants, play, result, spec


def meetings(groups: list[GroupPlan]) -> Counter[tuple[int, ...]]:
    return Counter(pair for group in groups for pair in combinations(sorted(group.members), 2))


@given(count=st.integers(2, 15), rounds=st.integers(1, 3), groups=st.integers(1, 3))
def test_all_entrants_meet_each_other(count: int, rounds: int, groups: int) -> None:
    answer, planned, _ = play(spec(rounds=rounds, groups=groups), entrants(count))
    assert meetings(planned) == dict.fromkeys(combinations(range(count), 2), rounds * groups)
    assert len({group.id for group in planned}) == len(planned)
    assert answer.byes == {}
    assert answer.places is None
    assert answer.expected == len(planned)
    for round in range(1, answer.round + 1):
        seated = [index for g in planned if g.round == round and g.number == 1 for index in g.members]
        assert len(seated) == len(set(seated)) == count - count % 2


def test_a_small_one_in_full() -> None:
    """The circle method for four, worked out by hand; the seats rotate."""
    answer = plan(spec(groups=2), entrants(4), {}, SEED, planned=())
    assert [(group.id, group.seats) for group in answer.groups][:4] == [
        ("r1-p1-g1", ((0, 3), (3, 0))),
        ("r1-p1-g2", ((0, 3), (3, 0))),
        ("r1-p2-g1", ((1, 2), (2, 1))),
        ("r1-p2-g2", ((1, 2), (2, 1))),
    ]
    assert [group.members for group in answer.groups[4::2]] == [(0, 2), (3, 1), (0, 1), (2, 3)]


def test_a_truco_bot_has_both_seats_of_its_team() -> None:
    (group,) = plan(spec(kind="truco"), entrants(2), {}, SEED, planned=()).groups
    assert group.seats == ((0, 1, 0, 1), (1, 0, 1, 0))


@given(st.lists(st.sampled_from(["", "ann", "bob"]), min_size=2, max_size=9))
def test_bots_of_one_owner_do_not_meet(owners: list[str]) -> None:
    field = entrants(owners)
    _, planned, _ = play(spec(), field)
    expected = {
        pair
        for pair in combinations(range(len(owners)), 2)
        if not owners[pair[0]] or owners[pair[0]] != owners[pair[1]]
    }
    assert meetings(planned) == dict.fromkeys(expected, 1)


def test_a_withdrawn_entrant_is_not_planned_and_its_groups_may_be_given_up() -> None:
    field = entrants(4)
    planned = plan(spec(), field, {}, SEED, planned=()).groups
    field[3] = Entrant("bot003", "1", withdrawn=1)
    done = {group.id: result(spec(), field, group) for group in planned if 3 not in group.members}
    answer = plan(spec(), field, done, SEED, planned=planned)
    assert not answer.finished
    given_up = dict.fromkeys(group.id for group in planned if 3 in group.members)
    assert plan(spec(), field, {**done, **given_up}, SEED, planned=planned).finished


def test_an_entrant_that_never_plays_is_left_out() -> None:
    field = entrants(3)
    field[1] = Entrant("bot001", "1", withdrawn=0)
    assert [group.members for group in plan(spec(), field, {}, SEED, planned=()).groups] == [(0, 2)]


def test_a_group_that_was_given_up_ends_nothing() -> None:
    answer, planned, done = play(spec(), entrants(4), void=lambda group: group.members == (0, 3))
    assert answer.finished
    assert len(planned) == 6
    table = standings([group for group in done.values() if group], entrants=[])
    assert sorted(row.groups for row in table.rows) == [2, 2, 3, 3]


def test_a_forfeit_in_a_duel_is_not_played_again() -> None:
    _, planned, done = play(spec(), entrants(3), forfeits=lambda group: {0} & set(group.members))
    assert len(planned) == 3
    table = standings([group for group in done.values() if group])
    lines = {row.name: (row.groups, row.points) for row in table.rows}
    assert lines == {"bot000": (2, 0.0), "bot001": (1, 1.0), "bot002": (1, 0.0)}


def test_a_table_is_played_again_without_the_forfeiter() -> None:
    chosen = spec(seats=4)
    _, planned, _ = play(
        chosen, entrants(4), forfeits=lambda group: {"r1-p1-g1": {0}, "r1-p1-g1-x1": {2}}.get(group.id, set())
    )
    assert [(group.id, group.members) for group in planned] == [
        ("r1-p1-g1", (0, 1, 2, 3)),
        ("r1-p1-g1-x1", (1, 2, 3)),
        ("r1-p1-g1-x2", (1, 3)),
    ]
    assert [len(group.seats) for group in planned] == [4, 3, 2]
    assert chosen.rules_for(3)["seats"] == 3


def test_a_table_with_one_entrant_left_is_not_played_again() -> None:
    _, planned, _ = play(spec(seats=3), entrants(3), forfeits=lambda group: {0, 1})
    assert len(planned) == 1


@pytest.mark.parametrize(("count", "seats"), [(3, 3), (5, 4), (8, 4), (8, 8), (6, 5)])
def test_few_tables_are_all_played(count: int, seats: int) -> None:
    _, planned, _ = play(spec(seats=seats), entrants(count))
    assert sorted(group.members for group in planned) == list(combinations(range(count), seats))


@pytest.mark.parametrize(("count", "seats"), [(11, 4), (11, 5), (12, 3), (16, 4), (19, 4), (20, 8)])
@pytest.mark.parametrize("seed", [SEED, bytes(32)])
def test_many_tables_are_balanced(count: int, seats: int, seed: bytes) -> None:
    _, planned, _ = play(spec(seats=seats), entrants(count), seed=seed)
    met = meetings(planned)
    assert met.keys() == set(combinations(range(count), 2))
    assert max(met.values()) <= 2 * sum(met.values()) / len(met) + 1
    played = Counter(index for group in planned for index in group.members)
    assert max(played.values()) - min(played.values()) <= 1


@pytest.mark.parametrize("count", [4, 5, 6, 7, 8, 9, 13, 16])
def test_mixed_partners_include_all_entrants(count: int) -> None:
    _, planned, _ = play(spec(kind="truco", partners="mixed"), entrants(count))
    teams = [(set(group.seats[0][::2]), set(group.seats[0][1::2])) for group in planned]
    partners = Counter(tuple(sorted(team)) for table in teams for team in table)
    opponents = Counter(tuple(sorted((a, b))) for one, other in teams for a in one for b in other)
    assert partners.keys() == opponents.keys() == set(combinations(range(count), 2))
    assert all(len(one) == len(other) == 2 and not one & other for one, other in teams)
    if count <= 7:
        assert len({*partners.values()}) == len({*opponents.values()}) == 1


def test_mixed_partners_swap_sides_in_a_group() -> None:
    group = plan(spec(kind="truco", partners="mixed"), entrants(4), {}, SEED, planned=()).groups[0]
    a, b, c, d = group.seats[0]
    assert group.seats[1] == (b, a, d, c) or set(group.seats[1][::2]) == {b, d}
    assert len(group.seats) == 2


@settings(max_examples=20)
@given(st.lists(st.sampled_from(["", "ann", "bob", "cor"]), min_size=4, max_size=14), st.booleans())
def test_tables_keep_owners_apart(owners: list[str], mixed: bool) -> None:
    field = entrants(owners)
    chosen = spec(kind="truco", partners="mixed") if mixed else spec(seats=4)
    answer, planned, _ = play(chosen, field)
    assert answer.finished
    for group in planned:
        seated = [owners[index] for index in group.members if owners[index]]
        assert len(seated) == len(set(seated))
