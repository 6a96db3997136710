"""Upcoming tournaments: schedules as shown on pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from api.pages.site import blueprint
from api.services import services
from arena.events.qualification import Discipline
from arena.games import game_of
from arena.play.board_names import DIVISION_TITLES, BoardName
from arena.play.players import DIVISIONS, OPEN, SEALED, PlayerId
from arena.text import relative
from arena.tournaments.outlook import BoardStanding, Outlook, outlook, standing, takes_all
from arena.tournaments.schedule_words import next_words

_LOOKED_AT: Final = 50
_ENTERING_MOST: Final = 5
"""How many of the next tournaments are searched for those that enter a bot, and how many of those are read.
"""


class Coming(NamedTuple):
    """The tournaments that schedules announce next.

    ``timed`` lists the schedules that announce a tournament at a set time, earliest first. ``daily`` lists
    those whose ranked bots wait for daily play, earliest first: the time, the name and the board. ``resting``
    lists the tournaments that begin as soon as a new bot arrives: their names and boards (None without a
    preset), by the kind of bots.
    """

    timed: list[dict[str, Any]]
    daily: list[tuple[int, str, BoardName | None]]
    resting: dict[str, list[tuple[str, BoardName | None]]]


def coming(most: int) -> Coming:
    """Return the tournaments that the service's schedules announce next, at most ``most`` of each kind."""
    found = services().schedules.list()
    timed = [one for one in found if one["waits_for"] == "time"]
    resting: dict[str, list[tuple[str, BoardName | None]]] = {}
    for division in DIVISIONS:
        own = [
            (one["tournament"]["name"], _board(one["tournament"]))
            for one in found
            if one["waits_for"] == "bots" and one["tournament"].get("division", OPEN) == division
        ]
        if own:
            resting[DIVISION_TITLES[division]] = own[:most]
    daily = [
        (one["daily_ms"], one["tournament"]["name"], _board(one["tournament"]))
        for one in sorted(found, key=lambda one: (one["daily_ms"] or 0, one["id"]))
        if one["daily_ms"] is not None
    ]
    return Coming(sorted(timed, key=lambda one: (one["next_ms"], one["id"]))[:most], daily[:most], resting)


def _board(settings: Mapping[str, Any]) -> BoardName | None:
    game = game_of(settings["kind"])
    preset = game.preset_of(game.rules_of(settings))
    return None if preset is None else BoardName(game.kind, settings.get("division", OPEN), preset)


def following(
    discipline: Discipline, bot: str, version: str
) -> tuple[BoardName, BoardStanding | None, Outlook]:
    """Return the status of a qualified version of an uploaded bot and the next step, in the words of ``bot
    submit``.
    """
    board = BoardName(discipline.kind, SEALED, discipline.preset)
    player = PlayerId(bot, version)
    published = services().boards.read(*board)
    place = None if published is None else standing(published["rows"], player)
    arena = services().tournaments
    entering = [one["id"] for one in arena.present(limit=_LOOKED_AT).items if takes_all(one, board)]
    present = [arena.view(name) for name in entering[:_ENTERING_MOST]]
    groups = 0 if place is None else place.groups
    schedules = services().schedules.list()
    return board, place, outlook(board, player, groups, present, schedules, now_ms())


def now_ms() -> int:
    """Return the time of the service's clock, in Unix milliseconds."""
    return services().store.clock().now_ms


@blueprint.app_template_filter("relative")
def _relative(ms: int) -> str:
    """Format a time relative to now: ``in 4 min``."""
    return relative(ms, now_ms())


@blueprint.app_template_filter("next_words")
def _next_words(schedule: Mapping[str, object]) -> str:
    """Return a text that says when a schedule announces its next tournament."""
    return next_words(schedule, now_ms())
