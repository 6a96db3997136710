"""What people are asked: every legal action can be chosen, and no other."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from arena.games import GAMES
from arena.games.panels import Choice, Panel, QuestionHelp, Slider, Toggle
from arena.games.toepen import help as toepen_help
from arena.games.toepen.cards import rules_from as toepen_rules
from arena.games.truco import help as truco_help
from arena.games.truco.options import rules_from as truco_rules
from arena.play.table import Table

RULES: list[tuple[str, dict[str, Any]]] = [
    ("truco", {}),
    ("truco", {"cut": "none", "signals": "table", "face_down": "after_first_trick"}),
    ("truco", {"variant": "paulista", "seats": 2, "max_hands": 8}),
    ("truco", {"variant": "mineiro", "max_hands": 8}),
    ("truco", {"variant": "paulista"}),
    ("truco", {"variant": "mineiro", "seats": 2}),
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


def help_of(kind: str, rules: dict[str, Any]) -> Mapping[str, QuestionHelp]:
    complete = GAMES[kind].options.complete(rules)
    if kind == "truco":
        return truco_help.questions(truco_rules(complete))
    return toepen_help.questions(toepen_rules(complete))


def asked(kind: str, rules: dict[str, Any], seed: int) -> Iterator[tuple[Panel, set[str]]]:
    """The panels of a game that is played at random, with the first words of the legal actions."""
    make = GAMES[kind].panel
    assert make is not None
    table = Table("game", kind, rules, bytes([seed]) * 32)
    table.start()
    source = random.Random(seed)
    while not table.is_over():
        for seat in table.seats_with_turns():
            turn = table.turn(seat)
            assert turn is not None
            yield make(turn, ["player"] * table.size), {word(action) for action in turn["legal_actions"]}
        (seat,) = table.awaited()
        table.submit(seat, table.turn_number(seat), source.choice(table.legal_actions(seat)))


def word(action: str) -> str:
    return action.partition(":")[0]


@pytest.mark.parametrize("kind", ["truco", "toepen"])
def test_every_question_and_every_answer_has_its_help(kind: str) -> None:
    seen: set[str] = set()
    words_with_help: set[str] = set()
    for _, rules in [one for one in RULES if one[0] == kind]:
        texts = help_of(kind, rules)
        words_with_help |= {answer for one in texts.values() for answer in one.answers}
        for seed in range(8):
            for panel, words in asked(kind, rules, seed):
                assert panel.help is not None
                assert panel.help.text == texts[panel.kind].text
                assert set(panel.help.answers) == {texts[panel.kind].answers[one] for one in words}
                seen.add(panel.kind)
    assert seen == texts.keys()
    # Some announcements are too rare to be met here.
    forms = [form for form in GAMES[kind].actions if not form.by_chance]
    assert {word(form.example) for form in forms} <= words_with_help
    patterns = [word(form.pattern) for form in forms]
    assert all(any(re.fullmatch(pattern, one) for pattern in patterns) for one in words_with_help)


@pytest.mark.parametrize(("kind", "rules"), RULES)
def test_help_is_written_in_sentences(kind: str, rules: dict[str, Any]) -> None:
    for question in help_of(kind, rules).values():
        assert question.answers
        for text in (question.text, *(answer.text for answer in question.answers.values())):
            assert re.fullmatch(r"[A-Z].*[^ .]\.", text)
            assert "  " not in text
        assert all(answer.label for answer in question.answers.values())


def test_help_names_the_stakes_of_the_game() -> None:
    mineiro = help_of("truco", {"variant": "mineiro"})
    assert "You have 10 points" in mineiro["threshold"].text
    assert "scores 4" in mineiro["threshold"].answers["accept"].text
    assert "you score 2" in mineiro["card"].answers["truco"].text
    assert "trick on the table" not in mineiro["card"].answers["truco"].text
    assert "trick on the table alone" in help_of("truco", {})["card"].answers["truco"].text
    assert "10 9 8 7 A K Q J" in help_of("toepen", {})["card"].text


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
