"""Validation of the queries and bodies of requests."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import parse_qsl

from marshmallow import Schema, ValidationError, fields, missing

from api.http.edge import Environ
from api.http.hints import explained
from arena.errors import ArenaError
from arena.ops.settings import HttpSettings

MAX_PARAMETERS: Final = 30
"""The maximum number of query parameters."""


_ODD_NUMBER: Final = re.compile(r"_|[^\x00-\x7f]").search
"""Matches characters that only Python accepts in a number."""


def read_query(schema: Schema, environ: Environ, settings: HttpSettings) -> Any:
    """Return the query, loaded with the fields of ``schema``. Raises an error if a parameter is repeated.

    Queries are flat, so the fields are loaded one by one: ``schema.load`` takes four times as long.
    """
    given: dict[str, str] = {}
    try:
        pairs = parse_qsl(
            environ.get("QUERY_STRING", ""), keep_blank_values=True, max_num_fields=MAX_PARAMETERS
        )
    except ValueError:
        raise ArenaError("too many parameters", expected=f"at most {MAX_PARAMETERS}") from None
    for name, value in pairs:
        if name in given:
            raise ArenaError(f"{name[:80]} is repeated", field=name[:80], expected="one value")
        given[name] = value
    query: dict[str, Any] = {}
    errors: dict[str, Any] = {name: "Unknown field." for name in given if name not in schema.fields}
    for name, field in schema.fields.items():
        if isinstance(field, fields.Number) and _ODD_NUMBER(given.get(name, "")):
            errors[name] = field.error_messages["invalid"]
            continue
        try:
            query[name] = field.deserialize(given.get(name, missing), name, given)
        except ValidationError as error:
            errors[name] = error.messages
    if errors:
        raise _invalid(schema, errors, given, in_query=True)
    if query.get("wait"):
        query["wait"] = min(query["wait"], settings.max_wait)
    return query


def load(schema: Schema, value: Any) -> Any:
    """Return a body, loaded with ``schema``."""
    try:
        return schema.load(value)
    except ValidationError as error:
        raise _invalid(schema, error.messages, value) from None


def _invalid(schema: Schema, messages: object, given: object, *, in_query: bool = False) -> ArenaError:
    """Return an error for the first of marshmallow's messages, with the others in ``extra``."""
    found = _flat(messages, ())
    path, message = found[0]
    field = ".".join(path)
    detail, expected = explained(schema, path, message, given, in_query=in_query)
    where = f"{field}: " if field else ""
    others = [{"field": ".".join(path), "detail": text} for path, text in found[1:10]]
    return ArenaError(
        f"{where}{detail}", field=field or None, expected=expected, extra={"more": others} if others else None
    )


def _flat(messages: object, path: tuple[str, ...]) -> list[tuple[tuple[str, ...], str]]:
    if isinstance(messages, Mapping):
        found = []
        for key, inner in messages.items():
            found += _flat(inner, path if key == "_schema" else (*path, str(key)[:80]))
        return found
    if isinstance(messages, list):
        return [pair for inner in messages for pair in _flat(inner, path)]
    return [(path, str(messages)[:300])]
