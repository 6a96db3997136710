"""Leaderboards: the published ratings and their history."""

from __future__ import annotations

from typing import Any, Protocol

from flask import Response

from api.contract import Blueprint, json_response
from api.errors import HttpError
from api.schemas.leaderboards import (
    TEXTS,
    BoardListSchema,
    BoardSchema,
    FormatQuery,
    HistoryQuery,
    HistorySchema,
)
from api.services import services
from arena.accounts.accounts import Principal
from arena.games import GAMES, game_of
from arena.play.players import DIVISIONS
from arena.ratings.board import Board, ledger_board
from arena.ratings.ledger import Ledger

blueprint = Blueprint(
    "leaderboards", __name__, description="Leaderboards, which anyone can recompute from the records."
)


class Tabular(Protocol):
    """A table that can be shown as JSON, CSV or text."""

    def as_json(self) -> dict[str, Any]:
        """Return the table as a JSON object."""

    def as_csv(self) -> str:
        """Return the table as CSV."""

    def as_text(self) -> str:
        """Return the table as plain text."""


def table_response(table: Tabular, form: str, more: dict[str, Any] | None = None) -> Response:
    """``table`` as ``form`` (``json``, ``csv`` or ``text``); ``more``: further members of the JSON."""
    if form == "csv":
        return Response(table.as_csv(), content_type="text/csv; charset=utf-8")
    if form == "text":
        return Response(table.as_text(), content_type="text/plain; charset=utf-8")
    return json_response({**table.as_json(), **(more or {})})


def read_board(kind: str, division: str) -> dict[str, Any]:
    """Return the published board with ``published_ms``, which is None before the first publication.

    Raises :class:`~arena.errors.UnknownGame` or ``division_not_found``.
    """
    _check(kind, division)
    board = services().boards.read(kind, division)
    return board or {**ledger_board(Ledger(kind, division)).as_json(), "published_ms": None}


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
    return {"leaderboards": [read_board(kind, division) for kind in GAMES for division in DIVISIONS]}


@blueprint.operation(
    "/leaderboards/<kind>/<division>",
    scopes=(),
    query=FormatQuery,
    returns=BoardSchema,
    texts=TEXTS,
    errors=_WHERE,
)
def get_leaderboard(who: Principal | None, query: dict[str, Any], kind: str, division: str) -> Response:
    """Get a leaderboard

    Maximum-likelihood ratings over all rated groups, with 95% intervals. `botequim leaderboard` computes
    the same numbers from the records (`GET /v1/records`).
    """
    board = read_board(kind, division)
    return table_response(
        Board.from_json(board), query["format"], more={"published_ms": board["published_ms"]}
    )


@blueprint.operation(
    "/leaderboards/<kind>/<division>/history",
    scopes=(),
    query=HistoryQuery,
    returns=HistorySchema,
    errors=_WHERE,
)
def get_history(who: Principal | None, query: dict[str, Any], kind: str, division: str) -> Response:
    """Get the history of a leaderboard

    One point per day and bot, including today's so far.
    """
    _check(kind, division)
    points = services().boards.history(kind, division, query["bot"])
    return json_response({"kind": kind, "division": division, "points": points})
