"""Bulk download of records."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain, islice
from typing import Final

from flask import Response, request

from api.http.contract import Blueprint
from api.http.conventions import link_next
from api.schemas.common import GivenPage, PageQuery
from api.schemas.games import (
    AllRecordsQuery,
    GivenAllRecords,
    GivenRecords,
    RecordChangesSchema,
    RecordsQuery,
)
from api.services import services
from arena.accounts.accounts import Principal
from arena.operations.operation import JSON_LINES

blueprint = Blueprint("records", __name__, description="Records of finished games.")

_LINES: Final = {"type": "string", "description": "Records as JSON, one per line."}


@blueprint.operation(query=RecordsQuery, returns=_LINES)
def download_records(who: Principal | None, query: GivenRecords) -> Response:
    records = services().live.iter_records(kind=query["kind"], cursor=query["after"])
    found = list(islice(records, query["limit"]))
    body = b"".join(record.rstrip(b"\n") + b"\n" for _, record in found)
    cursor = found[-1][0] if found else query["after"] or "0"
    response = Response(body, content_type=JSON_LINES, headers={"X-Next": cursor})
    if len(found) == query["limit"]:
        link_next(response, request.environ, after=cursor)
    return response


@blueprint.operation(query=AllRecordsQuery, returns=_LINES)
def download_all_records(who: Principal | None, query: GivenAllRecords) -> Response:
    records = services().live.iter_records(kind=query["kind"])
    # An error while reading the first record is an error of the request.
    first = list(islice(records, 1))
    lines = (record.rstrip(b"\n") + b"\n" for _, record in chain(first, records))
    name = f"{query['kind'] or 'all'}-records.jsonl"
    return Response(
        lines, content_type=JSON_LINES, headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )


@blueprint.operation(query=PageQuery, returns=RecordChangesSchema)
def list_record_changes(who: Principal | None, query: GivenPage) -> Mapping[str, object]:
    page = services().tournaments.record_changes(**query)
    return {"changes": page.items, "cursor": page.cursor}
