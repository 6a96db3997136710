"""Reading and validating the query and body of requests."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import parse_qsl

import orjson
from marshmallow import Schema, ValidationError, missing

from api.edge import Environ
from api.errors import HttpError, MalformedJson, UnsupportedMediaType
from arena.errors import ArenaError
from arena.ops.settings import HttpSettings

MAX_PARAMETERS: Final = 30
"""The maximum number of query parameters."""


def read_json(environ: Environ, settings: HttpSettings, most: int | None = None) -> Any:
    """Return the parsed body of at most ``most`` bytes (None: as configured).

    Raises if it is too large, not declared as JSON, not JSON, or nested too deeply.
    """
    declared = environ.get("CONTENT_TYPE", "")
    if declared != "application/json" and declared.partition(";")[0].strip().lower() != "application/json":
        sent = f"{declared[:80]!r} is not supported" if declared else "the Content-Type header is missing"
        raise UnsupportedMediaType(sent, field="Content-Type", expected="application/json")
    data = _read(environ, max(settings.max_body, most or 0))
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise MalformedJson(f"the body is not JSON: {error}", expected="JSON in UTF-8") from None
    deepest = settings.max_depth
    if data.count(b"[") + data.count(b"{") > deepest and _nests_deeper(value, deepest):
        raise MalformedJson("the body is nested too deeply", expected=f"at most {deepest} levels")
    return value


def _read(environ: Environ, most: int) -> bytes:
    length = environ.get("CONTENT_LENGTH") or ""
    if not length and not environ.get("wsgi.input_terminated"):
        return b""
    wanted = int(length) if length.isdecimal() and length.isascii() else most + 1
    too_large = HttpError("the body is too large", code="body_too_large", expected=f"at most {most} bytes")
    if length and wanted > most:
        raise too_large
    try:
        data: bytes = environ["wsgi.input"].read(wanted)
    except Exception as error:
        # Each server raises its own errors for malformed chunks.
        raise HttpError(f"the body cannot be read: {error}", code="bad_request") from error
    if len(data) > most:
        raise too_large
    return data


def read_body(schema: Schema, environ: Environ, settings: HttpSettings, most: int | None = None) -> Any:
    """Return the body, loaded by ``schema``."""
    return _load(schema, read_json(environ, settings, most))


def read_query(schema: Schema, environ: Environ, settings: HttpSettings) -> dict[str, Any]:
    """Return the query, loaded by the fields of ``schema``. Raises if a parameter is repeated.

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
        try:
            query[name] = field.deserialize(given.get(name, missing), name, given)
        except ValidationError as error:
            errors[name] = error.messages
    if errors:
        raise _invalid(schema, errors)
    if query.get("wait"):
        query["wait"] = min(query["wait"], settings.max_wait)
    return query


def _load(schema: Schema, value: Any) -> Any:
    try:
        return schema.load(value)
    except ValidationError as error:
        raise _invalid(schema, error.messages) from None


def _nests_deeper(value: Any, levels: int) -> bool:
    inside = [value]
    for _ in range(levels):
        inside = [
            inner
            for outer in inside
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return any(isinstance(value, dict | list) for value in inside)


def _invalid(schema: Schema, messages: Any) -> ArenaError:
    """Return an error for the first of marshmallow's messages, with the others in ``extra``."""
    found = _flat(messages, ())
    field, message = found[0]
    expected = _expected(schema, message)
    where = f"{field}: " if field else ""
    others = [{"field": path, "detail": text} for path, text in found[1:10]]
    return ArenaError(
        f"{where}{message[0].lower()}{message[1:].rstrip('.')}",
        field=field or None,
        expected=expected,
        extra={"more": others} if others else None,
    )


def _flat(messages: Any, path: tuple[str, ...]) -> list[tuple[str, str]]:
    if isinstance(messages, Mapping):
        found = []
        for key, inner in messages.items():
            found += _flat(inner, path if key == "_schema" else (*path, str(key)[:80]))
        return found
    if isinstance(messages, list):
        return [pair for inner in messages for pair in _flat(inner, path)]
    return [(".".join(path), str(messages)[:300])]


def _expected(schema: Schema, message: str) -> str | None:
    if message.startswith("Unknown field"):
        return "one of " + ", ".join(schema.fields) if schema.fields else "no fields"
    for pattern, template in _EXPECTED:
        found = re.match(pattern, message)
        if found:
            return found.expand(template)
    return None


_EXPECTED: Final = (
    (r"Not a valid (\w+)\.", r"a valid \1"),
    (r"Must be (.*?)\.?$", r"\1"),
    (r"Missing data", "a value"),
    (r"Field may not be null", "a value other than null"),
    (r"(?:Shorter|Longer) than (.*?)\.$", r"\1"),
    (r"Length must be (.*?)\.$", r"a length \1"),
    (r"Invalid input type", "an object"),
)
