from __future__ import annotations

from collections import Counter
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.bots.transports import HOUSE, SANDBOX
from arena.play.players import PlayerId
from arena.tournaments.entry import Entrant
from arena.tournaments.formats import plan
from arena.tournaments.plan import GroupPlan, Now, Planned
from arena.tournaments.spec import Spec
from tests.tournaments.made_up import NOW, SEED, entrants, result, spec

PATIENT = settings(max_examples=40)


def open_spec(**fields: object) -> Spec:
    return spec("open", ends_ms=NOW + 3_600_000, **fields)


def online(field: list[Entrant]) -> set[PlayerId]:
    return {entrant.player for entrant in field}


def step(chosen: Spec, field: list[Entrant], planned: list[GroupPlan], done: dict, **more: object) -> Planned:
    now = Now(**{"ms": NOW, "online": online(field), "widths": {}, **more})
    return plan(chosen, field, done, SEED, planned=planned, now=now)


def members(answer: Planned) -> list[tuple[int, ...]]:
    return [group.members for group in answer.groups]


def test_the_widest_intervals_are_paired_and_the_unknown_are_the_widest() -> None:
    field = entrants(5)
    widths = {entrant.player: width for entrant, width in zip(field, [10, 40, 20, 30], strict=False)}
    answer = step(open_spec(), field, [], {}, widths=widths)
    assert members(answer) == [(1, 4), (2, 3)]
    assert answer.round == 1
    assert not answer.finished


def test_only_entrants_that_are_online_and_free_are_paired() -> None:
    field = [*entrants(4), Entrant("rookie", "1", runner=HOUSE), Entrant("sealed", "1", runner=SANDBOX)]
    first = step(open_spec(), field, [], {}, online=online(field[:2]))
    assert {index for table in members(first) for index in table} == {0, 1, 4, 5}
    busy = {index for table in members(first) for index in table}
    second = step(open_spec(), field, list(first.groups), {})
    assert not busy & {index for table in members(second) for index in table}
    assert second.round == 2


@PATIENT
@given(count=st.integers(2, 9), repeats=st.integers(1, 3), chance=st.integers(0, 10**6))
def test_repeats_are_bounded_and_all_are_played_in_the_end(count: int, repeats: int, chance: int) -> None:
    random = Random(chance)
    field = entrants(count)
    chosen = open_spec(max_repeats=repeats)
    planned: list[GroupPlan] = []
    done: dict = {}
    while True:
        widths = {entrant.player: random.random() for entrant in field}
        answer = step(chosen, field, planned, done, widths=widths)
        assert answer == step(chosen, field, planned[::-1], done, widths=widths)
        if answer.finished:
            break
        planned += answer.groups
        running = [group for group in planned if group.id not in done]
        group = random.choice(running)
        done[group.id] = result(chosen, field, group) if random.random() < 0.9 else None
    met = Counter(group.members for group in planned)
    assert {tuple(sorted(pair)) for pair in met} == set(combinations(range(count), 2))
    assert set(met.values()) == {repeats}
    assert answer.expected == len(planned)


@pytest.mark.parametrize("count", [3, 7, 12])
def test_every_entrant_gets_to_play(count: int) -> None:
    """One interval never becomes narrow, and the narrowest would be left out by an odd number."""
    field = entrants(count)
    chosen = open_spec(max_repeats=1000)
    widths = {entrant.player: float(100 - index) for index, entrant in enumerate(field)}
    planned: list[GroupPlan] = []
    done: dict = {}
    for _ in range(200):
        answer = step(chosen, field, planned, done, widths=widths)
        planned += answer.groups
        done.update({group.id: result(chosen, field, group) for group in answer.groups})
    played = Counter(index for group in planned for index in group.members)
    assert min(played[index] for index in range(count)) >= 0.45 * sum(played.values()) / count


@PATIENT
@given(st.lists(st.sampled_from(["", "ann", "bob", "cor"]), min_size=2, max_size=8), st.integers(2, 4))
def test_owners_are_kept_apart_and_it_ends(owners: list[str], seats: int) -> None:
    field = entrants(owners)
    chosen = open_spec(seats=seats, max_repeats=2)
    planned: list[GroupPlan] = []
    done: dict = {}
    while not (answer := step(chosen, field, planned, done)).finished:
        assert answer.groups
        planned += answer.groups
        done.update({group.id: result(chosen, field, group) for group in answer.groups})
    for group in planned:
        seated = [owners[index] for index in group.members if owners[index]]
        assert len(seated) == len(set(seated))
        assert len(group.members) == seats
    met = Counter(pair for group in planned for pair in combinations(sorted(group.members), 2))
    assert max(met.values(), default=0) <= 2


def test_mixed_partners_change() -> None:
    field = entrants(4)
    chosen = open_spec(kind="truco", partners="mixed", max_repeats=3)
    planned: list[GroupPlan] = []
    done: dict = {}
    while not (answer := step(chosen, field, planned, done)).finished:
        planned += answer.groups
        done.update({group.id: result(chosen, field, group) for group in answer.groups})
    teams = {frozenset(group.seats[0][side::2]) for group in planned for side in (0, 1)}
    assert len(planned) == 3
    assert teams == {frozenset(pair) for pair in combinations(range(4), 2)}


def test_a_withdrawn_entrant_is_left_out() -> None:
    field = entrants(3)
    first = step(open_spec(), field, [], {})
    gone = first.groups[0].members[0]
    field[gone] = Entrant(field[gone].name, "1", withdrawn=1)
    later = step(open_spec(), field, list(first.groups), {first.groups[0].id: None})
    assert gone not in {index for table in members(later) for index in table}
    assert len(later.groups) == 1
