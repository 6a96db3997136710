"""Lessons: fixed deals that a visitor plays step by step. The address holds the whole state."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from flask import Response, request, url_for
from markupsafe import Markup

from api.pages.front_table import FrontTable
from api.pages.learn import guide_address
from api.pages.site import blueprint, page
from api.pages.small_table import small_table
from arena.errors import ArenaError, UnknownGame
from arena.games import GAMES, game_of
from arena.games.descriptor import Game
from arena.games.panels import Choice, Panel
from arena.people.lessons import YOU, Lesson, LessonDeal, LessonMove, LessonStep, LessonTable, lesson_of
from arena.replays.page import embedded_json, static
from arena.replays.sheets import table_layout

_NUMBER: Final = re.compile(r"[1-9][0-9]?").fullmatch
_LONGEST: Final = 20
"""The maximum number of characters of an answer."""


@blueprint.get("/learn/<kind>/lesson")
def lesson_page(kind: str) -> Response:
    """Show a step of the lesson, or, after the last one, the end of the deal."""
    game, lesson = game_of(kind), lesson_of(kind)
    if lesson is None:
        known = ", ".join(one for one in GAMES if lesson_of(one) is not None)
        raise UnknownGame(f"There is no lesson in {game.title}", field="kind", expected=f"one of {known}")
    number = _number("deal", len(lesson.deals))
    deal = lesson.deals[number - 1]
    at = _number("step", len(deal.steps) + 1)
    step = deal.steps[at - 1] if at <= len(deal.steps) else None
    table = _table(game, lesson, deal, at)
    panel = None if step is None else table.panel()
    answer = _answer(step)
    if answer is not None:
        table.play([LessonMove(YOU, answer)])
    layout = table_layout(game, deal.rules, table.form)
    picture = table.picture()
    answers = [] if panel is None else list(_answers(panel, kind, number, at))
    cards = {one["card"]: one["address"] for one in answers if one["card"]} if answer is None else {}
    return page(
        "lesson.html",
        game=game,
        lesson=lesson,
        deal=deal,
        number=number,
        at=at,
        step=step,
        answer=answer,
        answers=answers,
        drawn=small_table(FrontTable("", kind, False, lesson.title, "", layout, picture)),
        data=Markup(embedded_json({**layout, "picture": picture, "answers": cards})),
        guide=guide_address(game, deal.rules),
        sprite=Markup(static("sprite.html")),
    )


def _table(game: Game, lesson: Lesson, deal: LessonDeal, at: int) -> LessonTable:
    """Play the deal up to the question of step ``at``, or to its end."""
    table = LessonTable(game, lesson, deal)
    for step in deal.steps[: at - 1]:
        table.play([*step.moves, LessonMove(YOU, step.right)])
    table.play(deal.steps[at - 1].moves if at <= len(deal.steps) else deal.moves)
    return table


def _number(name: str, most: int) -> int:
    """Return a number in the query, from 1 to ``most``; without it, 1."""
    text = request.args.get(name, "1")
    if not _NUMBER(text) or int(text) > most:
        raise ArenaError(
            f"{text[:_LONGEST]!r} is no {name} of this lesson",
            field=name,
            expected=f"a whole number from 1 to {most}",
        )
    return int(text)


def _answer(step: LessonStep | None) -> str | None:
    text = request.args.get("answer")
    if text is None:
        return None
    if step is None or text not in step.comments:
        expected = "no answer" if step is None else "one of " + ", ".join(step.comments)
        raise ArenaError(f"{text[:_LONGEST]!r} is not legal here", field="answer", expected=expected)
    return text


def _answers(panel: Panel, kind: str, deal: int, step: int) -> Iterator[dict[str, Any]]:
    """Yield the legal answers as the page shows them."""
    shown = [(choice.action, choice, choice.label) for choice in panel.choices]
    if panel.toggle is not None:
        shown += [
            (panel.toggle.applied(choice.action), choice, f"{choice.label}, {panel.toggle.label.lower()}")
            for choice in panel.choices
            if panel.toggle.applied(choice.action) != choice.action
        ]
    for action, choice, label in shown:
        yield {
            "action": action,
            "label": label,
            "cost": choice.cost,
            "tone": choice.tone,
            "card": _card(choice, action),
            "shows": choice.card,
            "address": url_for("pages.lesson_page", kind=kind, deal=deal, step=step, answer=action),
        }


def _card(choice: Choice, action: str) -> str:
    """Return the card that a click on the table plays with this answer."""
    return choice.card if action == choice.action else ""
