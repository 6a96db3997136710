"""For which presets bots qualify separately, and which rules count as one of them."""

from __future__ import annotations

from typing import Any

import pytest

from arena.games import GAMES, game_of

PAULISTA, MINEIRO = {"variant": "paulista"}, {"variant": "mineiro"}


def test_the_presets_for_which_bots_qualify() -> None:
    assert {kind: [preset.name for preset in game.disciplines] for kind, game in GAMES.items()} == {
        "truco": ["base@1", "paulista@1", "paulista-2@1", "mineiro@1", "mineiro-2@1"],
        "toepen": ["duel@1"],
    }


@pytest.mark.parametrize(
    ("kind", "rules", "preset"),
    [
        ("truco", {}, "base@1"),
        ("truco", {"cut": "none"}, "base@1"),
        ("truco", {"exchange": False, "seats": 2}, "base@1"),
        ("truco", {**PAULISTA, "pack": "clean", "tie_lead": "opener"}, "paulista@1"),
        ("truco", {**PAULISTA, "seats": 2, "all_tied": "forehand"}, "paulista-2@1"),
        ("truco", {**MINEIRO, "truco_from": "after_first_trick"}, "mineiro@1"),
        ("truco", {**MINEIRO, "seats": 2}, "mineiro-2@1"),
        ("toepen", {"seats": 5, "lives": 3}, "duel@1"),
    ],
)
def test_rules_count_as_a_preset_by_what_tells_it_apart(
    kind: str, rules: dict[str, Any], preset: str
) -> None:
    game = game_of(kind)
    assert game.discipline(rules).name == preset
    assert game.discipline(game.options.complete(rules)).name == preset


def test_every_preset_apart_is_its_own_and_is_played_by_its_rules() -> None:
    for game in GAMES.values():
        first, *apart = game.disciplines
        assert not first.apart
        assert game.qualifying_rules(first) == game.duel_rules
        for preset in apart:
            assert game.discipline(preset.rules) == preset
            assert game.preset_of(game.qualifying_rules(preset)) == preset.name


def test_the_rules_of_settings() -> None:
    truco = game_of("truco")
    assert truco.rules_of({}) == {}
    assert truco.rules_of({"preset": "mineiro@1"}) == MINEIRO
    # A tournament has both, its preset being null where its rules match none.
    assert truco.rules_of({"rules": {"cut": "none"}, "preset": None}) == {"cut": "none"}
