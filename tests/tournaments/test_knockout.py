from __future__ import annotations

from collections import Counter
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.tournaments.entry import Entrant
from arena.tournaments.formats import plan
from arena.tournaments.plan import GroupPlan
from tests.tournaments.made_up import SEED, entrants, play, result, spec

PATIENT = settings(max_examples=60)


def places(answer: object, count: int) -> list[int]:
    found = answer.places
    return [found[entrant.player] for entrant in entrants(count)]


def test_eight_in_full() -> None:
    answer, planned, _ = play(spec("knockout"), entrants(8))
    assert [(g.round, g.pairing, g.members) for g in planned] == [
        (1, 1, (0, 7)),
        (1, 2, (3, 4)),
        (1, 3, (1, 6)),
        (1, 4, (2, 5)),
        (2, 1, (0, 3)),
        (2, 2, (1, 2)),
        (3, 1, (0, 1)),
        (3, 2, (2, 3)),
    ]
    assert places(answer, 8) == [1, 2, 3, 4, 5, 5, 5, 5]
    assert answer.expected == 8


def test_byes_go_to_the_top_seeds() -> None:
    answer, planned, _ = play(spec("knockout"), entrants(5))
    assert [g.members for g in planned if g.round == 1] == [(3, 4)]
    assert places(answer, 5) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(("count", "expected"), [(2, [1, 2]), (3, [1, 2, 3])])
def test_small_knockouts_have_no_match_for_third_place(count: int, expected: list[int]) -> None:
    answer, planned, _ = play(spec("knockout"), entrants(count))
    assert len(planned) == count - 1
    assert places(answer, count) == expected


@PATIENT
@given(count=st.integers(2, 40), chance=st.integers(0, 10**6), groups=st.integers(1, 2))
def test_the_best_wins_and_every_loser_is_out(count: int, chance: int, groups: int) -> None:
    strength = Random(chance).sample(range(count), count)
    chosen = spec("knockout", groups=groups)
    answer, planned, _ = play(chosen, entrants(count), lambda index: strength[index])
    assert len(planned) == groups * (count - 1 + (count > 3)) == answer.expected
    best = max(range(count), key=strength.__getitem__)
    found = places(answer, count)
    assert found[best] == 1
    assert sorted(found)[:3] == [1, 2, 3][:count]
    if count > 3:
        out: set[int] = set()
        for group in planned[::groups]:
            if (group.round, group.pairing) == (answer.round, 2):
                continue
            assert not out & set(group.members)
            out.add(min(group.members, key=strength.__getitem__))


def test_a_tie_goes_to_sudden_death_and_then_to_the_higher_seed() -> None:
    answer, planned, _ = play(spec("knockout", groups=2), entrants(2), lambda index: 0)
    assert [group.id for group in planned] == [f"r1-p1-g{number}" for number in range(1, 8)]
    assert places(answer, 2) == [1, 2]


def test_sudden_death_is_over_with_the_first_group_that_is_won() -> None:
    field = entrants(2)
    chosen = spec("knockout")
    planned: list[GroupPlan] = []
    done = {}
    for strength in ([0, 0], [0, 0], [0, 1]):
        answer = plan(chosen, field, done, SEED, planned=planned)
        (group,) = answer.groups
        planned.append(group)
        done[group.id] = result(chosen, field, group, strength.__getitem__)
    answer = plan(chosen, field, done, SEED, planned=planned)
    assert answer.finished
    assert places(answer, 2) == [2, 1]


def test_a_forfeiter_is_out() -> None:
    answer, planned, _ = play(
        spec("knockout", groups=3), entrants(4), forfeits=lambda g: {0} & set(g.members)
    )
    assert places(answer, 4) == [4, 1, 3, 2]
    assert len(planned) == 4 * 3


def test_when_both_forfeit_the_higher_seed_goes_on() -> None:
    answer, planned, _ = play(spec("knockout"), entrants(2), forfeits=lambda group: {0, 1})
    assert len(planned) == 1
    assert places(answer, 2) == [1, 2]


def test_when_groups_are_given_up_the_higher_seed_goes_on() -> None:
    answer, planned, _ = play(spec("knockout"), entrants(2), void=lambda group: True)
    assert len(planned) == 6
    assert places(answer, 2) == [1, 2]


def test_the_opponent_of_a_withdrawn_entrant_goes_on() -> None:
    field = entrants(4)
    chosen = spec("knockout")
    first = plan(chosen, field, {}, SEED, planned=()).groups
    done = {group.id: result(chosen, field, group) for group in first}
    field[0] = Entrant("bot000", "1", withdrawn=1)
    answer = plan(chosen, field, done, SEED, planned=first)
    assert [group.members for group in answer.groups] == [(2, 3)]
    done[answer.groups[0].id] = result(chosen, field, answer.groups[0])
    end = plan(chosen, field, done, SEED, planned=[*first, *answer.groups])
    assert places(end, 4) == [2, 1, 3, 4]


def test_winners_stay_in_when_a_result_is_annulled() -> None:
    field = entrants(4)
    chosen = spec("knockout")
    _, planned, done = play(chosen, field, lambda index: index)
    semi = planned[0]
    assert semi.members == (0, 3)
    known = {**done, semi.id: result(chosen, field, semi, annulled=True)}
    answer = plan(chosen, field, known, SEED, planned=planned)
    assert answer.finished
    assert places(answer, 4) == [4, 3, 2, 1]


@pytest.mark.parametrize("pair", list(combinations(range(8), 2)))
def test_two_of_one_owner_can_meet_in_the_final_only_and_do_not(pair: tuple[int, int]) -> None:
    owners = ["ann" if index in pair else "" for index in range(8)]
    field = entrants(owners)
    answer, planned, _ = play(spec("knockout"), field, lambda index: 100 * (index in pair) - index)
    assert not any(set(group.members) == set(pair) for group in planned)
    assert [answer.places[field[index].player] for index in pair] == [1, 2]
    assert {group.pairing for group in planned if group.round == 3} == {2}


@PATIENT
@given(st.lists(st.sampled_from(["", "ann", "bob"]), min_size=2, max_size=20), st.integers(0, 10**6))
def test_bots_of_one_owner_never_play_each_other(owners: list[str], chance: int) -> None:
    field = entrants(owners)
    strength = Random(chance).sample(range(len(owners)), len(owners))
    answer, planned, _ = play(spec("knockout"), field, lambda index: strength[index])
    assert all(not owners[a] or owners[a] != owners[b] for a, b in (group.members for group in planned))
    assert set(answer.places) == {entrant.player for entrant in field}


def test_twelve_at_tables_of_four_in_full() -> None:
    """Twelve, six, four: half go on, but at least a table; the seeds are dealt to and fro."""
    answer, planned, _ = play(spec("knockout", seats=4), entrants(12))
    tables = [(group.round, group.members) for group in planned]
    assert tables == [
        (1, (0, 5, 6, 11)),
        (1, (1, 4, 7, 10)),
        (1, (2, 3, 8, 9)),
        (2, (2, 3, 4, 5)),
        (3, (0, 1, 2, 3)),
    ]
    assert places(answer, 12) == [1, 2, 3, 4, 5, 5, 7, 7, 7, 7, 7, 7]
    assert answer.expected == 5


@PATIENT
@given(count=st.integers(3, 40), seats=st.integers(3, 8), chance=st.integers(0, 10**6))
def test_tables_are_full_and_the_best_wins(count: int, seats: int, chance: int) -> None:
    if count < seats:
        return
    strength = Random(chance).sample(range(count), count)
    answer, planned, _ = play(spec("knockout", seats=seats), entrants(count), lambda i: strength[i])
    assert {len(group.members) for group in planned} == {seats}
    found = places(answer, count)
    assert found[max(range(count), key=strength.__getitem__)] == 1
    assert sorted(found)[:seats] == list(range(1, seats + 1))
    assert len(planned) == answer.expected
    last = [group for group in planned if group.round == answer.round]
    assert len(last) == 1
    seen = Counter(index for group in planned for index in group.members)
    assert set(seen) <= set(range(count))


def test_a_tie_at_the_cut_is_played_off() -> None:
    _, planned, _ = play(spec("knockout", seats=3), entrants(3), lambda index: 0)
    assert [group.id for group in planned] == [f"r1-p1-g{number}" for number in range(1, 7)]


def test_a_forfeiter_at_a_table_is_out_and_the_rest_play_again() -> None:
    field = entrants(6)
    answer, planned, _ = play(spec("knockout", seats=3), field, forfeits=lambda g: {0} & set(g.members))
    assert [(g.id, g.members) for g in planned if g.round == 1] == [
        ("r1-p1-g1", (0, 3, 4)),
        ("r1-p2-g1", (1, 2, 5)),
        ("r1-p1-g1-x1", (3, 4)),
    ]
    assert answer.places[field[0].player] > 3
    assert answer.places[field[1].player] == 1


def test_the_last_to_go_out_replace_withdrawn_entrants() -> None:
    field = entrants(6)
    chosen = spec("knockout", seats=3)
    first = plan(chosen, field, {}, SEED, planned=()).groups
    done = {group.id: result(chosen, field, group) for group in first}
    field[0] = Entrant("bot000", "1", withdrawn=1)
    answer = plan(chosen, field, done, SEED, planned=first)
    assert len(answer.groups) == 1
    assert 0 not in answer.groups[0].members
    assert len(answer.groups[0].members) == 3
