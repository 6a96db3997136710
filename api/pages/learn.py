"""The rules of a game in one minute, and how cards are written on pages that teach."""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

from flask import Response, request, url_for
from markupsafe import Markup

from api.pages.site import blueprint, page
from arena.errors import UnknownGame
from arena.games import GAMES, game_of
from arena.games.cards import SUIT_NAMES, spoken
from arena.games.descriptor import Game
from arena.games.guides import Guide
from arena.games.options import Rules
from arena.people.lessons import lesson_of
from arena.replays.page import static

_CARD: Final = re.compile(r"\[([2-9TJQKA][CHSD])\]")
_LONGEST: Final = 40
"""The maximum number of characters of an option's value."""


class _WrittenCard(NamedTuple):
    card: str


blueprint.add_app_template_filter(spoken, "spoken")


@blueprint.app_template_filter("suit_name")
def suit_name(card: str) -> str:
    """Return the name of the suit of a card."""
    return SUIT_NAMES[card[1]]


@blueprint.app_template_filter("card_parts")
def card_parts(text: str) -> list[str | _WrittenCard]:
    """Split a text at its cards, which are written ``[7D]``."""
    parts = _CARD.split(text)
    return [_WrittenCard(part) if number % 2 else part for number, part in enumerate(parts) if part]


def guide_address(game: Game, rules: Rules) -> str | None:
    """Return the address of the guide for complete rules, or None if the game has no guide."""
    if game.guide is None:
        return None
    changed = game.options.changed(rules)
    query: dict[str, Any] = {
        name: str(value).lower() if isinstance(value, bool) else value for name, value in changed.items()
    }
    return url_for("pages.guide_page", kind=game.kind, **query)


def guides_of(game: Game) -> list[dict[str, str | None]]:
    """Return the titles and addresses of the guides for the usual variants of a game."""
    if game.guide is None:
        return []
    usual = map(game.options.complete, game.guide.variants)
    return [{"title": game.guide.title(rules), "address": guide_address(game, rules)} for rules in usual]


@blueprint.get("/learn/<kind>")
def guide_page(kind: str) -> Response:
    """Show the rules in one minute, for the rule options in the query."""
    game, guide = _taught(kind)
    given = [f"{name[:_LONGEST]}={value[:_LONGEST]}" for name, value in request.args.items()]
    rules = game.options.complete(game.options.read(given))
    return page(
        "guide.html",
        game=game,
        title=guide.title(rules),
        sections=guide.sections(rules),
        variants=[one for other, _ in _guides() for one in guides_of(other)],
        lesson=lesson_of(kind),
        sprite=Markup(static("sprite.html")),
    )


def _guides() -> list[tuple[Game, Guide]]:
    return [(game, game.guide) for game in GAMES.values() if game.guide is not None]


def _taught(kind: str) -> tuple[Game, Guide]:
    """Return a game that has a guide. Raises :class:`~arena.errors.UnknownGame`."""
    game = game_of(kind)
    if game.guide is None:
        known = ", ".join(game.kind for game, _ in _guides())
        raise UnknownGame(f"There is no guide to {game.title}", field="kind", expected=f"one of {known}")
    return game, game.guide
