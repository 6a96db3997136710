"""Who gains from whom: in records of real games, and in simulated fields, honest or not."""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

import pytest

from arena.bots import BotSpec
from arena.games import game_of
from arena.integrity.suspicions import DUMPING, suspicions
from arena.play.groups import SeatedGroup, play_games
from arena.play.pairings import lineups
from arena.play.seatings import seatings
from arena.ratings.results import GroupResult, collect
from arena.records.record import build_record, dumps
from benchmarks.integrity import SCENES, Scene, named, rates

KIND = "toepen"
RULES = game_of(KIND).duel_rules
HOUSE = {"random": "random", "rookie": "rookie", "regular": "regular"}
HONEST = {"hero": "rookie", "ana": "rookie", "bia": "regular"}
PUPPETS = {"puppet-1": "regular", "puppet-2": "regular", "puppet-3": "rookie"}


def tournament(name: str, groups: int, arranged: bool) -> list[GroupResult]:
    """A round robin that was really played. ``arranged``: the puppets know when they meet the hero, and play
    at random then.
    """
    plays = HOUSE | HONEST | PUPPETS
    records: list[dict[str, Any]] = []
    for pairing, pair in enumerate(combinations(plays, 2), 1):
        is_arranged = arranged and "hero" in pair
        bots = [BotSpec(one, "1", "random" if is_arranged and one in PUPPETS else plays[one]) for one in pair]
        for number in range(1, groups + 1):
            group = SeatedGroup(
                f"{name}-r1-p{pairing}-g{number}",
                KIND,
                RULES,
                bots,
                seatings(game_of(KIND).teams(RULES), lineups(game_of(KIND), RULES, 2)[0]),
                f"{name} {pair} {number}".encode().ljust(32, b".")[:32],
            )
            for played in play_games(group):
                players = [(bots[player].name, "1") for player in played.players]
                place = {**group.place(played.number), "attempt": 0}
                record = build_record(played.table, players=players, group=place, info={})
                records.append(json.loads(dumps(record)))
    return collect(records)  # type: ignore[arg-type]


def owners() -> dict[str, str]:
    return dict.fromkeys(HOUSE, "") | {name: f"of-{name}" for name in HONEST | PUPPETS}


@pytest.mark.nightly("simulations")
def test_puppets_that_know_where_they_are_are_found_within_one_tournament() -> None:
    found = suspicions(tournament("cup", 32, True), owners())
    assert {(one.what, one.gainer.name) for one in found} == {(DUMPING, "hero")}
    helpers = {helper.player.name for one in found for helper in one.helpers}
    assert helpers == set(PUPPETS)
    assert all(helper.owner == f"of-{helper.player.name}" for one in found for helper in one.helpers)


@pytest.mark.nightly("simulations")
def test_nobody_is_named_in_the_same_tournament_without_puppets() -> None:
    assert suspicions(tournament("cup", 32, False), owners()) == []


def test_a_weak_hero_with_puppets_of_other_owners_is_named_with_them() -> None:
    scene = Scene("test", hero=-1.0, groups=40, arranged=3, owners=3)
    for seed in range(3):
        ((gainer, helpers),) = named(scene, seed)
        assert gainer == "hero"
        assert set(helpers) == {"puppet-0", "puppet-1", "puppet-2"}


def test_puppets_that_lose_in_one_tournament_alone_are_named() -> None:
    scene = Scene("test", groups=30, hero=-1.0, arranged=2, owners=2, tournaments=2, once=True)
    for seed in range(3):
        ((gainer, helpers),) = named(scene, seed)
        assert (gainer, set(helpers)) == ("hero", {"puppet-0", "puppet-1"})


@pytest.mark.parametrize(
    "scene", [scene for scene in SCENES if not scene.arranged], ids=lambda one: one.title
)
def test_nobody_is_named_in_an_honest_field(scene: Scene) -> None:
    assert rates(scene, 3) == (0.0, 0.0)


@pytest.mark.nightly("simulations")
@pytest.mark.parametrize("scene", SCENES, ids=lambda one: one.title)
def test_the_wrong_ones_are_hardly_ever_named(scene: Scene) -> None:
    _, wrong = rates(scene, 40)
    assert wrong <= 0.1 if scene.arranged else wrong <= 0.05
