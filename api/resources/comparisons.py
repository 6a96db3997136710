"""Comparisons: which of two versions of a bot is better."""

from __future__ import annotations

from collections.abc import Mapping

from flask import Response

from api.http.auth import viewer
from api.http.contract import Blueprint, json_response, page_response
from api.schemas.common import GivenPage, PageQuery
from api.schemas.comparisons import (
    ComparisonPageSchema,
    ComparisonQuery,
    ComparisonSchema,
    GivenComparisonVersion,
    NewComparisonSchema,
)
from api.services import services
from arena.accounts.accounts import Principal

blueprint = Blueprint(
    "comparisons", __name__, description="Comparisons: which of two versions of a bot is better."
)


@blueprint.operation(body=NewComparisonSchema, returns=ComparisonSchema)
def create_comparison(who: Principal, body: Mapping[str, object]) -> Response:
    return json_response(services().comparisons.create(body, who), 201)


@blueprint.operation(query=PageQuery, returns=ComparisonPageSchema)
def list_comparisons(who: Principal, query: GivenPage) -> Response:
    page = services().comparisons.list(who.owner, query["cursor"], query["limit"])
    return page_response({"comparisons": page.items, "cursor": page.cursor})


@blueprint.operation(query=ComparisonQuery, returns=ComparisonSchema)
def get_comparison(who: Principal, query: GivenComparisonVersion, comparison: str) -> Response:
    since, seconds = query["since"], query["wait"]
    if since is None:
        return json_response(services().comparisons.view(comparison, viewer(who)))
    view = services().comparisons.wait(comparison, since, seconds, viewer(who))
    return json_response(view, 200 if view is not None else 204)
