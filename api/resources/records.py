"""Bulk download of records."""

from __future__ import annotations

from itertools import chain, islice
from typing import Any, Final

from flask import Response, request

from api.contract import ARCHIVED, Blueprint
from api.conventions import link_next
from api.schemas.common import PageQuery
from api.schemas.games import AllRecordsQuery, RecordChangesSchema, RecordsQuery
from api.services import services
from arena.accounts.accounts import Principal

blueprint = Blueprint("records", __name__, description="Records of finished games.")

_LINES: Final = {"type": "string", "description": "Records as JSON, one per line."}

MEDIA = "application/jsonl"


@blueprint.operation(
    "/records",
    scopes=(),
    query=RecordsQuery,
    returns=_LINES,
    media=MEDIA,
    headers=("X-Next", "Link"),
    errors=("invalid_cursor", *ARCHIVED),
)
def download_records(who: Principal | None, query: dict[str, Any]) -> Response:
    """Download records of public games, oldest first

    Returns a page of at most 1000 JSON lines. Pass the header `X-Next` as `after` to continue; if there is no
    new record, it equals the given `after`.
    """
    records = services().live.iter_records(kind=query["kind"], cursor=query["after"])
    found = list(islice(records, query["limit"]))
    body = b"".join(record.rstrip(b"\n") + b"\n" for _, record in found)
    cursor = found[-1][0] if found else query["after"] or "0"
    response = Response(body, content_type=MEDIA, headers={"X-Next": cursor})
    if len(found) == query["limit"]:
        link_next(response, request.environ, after=cursor)
    return response


@blueprint.operation(
    "/records/all",
    scopes=(),
    query=AllRecordsQuery,
    returns=_LINES,
    media=MEDIA,
    errors=ARCHIVED,
)
def download_all_records(who: Principal | None, query: dict[str, Any]) -> Response:
    """Download the records of all public games at once, oldest first

    Returns JSON lines: all pages of `GET /v1/records` in one. `botequim records` downloads the same in pages,
    and continues after an interruption.
    """
    records = services().live.iter_records(kind=query["kind"])
    # An error of the first one is an error of the request.
    first = list(islice(records, 1))
    lines = (record.rstrip(b"\n") + b"\n" for _, record in chain(first, records))
    name = f"{query['kind'] or 'all'}-records.jsonl"
    return Response(
        lines, content_type=MEDIA, headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )


@blueprint.operation(
    "/records/changes",
    scopes=(),
    query=PageQuery,
    returns=RecordChangesSchema,
    errors=("invalid_cursor",),
)
def list_record_changes(who: Principal | None, query: dict[str, Any]) -> dict[str, Any]:
    """List what changed in records after their release

    Annulments, oldest first; the list only grows. Downloads contain these changes, so this is for programs
    that keep an earlier download.
    """
    page = services().tournaments.record_changes(**query)
    return {"changes": page.items, "cursor": page.cursor}
