"""Leaderboards: the ratings as published, and their history."""

from __future__ import annotations

from typing import Any, Protocol

from flask import Response

from api.contract import Blueprint, json_response
from api.errors import Problem
from api.schemas.leaderboards import (
    TEXTS,
    BoardListSchema,
    BoardSchema,
    FormatQuery,
    HistoryQuery,
    HistorySchema,
)
from api.services import services
from arena.games import GAMES, game_of
from arena.live.accounts import Principal
from arena.ratings.board import Board, ledger_board
from arena.ratings.ledger import Ledger
from arena.ratings.results import DIVISIONS

blueprint = Blueprint(
    "leaderboards", __name__, description="Leaderboards, which anybody can compute again from the records."
)


class Table(Protocol):
    """What comes as JSON, CSV or text."""

    def as_json(self) -> dict[str, Any]:
        """For programs."""

    def as_csv(self) -> str:
        """For spreadsheets."""

    def as_text(self) -> str:
        """For people."""


def table_response(table: Table, form: str, more: dict[str, Any] | None = None) -> Response:
    """``table`` as ``form`` (``json``, ``csv`` or ``text``); ``more``: further members of the JSON."""
    if form == "csv":
        return Response(table.as_csv(), content_type="text/csv; charset=utf-8")
    if form == "text":
        return Response(table.as_text(), content_type="text/plain; charset=utf-8")
    return json_response({**table.as_json(), **(more or {})})


def read_board(kind: str, division: str) -> dict[str, Any]:
    """The board as published, with ``published_ms``; an empty one before the first time (None).

    Raises :class:`~arena.errors.UnknownGame` or ``unknown_division``.
    """
    _check(kind, division)
    board = services().boards.read(kind, division)
    return board or {**ledger_board(Ledger(kind, division)).as_json(), "published_ms": None}


def _check(kind: str, division: str) -> None:
    game_of(kind)
    if division not in DIVISIONS:
        raise Problem(
            f"there is no division {division[:80]!r}",
            code="unknown_division",
            field="division",
            expected="one of " + ", ".join(DIVISIONS),
        )


_WHERE = ("unknown_game", "unknown_division")


@blueprint.operation("/leaderboards", scopes=(), returns=BoardListSchema)
def list_leaderboards(who: Principal | None) -> dict[str, Any]:
    """List the leaderboards: one per game and division"""
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
    """A leaderboard

    Maximum likelihood over all rated groups, with 95% intervals. `botequim leaderboard` on the records
    (`GET /v1/records`) gives the same numbers.
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
    """The history of a leaderboard

    One point per day and bot, that of today so far included.
    """
    _check(kind, division)
    points = services().boards.history(kind, division, query["bot"])
    return json_response({"kind": kind, "division": division, "points": points})
