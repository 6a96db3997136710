"""Games: creating, joining, viewing and resigning."""

from __future__ import annotations

from typing import Any

from flask import Response, request

from api import streams
from api.auth import viewer
from api.contract import ARCHIVED, UNSEATABLE, Blueprint, json_response, page_response
from api.conventions import link_next
from api.edge import JSON
from api.schemas.games import (
    EventPageSchema,
    EventsQuery,
    GamePageSchema,
    GameSchema,
    GamesQuery,
    JoinedSchema,
    JoinSchema,
    NewGameSchema,
    ResignSchema,
    StreamQuery,
    ViewQuery,
    ViewSchema,
)
from api.services import services
from arena.accounts.accounts import Forbidden, Principal
from arena.accounts.suspensions import check_plays
from arena.accounts.versions import BotAccount
from arena.games import game_of
from arena.live.header import InvalidSeats

blueprint = Blueprint("games", __name__, description="Games: create, join and watch them.")

_SEEN = ("game_not_found", "game_hidden")


@blueprint.operation(
    "/games",
    "POST",
    scopes=("owner", "bot", "admin"),
    body=NewGameSchema,
    status=201,
    returns=GameSchema,
    errors=("kind_not_found", "invalid_option", "invalid_seats", "bot_not_found", *UNSEATABLE),
    limit="games_per_owner",
)
def create_game(who: Principal, body: dict[str, Any]) -> Response:
    """Create a game

    Each seat is for one of your own bots (admins: any bot), for a house bot, or open for any bot to join.
    The game starts once no seat is open.
    """
    seats = [_seat(who, seat) for seat in body["seats"]]
    rules = game_of(body["kind"]).rules_for(body.get("rules", {}), len(seats))
    made = services().live.create(
        body["kind"],
        seats=seats,
        rules=rules,
        clock=body.get("clock"),
        created_by=who.owner,
        visibility=body["visibility"],
    )
    return json_response(made, 201)


def _seat(who: Principal, seat: dict[str, Any]) -> dict[str, Any]:
    """The seat with the current version of its bot, which must belong to ``who`` unless an admin."""
    if "bot" not in seat:
        return seat
    bot = services().accounts.bot(seat["bot"])
    if who.owner not in bot.owners and not who.admin:
        raise Forbidden(f"{bot.name} is not your bot", field="seats", expected="one of your own bots")
    check_plays(bot, "seats")
    _check_seatable(bot)
    return {**seat, "version": bot.version}


def _check_seatable(bot: BotAccount) -> None:
    if bot.current.runner.arena_run:
        raise InvalidSeats(
            f"{bot.name} is an uploaded bot; those play in tournaments only",
            field="seats",
            expected="a bot with the transport remote or webhook",
        )


@blueprint.operation(
    "/games", scopes=(), query=GamesQuery, returns=GamePageSchema, errors=("invalid_cursor", *ARCHIVED)
)
def list_games(who: Principal | None, query: dict[str, Any]) -> Response:
    """List games, newest first

    Private games are listed only for those who can see them.
    """
    page = services().live.list(**query, viewer=viewer(who))
    return page_response({"games": page.items, "cursor": page.cursor})


@blueprint.operation(
    "/games/<game>",
    scopes=(),
    query=ViewQuery,
    returns=ViewSchema,
    also={204: "The version is still `since`."},
    errors=(*_SEEN, *ARCHIVED, "not_seated"),
)
def get_game(who: Principal | None, query: dict[str, Any], game: str) -> Response:
    """Get a game

    Returns the view from the bot's seat with a bot's token, otherwise that of a spectator. With `since` and
    `wait` it is a long poll, which returns as soon as the game's version differs from `since`.
    """
    view = services().live.view(game, viewer(who), **query)
    if view is None:
        return json_response(None, 204)
    etag = f"{view['version']}-{'s' if view['seat'] is None else view['seat']}"
    known = request.if_none_match.contains_weak(etag)
    response = json_response(None, 304) if known else json_response(view)
    response.set_etag(etag, weak=True)
    response.headers["Cache-Control"] = "private, no-cache"
    response.headers["Vary"] = "Authorization"
    return response


@blueprint.operation(
    "/games/<game>/join",
    "POST",
    scopes=("bot",),
    body=JoinSchema,
    returns=JoinedSchema,
    errors=(*_SEEN, "game_not_open", "seat_taken", *UNSEATABLE, "game_busy", "invalid_seats"),
)
def join_game(who: Principal, body: dict[str, Any], game: str) -> Response:
    """Join a game

    Takes an open seat. If the bot already has one, that seat is returned. The game starts when the last
    seat is taken.
    """
    bot = services().accounts.bot(who.name)
    check_plays(bot)
    _check_seatable(bot)
    services().live.summary(game, viewer(who))
    return json_response(services().live.join(game, who.name, version=bot.version, **body))


@blueprint.operation(
    "/games/<game>/resign",
    "POST",
    scopes=("bot",),
    body=ResignSchema,
    returns=GameSchema,
    errors=(*_SEEN, "not_seated", "game_not_running", "game_busy"),
)
def resign_game(who: Principal, body: dict[str, Any], game: str) -> Response:
    """Resign from a game

    Default actions are played for the seat until the game ends (BT-7.3, TP-8.3). Resigning again has no
    effect.
    """
    return json_response(services().live.resign(game, who.name, **body))


@blueprint.operation(
    "/games/<game>/cancel",
    "POST",
    scopes=("owner", "bot", "admin"),
    returns=GameSchema,
    errors=(*_SEEN, "game_not_open", "game_busy"),
)
def cancel_game(who: Principal, game: str) -> Response:
    """Cancel a game that is waiting for players

    Only its creator or an admin can cancel a game. A game that has begun cannot be
    cancelled; its bots can resign (`POST /v1/games/{game}/resign`).
    """
    made_by = services().live.summary(game, viewer(who))["created_by"]
    if made_by != who.owner or not made_by:
        if not who.admin:
            raise Forbidden("this is not your game", field="game", expected="one of your own games")
        services().accounts.audit(who, "cancel game", f"game {game}")
    return json_response(services().live.cancel(game))


@blueprint.operation(
    "/games/<game>/events",
    scopes=(),
    query=EventsQuery,
    returns=EventPageSchema,
    headers=("Link",),
    errors=(*_SEEN, *ARCHIVED, "not_seated", "events_gone"),
)
def list_events(who: Principal | None, query: dict[str, Any], game: str) -> Response:
    """List the events of a game

    Returns the events as seen from the bot's seat, or by a spectator. With `wait` it is a long poll.
    """
    page = services().live.events(game, viewer(who), **query)
    response = json_response(page)
    if page["events"]:
        link_next(response, request.environ, start=page["next"])
    return response


@blueprint.operation(
    "/games/<game>/events/stream",
    scopes=(),
    query=StreamQuery,
    returns=streams.event_stream(event="Event", over="Over"),
    media=streams.MEDIA,
    errors=(*_SEEN, *ARCHIVED, "not_seated", "events_gone", "invalid_cursor"),
    parameters=(streams.LAST_EVENT_ID,),
)
def stream_events(who: Principal | None, query: dict[str, Any], game: str) -> Response:
    """Stream the events of a game

    A stream of server-sent events: `event` for each event of the game, with its number as the id; `over`
    when the game is over; `reconnect` when the service ends the stream. To resume, send the last id in
    the header `Last-Event-ID`.
    """
    return streams.game_stream(services().live, game, viewer(who), query["seat"])


@blueprint.operation(
    "/games/<game>/record",
    scopes=(),
    returns={"$ref": "#/components/schemas/GameRecord"},
    errors=(*_SEEN, *ARCHIVED, "record_not_ready"),
)
def get_record(who: Principal | None, game: str) -> Response:
    """Get the record of a finished game

    The record reveals the seed, and with it every card. `botequim verify` checks it offline.
    """
    response = Response(services().tournaments.record(game, viewer(who)), content_type=JSON)
    response.headers["Cache-Control"] = "private, max-age=3600"
    return response
