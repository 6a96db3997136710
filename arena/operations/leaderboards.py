"""Leaderboards: the published ratings and their history."""

from __future__ import annotations

from arena.operations.operation import TEXTS, Operation

_WHERE = ("kind_not_found", "division_not_found", "preset_not_found")

list_leaderboards = Operation(
    "GET",
    "/v1/leaderboards",
    """
    List the leaderboards

    Lists one leaderboard per preset and division, as last published. The first preset of a game is listed
    first.
    """,
    scopes=(),
    client="leaderboards",
    result="leaderboards",
)

get_leaderboard = Operation(
    "GET",
    "/v1/leaderboards/{kind}/{division}",
    """
    Get a leaderboard

    Returns maximum-likelihood ratings over all rated groups under the rules of one preset, with 95%
    intervals. Rows of the division `models` also include the illegal and late answers of each bot, and the
    model and the cost per game declared by its owner. `botequim leaderboard` computes the same numbers from
    the records (`GET /v1/records`) and the supplement (`GET /v1/leaderboards/{kind}/{division}/supplement`).
    """,
    scopes=(),
    texts=TEXTS,
    errors=(*_WHERE, "invalid_cursor"),
    pages=("rows",),
    client="leaderboard",
    by_hand=True,
)

get_supplement = Operation(
    "GET",
    "/v1/leaderboards/{kind}/{division}/supplement",
    """
    Get the supplement of a leaderboard

    Returns what the published leaderboard was computed from in addition to its records: which bots are
    withdrawn, and therefore have no rank. `botequim leaderboard --supplement` reads it.
    """,
    scopes=(),
    errors=_WHERE,
    client="supplement",
)

get_history = Operation(
    "GET",
    "/v1/leaderboards/{kind}/{division}/history",
    """
    Get the history of a leaderboard

    Returns one point per day and bot, including today so far.
    """,
    scopes=(),
    errors=(*_WHERE, "invalid_cursor"),
    pages=("points",),
    client="leaderboard_history",
    by_hand=True,
)

get_matchups = Operation(
    "GET",
    "/v1/leaderboards/{kind}/{division}/matchups",
    """
    Get the matchups of a leaderboard

    Covers the best 50 ranked bots in games with two sides: the score share of each pair with its 95% interval
    and whether the ratings fit it, the overall fit, the worst opponent of each bot, and Nash averaging, which
    is not misled by cycles. `records_hash` identifies the leaderboard from which they were computed.
    `botequim leaderboard --matchups` computes the same from the records.
    """,
    scopes=(),
    texts=TEXTS,
    errors=(*_WHERE, "matchups_not_found"),
    client="matchups",
    by_hand=True,
)

get_styles = Operation(
    "GET",
    "/v1/leaderboards/{kind}/{division}/styles",
    """
    Get playing-style statistics for a leaderboard

    Returns counts from the released records of the leaderboard's games, except forfeited ones (see *How bots
    play*). They are computed some time after the leaderboard, and do not affect ratings.
    """,
    scopes=(),
    errors=(*_WHERE, "invalid_cursor"),
    pages=("bots",),
    client="styles",
    by_hand=True,
)
