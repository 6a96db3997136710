"""The fields of the table of operations."""

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
"""Media types of tables, besides JSON."""

ARCHIVED: Final = ("archive_unavailable", "archive_mismatch", "damaged_archive")
"""The errors of operations that read finished games."""

RECORD_ERRORS: Final = ("game_not_found", "game_hidden", *ARCHIVED, "record_not_ready")
"""The errors of reading a record."""

UNSEATABLE: Final = ("bot_withdrawn", "bot_suspended", "owner_suspended")


@dataclass(frozen=True)
class Operation:
    """An operation of the API. ``doc`` is its summary in a line, a blank line, and a description."""

    method: str
    path: str
    doc: str
    _: KW_ONLY
    scopes: Sequence[str] | None = None
    """The token must have one of these scopes; empty: a token is optional; None: no authentication."""
    status: int = 200
    has_body: bool = False
    """Whether a request has a body, which all fields are part of but those in the path and ``in_query``.
    Otherwise they are the query.
    """
    in_query: Sequence[str] = ()
    """The fields in the query of a request that has a body, too."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Fields that may be sent as a file in place of JSON, with their media types. The others are the query
    then.
    """
    pages: Sequence[str] = ()
    """The lists in the response that are continued on the next page, if the response is a page."""
    also: Mapping[int, str] = field(default_factory=dict)
    """Further successful statuses and their descriptions: 204, and 200 with the same schema."""
    media: str = JSON
    """The media type of the response."""
    texts: Sequence[str] = ()
    """Further media types of the same response, as text."""
    as_text: bool = False
    """Whether requests that prefer ``text/plain`` get text. The document has it as an extension, because
    with a second media type generators of TypeScript would change the type of the response.
    """
    headers: Sequence[str] = ()
    """Further headers of the response."""
    errors: Sequence[str] = ()
    """Error codes beyond those implied by the other fields."""
    limit: str | None = None
    """The rate limit that each request counts against before its body is read. Its name says what it is
    counted per: ``_per_owner`` or ``_per_address``.
    """
    keyed: bool = False
    """Whether a request may have an idempotency key, as all may that have a token and create something."""
    secret: Sequence[str] = ()
    """Fields of the response that hold a secret, which is shown once and not stored."""
    rotate: str = ""
    """The operation that issues such a secret again, with fields of the body and parts of the path in
    braces; by default this one, with another key.
    """

    client: str = ""
    """The name of the client's method; by default that of the operation."""
    by_hand: bool = False
    """Whether this method is a function, in place of one that is made from the table."""
    arguments: Sequence[str] = ()
    """The fields that the method takes by position, after those in the path."""
    defaults: Mapping[str, object] = field(default_factory=dict)
    """The values of fields that the method sends if the caller names no other."""
    result: str = ""
    """The field of the response that the method returns, if it does not return all of it."""

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
        """Whether a request may have an idempotency key."""
        creates = self.method == "POST" and self.status == 201 and bool(self.scopes)
        return creates or self.keyed


def operation_id(name: str) -> str:
    """Return the name of an operation as the OpenAPI document writes it: ``create_series`` is
    ``createSeries``.
    """
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))
