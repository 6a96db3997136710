"""Qualification for presets that are games of their own: separate from that of the game."""

from __future__ import annotations

import json
from typing import Any

import pytest

from arena.errors import UnknownPreset
from arena.games import GAMES, game_of
from tests.live.arenas import Arena
from tests.live.clock import skip
from tests.live.playing import quiet

pytestmark = pytest.mark.system

FIRST = "def choose(turn):\n    return turn['legal_actions'][0]\n"
BASE_ONLY = (
    "def choose(turn):\n    assert turn['rules']['variant'] == 'base'\n    return turn['legal_actions'][0]\n"
)
APART = [preset.name for preset in game_of("truco").disciplines[1:]]
OPEN: dict[str, Any] = {"house": ["rookie", "random"], "groups": 1}


def base_qualified(arena: Arena, name: str) -> None:
    """With one row per game."""
    for kind in GAMES:
        arena.store.qualifications.add(
            f"{kind}/{name}/1", ["qualified", f"q-{kind}-{name}", 1, 0, "", None, ""]
        )


def states(arena: Arena, name: str) -> dict[str, str]:
    """The states of all qualifications for Truco, by preset."""
    found = arena.tournaments.qualifications(name, "1")
    return {one["preset"]: one["state"] for one in found if one["kind"] == "truco"}


def qualify(arena: Arena, name: str, preset: str) -> dict[str, Any]:
    begun = arena.tournaments.qualify("truco", name, "1", preset)
    arena.run(begun["tournament"])
    found = arena.tournaments.qualifications(name, "1")
    return next(one for one in found if one["tournament"] == begun["tournament"])


def test_the_qualification_for_a_game_holds_for_all_presets_that_are_not_apart(arena: Arena) -> None:
    arena.bot("ann", "able")
    base_qualified(arena, "able")
    assert [(one["kind"], one["preset"]) for one in arena.tournaments.qualifications("able", "1")] == [
        ("truco", "base@1"),
        ("toepen", "duel@1"),
    ]
    # It holds for every preset that is not apart, and requesting it again changes nothing.
    for preset in (None, "base@1", "no-cut@1"):
        assert arena.tournaments.qualify("truco", "able", "1", preset)["tournament"] == "q-truco-able"
    for name, rules in (("a", {}), ("b", {"cut": "none"}), ("c", {"seats": 2, "exchange": False})):
        arena.cup_in_entry(name=name, rules=rules, **OPEN)
        assert arena.tournaments.enter(name, "able")["status"] == "qualified"
    assert states(arena, "able") == {"base@1": "qualified"}


@pytest.mark.parametrize("preset", APART)
def test_a_bot_that_plays_the_first_action_qualifies(preset: str, arena: Arena) -> None:
    arena.upload("first", FIRST)
    told = qualify(arena, "first", preset)
    assert (told["preset"], told["state"], told["reason"]) == (preset, "qualified", None)
    records = [json.loads(line) for line in arena.tournaments.records(told["tournament"])]
    assert len(records) == 2
    for record in records:
        assert game_of("truco").preset_of(record["canonical"]["rules"]) == preset
    assert states(arena, "first") == {preset: "qualified"}


@pytest.mark.parametrize(
    ("settings", "preset"),
    [
        ({"preset": "paulista@1"}, "paulista@1"),
        ({"rules": {"variant": "paulista", "pack": "clean"}}, "paulista@1"),
        ({"preset": "mineiro-2@1"}, "mineiro-2@1"),
    ],
)
def test_entering_demands_the_qualification_for_the_preset(
    settings: dict[str, Any], preset: str, arena: Arena
) -> None:
    arena.bot("ann", "able")
    base_qualified(arena, "able")
    locks_ms = arena.now_ms() + 600_000
    cup = {"name": "Cup", "kind": "truco", "format": "round_robin", "locks_ms": locks_ms}
    arena.tournaments.create({**cup, **settings, **OPEN}, "olga", tournament_id="cup")
    assert arena.tournaments.enter("cup", "able")["status"] == "qualifying"
    assert states(arena, "able") == {"base@1": "qualified", preset: "qualifying"}
    arena.skip_entry()
    view = arena.run("cup", {"able": quiet})
    assert states(arena, "able") == {"base@1": "qualified", preset: "qualified"}
    assert {entry["bot"]: entry["status"] for entry in view["entries"]}["able"] == "qualified"
    assert "able" in {row.name for row in arena.tournaments.standings("cup").table.rows}


def test_who_does_not_qualify_for_the_preset_still_plays_the_game(arena: Arena) -> None:
    arena.upload("mine", BASE_ONLY)
    arena.cup_in_entry(division="sealed", rules={"variant": "mineiro"}, **OPEN)
    assert arena.tournaments.enter("cup", "mine")["status"] == "qualifying"
    arena.skip_entry()
    view = arena.run("cup")
    (entry,) = [entry for entry in view["entries"] if entry["bot"] == "mine"]
    assert entry["status"] == "failed"
    assert entry["reason"] == (
        "the version did not qualify with preset mineiro@1; its owner can see why and retry"
    )
    (told,) = arena.tournaments.qualifications("mine", "1")
    assert "AssertionError" in told["detail"]
    assert qualify(arena, "mine", "base@1")["state"] == "qualified"
    # Requested again it is the second try of that preset alone.
    again = arena.tournaments.qualify("truco", "mine", "1", "mineiro@1")
    assert (again["state"], again["tournament"][-2:]) == ("qualifying", "-2")
    assert states(arena, "mine") == {"base@1": "qualified", "mineiro@1": "qualifying"}


def test_an_entry_that_is_late_says_what_it_lacked(arena: Arena) -> None:
    arena.bot("ann", "able")
    base_qualified(arena, "able")
    arena.cup_in_entry(rules={"variant": "paulista"}, **OPEN)
    arena.tournaments.enter("cup", "able")
    arena.skip_entry()
    skip(arena.live, 60_000)
    arena.lock()
    (entry,) = [entry for entry in arena.tournaments.view("cup")["entries"] if entry["bot"] == "able"]
    assert entry["status"] == "failed"
    assert entry["reason"] == (
        "its qualification with preset paulista@1 was not over in time; its owner can request that sooner"
    )


def test_only_those_who_qualified_for_the_preset_are_entered_automatically(arena: Arena) -> None:
    for name in ("both", "base"):
        arena.upload(name, FIRST)
        base_qualified(arena, name)
    assert qualify(arena, "both", "paulista@1")["state"] == "qualified"
    sealed = {"division": "sealed", "auto_enter": True, **OPEN}
    for name, rules, expected in (
        ("paulista", {"variant": "paulista"}, {"both"}),
        ("two", {"variant": "paulista", "seats": 2}, set()),
        ("game", {}, {"both", "base"}),
    ):
        arena.cup(name=name, rules=rules, **sealed)
        arena.lock(name)
        entries = arena.tournaments.view(name)["entries"]
        assert {entry["bot"] for entry in entries if not entry["house"]} == expected, name
    assert states(arena, "base") == {"base@1": "qualified"}


def test_no_qualification_for_a_preset_begins_by_itself(arena: Arena) -> None:
    arena.upload("mine", FIRST)
    arena.tournaments.qualify_added("mine", "1")
    assert states(arena, "mine") == {"base@1": "qualifying"}
    arena.bot("ann", "able")
    arena.cup_in_entry(rules={"variant": "paulista"}, auto_enter=True, **OPEN)
    arena.live.turns("able", tournaments=True)
    arena.step()
    assert states(arena, "able") == {}
    arena.cup_in_entry(name="game", auto_enter=True, **OPEN)
    arena.live.turns("able", tournaments=True)
    arena.step()
    assert states(arena, "able") == {"base@1": "qualifying"}


def test_a_qualified_bot_wakes_the_schedules_of_its_preset_only(arena: Arena) -> None:
    arena.upload("mine", FIRST)
    base_qualified(arena, "mine")
    for preset in ("base@1", "paulista@1", "mineiro@1"):
        tournament = {
            "name": preset,
            "kind": "truco",
            "preset": preset,
            "format": "round_robin",
            "division": "sealed",
            "auto_enter": True,
            **OPEN,
        }
        fields = {"id": preset[:-2], "cron": "0 0 1 1 *", "tournament": tournament, "until_groups": 2}
        arena.schedules.create(fields, "")
    assert arena.schedules.fire() == []
    assert qualify(arena, "mine", "paulista@1")["state"] == "qualified"
    (fired,) = arena.schedules.fire()
    assert fired.startswith("paulista-")


def test_a_preset_that_the_game_does_not_have(arena: Arena) -> None:
    arena.bot("ann", "able")
    with pytest.raises(UnknownPreset) as caught:
        arena.tournaments.qualify("truco", "able", "1", "duel@1")
    assert caught.value.field == "preset"
    assert "paulista@1" in str(caught.value.expected)
    assert arena.tournaments.qualifications("able", "1") == []
