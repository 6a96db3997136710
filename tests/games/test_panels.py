"""What people are asked: every legal action can be chosen, and no other."""

from __future__ import annotations

import random
from typing import Any

import pytest

from arena.games import GAMES
from arena.games.panels import Choice, Panel, Slider, Toggle
from arena.play.table import Table

RULES: list[tuple[str, dict[str, Any]]] = [
    ("truco", {}),
    ("truco", {"cut": "none", "signals": "table", "face_down": "after_first_trick"}),
    ("truco", {"variant": "paulista", "seats": 2, "max_hands": 8}),
    ("truco", {"variant": "mineiro", "max_hands": 8}),
    ("toepen", {"lives": 5}),
    ("toepen", {"seats": 8, "lives": 3, "whistling": True, "knocking": "on_turn"}),
    ("toepen", {"seats": 2, "end": "rubber", "lives": 3}),
]


@pytest.mark.parametrize(("kind", "rules"), RULES)
def test_a_panel_offers_what_is_legal(kind: str, rules: dict[str, Any]) -> None:
    make = GAMES[kind].panel
    assert make is not None
    for seed in range(6):
        source = random.Random(seed)
        table = Table("game", kind, rules, bytes([seed]) * 32)
        table.start()
        names = [f"player {seat}" for seat in range(table.size)]
        while not table.is_over():
            for seat in table.seats_with_turns():
                turn = table.turn(seat)
                assert turn is not None
                panel = make(turn, names)
                assert panel.actions() == set(turn["legal_actions"])
                assert panel.question
                assert all(panel.words(action) for action in turn["legal_actions"])
            (seat,) = table.awaited()
            legal = table.legal_actions(seat)
            table.submit(seat, table.turn_number(seat), source.choice(legal))


def test_words() -> None:
    panel = Panel(
        "Which?",
        (Choice("play:TS", "Ten of spades", "card", card="TS"), Choice("truco", "Truco!", "call", "for 3")),
        toggle=Toggle("Face down", "", "play", "hide"),
    )
    assert panel.words("play:TS") == "10♠"
    assert panel.words("hide:TS") == "10♠ face down"
    assert panel.words("truco") == "truco"
    assert panel.words("cut:17:top") == "cut 17 top"
    assert panel.actions() == {"play:TS", "hide:TS", "truco"}


def test_a_slider() -> None:
    panel = Panel("How many?", (Choice("cut:#:top", "Cut"),), slider=Slider("Cards", 1, 3, 2))
    assert panel.actions() == {"cut:1:top", "cut:2:top", "cut:3:top"}
