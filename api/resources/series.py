"""Series: season tables over tournaments."""

from __future__ import annotations

from collections.abc import Mapping

from flask import Response

from api.http.auth import viewer
from api.http.contract import Blueprint, json_response, page_response
from api.resources.leaderboards import text_table
from api.schemas.series import (
    ChangedSeriesSchema,
    GivenSeriesPage,
    GivenSeriesTable,
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


@blueprint.operation(body=NewSeriesSchema, returns=SeriesSchema)
def create_series(who: Principal, body: Mapping[str, object]) -> Response:
    return json_response(services().series.create(body, who), 201)


@blueprint.operation(query=SeriesListQuery, returns=SeriesPageSchema)
def list_series(who: Principal | None, query: GivenSeriesPage) -> Response:
    start = parse_number(query["cursor"], 9)
    page = services().series.listed(viewer(who), start, query["limit"], query["owner"])
    return page_response({"series": page.items, "cursor": page.cursor})


@blueprint.operation(returns=SeriesSchema)
def get_series(who: Principal | None, series: str) -> Response:
    return json_response(services().series.view(series, viewer(who)))


@blueprint.operation(body=ChangedSeriesSchema, returns=SeriesSchema)
def change_series(who: Principal, body: Mapping[str, object], series: str) -> Response:
    return json_response(services().series.change(series, body, who))


@blueprint.operation()
def delete_series(who: Principal, series: str) -> None:
    services().series.delete(series, who)


@blueprint.operation(query=SeriesTableQuery, returns=SeriesTableSchema)
def get_series_table(who: Principal | None, query: GivenSeriesTable, series: str) -> Response:
    table, form = services().series.table(series, viewer(who)), query["format"]
    if form != "json":
        return text_table(table.as_csv, table.as_text, form)
    return json_response(table.as_json())
