"""The pages of leaderboards and of who beats whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from flask import Response, abort, request, url_for

from api.pages.bars import axis_of
from api.pages.site import blueprint, page
from api.requests import read_query
from api.schemas.leaderboards import BoardPageQuery
from api.services import services
from arena.errors import UnknownPreset
from arena.games import GAMES
from arena.games.descriptor import Preset
from arena.play.players import DIVISIONS, OPEN, SEALED
from arena.ratings.matchups import MOST_BOTS

BOTS_AT_ONCE: Final = 100

REFRESH_SECONDS: Final = 15
"""How often a page in a browser asks for a new board."""

MEANINGS: Final = {
    SEALED: "Only bots that the arena runs: same machine, no memory between games, mirrored deals.",
    OPEN: "Any bot, wherever it runs.",
}

_BOARD: Final = BoardPageQuery()


@blueprint.get("/leaderboards/<kind>")
def leaderboard_page(kind: str) -> Response:
    """The leaderboards of one preset of a game, by default its first one."""
    if kind not in GAMES:
        abort(404)
    return _boards(kind, DIVISIONS)


@blueprint.get("/leaderboards/<kind>/<division>")
def division_page(kind: str, division: str) -> Response:
    """A page of one leaderboard."""
    if kind not in GAMES or division not in DIVISIONS:
        abort(404)
    return _boards(kind, (division,))


@blueprint.get("/leaderboards/<kind>/<division>/matchups")
def matchups_page(kind: str, division: str) -> Response:
    """Who beats whom on one leaderboard."""
    if kind not in GAMES or division not in DIVISIONS:
        abort(404)
    one = services().matchups.published(kind, division, _preset(kind, _board_query()).name)
    if one is None:
        abort(404)
    return page(
        "matchups.html",
        one=one,
        board=one.table.board,
        rows=list(zip(one.table.bots, one.table.rows(), strict=True)),
        most=MOST_BOTS,
    )


def _board_query() -> dict[str, Any]:
    query: dict[str, Any] = read_query(_BOARD, request.environ, services().settings.http)
    return query


def _preset(kind: str, query: Mapping[str, Any]) -> Preset:
    try:
        return GAMES[kind].preset(query["preset"])
    except UnknownPreset:
        abort(404)


def _boards(kind: str, divisions: Sequence[str]) -> Response:
    game = GAMES[kind]
    query = _board_query()
    # A page of both divisions has the first rows of each.
    cursor = query["cursor"] if len(divisions) == 1 else None
    preset = _preset(kind, query)
    boards = []
    for division in divisions:
        name = (kind, division, preset.name)
        one = services().boards.published(*name)
        boards.append(
            (division, one and one.page(cursor, BOTS_AT_ONCE), services().matchups.published(*name))
        )
    return page(
        "leaderboard.html",
        kind=kind,
        preset=preset,
        presets=game.presets,
        # The page without a preset in its address is that of the first one.
        chosen=None if preset is game.presets[0] else preset.name,
        boards=boards,
        axis=axis_of(row for _, board, _ in boards if board for row in board["rows"]),
        meanings=MEANINGS,
        records=url_for("records.download_all_records", kind=kind),
        cursor=cursor,
        refresh=REFRESH_SECONDS,
    )
