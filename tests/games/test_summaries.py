"""The rules in short name the actions that exist under them, and no others."""

from __future__ import annotations

import re
from random import Random

import pytest

from arena.games import GAMES
from arena.games.descriptor import Game
from arena.games.kernel import CHANCE, State
from tests.contract.playouts import playout, random_rules

SHORT = 3000
"""Characters; all rules of a game have 10,000 or more."""


def named(text: str) -> set[str]:
    """The first words of the actions that a text names."""
    return {action.partition(":")[0] for action in re.findall(r"`([^`]+)`", text)}


def legal(state: State) -> set[str]:
    """The first words of the actions that awaited seats may take."""
    seats = [seat for seat in state.awaiting() if seat != CHANCE]
    return {action.partition(":")[0] for seat in seats for action in state.legal_actions(seat)}


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_every_action_is_named(game: Game) -> None:
    for seed in range(30):
        random = Random(seed)
        rules = game.options.complete(random_rules(game, random))
        text = "\n".join(game.summary(rules))
        for state, _, _, _ in playout(game, rules, random):
            assert legal(state) <= named(text), rules
        assert len(text) < SHORT


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_the_actions_of_a_preset_are_those_that_occur(game: Game) -> None:
    for preset in game.presets:
        rules = game.options.complete(preset.rules)
        text = "\n".join(game.summary(rules))
        for action in re.findall(r"`([^`]+)`", text):
            assert any(re.fullmatch(form.pattern, action) for form in game.actions), action
        random = Random(1)
        seen: set[str] = set()
        for _ in range(40):
            for state, _, _, _ in playout(game, rules, random):
                seen |= legal(state)
        assert named(text) == seen, preset.name


def test_numbers_follow_the_rules() -> None:
    truco, toepen = GAMES["truco"], GAMES["toepen"]
    mineiro = "\n".join(truco.summary(truco.options.complete({"variant": "mineiro", "raise_limit": "both"})))
    assert "the stakes are 2 4 6 10 12" in mineiro
    assert "At 10 points: " in mineiro
    assert "A side may not call or raise if the points of the side that has fewer, and " in mineiro
    rubber = {"seats": 3, "lives": 1, "end": "rubber", "rubbers": 1, "knocking": "on_turn"}
    rubber["max_exchanges"] = 0
    text = "\n".join(toepen.summary(toepen.options.complete(rubber)))
    assert "Everybody begins with 1 life." in text
    assert "After 1 such rubber those with the fewest rounds are first" in text
    assert "may knock on its turn, before it plays, so that" in text
    assert "Exchange:" not in text
