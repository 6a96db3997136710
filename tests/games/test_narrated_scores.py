"""After a hand, the narrators say whose score it is."""

from __future__ import annotations

import re

import pytest

from arena.games import game_of

NAMES = {2: ["Ana", "Bia"], 4: ["Ana", "Bia", "Caio", "Duda"]}


def truco(winner: int | None, you: int | None, seats: int = 4, why: str = "tricks") -> str:
    game = game_of("truco")
    rules = game.options.complete({"variant": "paulista", "seats": seats})
    teller = game.narrator([*NAMES[seats]] if you is None else named(seats, you), rules, you)
    points = 0 if winner is None else 3
    seen = {"type": "hand_over", "winner": winner, "points": points, "reason": why, "score": [6, 9]}
    return " ".join(teller.seen_lines(seen))


def named(seats: int, you: int) -> list[str]:
    return ["You" if seat == you else name for seat, name in enumerate(NAMES[seats])]


@pytest.mark.parametrize(
    ("winner", "you", "seats", "words"),
    [
        (0, None, 4, "Ana and Caio win the hand and 3 points: Ana and Caio have 6, Bia and Duda have 9."),
        (0, 2, 4, "You and Ana win the hand and 3 points: you 6, they 9."),
        (0, 1, 4, "Ana and Caio win the hand and 3 points: you 9, they 6."),
        (1, 1, 2, "You win the hand and 3 points: you 9, they 6."),
        (None, 0, 2, "Nobody wins the hand: you 6, they 9."),
        (None, None, 2, "Nobody wins the hand: Ana has 6, Bia has 9."),
    ],
)
def test_truco_names_the_sides(winner: int | None, you: int | None, seats: int, words: str) -> None:
    assert truco(winner, you, seats) == words


@pytest.mark.parametrize("why", ["run", "tied_before_call", "tricks"])
def test_no_score_stands_alone(why: str) -> None:
    assert re.search(r"\d+-\d+", truco(0, None, 4, why)) is None
    assert truco(0, 0, 4, why).endswith(": you 6, they 9.")


def test_the_winners_of_truco_come_first() -> None:
    game = game_of("truco")
    teller = game.narrator(NAMES[2], game.options.complete({"variant": "paulista", "seats": 2}), None)
    assert teller.seen_lines({"type": "game_over", "winner": 1, "score": [9, 12]}) == [
        "",
        "Bia wins the game, 12 to 9.",
    ]


def test_toepen_says_the_lives_of_all_once() -> None:
    game = game_of("toepen")
    rules = game.options.complete({"seats": 2})
    teller = game.narrator(["Ana", "You"], rules, 1)

    def hand(number: int, lives: list[int]) -> str:
        return teller.seen_lines({"type": "hand", "seat": 0, "hand": number, "value": 1, "lives": lives})[-1]

    assert hand(1, [10, 10]) == "Hand 1, dealt by Ana. Lives: you have 10, Ana has 10."
    result = {"type": "result", "seat": 0, "value": 2, "lost": [0, 2], "lives": [10, 8]}
    assert teller.seen_lines(result) == [
        "Ana wins the hand; you lose 2 lives. Lives: you have 8, Ana has 10."
    ]
    assert hand(2, [10, 8]) == "Hand 2, dealt by Ana."
    # A new rubber begins with other lives.
    assert hand(3, [10, 10]) == "Hand 3, dealt by Ana. Lives: you have 10, Ana has 10."
