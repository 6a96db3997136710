"""Leaderboards: the published ratings and their history."""

from __future__ import annotations

from arena.operations.operation import TEXTS, Operation

_WHERE = ("kind_not_found", "division_not_found", "preset_not_found")

list_leaderboards = Operation(
    "GET",
    "/v1/leaderboards",
    """
    List the leaderboards

    One per preset of a game and division, as last published. The first preset of a game is listed first.
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

    Maximum-likelihood ratings over all rated groups with the rules of one preset, with 95% intervals. The
    rows of the division `models` also have the illegal and the late answers of each bot, and what its owner
    says about it: the model, and what a game costs. `botequim leaderboard` computes the same numbers from the
    records (`GET /v1/records`).
    """,
    scopes=(),
    texts=TEXTS,
    errors=(*_WHERE, "invalid_cursor"),
    pages=("rows",),
    client="leaderboard",
    by_hand=True,
)

get_history = Operation(
    "GET",
    "/v1/leaderboards/{kind}/{division}/history",
    """
    Get the history of a leaderboard

    One point per day and bot, including today's so far.
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
    Get who beats whom on a leaderboard

    For the best 50 ranked bots of games of two sides: the share of every pair with its 95% interval, whether
    the ratings fit it, how well they fit in all, the worst opponent of each bot, and Nash averaging, a
    second measure that cycles do not mislead. Computed some time after the leaderboard; `records_hash` says
    of which one. `botequim leaderboard --matchups` computes the same from the records.
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
    Get how the bots of a leaderboard play

    Counts from the released records of the leaderboard's games that nobody forfeited, some time after the
    leaderboard (see *How bots play*). They decide nothing.
    """,
    scopes=(),
    errors=(*_WHERE, "invalid_cursor"),
    pages=("bots",),
    client="styles",
    by_hand=True,
)
