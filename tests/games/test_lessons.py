"""The lessons: every deal can be played, and every legal answer has a comment."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from arena.games import GAMES
from arena.people import lessons
from arena.people.lessons import YOU, InvalidLesson, LessonMove, LessonTable, lesson_of, read_lesson

Data = dict[str, Any]


def data_of(kind: str) -> Data:
    path = Path(lessons.__file__).with_name("lesson_data") / f"{kind}.json"
    data: Data = json.loads(path.read_text("utf-8"))
    return data


@pytest.mark.parametrize("kind", GAMES)
def test_every_answer_of_a_lesson_can_be_played(kind: str) -> None:
    lesson = lesson_of(kind)
    assert lesson is not None
    assert len(lesson.deals) == 3
    for deal in lesson.deals:
        for number, step in enumerate(deal.steps):
            table = LessonTable(GAMES[kind], lesson, deal)
            for before in deal.steps[:number]:
                table.play([*before.moves, LessonMove(YOU, before.right)])
            table.play(step.moves)
            assert table.panel().actions() == step.comments.keys()
            for answer in step.comments:
                other = LessonTable(GAMES[kind], lesson, deal)
                for before in deal.steps[:number]:
                    other.play([*before.moves, LessonMove(YOU, before.right)])
                other.play([*step.moves, LessonMove(YOU, answer)])
                assert other.picture() != table.picture()


@pytest.mark.parametrize("kind", GAMES)
def test_comments_are_sentences_and_name_cards_of_the_deal(kind: str) -> None:
    lesson = lesson_of(kind)
    assert lesson is not None
    for deal in lesson.deals:
        shown = deal.start[1].action.partition(":")[2]
        for step in deal.steps:
            assert step.comments[step.right].startswith("Yes")
            for text in (step.text, step.question, deal.end, *step.comments.values()):
                assert re.fullmatch(r"\S.*[^ .][.?]", text)
                assert all(card in shown for card in re.findall(r"\[(..)\]", text))
            for action, text in step.comments.items():
                assert text.startswith("Yes") == (action == step.right)


def without_comment(data: Data) -> None:
    data["deals"][0]["steps"][0]["comments"].pop("truco")


def empty_comment(data: Data) -> None:
    data["deals"][0]["steps"][0]["comments"]["truco"] = " "


def useless_comment(data: Data) -> None:
    data["deals"][0]["steps"][0]["comments"]["play:3C"] = "Yes."


def illegal_answer(data: Data) -> None:
    data["deals"][0]["steps"][0]["right"] = "play:3C"


def illegal_move(data: Data) -> None:
    data["deals"][0]["steps"][0]["moves"] = ["1 play:3C"]


def without_a_move(data: Data) -> None:
    data["deals"][0]["steps"][0]["moves"] = []


def card_twice(data: Data) -> None:
    data["deals"][0]["cards"] = "QDQDJC KH2C4S 5D"


def unfinished(data: Data) -> None:
    data["deals"][0]["moves"] = []


def without_text(data: Data) -> None:
    data["deals"][0]["steps"][0]["text"] = ""


def without_a_name(data: Data) -> None:
    data["names"] = ["You"]


def unknown_option(data: Data) -> None:
    data["rules"] = {"variant": "x"}


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (without_comment, "deal 1: step 1: no comment on truco"),
        (empty_comment, "deal 1: step 1: no comment on truco"),
        (useless_comment, "a comment on play:3C, which is not legal"),
        (illegal_answer, "deal 1: step 1: play:3C is not legal"),
        (illegal_move, "not a legal action"),
        (without_a_move, "it is not the person's turn"),
        (card_twice, "not a legal action"),
        (unfinished, "not played to its end"),
        (without_text, "text is missing"),
        (without_a_name, "a name for each seat"),
        (unknown_option, "not a valid value"),
    ],
)
def test_faults_in_a_lesson_are_found(spoil: Callable[[Data], None], words: str) -> None:
    data = deepcopy(data_of("truco"))
    read_lesson(GAMES["truco"], data)
    spoil(data)
    with pytest.raises(InvalidLesson, match=re.escape(words)):
        read_lesson(GAMES["truco"], data)
