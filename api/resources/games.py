"""Games: creating, joining, viewing and resigning."""

from __future__ import annotations

from collections.abc import Mapping

from flask import Response, request

from api.http import streams
from api.http.auth import viewer
from api.http.contract import Blueprint, json_response, page_response
from api.http.conventions import link_next
from api.schemas.games import (
    CancelQuery,
    EventPageSchema,
    EventsQuery,
    GamePageSchema,
    GameSchema,
    GamesQuery,
    GivenCancellation,
    GivenEvents,
    GivenGame,
    GivenGames,
    GivenJoin,
    GivenResignation,
    GivenSeat,
    GivenStream,
    GivenView,
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
from arena.events.rights import behind
from arena.games import game_of
from arena.live.header import ANYBODY, InvalidSeats
from arena.operations.operation import JSON

blueprint = Blueprint("games", __name__, description="Games: create, join and watch them.")


@blueprint.operation(body=NewGameSchema, returns=GameSchema)
def create_game(who: Principal, body: GivenGame) -> Response:
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


def _seat(who: Principal, seat: GivenSeat) -> Mapping[str, object]:
    """Return the seat with the current version of its bot. The bot must belong to ``who``, unless ``who`` is
    an admin.
    """
    if "bot" not in seat:
        return seat
    bot = services().accounts.bot(seat["bot"])
    if who.owner not in bot.owners and not who.admin:
        raise Forbidden(f"{bot.name} is not your bot", field="seats", expected="one of your bots")
    check_plays(bot, "seats")
    _check_seatable(bot)
    return {**seat, "version": bot.version}


def _check_seatable(bot: BotAccount) -> None:
    if bot.current.runner.arena_run:
        raise InvalidSeats(
            f"{bot.name} is an uploaded bot, and uploaded bots play only in tournaments",
            field="seats",
            expected="a bot with the transport remote or webhook",
        )


@blueprint.operation(query=GamesQuery, returns=GamePageSchema)
def list_games(who: Principal | None, query: GivenGames) -> Response:
    page = services().live.list(**query, viewer=viewer(who))
    return page_response({"games": page.items, "cursor": page.cursor})


@blueprint.operation(query=ViewQuery, returns=ViewSchema)
def get_game(who: Principal | None, query: GivenView, game: str) -> Response:
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


@blueprint.operation(body=JoinSchema, returns=JoinedSchema)
def join_game(who: Principal, body: GivenJoin, game: str) -> Response:
    bot = services().accounts.bot(who.name)
    check_plays(bot)
    _check_seatable(bot)
    services().live.summary(game, behind(who) or ANYBODY)
    return json_response(services().live.join(game, who.name, version=bot.version, **body))


@blueprint.operation(body=ResignSchema, returns=GameSchema)
def resign_game(who: Principal, body: GivenResignation, game: str) -> Response:
    return json_response(services().live.resign(game, who.name, **body))


@blueprint.operation(query=CancelQuery, returns=GameSchema)
def cancel_game(who: Principal, query: GivenCancellation, game: str) -> Response:
    return json_response(services().game_cancellation.cancel(game, who, **query))


@blueprint.operation(query=EventsQuery, returns=EventPageSchema)
def list_events(who: Principal | None, query: GivenEvents, game: str) -> Response:
    page = services().live.events(game, viewer(who), **query)
    response = json_response(page)
    if page["events"]:
        link_next(response, request.environ, start=page["next"])
    return response


@blueprint.operation(
    query=StreamQuery,
    returns=streams.event_stream(event="Event", over="Over"),
    parameters=(streams.LAST_EVENT_ID,),
)
def stream_events(who: Principal | None, query: GivenStream, game: str) -> Response:
    return streams.game_stream(services().live, game, viewer(who), query["seat"])


@blueprint.operation(returns={"$ref": "#/components/schemas/GameRecord"})
def get_record(who: Principal | None, game: str) -> Response:
    response = Response(services().tournaments.record(game, viewer(who)), content_type=JSON)
    response.headers["Cache-Control"] = "private, max-age=3600"
    return response
