"""The OpenAPI document."""

from __future__ import annotations

import orjson
from flask import Blueprint, Response, current_app

from api.openapi import document

blueprint = Blueprint("docs", __name__)


@blueprint.get("/openapi.json")
def openapi_json() -> Response:
    """Return the OpenAPI document of this service."""
    response = Response(orjson.dumps(document(current_app)), content_type="application/json")
    response.headers["Cache-Control"] = "no-cache"
    return response
