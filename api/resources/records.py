"""Bulk download of records."""

from __future__ import annotations

from itertools import islice
from typing import Any

from flask import Response

from api.contract import ARCHIVED, Blueprint
from api.schemas.games import RecordsQuery
from api.services import services
from arena.accounts.accounts import Principal

blueprint = Blueprint("records", __name__, description="Records of finished games.")

MEDIA = "application/jsonl"


@blueprint.operation(
    "/records",
    scopes=(),
    query=RecordsQuery,
    returns={"type": "string", "description": "Records as JSON, one per line."},
    media=MEDIA,
    headers=("X-Next",),
    errors=("invalid_cursor", *ARCHIVED),
)
def download_records(who: Principal | None, query: dict[str, Any]) -> Response:
    """Download the records of all public games, oldest first

    Returns JSON lines. Pass the header `X-Next` as `after` to continue; if there is no new record, it equals
    the given `after`.
    """
    records = services().live.iter_records(kind=query["kind"], cursor=query["after"])
    found = list(islice(records, query["limit"]))
    body = b"".join(record.rstrip(b"\n") + b"\n" for _, record in found)
    cursor = found[-1][0] if found else query["after"] or "0"
    return Response(body, content_type=MEDIA, headers={"X-Next": cursor})
