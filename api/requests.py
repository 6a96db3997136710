"""Reading requests: query and body, checked, with errors that name the field."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import parse_qsl

import orjson
from marshmallow import Schema, ValidationError

from api.config import Config
from api.edge import Environ
from api.errors import MalformedJson, Problem, UnsupportedMediaType
from arena.errors import ArenaError

MAX_PARAMETERS: Final = 30
"""Parameters of a query."""


def read_json(environ: Environ, config: Config, most: int | None = None) -> Any:
    """The request's body of at most ``most`` bytes (None: as configured), parsed. Raises if it is not JSON,
    not declared as JSON, or nests too deep.
    """
    declared = environ.get("CONTENT_TYPE", "")
    if declared != "application/json" and declared.partition(";")[0].strip().lower() != "application/json":
        told = f"{declared[:80]!r}" if declared else "a body of no declared type"
        raise UnsupportedMediaType(f"{told} is not taken", field="Content-Type", expected="application/json")
    data = _read(environ, max(config.max_body, most or 0))
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise MalformedJson(f"the body is not JSON: {error}", expected="JSON in UTF-8") from None
    deepest = config.max_depth
    if data.count(b"[") + data.count(b"{") > deepest and _nests_deeper(value, deepest):
        raise MalformedJson("the body nests too deep", expected=f"at most {deepest} levels")
    return value


def _read(environ: Environ, most: int) -> bytes:
    length = environ.get("CONTENT_LENGTH") or ""
    if not length and not environ.get("wsgi.input_terminated"):
        return b""
    wanted = int(length) if length.isdecimal() and length.isascii() else most + 1
    too_large = Problem("the body is too large", code="body_too_large", expected=f"at most {most} bytes")
    if length and wanted > most:
        raise too_large
    try:
        data: bytes = environ["wsgi.input"].read(wanted)
    except Exception as error:
        # Each server has errors of its own for chunks that cannot be read.
        raise Problem(f"the body cannot be read: {error}", code="bad_request") from error
    if len(data) > most:
        raise too_large
    return data


def read_body(schema: Schema, environ: Environ, config: Config, most: int | None = None) -> Any:
    """The request's body, loaded by ``schema``."""
    return _load(schema, read_json(environ, config, most))


def read_query(schema: Schema, environ: Environ, config: Config) -> Any:
    """The request's query, loaded by ``schema``; a parameter given twice is an error."""
    given: dict[str, str] = {}
    try:
        pairs = parse_qsl(
            environ.get("QUERY_STRING", ""), keep_blank_values=True, max_num_fields=MAX_PARAMETERS
        )
    except ValueError:
        raise ArenaError("too many parameters", expected=f"at most {MAX_PARAMETERS}") from None
    for name, value in pairs:
        if name in given:
            raise ArenaError(f"{name[:80]} is given twice", field=name[:80], expected="one value")
        given[name] = value
    query = _load(schema, given)
    if query.get("wait"):
        query["wait"] = min(query["wait"], config.max_wait)
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
    """The first of marshmallow's messages as our error; the others are in ``extra``."""
    told = _flat(messages, ())
    field, message = told[0]
    expected = _expected(schema, message)
    where = f"{field}: " if field else ""
    others = [{"field": path, "detail": text} for path, text in told[1:10]]
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
    for pattern, told in _EXPECTED:
        found = re.match(pattern, message)
        if found:
            return found.expand(told)
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
