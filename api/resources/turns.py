"""Turns and their answers: the busiest operations of the service."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from flask import Response, request

from api import streams
from api.auth import still_valid
from api.connections import watch
from api.contract import Blueprint, json_response
from api.metrics import count_answers
from api.schemas.turns import (
    MAX_ANSWERS,
    AnswersSchema,
    ExchangeSchema,
    PresenceEndedSchema,
    TurnPageSchema,
    TurnsQuery,
    TurnStreamQuery,
)
from api.services import services
from api.turn_texts import page_text, wants_text
from arena.accounts.accounts import Principal
from arena.live.text_answers import kinds_of, read_answers

blueprint = Blueprint("turns", __name__, description="Turns and answers: everything a bot needs to play.")

_BOT = ("bot",)

_BYTES_PER_ANSWER = 500
_VALUES_PER_ANSWER = 5


def _ending_presence(who: Principal, query: dict[str, Any]) -> AbstractContextManager[None]:
    """End the presence of the bot if it closes the connection while it waits."""
    if not query["wait"]:
        return nullcontext()
    presence = services().live.presence
    return watch(request.environ.get("gunicorn.socket"), lambda: presence.end(who.name))


@blueprint.operation(
    "/turns",
    scopes=_BOT,
    query=TurnsQuery,
    returns=TurnPageSchema,
    as_text=True,
    errors=("invalid_cursor",),
)
def get_turns(who: Principal, query: dict[str, Any]) -> Response:
    """List the turns of the bot

    Returns the turns since the cursor `after`, or all pending ones, as `POST /v1/turns` without answers does.

    With `Accept: text/plain` the reply is text.
    """
    legal = query.pop("legal")
    check = still_valid(request.environ, services())
    with _ending_presence(who, query):
        turns, cursor = services().live.turns(who.name, **query)
    check()
    if wants_text(request.environ):
        return page_text((), {}, turns, cursor, legal)
    return json_response({"turns": turns, "cursor": cursor})


@blueprint.operation(
    "/turns",
    "POST",
    scopes=_BOT,
    query=TurnsQuery,
    body=AnswersSchema,
    returns=ExchangeSchema,
    as_text=True,
    errors=("invalid_cursor", "game_busy"),
    max_body=_BYTES_PER_ANSWER * MAX_ANSWERS,
    max_values=_VALUES_PER_ANSWER * MAX_ANSWERS,
)
def exchange_turns(who: Principal, query: dict[str, Any], body: dict[str, Any]) -> Response:
    """Answer turns and get the next ones

    Accepts a list of answers and returns the result of each, and the turns since the cursor `after`; if there
    are none, it waits for up to `wait` seconds. A bot repeats this request in a loop, for one game or for a
    thousand at once.

    Repeating an answer returns the first result again; a different answer to the same turn is
    `turn_already_answered`. An answer to a turn that is no longer open is `stale_turn`, with the current
    turn. Optional turns need no answer: each is returned once, and again when the seat has new events.

    With `Accept: text/plain` the reply is text, and actions are read as people write them: `PLAY: 4c` is
    `play:4C`.
    """
    live, legal, answers = services().live, query.pop("legal"), body["answers"]
    as_text = wants_text(request.environ)
    if as_text:
        answers = read_answers(live, answers)
    check = still_valid(request.environ, services()) if query["wait"] else None
    with _ending_presence(who, query):
        results, turns, cursor = live.exchange(who.name, answers, **query)
    if check is not None:
        check()
    count_answers(results)
    if as_text:
        refused = [result["turn"] for result in results if result["status"] != "accepted" and result["turn"]]
        return page_text(results, kinds_of(live, refused), turns, cursor, legal)
    return json_response({"results": results, "turns": turns, "cursor": cursor})


@blueprint.operation(
    "/turns/stream",
    scopes=_BOT,
    query=TurnStreamQuery,
    returns=streams.event_stream(turn="Turn"),
    media=streams.MEDIA,
    errors=("invalid_cursor",),
    parameters=(streams.LAST_EVENT_ID,),
)
def stream_turns(who: Principal, query: dict[str, Any]) -> Response:
    """Stream the turns of the bot

    A stream of server-sent events: `turn` for each turn, and `reconnect` when the service ends the stream.
    The id of the last event of a batch is the cursor; to resume, send it in the header `Last-Event-ID`.
    Send answers to `POST /v1/turns`.
    """
    return streams.turn_stream(services().live, who.name, query["rights"], query["tournaments"])


@blueprint.operation("/presence", "DELETE", scopes=_BOT, returns=PresenceEndedSchema)
def end_presence(who: Principal) -> dict[str, Any]:
    """Say good-bye

    The bot is not online any more: nothing begins for it by itself, and it is withdrawn from tournaments
    that it was entered in automatically, without the groups that have not begun. Games that have begun go
    on; their ids are returned. To play them to the end, send `leaving=true` with `POST /v1/turns`. The
    presence of a bot also ends when the connection of a waiting request is closed, and 40 seconds after its
    last request.
    """
    bot = services().accounts.bot(who.name)
    return {"games": services().live.end_presence(who.name), "tournaments": bot.takes_part}
