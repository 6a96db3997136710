"""Turns and their answers: the busiest operations of the service."""

from __future__ import annotations

from collections.abc import Mapping

from flask import Response, request

from api.http import streams
from api.http.auth import still_valid, viewer
from api.http.contract import Blueprint, json_response
from api.http.metrics import count_answers
from api.news import NewsTexts
from api.schemas.turns import (
    MAX_ANSWERS,
    AnswersSchema,
    ExchangeSchema,
    GivenAnswers,
    GivenTurns,
    GivenTurnStream,
    PresenceEndedSchema,
    TurnPageSchema,
    TurnSelection,
    TurnsQuery,
    TurnStreamQuery,
)
from api.services import services
from api.turn_texts import page_text, wants_text
from arena.accounts.accounts import Principal
from arena.live.text_answers import kinds_of, read_answers
from arena.store.waits import Waiter

blueprint = Blueprint("turns", __name__, description="Turns and answers: everything a bot needs to play.")


_BYTES_PER_ANSWER = 500
_VALUES_PER_ANSWER = 5


def _end_presence_if_left(who: Principal) -> None:
    """Let the presence of the bot end if the bot closes the connection while this request waits."""
    waiter, presence = Waiter.current(), services().live.presence
    if waiter is not None:
        waiter.when_left = lambda: presence.end(who.name)


def _selection(query: GivenTurns) -> TurnSelection:
    return {
        "after": query["after"],
        "wait": query["wait"],
        "rights": query["rights"],
        "limit": query["limit"],
        "tournaments": query["tournaments"],
        "leaving": query["leaving"],
    }


@blueprint.operation(query=TurnsQuery, returns=TurnPageSchema)
def get_turns(who: Principal, query: GivenTurns) -> Response:
    check = still_valid(request.environ, services())
    _end_presence_if_left(who)
    turns, cursor = services().live.turns(who.name, **_selection(query))
    check()
    if wants_text(request.environ):
        return page_text((), {}, turns, cursor, query["legal"], NewsTexts(who.name, viewer(who)))
    return json_response({"turns": turns, "cursor": cursor})


@blueprint.operation(
    query=TurnsQuery,
    body=AnswersSchema,
    returns=ExchangeSchema,
    max_body=_BYTES_PER_ANSWER * MAX_ANSWERS,
    max_values=_VALUES_PER_ANSWER * MAX_ANSWERS,
)
def exchange_turns(who: Principal, query: GivenTurns, body: GivenAnswers) -> Response:
    live, answers = services().live, body["answers"]
    as_text = wants_text(request.environ)
    news = NewsTexts(who.name, viewer(who))
    if as_text:
        answers = read_answers(live, answers)
        news.confirm(answers)
    check = still_valid(request.environ, services()) if query["wait"] else None
    _end_presence_if_left(who)
    results, turns, cursor = live.exchange(who.name, answers, **_selection(query))
    if check is not None:
        check()
    count_answers(results)
    if as_text:
        refused = [result["turn"] for result in results if result["status"] != "accepted" and result["turn"]]
        return page_text(results, kinds_of(live, refused), turns, cursor, query["legal"], news)
    return json_response({"results": results, "turns": turns, "cursor": cursor})


@blueprint.operation(
    query=TurnStreamQuery, returns=streams.event_stream(turn="Turn"), parameters=(streams.LAST_EVENT_ID,)
)
def stream_turns(who: Principal, query: GivenTurnStream) -> Response:
    return streams.turn_stream(services().live, who.name, query["rights"], query["tournaments"])


@blueprint.operation(returns=PresenceEndedSchema)
def end_presence(who: Principal) -> Mapping[str, object]:
    bot = services().accounts.bot(who.name)
    return {"games": services().live.end_presence(who.name), "tournaments": bot.takes_part}
