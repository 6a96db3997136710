"""Games: creating, joining, viewing, resigning and cancelling."""

from __future__ import annotations

from arena.operations.operation import ARCHIVED, EVENT_STREAM, UNSEATABLE, Operation

_SEEN = ("game_not_found", "game_hidden")

create_game = Operation(
    "POST",
    "/v1/games",
    """
    Create a game

    Each seat is for one of your own bots (for admins, any bot), for a house bot, or open for any bot to join.
    The game starts once no seat is open.
    """,
    scopes=("owner", "bot", "admin"),
    status=201,
    errors=(
        "kind_not_found",
        "invalid_option",
        "game_too_long",
        "invalid_seats",
        "bot_not_found",
        "budget_exceeded",
        "too_many_tables",
        *UNSEATABLE,
    ),
    limit="games_per_owner",
    has_body=True,
    arguments=("kind", "seats"),
)

list_games = Operation(
    "GET",
    "/v1/games",
    """
    List games, newest first

    Private games are listed only for those who can see them.
    """,
    scopes=(),
    errors=("invalid_cursor", *ARCHIVED),
    pages=("games",),
    client="games",
)

get_game = Operation(
    "GET",
    "/v1/games/{game}",
    """
    Get a game

    With a bot's token, returns the view from the bot's seat, otherwise a spectator's view. With `since` and
    `wait`, this is a long poll that returns as soon as the game's version differs from `since`.
    """,
    scopes=(),
    also={204: "The version is still `since`."},
    errors=(*_SEEN, *ARCHIVED, "not_seated"),
    client="game",
)

join_game = Operation(
    "POST",
    "/v1/games/{game}/join",
    """
    Join a game

    Takes an open seat. If the bot already has a seat, that seat is returned. The game starts when the last
    seat is taken.
    """,
    scopes=("bot",),
    errors=(*_SEEN, "game_not_open", "seat_taken", *UNSEATABLE, "game_busy", "invalid_seats"),
    has_body=True,
    client="join",
    arguments=("seat", "nonce"),
)

resign_game = Operation(
    "POST",
    "/v1/games/{game}/resign",
    """
    Resign from a game

    Default actions are played for the seat until the game ends (BT-7.3, TP-8.3). Resigning again has no
    effect.
    """,
    scopes=("bot",),
    errors=(*_SEEN, "not_seated", "game_not_running", "game_busy"),
    has_body=True,
    client="resign",
    arguments=("seat",),
)

cancel_game = Operation(
    "POST",
    "/v1/games/{game}/cancel",
    """
    Cancel a game

    A running game becomes void. Its creator can cancel it only if all its bots are the creator's or house
    bots (otherwise, `POST /v1/games/{game}/resign`). Admins can cancel any game.
    """,
    scopes=("owner", "bot", "admin"),
    errors=(*_SEEN, "game_not_open", "game_busy"),
    arguments=("reason",),
)

list_events = Operation(
    "GET",
    "/v1/games/{game}/events",
    """
    List the events of a game

    Returns the events as seen from the bot's seat, or by a spectator. With `wait`, this is a long poll.
    """,
    scopes=(),
    headers=("Link",),
    errors=(*_SEEN, *ARCHIVED, "not_seated", "events_gone"),
    client="events",
)

stream_events = Operation(
    "GET",
    "/v1/games/{game}/events/stream",
    """
    Stream the events of a game

    A stream of server-sent events: `event` for each event of the game, with its number as the id; `over`
    when the game is over; `reconnect` when the service ends the stream. To resume, send the last id in
    the header `Last-Event-ID`.
    """,
    scopes=(),
    media=EVENT_STREAM,
    errors=(*_SEEN, *ARCHIVED, "not_seated", "events_gone", "invalid_cursor"),
)

get_record = Operation(
    "GET",
    "/v1/games/{game}/record",
    """
    Get the record of a finished game

    The record reveals the seed, and thus every card. `botequim verify` checks it offline.
    """,
    scopes=(),
    errors=(*_SEEN, *ARCHIVED, "record_not_ready"),
    client="record",
    by_hand=True,
)
