"""The page of a bot."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from flask import Response, abort, request, url_for

from api.http.requests import read_query
from api.http.sessions import page_viewer, visitor
from api.pages.bars import axis_of
from api.pages.history import Plot, plot
from api.pages.own_bots import LOGS_MOST
from api.pages.play import offered_bots
from api.pages.previews import bot_preview
from api.pages.site import blueprint, page
from api.pages.styles import StyleRow, style_rows
from api.schemas.bot_games import BotGamesFilter, GivenBotGamesFilter
from api.services import services
from arena.accounts.accounts import BotNotFound
from arena.accounts.versions import BotAccount
from arena.bots.transports import UPLOADED
from arena.events.house_entries import house_source
from arena.events.movements import Movements
from arena.games import GAMES
from arena.people.tables import BOT, HOUSE, playable
from arena.play.board_names import BoardName, all_boards
from arena.play.bot_results import opponents, partners, result_words
from arena.ratings.matchups import MatchedBot, Pair
from arena.records.archive.archive import ArchiveMismatch
from arena.records.archive.objects import ArchiveUnavailable
from arena.records.archive.segments import DamagedArchive

HISTORY_DAYS: Final = 90
"""The maximum number of days in the history of a rating."""

GAMES_MOST: Final = 50
"""The maximum number of games on the page of a bot."""

TOURNAMENTS_MOST: Final = 10
"""The maximum number of tournaments on the page of a bot."""

_QUERY: Final = BotGamesFilter()


class _Place(NamedTuple):
    """A bot's place on one leaderboard. ``pairs`` are its results against each opponent, best first.
    ``moved`` is what changed since yesterday, or None if that is unknown.
    """

    name: BoardName
    anchor: Mapping[str, object]
    row: dict[str, Any]
    history: Sequence[Mapping[str, object]]
    plot: Plot | None
    pairs: list[tuple[MatchedBot, Pair]]
    style: list[StyleRow]
    moved: Movements | None


@blueprint.get("/bots/<bot>")
def bot_page(bot: str) -> Response:
    """Show one bot: its versions, ratings, head-to-head results and games."""
    query: GivenBotGamesFilter = read_query(_QUERY, request.environ, services().settings.http)
    account = _account(bot)
    places = [place for name in all_boards() if (place := _place(name, bot))]
    is_house = account is None and house_source(bot) is not None
    if account is None and not places and not is_house:
        abort(404)
    has_games = account is not None or is_house
    return page(
        "bot.html",
        name=bot,
        account=account,
        is_house=is_house,
        places=places,
        play=_play_address(bot, [place.name.kind for place in places]),
        axis=axis_of(row for place in places for row in (place.row, *place.row["versions"])),
        most_days=HISTORY_DAYS,
        has_games=has_games,
        is_uploaded=account is not None
        and any(one.label == account.version and one.transport == UPLOADED.name for one in account.versions),
        most_games=GAMES_MOST,
        kept_groups=services().bot_games.most_groups,
        costs=_costs(account),
        recent=_games_or_none(bot, query) if has_games else [],
        days=services().bot_games.days(bot) if has_games else {},
        tournaments=_tournaments(bot),
        chosen=query,
        kinds=list(GAMES),
        preview=bot_preview(bot, [(place.name, place.row) for place in places]),
    )


def _play_address(bot: str, kinds: Sequence[str]) -> str | None:
    """Return the address of the form to sit down with the bot opposite, in the first of ``kinds`` that people
    can play; None if people cannot play against it.
    """
    kind = next(kind for kind in (*kinds, *playable()) if kind in playable())
    if bot in GAMES[kind].house_bots:
        other = HOUSE + bot
    elif any(one.name == bot for one in offered_bots()):
        other = BOT + bot
    else:
        return None
    return url_for("pages.play_page", game=kind, seat1=other)


def _costs(account: BotAccount | None) -> Mapping[str, float]:
    """Return the mean fuel of a decision in milliseconds by version, in the bot's last games, for its owners
    only.
    """
    if account is None or visitor().owner not in account.owners:
        return {}
    times = defaultdict[str, list[float]](list)
    for log in services().tournaments.journals.latest(account.name, LOGS_MOST):
        for seat in log.seats:
            times[seat["version"]] += [one["ms"] for one in seat["decisions"]]
    return {version: sum(some) / len(some) for version, some in times.items() if some}


def _tournaments(bot: str) -> Sequence[Mapping[str, object]]:
    """Return the latest tournaments in which a group with the bot is over."""
    return services().tournaments.list(bot=bot, limit=TOURNAMENTS_MOST, viewer=page_viewer()).items


def _account(bot: str) -> BotAccount | None:
    try:
        return services().moderation.account(services().accounts.bot(bot), page_viewer())
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
        name,
        board["anchor"],
        row,
        history,
        plot(history),
        _pairs(name, bot),
        style_rows(name, bot, others),
        services().movements.of(name, [row]),
    )


def _history(name: BoardName, bot: str) -> Sequence[Mapping[str, object]]:
    points: list[Mapping[str, object]] = []
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


def _games_or_none(bot: str, query: GivenBotGamesFilter) -> Sequence[Mapping[str, object]] | None:
    """Return the latest games of a bot from its point of view, or None while the archive, which holds older
    games, cannot be read.
    """
    try:
        found = services().bot_games.list(bot, **query, limit=GAMES_MOST, viewer=page_viewer())
    except (ArchiveMismatch, ArchiveUnavailable, DamagedArchive):
        return None
    return [
        {**game, "words": result_words(game), "others": opponents(game), "partners": partners(game)}
        for game in found
    ]
