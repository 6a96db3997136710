"""Lessons: fixed deals that a person plays step by step, with a comment on every answer.

A lesson is data, in ``lesson_data`` under the name of its game. Reading it plays all deals by the rules: the
cards and actions must be legal, and every answer that is legal at a question must have a comment.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from arena.errors import ArenaError
from arena.games import game_of
from arena.games.cards import split_cards
from arena.games.descriptor import Game
from arena.games.kernel import CHANCE, State, turn_in
from arena.games.options import Rules
from arena.games.panels import Panel
from arena.games.pictures import Picture

YOU: Final = 0
"""The seat of the person."""


class InvalidLesson(ValueError):
    """A lesson that cannot be played, or whose comments are incomplete."""


@dataclass(frozen=True)
class LessonMove:
    """An action of a seat that the lesson plays."""

    seat: int
    action: str


@dataclass(frozen=True)
class LessonStep:
    """A question to the person. ``moves`` come before it. ``comments`` has a comment for each legal answer,
    of which ``right`` continues the deal.
    """

    moves: tuple[LessonMove, ...]
    text: str
    question: str
    right: str
    comments: Mapping[str, str]


@dataclass(frozen=True)
class LessonDeal:
    """A fixed deal. ``moves`` come after the last step, and ``end`` says what it showed."""

    title: str
    rules: Rules
    start: tuple[LessonMove, ...]
    steps: tuple[LessonStep, ...]
    moves: tuple[LessonMove, ...]
    end: str


@dataclass(frozen=True)
class Lesson:
    """The lesson of a game. ``names`` are those of the seats, the person's first."""

    title: str
    names: tuple[str, ...]
    deals: tuple[LessonDeal, ...]


class LessonTable:
    """The table of a deal, as the person sees it."""

    def __init__(self, game: Game, lesson: Lesson, deal: LessonDeal) -> None:
        assert game.picture is not None
        self._game = game
        self._names = lesson.names
        self._rules = deal.rules
        self.state: State = game.new_state(deal.rules)
        self.form: Picture = game.picture(lesson.names, deal.rules)
        self.play(deal.start)

    def play(self, moves: Sequence[LessonMove]) -> None:
        """Play these moves. Raises :class:`~arena.errors.IllegalAction`."""
        for move in moves:
            for event in self.state.apply(move.seat, move.action):
                seen = self._game.view_event(event, YOU)
                if seen is not None:
                    self.form.take(seen)

    def picture(self) -> dict[str, Any]:
        """Return what lies on the table; see :class:`~arena.games.pictures.Picture`."""
        return self.form.shown(self.state.awaiting())

    def panel(self) -> Panel:
        """Return what the person is asked."""
        assert self._game.panel is not None
        turn = turn_in(self.state, self._game.kind, self._rules, YOU)
        return self._game.panel(turn, self._names)


def lesson_of(kind: str) -> Lesson | None:
    """Return the lesson of a game, or None if it has none. Raises :class:`~arena.errors.UnknownGame`."""
    return _stored_lesson(game_of(kind).kind)


@cache
def _stored_lesson(kind: str) -> Lesson | None:
    path = Path(__file__).with_name("lesson_data") / f"{kind}.json"
    return read_lesson(game_of(kind), json.loads(path.read_text(encoding="utf-8"))) if path.exists() else None


def read_lesson(game: Game, data: Mapping[str, Any]) -> Lesson:
    """Return the lesson in ``data``. Raises :class:`InvalidLesson`."""
    deals = []
    lesson = Lesson(_text(data, "title"), tuple(data["names"]), ())
    for number, given in enumerate(data["deals"], 1):
        try:
            rules = game.options.complete({**data["rules"], **given.get("rules", {})})
            if game.seats(rules) != len(lesson.names):
                raise InvalidLesson("names must have a name for each seat")
            deals.append(_deal(game, lesson, rules, given))
        except (ArenaError, InvalidLesson) as error:
            raise InvalidLesson(f"deal {number}: {error}") from None
    return Lesson(lesson.title, lesson.names, tuple(deals))


def _deal(game: Game, lesson: Lesson, rules: Rules, given: Mapping[str, Any]) -> LessonDeal:
    """Read a deal, and play it to check that it can be played."""
    start = _start(game, rules, given)
    title, end = _text(given, "title"), _text(given, "end")
    table = LessonTable(game, lesson, LessonDeal(title, rules, start, (), (), end))
    steps = []
    for number, one in enumerate(given["steps"], 1):
        try:
            steps.append(_step(table, one))
        except (ArenaError, InvalidLesson) as error:
            raise InvalidLesson(f"step {number}: {error}") from None
    moves = _moves(given.get("moves", []))
    table.play(moves)
    if not steps or table.form.ended is None:
        raise InvalidLesson("the hand is not played to its end")
    return LessonDeal(title, rules, start, tuple(steps), moves, end)


def _start(game: Game, rules: Rules, given: Mapping[str, Any]) -> tuple[LessonMove, ...]:
    """Return the actions of chance. ``cards`` are the first ones of the pack; the others follow in order."""
    state = game.new_state(rules)
    dealer = LessonMove(CHANCE, f"dealer:{given['dealer']}")
    state.apply(dealer.seat, dealer.action)
    chance = state.chance()
    assert chance is not None
    first = split_cards(given["cards"].replace(" ", ""))
    others = [card for card in chance.items if card not in first]
    return dealer, LessonMove(CHANCE, "deal:" + "".join([*first, *others]))


def _step(table: LessonTable, given: Mapping[str, Any]) -> LessonStep:
    """Read a step, and play it on ``table``."""
    moves = _moves(given.get("moves", []))
    table.play(moves)
    if table.state.awaiting() != (YOU,):
        raise InvalidLesson("it is not the person's turn")
    legal = list(table.state.legal_actions(YOU))
    comments = dict(given["comments"])
    found = {action: action if action in comments else action.partition(":")[0] for action in legal}
    missing = [action for action, key in found.items() if not str(comments.get(key, "")).strip()]
    if missing:
        raise InvalidLesson(f"no comment on {', '.join(missing)}")
    useless = comments.keys() - set(found.values())
    if useless:
        raise InvalidLesson(f"a comment on {', '.join(sorted(useless))}, which is not legal")
    right = given["right"]
    if right not in legal:
        raise InvalidLesson(f"{right} is not legal")
    table.play([LessonMove(YOU, right)])
    said = {action: comments[key] for action, key in found.items()}
    return LessonStep(moves, _text(given, "text"), _text(given, "question"), right, said)


def _moves(given: Sequence[str]) -> tuple[LessonMove, ...]:
    """Read moves such as ``"1 play:3H"``."""
    pairs = [text.split(" ", 1) for text in given]
    return tuple(LessonMove(int(seat), action) for seat, action in pairs)


def _text(given: Mapping[str, Any], name: str) -> str:
    text = given.get(name)
    if not isinstance(text, str) or not text.strip():
        raise InvalidLesson(f"{name} is missing")
    return text
