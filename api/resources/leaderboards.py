"""Leaderboards: the published ratings and their history."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Response

from api.contract import IF_NONE_MATCH, NOT_MODIFIED, Blueprint, json_response, revalidated
from api.errors import HttpError
from api.schemas.leaderboards import (
    TEXTS,
    BoardListSchema,
    BoardSchema,
    HistoryQuery,
    HistorySchema,
    TableQuery,
)
from api.services import services
from arena.accounts.accounts import Principal
from arena.events.boards import PublishedBoard
from arena.games import GAMES, game_of
from arena.play.players import DIVISIONS
from arena.ratings.board import Board
from arena.ratings.ledger import Ledger

blueprint = Blueprint(
    "leaderboards", __name__, description="Leaderboards, which anyone can recompute from the records."
)


def text_table(csv: Callable[[], str], text: Callable[[], str], form: str) -> Response:
    """A table as ``form``: ``csv`` or ``text``."""
    if form == "csv":
        return Response(csv(), content_type="text/csv; charset=utf-8")
    return Response(text(), content_type="text/plain; charset=utf-8")


def read_board(kind: str, division: str) -> PublishedBoard:
    """Return the published board, or an empty one before the first publication.

    Raises :class:`~arena.errors.UnknownGame` or ``division_not_found``.
    """
    _check(kind, division)
    board = services().boards.published(kind, division)
    if board is None:
        empty = Board(kind, division, 0, Ledger(kind, division).records_hash().hex(), 0, False, ())
        board = PublishedBoard("0", {**empty.as_json(), "published_ms": None})
    return board


def _check(kind: str, division: str) -> None:
    game_of(kind)
    if division not in DIVISIONS:
        raise HttpError(
            f"there is no division {division[:80]!r}",
            code="division_not_found",
            field="division",
            expected="one of " + ", ".join(DIVISIONS),
        )


_WHERE = ("kind_not_found", "division_not_found")


@blueprint.operation("/leaderboards", scopes=(), returns=BoardListSchema)
def list_leaderboards(who: Principal | None) -> dict[str, Any]:
    """List the leaderboards

    One per game and division, as last published.
    """
    return {"leaderboards": [read_board(kind, division).data for kind in GAMES for division in DIVISIONS]}


@blueprint.operation(
    "/leaderboards/<kind>/<division>",
    scopes=(),
    query=TableQuery,
    returns=BoardSchema,
    texts=TEXTS,
    headers=("ETag",),
    also=NOT_MODIFIED,
    errors=(*_WHERE, "invalid_cursor"),
    parameters=(IF_NONE_MATCH,),
)
def get_leaderboard(who: Principal | None, query: dict[str, Any], kind: str, division: str) -> Response:
    """Get a leaderboard

    Maximum-likelihood ratings over all rated groups, with 95% intervals. `botequim leaderboard` computes
    the same numbers from the records (`GET /v1/records`).
    """
    board = read_board(kind, division)
    form = query["format"]
    if form != "json":
        return revalidated(board.version, lambda: text_table(lambda: board.csv, lambda: board.text, form))
    page = board.page(query["cursor"], query["limit"])
    return revalidated(board.version, lambda: json_response(page))


@blueprint.operation(
    "/leaderboards/<kind>/<division>/history",
    scopes=(),
    query=HistoryQuery,
    returns=HistorySchema,
    headers=("ETag",),
    also=NOT_MODIFIED,
    errors=(*_WHERE, "invalid_cursor"),
    parameters=(IF_NONE_MATCH,),
)
def get_history(who: Principal | None, query: dict[str, Any], kind: str, division: str) -> Response:
    """Get the history of a leaderboard

    One point per day and bot, including today's so far.
    """
    version = read_board(kind, division).version

    def respond() -> Response:
        page = services().boards.history(kind, division, **query)
        where = {"kind": kind, "division": division}
        return json_response({**where, "points": page.items, "cursor": page.cursor})

    return revalidated(version, respond)
