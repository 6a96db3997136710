"""What the contract adds to responses: links to the next page, versions, and notices of deprecation."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from email.utils import format_datetime
from typing import Final
from urllib.parse import parse_qsl, quote, urlencode

from flask import Response, request

from api.edge import Environ

NOT_MODIFIED: Final = "NotModified"
POLICY: Final = "/docs/conventions#deprecation"

IF_NONE_MATCH: Final = {
    "in": "header",
    "name": "If-None-Match",
    "description": "The `ETag` of an earlier response. If it still matches, the response is 304.",
    "schema": {"type": "string"},
}


@dataclass(frozen=True, kw_only=True)
class Deprecation:
    """The end of an operation: deprecated ``since``, gone after ``sunset``; ``instead``: what replaces it."""

    since: date
    sunset: date
    instead: str

    def headers(self) -> dict[str, str]:
        """``Deprecation`` (RFC 9745), ``Sunset`` (RFC 8594), and a link to the policy."""
        return {
            "Deprecation": f"@{int(_midnight(self.since).timestamp())}",
            "Sunset": format_datetime(_midnight(self.sunset), usegmt=True),
            "Link": f'<{POLICY}>; rel="deprecation"; type="text/html"',
        }

    def notice(self) -> str:
        """The notice in the document."""
        return f"Deprecated since {self.since}, gone after {self.sunset}. Use {self.instead} instead."


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def add_deprecation(response: Response, deprecation: Deprecation) -> None:
    """Tell clients that the operation will end."""
    for name, value in deprecation.headers().items():
        response.headers.add(name, value)


def link_next(response: Response, environ: Environ, **changes: object) -> None:
    """Link to the next page of a list (RFC 8288): the same address with ``changes`` of its query."""
    given = dict(parse_qsl(environ.get("QUERY_STRING", ""), keep_blank_values=True))
    query = urlencode({**given, **{name: str(value) for name, value in changes.items()}})
    path = quote(environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", ""))
    response.headers.add("Link", f'<{path}?{query}>; rel="next"')


def revalidate(response: Response) -> Response:
    """Give a response a weak ``ETag`` of its body, unless the view did; 304 if the request names it."""
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
