"""The headers that the contract adds to responses: links to the next page, and entity tags."""

from __future__ import annotations

import hashlib
from typing import Final
from urllib.parse import parse_qsl, quote, urlencode

from flask import Response, request

from api.http.edge import Environ

NOT_MODIFIED: Final = "NotModified"

IF_NONE_MATCH: Final = {
    "in": "header",
    "name": "If-None-Match",
    "description": "The `ETag` of an earlier response. If it still matches, the response has status 304.",
    "schema": {"type": "string"},
}


def link_next(response: Response, environ: Environ, **changes: object) -> None:
    """Add a link to the next page of a list (RFC 8288): the same URL with ``changes`` to its query."""
    given = dict(parse_qsl(environ.get("QUERY_STRING", ""), keep_blank_values=True))
    query = urlencode({**given, **{name: str(value) for name, value in changes.items()}})
    path = quote(environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", ""))
    response.headers.add("Link", f'<{path}?{query}>; rel="next"')


def revalidate(response: Response) -> Response:
    """Add a weak ``ETag`` to a response unless the view set one. Return a 304 response if the request names
    it.
    """
    if response.status_code != 200 or response.is_streamed or "ETag" in response.headers:
        return response
    etag = hashlib.blake2b(response.get_data(), digest_size=12).hexdigest()
    if request.if_none_match.contains_weak(etag):
        response.status_code = 304
        response.set_data(b"")
        del response.headers["Content-Type"]
    response.set_etag(etag, weak=True)
    if "Cache-Control" not in response.headers:
        response.headers["Cache-Control"] = "private, no-cache"
        response.headers["Vary"] = "Authorization"
    return response
