"""The page of a bot."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from flask import Response, abort, request

from api.pages.bars import axis_of
from api.pages.history import Plot, plot
from api.pages.site import blueprint, page
from api.pages.styles import StyleRow, style_rows
from api.requests import read_query
from api.schemas.games import BotGamesQuery
from api.services import services
from arena.accounts.accounts import BotNotFound
from arena.accounts.versions import BotAccount
from arena.events.house_entries import house_source
from arena.games import GAMES
from arena.play.board_names import BoardName, all_boards
from arena.ratings.matchups import MatchedBot, Pair
from arena.records.archive.archive import ArchiveMismatch
from arena.records.archive.objects import ArchiveUnavailable
from arena.records.archive.segments import DamagedArchive

HISTORY_DAYS: Final = 90
"""Maximum days in the history of a rating."""

GAMES_MOST: Final = 20
"""Maximum games on the page of a bot."""

LOOKED_AT: Final = 100
"""Maximum games among which those with a result are looked for."""

_QUERY: Final = BotGamesQuery()


class _Place(NamedTuple):
    """A bot on one leaderboard. ``pairs``: with its opponents, the best one first."""

    name: BoardName
    anchor: dict[str, Any]
    row: dict[str, Any]
    history: list[dict[str, Any]]
    plot: Plot | None
    pairs: list[tuple[MatchedBot, Pair]]
    style: list[StyleRow]


@blueprint.get("/bots/<bot>")
def bot_page(bot: str) -> Response:
    """One bot: its versions, its ratings, who it beats, its games."""
    query = read_query(_QUERY, request.environ, services().settings.http)
    account = _account(bot)
    places = [place for name in all_boards() if (place := _place(name, bot))]
    is_house = account is None and house_source(bot) is not None
    if account is None and not places and not is_house:
        abort(404)
    return page(
        "bot.html",
        name=bot,
        account=account,
        is_house=is_house,
        places=places,
        axis=axis_of(row for place in places for row in (place.row, *place.row["versions"])),
        most_days=HISTORY_DAYS,
        recent=[] if account is None else _games_or_none(bot, **query),
        chosen=query,
        kinds=list(GAMES),
    )


def _account(bot: str) -> BotAccount | None:
    try:
        return services().accounts.bot(bot)
    except BotNotFound:
        return None


def _place(name: BoardName, bot: str) -> _Place | None:
    board = services().boards.read(*name)
    row = next((row for row in board["rows"] if row["name"] == bot), None) if board else None
    if board is None or row is None:
        return None
    history = _history(name, bot)
    others = [other["name"] for other in board["rows"] if not other["retired"]]
    return _Place(
        name, board["anchor"], row, history, plot(history), _pairs(name, bot), style_rows(name, bot, others)
    )


def _history(name: BoardName, bot: str) -> list[dict[str, Any]]:
    points: list[dict[str, Any]] = []
    cursor = None
    while True:
        found = services().boards.history(*name, bot=bot, cursor=cursor)
        points = [*points, *found.items][-HISTORY_DAYS:]
        cursor = found.cursor
        if cursor is None:
            return points


def _pairs(name: BoardName, bot: str) -> list[tuple[MatchedBot, Pair]]:
    published = services().matchups.published(*name)
    if published is None:
        return []
    others = published.table.bots
    for own, pairs in zip(others, published.table.rows(), strict=True):
        if own.name == bot:
            return [(other, pair) for other, pair in zip(others, pairs, strict=True) if pair is not None]
    return []


def _games_or_none(bot: str, kind: str | None, result: str | None) -> list[dict[str, Any]] | None:
    """:func:`_games`; None while the archive, which has the older ones, cannot be read."""
    try:
        return _games(bot, kind, result)
    except (ArchiveMismatch, ArchiveUnavailable, DamagedArchive):
        return None


def _games(bot: str, kind: str | None, result: str | None) -> list[dict[str, Any]]:
    """The last games that everybody may see, as the bot played them; of one kind, with one result."""
    shown = []
    limit = GAMES_MOST if result is None else LOOKED_AT
    for game in services().live.list(bot=bot, kind=kind, limit=limit).items:
        seat = next((seat["seat"] for seat in game["seats"] if seat["name"] == bot), None)
        if seat is not None and result in (None, _result(game, seat)):
            shown.append({**game, "others": _others(game, bot), "result": _result(game, seat)})
    return shown[:GAMES_MOST]


def _others(game: dict[str, Any], bot: str) -> dict[str, bool]:
    """The names of the other players, each once, and whether they have a page."""
    others = (seat for seat in game["seats"] if seat["name"] not in (bot, None))
    return {seat["name"]: seat["type"] != "person" for seat in others}


def _result(game: dict[str, Any], seat: int) -> str:
    """``won``, ``lost`` or ``drawn``; the state of a game without an outcome."""
    if game["outcome"] is None:
        return str(game["state"])
    places = game["outcome"]["places"]
    if places[seat] > 1:
        return "lost"
    return "won" if max(places) > 1 else "drawn"
