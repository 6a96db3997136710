"""Turns: what a bot has to decide, and its answers. The busiest addresses of the service."""

from __future__ import annotations

import re
from typing import Any, Final

import orjson
from flask import Response, request

from api import streams
from api.auth import require, still_valid
from api.config import Config
from api.contract import Blueprint, json_response
from api.edge import Environ
from api.metrics import count_answers
from api.requests import read_json, read_query
from api.schemas.turns import (
    MAX_ANSWERS,
    AnswersSchema,
    ExchangeSchema,
    TurnPageSchema,
    TurnsQuery,
    TurnStreamQuery,
)
from api.services import Services, services
from arena.errors import ArenaError
from arena.live.accounts import Principal

blueprint = Blueprint("turns", __name__, description="Turns and answers: all that a bot needs to play.")

_BOT = ("bot",)
_QUERY = TurnsQuery()
_NO_QUERY: dict[str, Any] = _QUERY.load({})


@blueprint.operation(
    "/turns", scopes=_BOT, query=TurnsQuery, returns=TurnPageSchema, errors=("invalid_cursor",)
)
def get_turns(who: Principal, query: dict[str, Any]) -> Response:
    """The turns of the bot

    Those that are new since the cursor `after`, or all that are pending. As `POST /v1/turns` without
    answers.
    """
    check = still_valid(request.environ, services())
    turns, cursor = services().live.turns(who.name, **query)
    check()
    return json_response({"turns": turns, "cursor": cursor})


@blueprint.operation(
    "/turns",
    "POST",
    scopes=_BOT,
    query=TurnsQuery,
    body=AnswersSchema,
    returns=ExchangeSchema,
    errors=("invalid_cursor", "game_busy"),
    direct=True,
)
def exchange_turns(environ: Environ, parts: Services) -> bytes:
    """Answer turns and get the next ones

    Takes any number of answers and returns what became of each, and the turns that are new since the
    cursor `after`, for which it waits if there are none. A bot is this request in a loop, for one game or
    for a thousand at once.

    The same answer again gets the first result again; another answer to the same turn is
    `turn_already_answered`. An answer to a question that is gone is `stale_turn`, with the present turn.
    Optional turns need no answer: each comes once, and again when the seat has new events to see.
    """
    who = require(_BOT, environ, parts)
    query = _query(environ, parts.config)
    check = still_valid(environ, parts) if query["wait"] else None
    results, turns, cursor = parts.live.exchange(who.name, _answers(environ, parts.config), **query)
    if check is not None:
        check()
    count_answers(results)
    return orjson.dumps({"results": results, "turns": turns, "cursor": cursor})


def _query(environ: Environ, config: Config) -> dict[str, Any]:
    """The query by ``TurnsQuery``; a usual one (what the clients here send) without its cost."""
    query = dict(_NO_QUERY)
    given = set()
    text = environ.get("QUERY_STRING", "")
    for part in text.split("&") if text else ():
        name, _, value = part.partition("=")
        if name == "after" and _is_cursor(value):
            query["after"] = value
        elif name == "wait" and _is_seconds(value):
            query["wait"] = min(int(value), config.max_wait)
        elif name == "rights" and value in _RIGHTS:
            query["rights"] = _RIGHTS[value]
        elif name == "limit" and value == _USUAL_LIMIT:
            pass
        else:
            given.add(name)
        if name in given:
            read: dict[str, Any] = read_query(_QUERY, environ, config)
            return read
        given.add(name)
    return query


_RIGHTS: Final = {"true": True, "false": False}
_USUAL_LIMIT: Final = str(_NO_QUERY["limit"])
_is_cursor: Final = re.compile(r"[0-9a-f]{1,16}-[0-9]{1,15}").fullmatch
_is_seconds: Final = re.compile(r"[0-5]?[0-9]").fullmatch


def _answers(environ: Environ, config: Config) -> list[Any]:
    """The answers of the request: its outside is checked here, each answer by the arena."""
    body = read_json(environ, config)
    if not isinstance(body, dict):
        raise ArenaError("the body is not an object", expected='{"answers": [...]}')
    answers = body.get("answers", [])
    if not isinstance(answers, list):
        raise ArenaError("answers: not a list", field="answers", expected="a list")
    if len(answers) > MAX_ANSWERS:
        raise ArenaError(
            f"answers: {len(answers)} of them", field="answers", expected=f"at most {MAX_ANSWERS}"
        )
    if len(body) > 1 or (body and "answers" not in body):
        unknown = next(key for key in body if key != "answers")
        raise ArenaError(f"{unknown[:80]}: unknown field", field=unknown[:80], expected="one of answers")
    return answers


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
    """The turns of the bot as they come

    A stream of server-sent events: `turn` for each turn, and `reconnect` when the service is about to be
    stopped. The id of the last event of a batch is the cursor; to go on after a break send it in the
    header `Last-Event-ID`. Answers go to `POST /v1/turns`.
    """
    return streams.turn_stream(services().live, who.name, query["rights"])
