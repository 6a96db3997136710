"""The end of a game in words."""

from __future__ import annotations

from typing import Any

import pytest

from arena.games import game_of
from arena.play.attendance import NOBODY_THERE
from arena.records.results import told_result, told_stop

FOUR = ["guest 1", "regular", "guest 3", "shark"]
Outcome = dict[str, Any]


def outcome(places: list[int], scores: list[int], *forfeits: int) -> Outcome:
    return {"places": places, "scores": scores, "forfeits": list(forfeits)}


def text(kind: str, names: list[str], result: Outcome, you: int | None, *resigned: int, **rules: Any) -> str:
    game = game_of(kind)
    complete = game.options.complete({**rules, "seats": len(names)})
    assert game.picture is not None
    form = game.picture(names, complete)
    return " | ".join(told_result(form, game.teams(complete), result, you=you, resigned=resigned))


POINTS = [12, 7]
PAIRS = outcome([1, 2, 1, 2], POINTS * 2)


@pytest.mark.parametrize(
    ("names", "result", "you", "words"),
    [
        (FOUR, PAIRS, 0, "You and guest 3 won 12 to 7 | "),
        (FOUR, PAIRS, 2, "You and guest 1 won 12 to 7 | "),
        (FOUR, PAIRS, 1, "You and shark lost 7 to 12 | "),
        (FOUR, PAIRS, None, "guest 1 and guest 3 won 12 to 7 | "),
        (FOUR[:2], outcome([1, 2], POINTS), 0, "You won 12 to 7 | "),
        (FOUR[:2], outcome([2, 1], [9, 12]), 0, "You lost 9 to 12 | "),
        (FOUR[:2], outcome([2, 1], [9, 12]), None, "regular won 12 to 9 | "),
        (FOUR[:2], outcome([1, 1], [3, 3]), 1, "A draw, 3 to 3 | "),
        (FOUR[:2], outcome([1, 1], [3, 3]), None, "A draw, 3 to 3 | "),
        (
            FOUR,
            outcome([1, 2, 1, 2], [3, 12] * 2, 1),
            0,
            "You and guest 3 won | regular forfeited after three faults.",
        ),
        (
            FOUR,
            outcome([2, 1, 2, 1], [12, 3] * 2, 2),
            0,
            "You and guest 3 lost | guest 3 forfeited after three faults.",
        ),
        (
            FOUR[:2],
            outcome([2, 1], [12, 3], 0),
            0,
            "You lost | You forfeited: your time ran out three times.",
        ),
        (
            FOUR[:2],
            outcome([1, 1], [12, 3], 0, 1),
            0,
            "Nobody won | You and regular forfeited after three faults.",
        ),
    ],
)
def test_truco(names: list[str], result: Outcome, you: int | None, words: str) -> None:
    rules = {} if len(names) == 4 else {"variant": "paulista"}
    assert text("truco", names, result, you, **rules) == words


LAST = outcome([2, 4, 3, 1], [-1, -5, -3, 2])


@pytest.mark.parametrize(
    ("names", "result", "you", "words"),
    [
        (FOUR, LAST, 3, "You won with 2 lives left | "),
        (FOUR, LAST, 0, "You came second of four | shark won with 2 lives left."),
        (FOUR, LAST, None, "shark won with 2 lives left | "),
        (
            FOUR,
            outcome([1, 2, 2, 2], [1, -2, -2, -2]),
            1,
            "You came second of four, level with guest 3 and shark | guest 1 won with 1 life left.",
        ),
        (FOUR[:2], outcome([2, 1], [0, 3]), 0, "You lost | regular won with 3 lives left."),
        (FOUR[:2], outcome([1, 2], [3, 0]), 0, "You won with 3 lives left | "),
        # Who was the last with lives may have forfeited.
        (
            FOUR[:3],
            outcome([1, 2, 3], [0, -1, 4], 2),
            1,
            "You came second of three | guest 1 won. guest 3 forfeited after three faults.",
        ),
    ],
)
def test_toepen(names: list[str], result: Outcome, you: int | None, words: str) -> None:
    assert text("toepen", names, result, you) == words


def test_rubbers_of_toepen() -> None:
    result = outcome([2, 1, 3], [-1, 0, -2])
    for you, words in enumerate(
        (
            "You came second of three | regular won without buying a drink.",
            "You won without buying a drink | ",
            "You came third of three | regular won without buying a drink.",
        )
    ):
        assert text("toepen", FOUR[:3], result, you, end="rubber") == words
    shared = outcome([1, 1, 3], [-1, -1, -2])
    assert text("toepen", FOUR[:3], shared, 1, end="rubber") == "You and guest 1 share first place | "
    one = outcome([1, 2], [-1, -2])
    assert text("toepen", FOUR[:2], one, None, end="rubber") == "guest 1 won with 1 round of drinks bought | "


def test_who_left() -> None:
    lost = outcome([2, 1], [3, 12])
    assert text("truco", FOUR[:2], lost, 0, 0, variant="paulista") == (
        "You lost 3 to 12 | You left, and the table played your cards to the end."
    )
    assert text("truco", FOUR, PAIRS, 0, 1, 2) == (
        "You and guest 3 won 12 to 7 | regular and guest 3 left, and the table played their cards to the end."
    )


def test_games_without_a_result() -> None:
    assert told_stop("cancelled", "cancelled") == ("The game was cancelled", "")
    assert told_stop("cancelled", "not all seats were taken in time") == (
        "The game was cancelled",
        "Not all seats were taken in time.",
    )
    assert told_stop("void", "state_lost").headline == "The game was stopped"
    assert told_stop("void", NOBODY_THERE).detail == "Nobody was at the table for 15 minutes. Nobody won."
    assert told_stop("void", "not over after 10000 moves") == (
        "The game was stopped",
        "Not over after 10000 moves. Nobody won.",
    )
