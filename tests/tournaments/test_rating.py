"""The format ``rating``: how much two owners weigh for each other, however many bots they have."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from arena.errors import ArenaError
from arena.tournaments.entry import Entrant
from arena.tournaments.formats import FORMATS
from arena.tournaments.plan import GroupPlan
from benchmarks.pairing import Attack, clones, gain, knows_house, puppets, sandbagging
from tests.tournaments.made_up import SEED, entrants, play, spec

HOUSE = ["", "", ""]


def met(field: list[Entrant], groups: list[GroupPlan]) -> Counter[tuple[int, str]]:
    """How many groups each entrant has played with each owner; house bots have none."""
    found: Counter[tuple[int, str]] = Counter()
    for group in groups:
        for one in group.members:
            found.update((one, field[other].owner) for other in group.members if other != one)
    return found


@pytest.mark.parametrize(
    "owners",
    [
        ["ana"],
        ["ana", "bia"],
        [f"owner{number}" for number in range(12)],
        ["ana"] * 4 + ["bia"] * 8 + ["cid"],
    ],
)
def test_each_bot_plays_its_groups_and_as_many_with_each_other_owner(owners: list[str]) -> None:
    field = entrants(HOUSE + owners)
    answer, groups, _ = play(spec("rating", rounds=40, per_owner=8), field)
    assert answer.expected == len(groups)
    played = Counter(index for group in groups for index in group.members)
    found = met(field, groups)
    for index, entrant in enumerate(field):
        if not entrant.owner:
            continue
        assert played[index] == 40
        assert found[index, entrant.owner] == 0
        # At most 15% of the rounds with one owner.
        assert all(found[index, owner] <= 6 for owner in owners)
        # The house bots take turns.
        own = Counter(other for group in groups if index in group.members for other in group.members)
        assert max(own[house] for house in range(3)) - min(own[house] for house in range(3)) <= 1
    if owners == ["ana", "bia"]:
        assert found[3, "bia"] == 6


def test_from_five_other_owners_on_most_groups_are_with_them() -> None:
    field = entrants(HOUSE + [f"owner{number}" for number in range(6)])
    _, groups, _ = play(spec("rating", rounds=100), field)
    found = met(field, groups)
    for index in range(3, 9):
        with_owners = [count for (one, owner), count in found.items() if one == index and owner]
        assert sum(with_owners) == 75
        assert max(with_owners) == min(with_owners) == 15


def test_a_quarter_of_the_groups_are_with_house_bots() -> None:
    field = entrants(HOUSE + [f"owner{number}" for number in range(40)])
    _, groups, _ = play(spec("rating", rounds=20), field)
    found = met(field, groups)
    for index in range(3, 43):
        assert sum(count for (one, owner), count in found.items() if one == index and owner) == 15
        assert found[index, ""] == 5


def test_who_leaves_early_has_not_met_other_owners_more_often() -> None:
    field = entrants(HOUSE + [f"owner{number}" for number in range(8)])
    _, groups, _ = play(spec("rating"), field)
    found = met(field, [group for group in groups if group.round <= 20])
    assert {
        sum(n for (one, owner), n in found.items() if one == index and owner) for index in range(3, 11)
    } == {15}


def test_at_tables_house_bots_fill_the_seats() -> None:
    field = entrants([*HOUSE, "ana", "ana", "bia", "cid"])
    _, groups, _ = play(spec("rating", seats=4, rounds=12), field)
    assert {len(group.members) for group in groups} == {4}
    played = Counter(index for group in groups for index in group.members)
    assert {played[index] for index in range(3, 7)} == {12}
    found = met(field, groups)
    assert {count for (index, owner), count in found.items() if index > 2 and owner} == {1}


def test_the_house_bots_meet_without_anybody_else() -> None:
    _, groups, _ = play(spec("rating", rounds=12), entrants(HOUSE))
    assert Counter(frozenset(group.members) for group in groups) == {
        frozenset(pair): 2 for pair in combinations(range(3), 2)
    }


def test_who_meets_follows_from_the_seed() -> None:
    field = entrants(HOUSE + [f"owner{number}" for number in range(30)])
    chosen = spec("rating", rounds=10)
    plans = [play(chosen, field, seed=seed)[1] for seed in (SEED, SEED, bytes(32))]
    assert plans[0] == plans[1] != plans[2]


def test_too_few_house_bots_are_refused() -> None:
    table = spec("rating", seats=4)
    with pytest.raises(ArenaError) as caught:
        FORMATS["rating"].check_entrants(table, entrants(["", "", "ana", "bia", "cid"]))
    assert (caught.value.code, caught.value.field) == ("too_few_entrants", "house")
    FORMATS["rating"].check_entrants(table, entrants(["", "", "", "ana"]))


@pytest.mark.parametrize("changes", [{"groups": 2}, {"kind": "truco", "partners": "mixed"}])
def test_settings_that_do_not_suit_it(changes: dict[str, object]) -> None:
    with pytest.raises(ArenaError) as caught:
        spec("rating", **changes)  # type: ignore[arg-type]
    assert caught.value.code == "invalid_tournament"


@pytest.mark.nightly("simulations")
@pytest.mark.parametrize(
    ("attack", "most"),
    [
        (puppets(1500, 1800, 12), 0),
        (sandbagging(12), 0),
        (knows_house(8, 0.717), 10),
        (knows_house(40, 0.717), 10),
        *((one, 10) for one in clones(8)),
    ],
    ids=lambda value: value.title if isinstance(value, Attack) else "",
)
def test_what_is_arranged_gains_little(attack: Attack, most: float) -> None:
    moved, error = gain(attack, 20)
    assert abs(moved) - error <= most


@pytest.mark.nightly("simulations")
def test_the_attacks_work_where_nobody_is_proven() -> None:
    """Otherwise, the simulation would show nothing."""
    moved, error = gain(puppets(1700, 1800, 12, proven=True), 6)
    assert moved - error > 100
