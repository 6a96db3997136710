"""Games: make, list, look at, join, resign, watch."""

from __future__ import annotations

from typing import Any, Final

from flask import Response, request

from api import streams
from api.contract import Blueprint, json_response
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
from arena.live.accounts import BotWithdrawn, Forbidden, Principal
from arena.live.sheet import ANYBODY, InvalidSeats, Viewer
from arena.live.versions import BotAccount

blueprint = Blueprint("games", __name__, description="Games: make, join and watch them.")

IF_NONE_MATCH: Final = {
    "in": "header",
    "name": "If-None-Match",
    "description": "The `ETag` of an earlier reply; while it holds, the reply is 304.",
    "schema": {"type": "string"},
}

_SEEN = ("game_not_found", "game_hidden")


def viewer(who: Principal | None) -> Viewer:
    """The principal as one who looks at games."""
    if who is None:
        return ANYBODY
    return Viewer(who.name if who.scope == "bot" else None, who.owner or None, who.admin)


@blueprint.operation(
    "/games",
    "POST",
    scopes=("owner", "bot", "admin"),
    body=NewGameSchema,
    status=201,
    returns=GameSchema,
    errors=("unknown_game", "invalid_option", "invalid_seats", "unknown_bot", "bot_withdrawn"),
    limit="games_per_owner",
)
def create_game(who: Principal, body: dict[str, Any]) -> Response:
    """Make a game

    Seats are for bots of one's own (admins: of anybody), for house bots, or open for whoever joins. The
    game starts when no seat is open.
    """
    seats = [_seat(who, seat) for seat in body["seats"]]
    rules = body.get("rules", {})
    if body["kind"] == "toepen":
        rules.setdefault("seats", len(seats))
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
    """The seat as the arena wants it: a bot with its current version, which must be one's own."""
    if "bot" not in seat:
        return seat
    bot = services().accounts.bot(seat["bot"])
    if bot.owner != who.owner and not who.admin:
        raise Forbidden(f"{bot.name} is not your bot", field="seats", expected="a bot of your own")
    if bot.state == "withdrawn":
        raise BotWithdrawn(f"{bot.name} is withdrawn", field="seats", expected="an active bot")
    _check_seatable(bot)
    return {**seat, "version": bot.version}


def _check_seatable(bot: BotAccount) -> None:
    if bot.current.uploaded:
        raise InvalidSeats(
            f"{bot.name} is an uploaded bot, which plays in tournaments only",
            field="seats",
            expected="a bot that asks for its turns, or one with a webhook",
        )


@blueprint.operation(
    "/games", scopes=(), query=GamesQuery, returns=GamePageSchema, errors=("invalid_cursor",)
)
def list_games(who: Principal | None, query: dict[str, Any]) -> Response:
    """List games, the newest first"""
    page = services().live.list(**query, viewer=viewer(who))
    return json_response({"games": page.items, "cursor": page.cursor})


@blueprint.operation(
    "/games/<game>",
    scopes=(),
    query=ViewQuery,
    returns=ViewSchema,
    headers=("ETag",),
    also={204: "Nothing has changed from version `since`.", 304: "Not changed; see `If-None-Match`."},
    errors=(*_SEEN, "not_seated"),
    parameters=(IF_NONE_MATCH,),
)
def get_game(who: Principal | None, query: dict[str, Any], game: str) -> Response:
    """Look at a game

    With a bot's token it is seen from the bot's seat, else as a spectator sees it. `since` and `wait`
    make a long poll of it: the reply comes as soon as the game's version is another.
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
    errors=(*_SEEN, "game_not_open", "seat_taken", "bot_withdrawn", "game_busy", "invalid_seats"),
)
def join_game(who: Principal, body: dict[str, Any], game: str) -> Response:
    """Sit down on an open seat

    Joining again returns the seat that the bot already has. With the last seat taken the game starts.
    """
    bot = services().accounts.bot(who.name)
    if bot.state == "withdrawn":
        raise BotWithdrawn(f"{bot.name} is withdrawn", expected="an active bot")
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
    """Give up

    The table plays on for the seat by default actions to the end (BT-7.3, TP-8.3). Resigning again
    changes nothing.
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
    """Cancel a game of one's own that still waits for players"""
    made_by = services().live.summary(game, viewer(who))["created_by"]
    if made_by != who.owner or not made_by:
        if not who.admin:
            raise Forbidden("this is not your game", field="game", expected="a game of your own")
        services().accounts.audit(who, "cancel game", f"game {game}")
    return json_response(services().live.cancel(game))


@blueprint.operation(
    "/games/<game>/events",
    scopes=(),
    query=EventsQuery,
    returns=EventPageSchema,
    errors=(*_SEEN, "not_seated", "events_gone"),
)
def list_events(who: Principal | None, query: dict[str, Any], game: str) -> Response:
    """List what happened in a game

    As seen from the bot's seat, or by a spectator. `wait` makes a long poll of it.
    """
    return json_response(services().live.events(game, viewer(who), **query))


@blueprint.operation(
    "/games/<game>/events/stream",
    scopes=(),
    query=StreamQuery,
    returns=streams.event_stream(event="Event", over="Over"),
    media=streams.MEDIA,
    errors=(*_SEEN, "not_seated", "events_gone", "invalid_cursor"),
    parameters=(streams.LAST_EVENT_ID,),
)
def stream_events(who: Principal | None, query: dict[str, Any], game: str) -> Response:
    """Watch a game

    A stream of server-sent events: `event` for each event of the game, with its number as the id; `over`
    when the game is; `reconnect` when the service is about to be stopped. To go on after a break send
    the last id in the header `Last-Event-ID`.
    """
    return streams.game_stream(services().live, game, viewer(who), query["seat"])


@blueprint.operation(
    "/games/<game>/record",
    scopes=(),
    returns={"$ref": "#/components/schemas/Record"},
    errors=(*_SEEN, "record_not_ready"),
)
def get_record(who: Principal | None, game: str) -> Response:
    """The record of a finished game

    It reveals the seed, and with it every card. `botequim verify` checks it without a server.
    """
    response = Response(services().live.record(game, viewer(who)), content_type=JSON)
    response.headers["Cache-Control"] = "private, max-age=3600"
    return response
