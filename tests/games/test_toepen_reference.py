"""Toepen against a second, naive reading of its rules, and counts of all that may happen from fixed deals."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from arena.games.kernel import CHANCE
from arena.games.toepen.state import TOEPEN, ToepenState
from benchmarks.engines import chance_action
from tests.contract.playouts import random_rules
from tests.games.toepen_reference import Reference
from tests.games.toepen_tables import FOUR, Table

BATCHES = 10
GAMES = 30


@pytest.mark.rule("TP-2.3", "TP-2.5", "TP-3.2", "TP-4.3", "TP-5.4", "TP-6.2", "TP-7.1", "TP-7.2", "TP-8.4")
@pytest.mark.parametrize("batch", range(BATCHES))
def test_the_reference_agrees_on_random_games(batch: int) -> None:
    random = Random(batch)
    for _ in range(GAMES):
        rules = random_rules(TOEPEN, random)
        rules["lives"] = min(rules["lives"], random.randint(1, 6))
        rules["rubbers"] = min(rules["rubbers"], 3)
        state = TOEPEN.new_state(rules)
        reference = Reference(rules)
        while state.awaiting():
            assert_same(state, reference)
            chance = state.chance()
            if chance is not None:
                seat, action = CHANCE, chance_action(chance, random)
            else:
                seat, actions = random.choice(list(reference.offer.items()))
                action = random.choice(actions)
            state.apply(seat, action)
            reference.apply(seat, action)
        outcome = state.outcome()
        assert outcome is not None
        assert not reference.offer
        assert outcome.places == reference.places()
        assert state.won == reference.won


def assert_same(state: ToepenState, reference: Reference) -> None:
    assert state.awaiting() == (next(iter(reference.offer)),)
    legal = {seat: list(state.legal_actions(seat)) for seat in range(reference.n)}
    assert legal == {seat: reference.offer.get(seat, []) for seat in range(reference.n)}
    assert state.lives == reference.lives


def perft(state: ToepenState, depth: int) -> int:
    """The number of sequences of ``depth`` actions, rights included, up to the end of the hand."""
    size = state.rules.seats
    moves = [(seat, action) for seat in range(size) for action in state.legal_actions(seat)]
    if depth == 1 or not moves:
        return len(moves) if moves else 1
    total = 0
    for seat, action in moves:
        after = state.clone()
        after.apply(seat, action)
        total += perft(after, depth - 1)
    return total


def reference_perft(rules: dict[str, Any], log: list[tuple[int, str]], depth: int) -> int:
    """The same by the reference, which cannot be copied and so starts over each time."""
    reference = Reference(rules)
    for seat, action in log:
        reference.apply(seat, action)
    moves = [(seat, action) for seat, actions in reference.offer.items() for action in actions]
    if depth == 1 or not moves:
        return len(moves) if moves else 1
    return sum(reference_perft(rules, [*log, move], depth - 1) for move in moves)


SUITS = ("TS 9S 8S 7S", "TH 9H 8H 7H", "TC 9C 8C 7C", "TD 9D 8D 7D")
"""Nobody can ever follow suit."""

MIXED = ("TS 9S 8H 7D", "9H TH 8S JS", "8D AC TC 9D", "7S 7H 9C TD")

DEALS: dict[str, tuple[dict[str, Any], tuple[str, ...], list[int]]] = {
    "duel": ({"seats": 2, "max_exchanges": 0}, MIXED[:2], [6, 18, 58, 152, 434, 1076, 2604, 5658, 11402]),
    "duel of two lives": (
        {"seats": 2, "lives": 2, "max_exchanges": 0},
        FOUR[:2],
        [6, 16, 46, 78, 186, 258, 474, 570, 618, 618],
    ),
    "duel of two lives in turn": (
        {"seats": 2, "lives": 2, "max_exchanges": 0, "knocking": "on_turn"},
        FOUR[:2],
        [5, 10, 29, 45, 105, 141, 249, 297, 321, 321],
    ),
    "duel with exchanges": (
        {"seats": 2, "lives": 1},
        MIXED[:2],
        [2, 4, 9, 14, 35, 83, 198, 467, 868, 1774, 2331, 3545, 4142],
    ),
    "default table": ({}, MIXED, [2, 4, 8, 16, 38, 100, 272, 712, 2062, 6184, 18454]),
    "no suit to follow": ({"max_exchanges": 0}, SUITS, [8, 40, 176, 736, 2852, 10356, 36844]),
    "everybody pelt": (
        {"lives": 1, "max_exchanges": 1},
        MIXED,
        [2, 4, 8, 16, 34, 84, 179, 388, 1015, 2576, 6319, 14654],
    ),
    "in turn only": (
        {"max_exchanges": 0, "knocking": "on_turn"},
        MIXED,
        [5, 22, 44, 96, 253, 703, 1530, 3763, 9408, 22546],
    ),
    "whistling": (
        {"whistling": True, "max_exchanges": 1},
        ("TC TH TD TS", "JC JH JD 9S", "9C 9H 9D 8S"),
        [3, 6, 11, 19, 44, 103, 285, 788, 2400, 7006, 20373],
    ),
    "eight": ({"seats": 8}, MIXED, [12, 64, 240, 640, 1888, 5600, 16000]),
}
"""Options, hands (the other seats get the rest in the pack's order), counts for 1, 2, ... actions."""

CHECKED_BY_REFERENCE = 1500


@pytest.mark.rule("TP-2.3", "TP-2.5", "TP-3.2", "TP-4.1", "TP-5.1", "TP-5.6", "TP-6.3", "TP-8.4")
@pytest.mark.parametrize("name", DEALS)
def test_numbers_of_action_sequences(name: str) -> None:
    options, hands, counts = DEALS[name]
    table = Table(0, **options).deal(*hands)
    for depth, count in enumerate(counts, 1):
        assert perft(table.state, depth) == count, depth
        if count <= CHECKED_BY_REFERENCE:
            assert reference_perft(table.rules, table.log, depth) == count, depth
