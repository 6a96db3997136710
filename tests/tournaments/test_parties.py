"""Bots that share an owner count as one owner's."""

from __future__ import annotations

from itertools import combinations

import pytest

from arena.bots.transports import HOUSE
from arena.errors import ArenaError
from arena.tournaments.entry import Entrant, beyond_limit, by_party, check_entry, parties
from arena.tournaments.formats import FORMATS, plan
from tests.tournaments.made_up import SEED, spec

CHAIN = [("ana",), ("bia", "ana"), ("caio", "bia"), ("davi",)]
"""The first and the third share nobody, and are connected by the second."""


def bots(*owners: tuple[str, ...]) -> list[Entrant]:
    return [Entrant(f"bot{n}", "1", own[0], co_owners=own[1:]) for n, own in enumerate(owners)]


def house(count: int) -> list[Entrant]:
    return [Entrant(f"house{n}", "1", runner=HOUSE) for n in range(count)]


def test_parties_are_connected_by_owners() -> None:
    assert parties([("ana",), (), ("bia",)]) == ["ana", "", "bia"]
    assert parties(CHAIN) == [*["ana+bia+caio"] * 3, "davi"]
    # In whatever order the connection comes.
    assert parties([CHAIN[0], CHAIN[2], CHAIN[3], CHAIN[1]])[0] == "ana+bia+caio"
    # Only the bots that are there connect.
    assert parties([CHAIN[0], CHAIN[2]]) == ["ana", "bia+caio"]
    assert parties([]) == []


@pytest.mark.parametrize("format", ["round_robin", "swiss", "knockout"])
def test_a_party_does_not_meet(format: str) -> None:
    field = bots(*CHAIN, ("eva",))
    met = set()
    for group in plan(spec(format), field, {}, SEED, planned=()).groups:
        met |= {frozenset(pair) for pair in combinations(group.members, 2)}
    assert met
    assert met.isdisjoint(map(frozenset, combinations(range(3), 2)))
    alone = [Entrant(one.name, "1", one.owner) for one in field]
    if format == "round_robin":
        others = plan(spec(format), alone, {}, SEED, planned=()).groups
        assert {frozenset(group.members) for group in others} - met == {
            frozenset(pair) for pair in combinations(range(3), 2)
        }


def test_tables_keep_a_party_apart() -> None:
    field = bots(*CHAIN, ("eva",), ("fabio",))
    for group in plan(spec("round_robin", seats=3), field, {}, SEED, planned=()).groups:
        assert len({0, 1, 2} & set(group.members)) <= 1
    few = by_party(bots(*CHAIN))
    with pytest.raises(ArenaError, match="2 owners are too few"):
        FORMATS["round_robin"].check_entrants(spec(seats=3), few)


def test_bots_of_a_party_meet_another_owner_as_those_of_one_owner() -> None:
    field = [*bots(*CHAIN), *house(3)]
    groups = plan(spec("rating", rounds=20), field, {}, SEED, planned=()).groups
    assert sum(set(group.members) <= set(range(4)) for group in groups) == 3


def test_entries_of_a_party_count_together() -> None:
    present = bots(*CHAIN)
    new = Entrant("new", "1", "caio")
    check_entry(spec(per_owner=4), present, new)
    with pytest.raises(ArenaError) as caught:
        check_entry(spec(per_owner=3), present, new)
    assert caught.value.code == "too_many_of_owner"
    assert "ana+bia+caio have already entered 3" in caught.value.message
    # It would connect two who are within the limit.
    with pytest.raises(ArenaError):
        check_entry(
            spec(per_owner=1), bots(("ana",), ("caio",)), Entrant("new", "1", "ana", co_owners=("caio",))
        )
    invited = spec(who="invited")
    check_entry(invited, [], Entrant("new", "1", "ana", co_owners=("bia",)), guests=["bia"])
    with pytest.raises(ArenaError):
        check_entry(invited, [], Entrant("new", "1", "ana"), guests=["bia"])


def test_the_last_of_a_party_are_beyond_the_limit() -> None:
    field = [*bots(*CHAIN), *house(2), Entrant("measure", "1", "ana", baseline=True)]
    assert [one.name for one in beyond_limit(spec(per_owner=2), field)] == ["bot2"]
    assert [one.name for one in beyond_limit(spec(per_owner=1), field)] == ["bot1", "bot2"]
    assert beyond_limit(spec(per_owner=3), field) == []
