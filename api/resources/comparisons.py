"""Comparisons: which of two versions of a bot is better."""

from __future__ import annotations

from typing import Any

from flask import Response

from api.auth import viewer
from api.contract import UNSEATABLE, Blueprint, json_response, page_response
from api.schemas.common import PageQuery
from api.schemas.comparisons import (
    ComparisonPageSchema,
    ComparisonQuery,
    ComparisonSchema,
    NewComparisonSchema,
)
from api.services import services
from arena.accounts.accounts import Principal

blueprint = Blueprint(
    "comparisons", __name__, description="Comparisons: which of two versions of a bot is better."
)


@blueprint.operation(
    "/comparisons",
    "POST",
    scopes=("owner", "admin"),
    body=NewComparisonSchema,
    status=201,
    returns=ComparisonSchema,
    errors=(
        "bot_not_found",
        "version_not_found",
        *UNSEATABLE,
        "game_not_played",
        "kind_not_found",
        "preset_not_found",
        "invalid_comparison",
        "budget_exceeded",
    ),
    limit="tournaments_per_owner",
)
def create_comparison(who: Principal, body: dict[str, Any]) -> Response:
    """Compare two versions of a bot

    Workers play mirrored groups of two uploaded versions, which are not rated, until a sequential test has
    decided, as `botequim compare` does. They are taken from the owner's budget batch by batch.
    """
    return json_response(services().comparisons.create(body, who), 201)


@blueprint.operation(
    "/comparisons",
    scopes=("owner",),
    query=PageQuery,
    returns=ComparisonPageSchema,
    errors=("invalid_cursor",),
)
def list_comparisons(who: Principal, query: dict[str, Any]) -> Response:
    """List your comparisons, newest first

    Those of your bots, whoever requested them.
    """
    page = services().comparisons.list(who.owner, query["cursor"], query["limit"])
    return page_response({"comparisons": page.items, "cursor": page.cursor})


@blueprint.operation(
    "/comparisons/<comparison>",
    scopes=("owner", "admin"),
    query=ComparisonQuery,
    returns=ComparisonSchema,
    also={204: "The version is still `since`."},
    errors=("comparison_not_found",),
)
def get_comparison(who: Principal, query: dict[str, Any], comparison: str) -> Response:
    """Get a comparison

    Only the owner of the bot and admins see it. With `since` and `wait` it is a long poll, which returns as
    soon as the version differs from `since`.
    """
    since, seconds = query["since"], query["wait"]
    if since is None:
        return json_response(services().comparisons.view(comparison, viewer(who)))
    view = services().comparisons.wait(comparison, since, seconds, viewer(who))
    return json_response(view, 200 if view is not None else 204)
