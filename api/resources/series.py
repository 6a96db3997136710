"""Series: season tables over tournaments."""

from __future__ import annotations

from typing import Any

from flask import Response

from api.auth import viewer
from api.contract import Blueprint, json_response, page_response
from api.resources.leaderboards import text_table
from api.schemas.leaderboards import TEXTS
from api.schemas.series import (
    ChangedSeriesSchema,
    NewSeriesSchema,
    SeriesListQuery,
    SeriesPageSchema,
    SeriesSchema,
    SeriesTableQuery,
    SeriesTableSchema,
)
from api.services import services
from arena.accounts.accounts import Principal
from arena.store.paging import parse_number

blueprint = Blueprint("series", __name__, description="Series: season tables over tournaments.")

_SEEN = ("series_not_found",)
_SETTINGS = ("invalid_series", "tournament_not_found")


@blueprint.operation(
    "/series",
    "POST",
    scopes=("owner",),
    body=NewSeriesSchema,
    status=201,
    returns=SeriesSchema,
    errors=_SETTINGS,
    limit="tournaments_per_owner",
)
def create_series(who: Principal, body: dict[str, Any]) -> Response:
    """Create a series

    A season table over tournaments: points by place, of which the best results may count alone. Its owner
    changes it until it is done. It is seen by whoever may see all of its tournaments.
    """
    return json_response(services().series.create(body, who), 201)


@blueprint.operation(
    "/series", scopes=(), query=SeriesListQuery, returns=SeriesPageSchema, errors=("invalid_cursor",)
)
def list_series(who: Principal | None, query: dict[str, Any]) -> Response:
    """List the series, newest first

    All that you may see, or those of one owner.
    """
    start = parse_number(query["cursor"], 9)
    page = services().series.listed(viewer(who), start, query["limit"], query["owner"])
    return page_response({"series": page.items, "cursor": page.cursor})


@blueprint.operation("/series/<series>", scopes=(), returns=SeriesSchema, errors=_SEEN)
def get_series(who: Principal | None, series: str) -> Response:
    """Get a series

    Returns its settings and the ids of its tournaments.
    """
    return json_response(services().series.view(series, viewer(who)))


@blueprint.operation(
    "/series/<series>",
    "PATCH",
    scopes=("owner", "admin"),
    body=ChangedSeriesSchema,
    returns=SeriesSchema,
    errors=(*_SEEN, *_SETTINGS, "series_done"),
)
def change_series(who: Principal, body: dict[str, Any], series: str) -> Response:
    """Change a series

    Only its owner, or an admin, can. `done` ends it for good: then its table stays as it is.
    """
    return json_response(services().series.change(series, body, who))


@blueprint.operation("/series/<series>", "DELETE", scopes=("owner", "admin"), status=204, errors=_SEEN)
def delete_series(who: Principal, series: str) -> None:
    """Delete a series

    Its tournaments remain.
    """
    services().series.delete(series, who)


@blueprint.operation(
    "/series/<series>/table",
    scopes=(),
    query=SeriesTableQuery,
    returns=SeriesTableSchema,
    texts=TEXTS,
    errors=_SEEN,
)
def get_series_table(who: Principal | None, query: dict[str, Any], series: str) -> Response:
    """Get the table of a series

    After the tournaments that have finished. The JSON has all that the table follows from, so that anybody
    can make it again (`botequim series verify`).
    """
    table, form = services().series.table(series, viewer(who)), query["format"]
    if form != "json":
        return text_table(table.as_csv, table.as_text, form)
    return json_response(table.as_json())
