"""Bulk download of records."""

from __future__ import annotations

from arena.operations.operation import ARCHIVED, JSON_LINES, Operation

download_records = Operation(
    "GET",
    "/v1/records",
    """
    Download records of public games, oldest first

    Returns a page of at most 1000 JSON lines. To continue, pass the value of the header `X-Next` as `after`.
    If there is no new record, it equals the given `after`.
    """,
    scopes=(),
    media=JSON_LINES,
    headers=("X-Next", "Link"),
    errors=("invalid_cursor", *ARCHIVED),
    client="records",
    by_hand=True,
)

download_all_records = Operation(
    "GET",
    "/v1/records/all",
    """
    Download the records of all public games at once, oldest first

    Returns all pages of `GET /v1/records` at once, as JSON lines. `botequim records` downloads the same in
    pages, and can resume after an interruption.
    """,
    scopes=(),
    media=JSON_LINES,
    errors=ARCHIVED,
    client="all_records",
    arguments=("kind",),
)

list_record_changes = Operation(
    "GET",
    "/v1/records/changes",
    """
    List changes to records after their release

    Lists annulments, oldest first. Entries are never removed. Downloads already include these changes, so
    this is for programs that keep an earlier download.
    """,
    scopes=(),
    errors=("invalid_cursor",),
    pages=("changes",),
    client="record_changes",
)
