"""Turns and their answers: the busiest operations of the service."""

from __future__ import annotations

from arena.operations.operation import EVENT_STREAM, Operation

_BOT = ("bot",)

get_turns = Operation(
    "GET",
    "/v1/turns",
    """
    List the turns of the bot

    Returns the turns since the cursor `after`, or all pending turns, like `POST /v1/turns` without answers.

    With `Accept: text/plain`, the response is text.
    """,
    scopes=_BOT,
    as_text=True,
    errors=("invalid_cursor",),
    client="turns",
    arguments=("after",),
)

exchange_turns = Operation(
    "POST",
    "/v1/turns",
    """
    Answer turns and get the next ones

    Accepts a list of answers, and returns their results and the turns since the cursor `after`. If there are
    none, it waits up to `wait` seconds. A bot repeats this request for all its games.

    Repeating an answer returns the first result again; a different answer to the same turn gets
    `turn_already_answered`. An answer to a turn that is no longer open gets `stale_turn`, with the current
    turn. Optional turns need no answer: each is returned once, and again when the seat has new events.

    With `Accept: text/plain`, the response is text, and actions can be written less strictly: `PLAY: 4c`
    means `play:4C`.
    """,
    scopes=_BOT,
    as_text=True,
    errors=("invalid_cursor", "game_busy"),
    has_body=True,
    in_query=("after", "wait", "rights", "limit", "legal", "tournaments", "leaving"),
    client="exchange",
    arguments=("answers", "after"),
    defaults={"answers": ()},
)

stream_turns = Operation(
    "GET",
    "/v1/turns/stream",
    """
    Stream the turns of the bot

    A stream of server-sent events: `turn` for each turn, and `reconnect` when the service ends the stream.
    The id of the last event in a batch is the cursor; to resume, send it in the header `Last-Event-ID`. Send
    answers to `POST /v1/turns`.
    """,
    scopes=_BOT,
    media=EVENT_STREAM,
    errors=("invalid_cursor",),
)

end_presence = Operation(
    "DELETE",
    "/v1/presence",
    """
    Go offline

    The bot is no longer online: no games begin for it automatically, and it is withdrawn from tournaments in
    which it was entered automatically, without playing groups that have not begun. Games that have begun
    continue; their ids are returned. To finish them, send `leaving=true` with `POST /v1/turns`. A bot also
    goes offline when the connection of a waiting request is closed, and 40 seconds after its last request.
    """,
    scopes=_BOT,
)
