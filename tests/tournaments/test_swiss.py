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

PATIENT = settings(max_examples=40)


def round_of(planned: list[GroupPlan], round: int) -> list[tuple[int, ...]]:
    return [group.members for group in planned if group.round == round and group.number == 1]


def luck(seed: int) -> list[float]:
    random = Random(seed)
    return [random.random() for _ in range(64)]


def test_a_small_one_in_full() -> None:
    """Eight of whom the higher seed always wins, worked out by hand."""
    answer, planned, _ = play(spec("swiss"), entrants(8))
    assert round_of(planned, 1) == [(0, 4), (1, 5), (2, 6), (3, 7)]
    assert round_of(planned, 2) == [(0, 2), (1, 3), (4, 6), (5, 7)]
    assert round_of(planned, 3) == [(0, 1), (2, 4), (3, 5), (6, 7)]
    assert answer.round == 3
    assert answer.expected == len(planned) == 12


@pytest.mark.parametrize(("count", "rounds"), [(2, 1), (3, 2), (4, 2), (5, 3), (8, 3), (9, 4), (33, 6)])
def test_the_number_of_rounds_halves_the_field_to_one(count: int, rounds: int) -> None:
    assert play(spec("swiss"), entrants(count))[0].round == rounds


@PATIENT
@given(count=st.integers(4, 20), chance=st.integers(0, 10**6), groups=st.integers(1, 2))
def test_no_pair_meets_twice_and_no_entrant_has_two_byes(count: int, chance: int, groups: int) -> None:
    lucky = luck(chance)
    rounds = count // 2
    answer, planned, _ = play(
        spec("swiss", rounds=rounds, groups=groups), entrants(count), lambda index: lucky[index]
    )
    met = Counter(frozenset(group.members) for group in planned)
    assert set(met.values()) == {groups}
    assert len(met) == rounds * (count // 2)
    assert sum(answer.byes.values()) == (rounds if count % 2 else 0)
    assert all(number == 1 for number in answer.byes.values())


@PATIENT
@given(count=st.integers(3, 9), chance=st.integers(0, 10**6))
def test_more_rounds_than_opponents_repeat_evenly(count: int, chance: int) -> None:
    lucky = luck(chance)
    answer, planned, _ = play(spec("swiss", rounds=3 * count), entrants(count), lambda index: lucky[index])
    assert answer.round == 3 * count
    met = Counter(frozenset(group.members) for group in planned)
    assert max(met.values()) <= 6
    if count % 2:
        assert set(answer.byes.values()) == {3}


def test_the_bye_goes_to_the_last_who_had_none() -> None:
    field = entrants(5)
    chosen = spec("swiss", rounds=3)
    done = {}
    planned: list[GroupPlan] = []
    resting = []
    for round in (1, 2, 3):
        answer = plan(chosen, field, done, SEED, planned=planned)
        planned += answer.groups
        done.update({group.id: result(chosen, field, group) for group in answer.groups})
        seated = {index for table in round_of(planned, round) for index in table}
        (alone,) = set(range(5)) - seated
        resting.append(alone)
        assert answer.byes[field[alone].player] == 1
    assert resting[0] == 4
    assert len(set(resting)) == 3


@PATIENT
@given(st.lists(st.sampled_from(["", "", "ann", "bob"]), min_size=2, max_size=12), st.integers(0, 10**6))
def test_bots_of_one_owner_do_not_meet_and_get_no_bye_for_it(owners: list[str], chance: int) -> None:
    lucky = luck(chance)
    field = entrants(owners)
    chosen = spec("swiss", rounds=4)
    answer, planned, _ = play(chosen, field, lambda index: lucky[index])
    assert all(not owners[a] or owners[a] != owners[b] for a, b in (group.members for group in planned))
    assert sum(answer.byes.values()) <= (answer.round if len(owners) % 2 else 0)
    for round in range(1, answer.round + 1):
        unpaired = set(range(len(owners))) - {i for table in round_of(planned, round) for i in table}
        assert not any(not owners[a] or owners[a] != owners[b] for a, b in combinations(unpaired, 2)), (
            "two who could have met both rest"
        )


def test_entrants_of_a_single_owner_finish_at_once() -> None:
    assert plan(spec("swiss"), entrants(["ann", "ann"]), {}, SEED, planned=()).finished


def test_a_forfeit_is_neither_a_win_nor_a_loss_of_the_opponent() -> None:
    """Seed 1 wins nothing by the forfeit of seed 4: nothing of it counts, which is a score of ½."""
    field = entrants(6)
    chosen = spec("swiss", rounds=2)
    _, planned, _ = play(chosen, field, forfeits=lambda group: {3} & set(group.members))
    assert round_of(planned, 1) == [(0, 3), (1, 4), (2, 5)]
    assert round_of(planned, 2) == [(1, 2), (0, 4), (3, 5)]


def test_a_withdrawn_entrant_is_not_paired() -> None:
    field = entrants(4)
    chosen = spec("swiss", rounds=3)
    first = plan(chosen, field, {}, SEED, planned=()).groups
    field[0] = Entrant("bot000", "1", withdrawn=1)
    done = {group.id: result(chosen, field, group) for group in first}
    second = plan(chosen, field, done, SEED, planned=first)
    assert len(second.groups) == 1
    assert 0 not in second.groups[0].members
    assert sum(second.byes.values()) == 1
    assert field[0].player not in second.byes


def test_pairings_stay_when_a_result_is_annulled() -> None:
    field = entrants(8)
    chosen = spec("swiss", rounds=3)
    _, planned, done = play(chosen, field)
    known = [group for group in planned if group.round < 3]
    first = known[0]
    changed = {group.id: done[group.id] for group in known}
    changed[first.id] = result(chosen, field, first, annulled=True)
    answer = plan(chosen, field, changed, SEED, planned=known)
    assert {group.round for group in answer.groups} == {3}
    pairs = {frozenset(group.members) for group in [*known, *answer.groups]}
    assert len(pairs) == 12


@PATIENT
@given(count=st.integers(3, 10), chance=st.integers(0, 10**6), order=st.randoms(use_true_random=False))
def test_the_plan_follows_from_the_results_alone(count: int, chance: int, order: Random) -> None:
    lucky = luck(chance)
    chosen = spec("swiss", rounds=3)
    field = entrants(count)
    _, planned, done = play(chosen, field, lambda index: lucky[index])
    known: dict[str, object] = {}
    seen: list[GroupPlan] = []
    while not (answer := plan(chosen, field, known, SEED, planned=seen)).finished:
        assert plan(chosen, field, dict(reversed(known.items())), SEED, planned=seen[::-1]) == answer
        seen += answer.groups
        group = order.choice([group for group in seen if group.id not in known])
        known[group.id] = done[group.id]
    assert sorted(group.order() for group in seen) == [group.order() for group in planned]
    assert {group.id: group for group in seen} == {group.id: group for group in planned}


@PATIENT
@given(count=st.integers(4, 20), seats=st.integers(3, 8), chance=st.integers(0, 10**6))
def test_tables_are_full_and_rests_are_shared(count: int, seats: int, chance: int) -> None:
    if count < seats:
        return
    lucky = luck(chance)
    answer, planned, _ = play(spec("swiss", seats=seats, rounds=4), entrants(count), lambda i: lucky[i])
    assert answer.round == 4
    assert answer.byes == {}
    played = Counter(dict.fromkeys(range(count), 0))
    for round in range(1, 5):
        tables = round_of(planned, round)
        seated = [index for table in tables for index in table]
        assert len(tables) == count // seats
        assert {len(table) for table in tables} == {seats}
        assert len(seated) == len(set(seated))
        played.update(seated)
    assert max(played.values()) - min(played.values()) <= 1


def test_tables_seat_equals_together_without_repeats() -> None:
    _, planned, _ = play(spec("swiss", seats=4, rounds=3), entrants(16))
    assert round_of(planned, 1) == [(0, 1, 2, 3), (4, 5, 6, 7), (8, 9, 10, 11), (12, 13, 14, 15)]
    met = Counter(pair for group in planned for pair in combinations(group.members, 2))
    assert max(met.values()) == 2
    assert len(met) >= 60


@PATIENT
@given(st.lists(st.sampled_from(["", "ann", "bob", "cor"]), min_size=4, max_size=12), st.booleans())
def test_tables_keep_owners_apart(owners: list[str], mixed: bool) -> None:
    chosen = spec("swiss", kind="truco", partners="mixed") if mixed else spec("swiss", seats=3)
    answer, planned, _ = play(chosen, entrants(owners))
    assert answer.finished
    for group in planned:
        seated = [owners[index] for index in group.members if owners[index]]
        assert len(seated) == len(set(seated))
    if len(owners) - sum(map(bool, owners)) + len({*owners} - {""}) >= chosen.table:
        assert planned, "a table could be filled"
