"""Leaderboards: the published ratings and their history."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256

from flask import Response

from api.http.contract import Blueprint, json_response, page_response, revalidated
from api.http.errors import HttpError
from api.schemas.leaderboards import (
    BoardListSchema,
    BoardSchema,
    BoardTableQuery,
    GivenBoardTable,
    GivenHistory,
    GivenSupplement,
    HistoryQuery,
    HistorySchema,
    SupplementQuery,
    SupplementSchema,
)
from api.schemas.matchups import GivenMatchups, MatchupsQuery, MatchupsSchema
from api.schemas.styles import GivenStyles, StylesQuery, StylesSchema
from api.services import services
from arena.accounts.accounts import Principal
from arena.accounts.models import model_statements, with_models
from arena.events.boards import PublishedBoard
from arena.games import game_of
from arena.play.board_names import BoardName, all_boards
from arena.play.players import DIVISIONS, MODELS
from arena.ratings.board import Board
from arena.ratings.ledger import Ledger
from arena.store.paging import parse_number

blueprint = Blueprint(
    "leaderboards", __name__, description="Leaderboards, which anyone can recompute from the records."
)


def text_table(csv: Callable[[], str], text: Callable[[], str], form: str) -> Response:
    """Format a table as ``form``, either ``csv`` or ``text``."""
    if form == "csv":
        return Response(csv(), content_type="text/csv; charset=utf-8")
    return Response(text(), content_type="text/plain; charset=utf-8")


def read_board(kind: str, division: str, preset: str | None = None) -> PublishedBoard:
    """Return the published board, or an empty one before the first publication. The default is the board of
    the game's first preset.

    Raises :class:`~arena.errors.UnknownGame`, :class:`~arena.errors.UnknownPreset` or ``division_not_found``.
    """
    _check(kind, division)
    board = services().boards.published(kind, division, preset)
    if board is None:
        name = BoardName.of(kind, division, preset)
        empty = Board(*name, 0, Ledger(*name).records_hash().hex(), 0, False, ())
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


@blueprint.operation(returns=BoardListSchema)
def list_leaderboards(who: Principal | None) -> Mapping[str, object]:
    return {"leaderboards": [read_board(*name).data for name in all_boards()]}


@blueprint.operation(query=BoardTableQuery, returns=BoardSchema)
def get_leaderboard(who: Principal | None, query: GivenBoardTable, kind: str, division: str) -> Response:
    board = read_board(kind, division, query["preset"])
    form, version, text = query["format"], board.version, lambda: board.text
    page = board.page(query["cursor"], query["limit"]) if form == "json" else board.data
    if division == MODELS:
        models = model_statements(services().accounts, page["rows"])
        version = f"{version}-{sha256(repr(sorted(models.items())).encode()).hexdigest()[:16]}"
        cells = {name: own.cells for name, own in models.items()}
        text = lambda: Board.from_json(board.data).as_text(cells)  # noqa: E731
        page = {**page, "rows": with_models(page["rows"], models)}
    if form != "json":
        return revalidated(version, lambda: text_table(lambda: board.csv, text, form))
    return revalidated(version, lambda: page_response(page))


@blueprint.operation(query=SupplementQuery, returns=SupplementSchema)
def get_supplement(
    who: Principal | None, query: GivenSupplement, kind: str, division: str
) -> Mapping[str, object]:
    _check(kind, division)
    board = BoardName.of(kind, division, query["preset"])
    return services().boards.supplement(*board).as_json(board)


@blueprint.operation(query=HistoryQuery, returns=HistorySchema)
def get_history(who: Principal | None, query: GivenHistory, kind: str, division: str) -> Response:
    board = read_board(kind, division, query["preset"])

    def respond() -> Response:
        page = services().boards.history(kind, division, **query)
        where = {"kind": kind, "preset": board.data["preset"], "division": division}
        return page_response({**where, "points": page.items, "cursor": page.cursor})

    return revalidated(board.version, respond)


@blueprint.operation(query=MatchupsQuery, returns=MatchupsSchema)
def get_matchups(who: Principal | None, query: GivenMatchups, kind: str, division: str) -> Response:
    _check(kind, division)
    found = services().matchups.published(kind, division, query["preset"])
    if found is None:
        raise HttpError(
            "this leaderboard has no matchups",
            code="matchups_not_found",
            expected="a leaderboard of games with two sides and at least two ranked bots, some time after "
            "its publication",
        )
    form = query["format"]
    if form != "json":
        return revalidated(found.version, lambda: text_table(lambda: found.csv, lambda: found.text, form))
    return revalidated(found.version, lambda: json_response(found.data))


@blueprint.operation(query=StylesQuery, returns=StylesSchema)
def get_styles(who: Principal | None, query: GivenStyles, kind: str, division: str) -> Response:
    _check(kind, division)
    board = BoardName.of(kind, division, query["preset"])
    found = services().styles.read(*board)

    def respond() -> Response:
        start, limit = parse_number(query["cursor"], 9), query["limit"]
        style = game_of(kind).style
        figures = () if style is None else style.figures
        names = sorted(found.bots)
        bots = [
            {
                "name": name,
                "games": found.bots[name].games,
                "counts": {
                    figure.name: {"count": count, "of": of, "share": round(count / of, 4) if of else None}
                    for figure, (count, of) in zip(figures, found.bots[name].counts, strict=False)
                },
            }
            for name in names[start : start + limit]
        ]
        return page_response(
            {
                "kind": kind,
                "preset": board.preset,
                "division": division,
                "figures": [dict(vars(figure)) for figure in figures],
                "bots": bots,
                "cursor": str(start + limit) if start + limit < len(names) else None,
            }
        )

    return revalidated(found.version, respond)
