"""The reason under a question: it names people, and says what the seat may know anyway."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import Any

import pytest

from arena.games import GAMES, game_of
from arena.games.cards import SUIT_SYMBOLS
from arena.games.kernel import CHANCE, State, turn_in
from arena.games.toepen.cards import PACK as TOEPEN_PACK
from arena.games.truco.cards import PACK as TRUCO_PACK
from arena.games.truco.state import TrucoState
from arena.play.table import Table
from tests.games.test_panels import RULES

NAMES = ("You", "zeca", "rookie 1", "shark", "ana", "bia", "caio", "davi")
NO_NAME = re.compile(r"\bseat\b|\d@\d|\bteam\b|\bNone\b|_")
CARD = re.compile(rf"(?:10|\w)[{''.join(SUIT_SYMBOLS.values())}]")


@pytest.mark.parametrize(("kind", "rules"), RULES)
def test_every_question_has_a_reason_in_words_for_people(kind: str, rules: dict[str, Any]) -> None:
    make = GAMES[kind].panel
    assert make is not None
    cards = 0
    for seed in range(4):
        source = random.Random(seed)
        table = Table("game", kind, rules, bytes([seed]) * 32)
        table.start()
        while not table.is_over():
            for seat in table.seats_with_turns():
                turn = table.turn(seat)
                assert turn is not None
                names = [f"player {letter}" for letter in "abcdefgh"[: table.size]]
                names[seat] = "You"
                reason = make(turn, names).reason
                assert reason.endswith(".")
                assert not NO_NAME.search(reason)
                assert " You " not in reason.replace(". You ", ". ")
                seen = str(turn["observation"]["tricks" if kind == "truco" else "trick"])
                for card in CARD.findall(reason):
                    rank = card[:-1].replace("10", "T")
                    (suit,) = (suit for suit, symbol in SUIT_SYMBOLS.items() if symbol == card[-1])
                    assert f"'{rank}{suit}'" in seen
                    cards += 1
            (seat,) = table.awaited()
            table.submit(seat, table.turn_number(seat), source.choice(table.legal_actions(seat)))
    assert cards > 5


def started(kind: str, rules: dict[str, Any], hands: str, dealer: int = 0) -> tuple[State, dict[str, Any]]:
    """A state whose pack begins with these cards, and its rules."""
    complete = game_of(kind).options.complete(rules)
    state = game_of(kind).new_state(complete)
    pack = TRUCO_PACK if kind == "truco" else TOEPEN_PACK
    first = hands.split()
    state.apply(CHANCE, f"dealer:{dealer}")
    state.apply(CHANCE, "deal:" + "".join([*first, *(card for card in pack if card not in first)]))
    return state, complete


def reason_of(state: State, rules: dict[str, Any], kind: str, actions: Sequence[str]) -> str:
    """The reason for the seat that is asked after these actions. Its own name is "You"."""
    for action in actions:
        (seat,) = state.awaiting()
        state.apply(seat, action)
    (seat,) = state.awaiting()
    names = ["You" if one == seat else NAMES[one + 1] for one in range(game_of(kind).seats(rules))]
    make = GAMES[kind].panel
    assert make is not None
    return make(turn_in(state, kind, rules, seat), names).reason


# With two seats, seat 1 leads; the vira 6H makes the sevens manilhas.
TWO = "7C 4S 5S 3C KD JD 6H"


@pytest.mark.parametrize(
    ("actions", "reason"),
    [
        ([], "1 point at stake."),
        (["play:4S"], "1 point at stake. 4♠ of rookie 1 wins so far."),
        (["truco"], "rookie 1 called truco for 3."),
        (["truco", "raise:6"], "You called truco for 3. zeca raised to 6."),
        (["play:4S", "play:3C"], "1 point at stake. You took trick 1; one more wins the hand."),
        (
            ["play:4S", "play:3C", "truco"],
            "zeca called truco for 3. zeca took trick 1, so you need the other two.",
        ),
        (
            ["play:4S", "play:3C", "play:JD", "play:7C"],
            "1 point at stake. One trick each: this one decides, and a tie is for zeca.",
        ),
    ],
)
def test_truco_for_two(actions: list[str], reason: str) -> None:
    state, rules = started("truco", {"variant": "paulista", "seats": 2}, TWO)
    assert reason_of(state, rules, "truco", actions) == reason


# Seat 1 has the zap and leads; its partner is seat 3.
FOUR = "4C 6S 5S 3C KD JD 3H QD 5D 7S 6D 4D"
TIED = ["keep", "play:6S", "play:3C", "play:3H", "play:7S"]


@pytest.mark.parametrize(
    ("actions", "reason"),
    [
        (
            [],
            "You lead. You may give these cards to ana or lay them open on the table, "
            "and get three new cards.",
        ),
        (TIED[:4], "1 point at stake. 3♣ of shark and 3♥ of ana tie so far."),
        (TIED, "1 point at stake. Every trick so far was tied, so this one decides."),
        (
            ["keep", "truco", "defer"],
            "rookie 1 called truco for 3. shark left the answer to you. "
            "Under truco, this trick alone decides the hand.",
        ),
        (["keep", "hide:6S"], "1 point at stake."),
    ],
)
def test_truco_for_four(actions: list[str], reason: str) -> None:
    state, rules = started("truco", {"cut": "none"}, FOUR)
    assert reason_of(state, rules, "truco", actions) == reason


def test_truco_at_eleven() -> None:
    state, rules = started("truco", {"variant": "mineiro", "seats": 2}, "")
    assert isinstance(state, TrucoState)
    state = TrucoState(state.rules)
    state.score = [10, 4]
    state.refresh()
    state.apply(CHANCE, "dealer:0")
    state.apply(CHANCE, "deal:" + "".join(TRUCO_PACK))
    assert reason_of(state, rules, "truco", []) == (
        "If you run, rookie 1 gets 2 points. If you play, the hand is worth 4 and nobody may call."
    )


# Seat 0: a clean hand; seat 1 leads.
THREE = "AC KC QC JC 7H 8H 9H TH 7S 8S 9S AS"


@pytest.mark.parametrize(
    ("actions", "reason"),
    [
        (
            [],
            "A hand without a 10, 9, 8 or 7 may be exchanged; yours would be a bluff. "
            "If somebody looks, you lose a life for a bluff, or else they lose one.",
        ),
        (
            ["exchange"],
            "rookie 1 may lay away only a hand without a 10, 9, 8 or 7. "
            "If you look and see one, rookie 1 loses a life; if not, you lose one.",
        ),
        (
            ["keep", "keep"],
            "A hand without a 10, 9, 8 or 7 may be exchanged; yours is one. "
            "If somebody looks, you lose a life for a bluff, or else they lose one.",
        ),
        (
            ["keep", "keep", "keep", "play:8H", "play:AS"],
            "1 life at stake. Only the last trick counts. 8♥ of rookie 1 wins so far.",
        ),
        (
            ["keep", "keep", "keep", "knock:2", "stay:2"],
            "rookie 1 knocked. shark stayed. Whoever stays and does not win the last trick loses 2.",
        ),
    ],
)
def test_toepen(actions: list[str], reason: str) -> None:
    state, rules = started("toepen", {"seats": 3}, THREE)
    assert reason_of(state, rules, "toepen", actions) == reason


def test_toepen_poverty() -> None:
    state, rules = started("toepen", {"seats": 3, "lives": 2}, THREE)
    actions = ["exchange", "challenge", "keep", "keep", "keep"]
    assert reason_of(state, rules, "toepen", actions) == (
        "rookie 1 has one life, so this hand is worth 2. "
        "Whoever stays and does not win the last trick loses that."
    )


def test_toepen_a_right_to_knock() -> None:
    state, rules = started("toepen", {"seats": 3}, THREE)
    for action in ("keep", "keep", "keep"):
        state.apply(*state.awaiting(), action)
    turn = turn_in(state, "toepen", rules, 2)
    turn["optional"] = True
    make = GAMES["toepen"].panel
    assert make is not None
    assert make(turn, NAMES).reason == "1 life at stake. A knock adds one, and the others stay or fold."
