"""Reading answers that are text, and what texts say about legal actions."""

from __future__ import annotations

from random import Random

import pytest

from arena.games import game_of
from arena.games.descriptor import Game
from arena.games.kernel import CHANCE
from arena.play.turn_texts import read_action, turn_text
from tests.contract.playouts import playout, random_rules
from tests.golden.texts import by_phase

TRUCO, TOEPEN = game_of("truco"), game_of("toepen")


@pytest.mark.parametrize(
    "text",
    [
        "play:4C",
        "play 4C",
        "[play 4C]",
        "PLAY: 4c",
        " play  4c.\n",
        "I take it. [play: 4C]",
        "[hide 4C] [play 4C]",
    ],
)
def test_an_action_is_read_however_it_is_written(text: str) -> None:
    assert read_action(TRUCO, text) == "play:4C"


@pytest.mark.parametrize(
    ("game", "text", "action"),
    [
        (TRUCO, "Truco!", "truco"),
        (TRUCO, "no cut", "no_cut"),
        (TRUCO, "cut 17 BOTTOM", "cut:17:bottom"),
        (TRUCO, "accept 6", "accept:6"),
        (TOEPEN, "Keep, whistle", "keep_whistle"),
        (TOEPEN, "play ts", "play:TS"),
        (TOEPEN, "[knock=2]", "knock:2"),
    ],
)
def test_words_may_be_separated_by_anything(game: Game, text: str, action: str) -> None:
    assert read_action(game, text) == action


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "4C",
        "play",
        "play 4C or 5C",
        "play TC",
        "I play 4C",
        "deal:4C",
        "accept",
        "a" * 10_000,
        "[" * 5000,
    ],
)
def test_what_is_no_action_is_not_guessed(text: str) -> None:
    assert read_action(TRUCO, text) is None


@pytest.mark.parametrize("game", [TRUCO, TOEPEN])
def test_every_legal_action_is_read(game: Game) -> None:
    seen = set()
    for seed in range(8):
        random = Random(seed)
        for state, seat, _, _ in playout(game, random_rules(game, random), random):
            for action in state.legal_actions(seat) if seat != CHANCE else ():
                seen.add(action)
    assert len(seen) > 40
    for action in seen:
        words = action.replace(":", " ").replace("_", " ")
        for text in (action, words, words.upper(), f"[{words.lower()}]"):
            assert read_action(game, text) == action


def test_legal_actions_are_listed_described_or_left_out() -> None:
    turn = by_phase(TRUCO, TRUCO.presets[0])["answer"]
    listed, described, silent = (turn_text(turn, legal) for legal in ("list", "grammar", "none"))
    assert "Legal: " + ", ".join(turn["legal_actions"]) in listed
    assert "- hide:4C: Play a card face down" in described
    assert "Legal:" not in described + silent
    assert set(silent.splitlines()) < set(described.splitlines())


def test_cuts_are_shown_as_ranges() -> None:
    turn = by_phase(TRUCO, TRUCO.presets[0])["cut"]
    assert "Legal: no_cut, cut:1..39:top, cut:1..39:bottom\n" in turn_text(turn)


def test_rules_are_named_by_preset_or_by_what_differs() -> None:
    turn = by_phase(TOEPEN, TOEPEN.presets[0])["play"]
    assert ": toepen (duel@1), you are seat " in turn_text(turn)
    other = {**turn, "rules": {**turn["rules"], "lives": 3, "whistling": True}}
    assert ": toepen (seats=2, lives=3, whistling=true), you are seat " in turn_text(other)
