"""Leaderboard and head-to-head pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from flask import Response, abort, request, url_for

from api.http.requests import read_query
from api.pages.bars import axis_of
from api.pages.board_filters import BoardFilter
from api.pages.history import BoardPlot, board_plot
from api.pages.previews import PreviewTags, board_preview
from api.pages.rank_brackets import Mark, rank_brackets
from api.pages.site import blueprint, page
from api.schemas.leaderboards import BoardPageQuery, GivenBoardPage
from api.services import services
from arena.accounts.models import ModelStatement, model_statements
from arena.errors import UnknownPreset
from arena.events.boards import PublishedBoard
from arena.events.house_entries import house_source
from arena.events.matchups import PublishedMatchups
from arena.events.movements import Movements
from arena.games import GAMES
from arena.games.descriptor import Preset
from arena.play.board_names import DIVISION_TITLES, BoardName
from arena.play.players import DIVISIONS, MODELS, OPEN, SEALED
from arena.ratings.matchups import MOST_BOTS

BOTS_AT_ONCE: Final = 100

REFRESH_SECONDS: Final = 15
"""The interval, in seconds, at which a page in a browser requests the board again."""

MEANINGS: Final = {
    SEALED: "Only bots that the arena runs: on the same machine, without memory between games, with "
    "mirrored deals.",
    OPEN: "Any bot, regardless of where it runs.",
    MODELS: "Bots that are language models, according to their owners.",
}

WIDE: Final = {"days": 30, "pixels": 304}
NARROW: Final = {"days": 14, "pixels": 256}
"""The days shown and the heights of the drawings for large screens and phones, as in the style sheet."""

_BOARD: Final = BoardPageQuery()


class _Shown(NamedTuple):
    """A leaderboard as its page shows it.

    ``rows`` are the rows of this page, with earlier versions if requested. ``names`` are the bots whose lines
    are drawn, and ``chosen`` the highlighted ones. ``models`` holds the owners' statements about their
    language models, or is None in other divisions. ``owners``: see :func:`_owners`. ``moved`` is what changed
    since yesterday, or None. ``brackets`` has the parts of brackets in the rows of bots; there are none if
    filters exclude rows or versions have rows of their own.
    """

    division: str
    board: Mapping[str, Any] | None
    matchups: PublishedMatchups | None
    rows: Sequence[Mapping[str, Any]] = ()
    cursor: str | None = None
    wide: BoardPlot | None = None
    narrow: BoardPlot | None = None
    names: Sequence[str] = ()
    chosen: Sequence[str] = ()
    owners: Mapping[str, str | None] | None = None
    models: Mapping[str, ModelStatement] | None = None
    moved: Movements | None = None
    brackets: Mapping[str, Sequence[Mark]] = MappingProxyType({})


@blueprint.get("/leaderboards/<kind>")
def leaderboard_page(kind: str) -> Response:
    """Show the leaderboards of one preset of a game, by default its first preset."""
    if kind not in GAMES:
        abort(404)
    return _boards(kind, DIVISIONS)


@blueprint.get("/leaderboards/<kind>/<division>")
def division_page(kind: str, division: str) -> Response:
    """Show a page of one leaderboard."""
    if kind not in GAMES or division not in DIVISIONS:
        abort(404)
    return _boards(kind, (division,))


@blueprint.get("/leaderboards/<kind>/<division>/matchups")
def matchups_page(kind: str, division: str) -> Response:
    """Show the head-to-head results of one leaderboard."""
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


def _board_query() -> GivenBoardPage:
    query: GivenBoardPage = read_query(_BOARD, request.environ, services().settings.http)
    return query


def _preset(kind: str, query: GivenBoardPage) -> Preset:
    try:
        return GAMES[kind].preset(query["preset"])
    except UnknownPreset:
        abort(404)


def _boards(kind: str, divisions: Sequence[str]) -> Response:
    game = GAMES[kind]
    query = _board_query()
    # A page with all divisions shows the first rows of each.
    cursor = query["cursor"] if len(divisions) == 1 else None
    preset = _preset(kind, query)
    only = BoardFilter(query)
    boards = [
        _shown(BoardName(kind, division, preset.name), only, cursor, (query["bot"], query["second"]))
        for division in divisions
    ]
    return page(
        "leaderboard.html",
        kind=kind,
        preset=preset,
        presets=game.presets,
        # A URL without a preset leads to the page of the first preset.
        chosen=None if preset is game.presets[0] else preset.name,
        boards=boards,
        axis=axis_of(row for one in boards for row in one.rows),
        only=only,
        titles=DIVISION_TITLES,
        meanings=MEANINGS,
        records=url_for("records.download_all_records", kind=kind),
        cursor=cursor,
        refresh=REFRESH_SECONDS,
        preview=_preview(kind, preset.name, boards),
    )


def _preview(kind: str, preset: str, boards: Sequence[_Shown]) -> PreviewTags | None:
    """Return the preview of the first board that has bots."""
    found = (board_preview(BoardName(kind, one.division, preset), one.board) for one in boards)
    return next(filter(None, found), None)


def _shown(
    name: BoardName, only: BoardFilter, cursor: str | None, marked: tuple[str | None, str | None]
) -> _Shown:
    board = services().boards.published(*name)
    matchups = services().matchups.published(*name)
    if board is None:
        return _Shown(name.division, None, matchups)
    found = PublishedBoard(board.version, {**board.data, "rows": only.rows(board.data["rows"])})
    rows = found.page(cursor, BOTS_AT_ONCE)
    series = services().histories.read(*name) if only.all_columns or marked[0] is not None else []
    for bot in marked:
        if bot is not None and all(bot != one.name for one in series):
            own = services().histories.of(bot, *name)
            series += [] if own is None else [own]
    names = [one.name for one in series]
    first, second = (bot if bot in names else None for bot in marked)
    first = first or (names[0] if names else "")
    return _Shown(
        name.division,
        board.data,
        matchups,
        only.with_versions(rows["rows"]),
        rows["cursor"],
        board_plot(series, first, second, **WIDE),
        board_plot(series, first, second, **NARROW),
        names,
        (first,) if second is None else (first, second),
        _owners(rows["rows"]),
        model_statements(services().accounts, rows["rows"]) if name.division == MODELS else None,
        services().movements.of(name, rows["rows"]),
        {} if only.is_on or only.all_versions else rank_brackets(board.data["rows"]),
    )


def _owners(rows: Sequence[Mapping[str, Any]]) -> Mapping[str, str | None]:
    """Return the displayed owners of the bots in ``rows``: empty for the house, and None for bots that are
    gone or whose names are hidden.
    """
    moderation = services().moderation
    house = {row["name"] for row in rows if house_source(row["name"]) is not None}
    others = sorted({row["name"] for row in rows} - house)
    accounts = services().accounts.listed(others) if others else []
    owners = {bot.name: moderation.name("owner", bot.owner) for bot in accounts if not bot.deleted}
    return {**dict.fromkeys(house, ""), **{name: owners.get(name) for name in others}}
