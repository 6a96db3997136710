from __future__ import annotations

import json
from typing import Any

import pytest

from arena.bots.transports import HOUSE, SANDBOX
from arena.errors import ArenaError
from arena.play.players import PlayerId
from arena.tournaments.entry import Entrant, check_entry, seed_order
from arena.tournaments.parsing import parse_spec
from arena.tournaments.plan import GroupPlan
from arena.tournaments.spec import Spec, check_entrants
from tests.tournaments.made_up import NOW, entrants, spec

TRUCO = {"name": "Cup", "kind": "truco", "format": "round_robin"}
TOEPEN = {"name": "Cup", "kind": "toepen", "format": "knockout"}


def refused(code: str, given: dict[str, Any]) -> ArenaError:
    with pytest.raises(ArenaError) as caught:
        parse_spec(given, NOW)
    assert caught.value.code == code, caught.value
    assert caught.value.expected
    return caught.value


def test_defaults() -> None:
    made = parse_spec(TRUCO, NOW)
    assert (made.opens_ms, made.locks_ms, made.ends_ms) == (NOW, NOW + 60_000, None)
    assert made.rules["max_burns"] == 3
    assert (made.groups, made.rounds, made.partners, made.table, made.per_owner) == (1, 1, "same", 2, 4)
    assert made.clock == {"per_turn_ms": 30_000, "bank_ms": 60_000}
    assert made.rated


@pytest.mark.parametrize(
    "given",
    [
        TRUCO,
        {**TRUCO, "partners": "mixed", "rounds": 2, "who": "invited", "invited": ["ann", "bob"]},
        {**TRUCO, "format": "swiss", "rounds": 4, "tie_breaks": ["buchholz"], "baseline": ["ann"]},
        {**TOEPEN, "rules": {"seats": 5}, "clock": {"per_turn_ms": 500}, "auto_enter": True},
        {**TOEPEN, "format": "open", "ends_ms": NOW + 10**6, "max_repeats": 3, "rated": False},
    ],
)
def test_json_keeps_everything(given: dict[str, Any]) -> None:
    made = parse_spec(given, NOW)
    stored = json.loads(json.dumps(made.stored()))
    assert Spec.from_json({**stored, "state": "entry"}) == made
    data = json.loads(json.dumps(made.as_json()))
    assert parse_spec(data, NOW) == made


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("colour", {**TRUCO, "colour": "red"}),
        ("name", {**TRUCO, "name": ""}),
        ("name", {**TRUCO, "name": "a\nb"}),
        ("name", {"kind": "truco", "format": "swiss"}),
        ("kind", {"name": "Cup", "format": "swiss"}),
        ("format", {"name": "Cup", "kind": "truco"}),
        ("format", {**TRUCO, "format": "ladder"}),
        ("groups", {**TRUCO, "groups": 0}),
        ("groups", {**TRUCO, "groups": True}),
        ("rounds", {**TRUCO, "rounds": 0}),
        ("rounds", {**TRUCO, "format": "knockout", "rounds": 2}),
        ("partners", {**TOEPEN, "format": "swiss", "partners": "mixed"}),
        ("partners", {**TRUCO, "format": "knockout", "partners": "mixed"}),
        ("per_owner", {**TOEPEN, "rules": {"seats": 4}, "per_owner": 2}),
        ("per_owner", {**TRUCO, "per_owner": 65}),
        ("opens_ms", {**TRUCO, "opens_ms": NOW + 10**12}),
        ("locks_ms", {**TRUCO, "locks_ms": NOW - 1}),
        ("locks_ms", {**TRUCO, "opens_ms": NOW + 10, "locks_ms": NOW + 9}),
        ("ends_ms", {**TRUCO, "format": "open"}),
        ("ends_ms", {**TRUCO, "format": "open", "locks_ms": NOW + 5, "ends_ms": NOW + 5}),
        ("ends_ms", {**TRUCO, "ends_ms": NOW + 10**6}),
        ("max_entries", {**TRUCO, "max_entries": 1}),
        ("max_entries", {**TRUCO, "max_entries": 512, "groups": 10}),
        ("max_entries", {**TRUCO, "partners": "mixed", "max_entries": 65}),
        ("who", {**TRUCO, "who": "friends"}),
        ("who", {**TRUCO, "hidden": True}),
        ("invited", {**TRUCO, "hidden": True, "who": "invited", "invited": ["ann"]}),
        ("rated", {**TRUCO, "hidden": True, "who": "invited", "rated": True}),
        ("link", {**TRUCO, "link": "file:///x"}),
        ("description", {**TRUCO, "description": 5}),
        ("invited", {**TRUCO, "invited": ["ann"]}),
        ("invited", {**TRUCO, "who": "invited", "invited": "ann"}),
        ("auto_enter", {**TRUCO, "auto_enter": 1}),
        ("games_per_bot", {**TRUCO, "games_per_bot": 65}),
        ("max_repeats", {**TRUCO, "max_repeats": 0}),
        ("tie_breaks", {**TRUCO, "tie_breaks": ["coin"]}),
        ("tie_breaks", {**TRUCO, "tie_breaks": ["won", "won"]}),
        ("rules", {**TRUCO, "rules": []}),
        ("baseline", {**TRUCO, "format": "knockout", "baseline": ["ann"]}),
        ("baseline", {**TRUCO, "baseline": ["ann", "ann"]}),
    ],
)
def test_invalid_settings_name_the_field(field: str, given: dict[str, Any]) -> None:
    assert refused("invalid_tournament", given).field == field


def test_errors_of_the_parts_keep_their_codes() -> None:
    assert refused("kind_not_found", {**TRUCO, "kind": "chess"}).field == "kind"
    assert refused("invalid_option", {**TRUCO, "rules": {"seats": 3}}).field == "rules.seats"
    assert refused("invalid_clock", {**TRUCO, "clock": {"per_turn_ms": 1}}).field == "clock.per_turn_ms"
    assert refused("too_few_entrants", {**TOEPEN, "rules": {"seats": 5}, "max_entries": 4})


@pytest.mark.parametrize(
    ("chosen", "least"),
    [
        (spec("swiss"), 2),
        (spec("knockout", seats=5), 5),
        (spec("round_robin", kind="truco"), 2),
        (spec("round_robin", kind="truco", partners="mixed"), 4),
    ],
)
def test_too_few_entrants(chosen: Spec, least: int) -> None:
    check_entrants(chosen, least)
    check_entrants(chosen, entrants(least))
    for few in (least - 1, entrants(least - 1), entrants(["ann", "ann", *[""] * (least - 2)])):
        with pytest.raises(ArenaError) as caught:
            check_entrants(chosen, few)
        assert caught.value.code == "too_few_entrants"


@pytest.mark.parametrize(
    ("code", "chosen", "new"),
    [
        ("not_invited", spec(who="house"), Entrant("new", "1", "eve")),
        ("not_invited", spec(who="invited", invited=["eva"]), Entrant("new", "1", "eve")),
        ("already_entered", spec(), Entrant("bot000", "2", "eve")),
        ("too_many_of_owner", spec(per_owner=2), Entrant("new", "1", "ann")),
        ("tournament_full", spec(max_entries=3), Entrant("new", "1", "eve")),
        ("wrong_division", spec(division="sealed"), Entrant("new", "1", "eve")),
        ("wrong_division", spec(), Entrant("new", "1", "eve", runner=SANDBOX)),
    ],
)
def test_entries_that_are_refused(code: str, chosen: Spec, new: Entrant) -> None:
    with pytest.raises(ArenaError) as caught:
        check_entry(chosen, entrants(["ann", "ann", ""]), new)
    assert caught.value.code == code


def test_entries_that_are_accepted() -> None:
    check_entry(spec(per_owner=1, max_entries=4), entrants(["ann", "", ""]), Entrant("new", "1", "bob"))
    check_entry(spec(who="house", per_owner=1), entrants(2), Entrant("rookie", "1", runner=HOUSE))
    check_entry(spec(who="invited", invited=["new"]), [], Entrant("new", "1", "bob"))
    for runner in (HOUSE, SANDBOX):
        check_entry(spec(division="sealed"), [], Entrant("new", "1", "bob", runner=runner))


def test_baseline_bots_enter_beside_the_limits() -> None:
    baseline = Entrant("new", "1", "ann", baseline=True)
    present = [*entrants(["ann"]), Entrant("old", "1", "ann", baseline=True)]
    check_entry(spec(per_owner=1), present, baseline)
    check_entry(spec(who="invited"), present, baseline)
    check_entry(spec(who="house"), [], baseline)
    check_entry(spec(per_owner=1), present[1:], Entrant("new", "1", "ann"))
    with pytest.raises(ArenaError) as caught:
        check_entry(spec(max_entries=2), present, baseline)
    assert caught.value.code == "tournament_full"


def test_seeds_go_by_rating_then_by_lot() -> None:
    field = entrants(6)
    ratings = {
        PlayerId("bot004", "1"): 1600.0,
        PlayerId("bot002", "1"): 1700.0,
        PlayerId("bot005", "2"): 9999.0,
    }
    first = seed_order(field, ratings, bytes(32))
    assert [entrant.name for entrant in first[:2]] == ["bot002", "bot004"]
    assert seed_order(field[::-1], ratings, bytes(32)) == first
    others = {tuple(entrant.name for entrant in seed_order(field, {}, bytes([n] * 32))) for n in range(9)}
    assert len(others) > 1


def test_groups_know_what_their_ids_say() -> None:
    group = GroupPlan("r2-p11-g3-x1", 2, 11, ((4, 5), (5, 4)))
    assert (group.members, group.number, group.replay) == ((4, 5), 3, 1)
