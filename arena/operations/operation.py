"""The class of the entries in the table of operations."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Final

JSON: Final = "application/json"
JSON_LINES: Final = "application/jsonl"
EVENT_STREAM: Final = "text/event-stream"
TEXTS: Final = ("text/csv", "text/plain")
"""Media types of tables, in addition to JSON."""

ARCHIVED: Final = ("archive_unavailable", "archive_mismatch", "damaged_archive")
"""Errors of operations that read finished games."""

RECORD_ERRORS: Final = ("game_not_found", "game_hidden", *ARCHIVED, "record_not_ready")
"""Errors of reading a record."""

UNSEATABLE: Final = ("bot_withdrawn", "bot_suspended", "owner_suspended")


@dataclass(frozen=True)
class Operation:
    """An operation of the API. ``doc`` is a one-line summary, a blank line, and a description."""

    method: str
    path: str
    doc: str
    _: KW_ONLY
    scopes: Sequence[str] | None = None
    """The token must have one of these scopes. If empty, a token is optional; if None, there is no
    authentication.
    """
    status: int = 200
    has_body: bool = False
    """Whether a request has a body, which contains all fields except those in the path and ``in_query``. If
    not, these fields form the query.
    """
    in_query: Sequence[str] = ()
    """The query fields of a request that also has a body."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Fields that can be sent as a file instead of JSON, with their media types. The other fields then form
    the query.
    """
    pages: Sequence[str] = ()
    """If the response is a page, the lists in it that continue on the next page."""
    also: Mapping[int, str] = field(default_factory=dict)
    """Additional success statuses and their descriptions: 204, and 200 with the same schema."""
    media: str = JSON
    """The media type of the response."""
    texts: Sequence[str] = ()
    """Additional text media types of the same response."""
    as_text: bool = False
    """Whether requests that prefer ``text/plain`` get text. The OpenAPI document has this as an extension,
    because a second media type would make TypeScript generators change the type of the response.
    """
    headers: Sequence[str] = ()
    """Additional headers of the response."""
    errors: Sequence[str] = ()
    """Error codes in addition to those implied by the other fields."""
    limit: str | None = None
    """The rate limit that each request counts against before its body is read. The end of its name,
    ``_per_owner`` or ``_per_address``, says what it is counted per.
    """
    keyed: bool = False
    """Whether a request can have an idempotency key. All requests that have a token and create something can
    have one anyway.
    """
    secret: Sequence[str] = ()
    """Response fields that contain a secret, which is shown once and not stored."""
    rotate: str = ""
    """How to get a new secret: an operation, with body fields and path parameters in braces. By default, it
    is this operation with another key.
    """

    client: str = ""
    """The name of the client's method; by default the name of the operation."""
    by_hand: bool = False
    """Whether the method is written by hand instead of generated from the table."""
    arguments: Sequence[str] = ()
    """The fields that the method accepts by position, after those in the path."""
    defaults: Mapping[str, object] = field(default_factory=dict)
    """Default values of fields, which the method sends unless the caller passes others."""
    result: str = ""
    """The response field that the method returns, if it does not return the whole response."""

    @property
    def summary(self) -> str:
        """The first line of ``doc``."""
        return inspect.cleandoc(self.doc).partition("\n")[0]

    @property
    def description(self) -> str:
        """The rest of ``doc``, in Markdown."""
        return inspect.cleandoc(self.doc).partition("\n")[2].strip()

    @property
    def in_path(self) -> list[str]:
        """The names of the parameters in the path."""
        return re.findall(r"{(\w+)}", self.path)

    @property
    def takes_key(self) -> bool:
        """Whether a request can have an idempotency key."""
        creates = self.method == "POST" and self.status == 201 and bool(self.scopes)
        return creates or self.keyed


def operation_id(name: str) -> str:
    """Return the operation's id in the OpenAPI document; for example, ``create_series`` becomes
    ``createSeries``.
    """
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))
