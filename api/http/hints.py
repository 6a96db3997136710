"""Hints about mistakes in requests: the probable intention, and the value received."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from marshmallow import Schema, fields, validate

from api.schemas.common import UnionSchema
from api.schemas.fields import OneOf
from arena.bots import HOUSE_BOTS
from arena.errors import ArenaError
from arena.text import similar

Path = Sequence[str]

_MOST_SHOWN: Final = 40
_MOST_SEGMENTS: Final = 10

_TYPES: Final = {
    dict: "an object",
    list: "a list",
    str: "a string",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "null",
}

_INSTEAD: Final = {
    "page": "cursor",
    "offset": "cursor",
    "skip": "cursor",
    "next": "cursor",
    "per_page": "limit",
    "page_size": "limit",
    "count": "limit",
    "size": "limit",
    "game": "kind",
    "username": "name",
    "bot_name": "name",
    "title": "name",
    "starts": "locks_ms",
    "start": "locks_ms",
    "players": "seats",
    "bots": "seats",
    "timeout": "wait",
    "language": "transport",
    "code": "source",
}
"""The names of fields here, by the names that other services use for them."""

_SAYS_EXPECTED: Final = "; expected "
"""In error messages of the arena, the text before the expected value."""

_CREDENTIALS: Final = ("token", "access_token", "api_key", "apikey", "key", "auth")


def did_you_mean(given: object, known: Iterable[str]) -> str:
    """Return a question that proposes the closest match to ``given`` in ``known``, or an empty string."""
    near = closest(given, known)
    return f"; did you mean {near}?" if near else ""


def closest(given: object, known: Iterable[str]) -> str | None:
    """Return the closest match to ``given`` in ``known``, or None if none is close."""
    return next(iter(similar(given, known, 1)), None) if isinstance(given, str) else None


def explained(
    schema: Schema, path: Path, message: str, given: object, *, in_query: bool = False
) -> tuple[str, str | None]:
    """Return the detail and the expected value for one of marshmallow's messages about the value at ``path``.
    ``in_query``: whether the values come from a query, where all are strings.
    """
    holder, field = _field_at(schema, path, given)
    value = _value_at(given, path)
    if _SAYS_EXPECTED in message:
        detail, _, expected = message.rpartition(_SAYS_EXPECTED)
        return detail, expected
    detail = f"{message[0].lower()}{message[1:].rstrip('.')}"
    if message.startswith("Unknown field"):
        return detail + _instead_of(path[-1], holder), _one_of(holder)
    if message.startswith("Missing data"):
        choices = _choices(field)
        return detail, f"one of {', '.join(choices)}" if choices else "a value"
    if message.startswith("Invalid input type"):
        what = "" if path else "the body "
        return f"{what}must be an object, not {_type_of(value)}", "an object"
    if message.startswith("Must be one of"):
        return f"{_shown(value)} is not allowed{did_you_mean(value, _choices(field))}", _expected(message)
    if (only := _only(field)) and message.startswith("Must be"):
        return f"must be {only}, not {_shown(value)}", only
    if message.startswith(("Not a valid", "Must be true or false")):
        return detail + (f"; got {_shown(value)}" if in_query else _wrong_type(value)), _expected(message)
    if message.startswith("Must be greater than") and isinstance(value, str | int | float):
        return f"{str(value)[:_MOST_SHOWN]} is out of range", _range(field) or _expected(message)
    if isinstance(field, fields.String) and isinstance(value, str) and "a-z, 0-9" in message:
        return detail + _as_name(value, field), _expected(message)
    return detail, _expected(message)


def _instead_of(name: str, holder: Schema | None) -> str:
    if holder is None:
        return ""
    if name.lower() in _CREDENTIALS:
        return "; send the token in the header Authorization: Bearer <token>"
    near = closest(name, holder.fields) or _INSTEAD.get(name.lower())
    return f"; did you mean {near}?" if near in holder.fields else ""


def _one_of(holder: Schema | None) -> str:
    if holder is None or not holder.fields:
        return "no fields"
    return "one of " + ", ".join(holder.fields)


def _as_name(value: str, field: fields.String) -> str:
    """Return a hint that proposes ``value`` changed to follow the naming rules, or an empty string."""
    name = re.sub(r"[^a-z0-9]+", "-", value.lower()).strip("-")
    for check in field.validators:
        if isinstance(check, validate.Regexp) and name != value and re.match(str(check.regex.pattern), name):
            return f"; did you mean {name}?"
    return ""


def _wrong_type(value: object) -> str:
    if isinstance(value, str):
        if re.fullmatch(r"-?[0-9]+(\.[0-9]+)?|true|false|null", value):
            return f"; {_shown(value)} is a string: write it without quotes"
        return f"; {_shown(value)} is a string"
    return f"; {_shown(value)} is {_type_of(value)}"


def _range(field: fields.Field[object] | None) -> str | None:
    for check in field.validators if field is not None else ():
        if isinstance(check, validate.Range) and check.min is not None and check.max is not None:
            if check.min_inclusive and check.max_inclusive:
                return f"{check.min} to {check.max}"
            return f"greater than {check.min} and less than {check.max}"
    return None


def _only(field: fields.Field[object] | None) -> str | None:
    """Return the only value that a field allows, as JSON, or None if it allows others."""
    for check in field.validators if field is not None else ():
        if isinstance(check, validate.Equal):
            return json.dumps(check.comparable)
    return None


def _choices(field: fields.Field[object] | None) -> list[str]:
    for check in field.validators if field is not None else ():
        if isinstance(check, validate.OneOf):
            return [str(choice) for choice in check.choices]
    return [str(choice) for choice in getattr(field, "choices", ())]


def _field_at(schema: Schema, path: Path, given: object) -> tuple[Schema | None, fields.Field[Any] | None]:
    """Return the schema of the object that contains ``path``, and the field at ``path``; each is None if
    unknown.
    """
    holder: Schema | None = schema
    field: fields.Field[Any] | None = None
    for depth, name in enumerate(path):
        if isinstance(field, fields.List):
            field = field.inner
        elif holder is not None:
            if isinstance(holder, UnionSchema) and name == holder.type_field:
                return holder, fields.String(validate=validate.OneOf(tuple(holder.type_schemas)))
            holder = _of_kind(holder, _value_at(given, path[:depth]))
            field = holder.fields.get(name)
        if depth < len(path) - 1:
            holder = _nested(field, _value_at(given, path[: depth + 1])) or holder
    return holder, field


def _of_kind(schema: Schema, value: object) -> Schema:
    """Return the schema for an object, according to its kind of game."""
    if not isinstance(schema, UnionSchema):
        return schema
    kinds = schema.type_schemas
    kind = value.get(schema.type_field) if isinstance(value, Mapping) else None
    return kinds[kind if isinstance(kind, str) else next(iter(kinds))]()


def _nested(field: fields.Field[object] | None, value: object) -> Schema | None:
    if isinstance(field, fields.Nested):
        return field.schema
    if isinstance(field, OneOf) and isinstance(value, Mapping):
        for schema in field.schemas:
            if next(iter(schema().fields)) in value:
                return schema()
    return None


def _value_at(given: object, path: Path) -> object:
    for name in path:
        if isinstance(given, list) and name.isdecimal() and int(name) < len(given):
            given = given[int(name)]
        elif isinstance(given, Mapping):
            given = given.get(name)
        else:
            return None
    return given


def _type_of(value: object) -> str:
    return _TYPES.get(type(value), "that")


def _shown(value: object) -> str:
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."


def _expected(message: str) -> str | None:
    for pattern, template in _EXPECTED:
        found = re.match(pattern, message)
        if found:
            return found.expand(template)
    return None


_EXPECTED: Final = (
    (r"Not a valid date\.", "a date such as 2026-11-27"),
    (r"Not a valid (\w+)\.", r"a valid \1"),
    (r"Must be (.*?)(?:, not [^,]*)?\.?$", r"\1"),
    (r"Field may not be null", "a value other than null"),
    (r"(?:Shorter|Longer) than (.*?)\.$", r"\1"),
    (r"Length must be (.*?)\.$", r"a length \1"),
)


# Domain errors, and bodies that are not JSON


def with_hint(error: ArenaError, own: Callable[[], Iterable[str]]) -> ArenaError:
    """Add a hint to the error's message if the intention can be guessed. ``own`` returns the caller's
    bots.
    """
    if "did you mean" in error.message:
        return error
    found = _QUOTED.search(error.message)
    hint = ""
    if error.code == "bot_not_found" and found:
        house = found[1].removeprefix("house:")
        if house in HOUSE_BOTS:
            error.message += "; this is the name of a house bot"
            error.expected = error.expected or f'{{"house": "{house}"}}'
            return error
        hint = _bot_hint(found[1], own)
    elif found and error.expected and error.expected.startswith("one of "):
        hint = did_you_mean(found[1], re.split(r",\s*|\s+or\s+", error.expected.removeprefix("one of ")))
    error.message += hint
    return error


def _bot_hint(name: str, own: Callable[[], Iterable[str]]) -> str:
    last = re.split(r"[/:@]", name)[-1]
    if last and last != name:
        return f"; use the bot's name without its owner: did you mean {last}?"
    return did_you_mean(name, own())


def json_hint(data: bytes) -> str:
    """Return a hint about what is wrong with data that is not JSON, or an empty string if this is unknown."""
    if not data.strip():
        return "; the body is empty"
    if data.startswith(b"\xef\xbb\xbf"):
        return "; the body begins with a byte order mark"
    if re.match(rb"\s*[{\[]\s*'", data):
        return "; JSON strings need double quotes"
    if re.search(rb"[:,\[]\s*(True|False|None)\b", data):
        return "; in JSON, use true, false and null"
    if re.search(rb",\s*[}\]]", data):
        return "; there is a comma before a closing bracket"
    if re.match(rb"[A-Za-z_]+=", data):
        return "; this is a form"
    return ""


_QUOTED: Final = re.compile(r"'([^']{1,80})'")


# Paths


def near_address(path: str, templates: Iterable[str]) -> str | None:
    """Return the path that was probably meant by ``path``. ``templates`` are the API's path templates, with
    parameters written as ``<name>``.

    If a template only has additional parameters at its end, it is returned with these in braces.
    """
    given = [part for part in path.split("/") if part]
    while given and given[0].lower() in ("v1", "api"):
        given = given[1:]
    if not given or len(given) > _MOST_SEGMENTS:
        return None
    longer: str | None = None
    best: tuple[int, str] | None = None
    for template in templates:
        known = template.strip("/").split("/")[1:]
        if len(known) < len(given):
            continue
        found = _matched(given, known[: len(given)])
        if found is None:
            continue
        exact = sum(one == other for one, other in zip(found, given, strict=True))
        address = "/" + "/".join(["v1", *found])
        rest = known[len(given) :]
        if not rest:
            best = max(best or (-1, ""), (exact, address))
        elif longer is None and all(part.startswith("<") for part in rest):
            longer = "/".join([address, *(f"{{{part[1:-1]}}}" for part in rest)])
    if best is not None and best[1] != path:
        return best[1]
    return longer if best is None else None


def _matched(given: Sequence[str], known: Sequence[str]) -> list[str] | None:
    """Return ``given`` with its fixed parts spelled as in ``known``, or None if one is too different."""
    found = []
    for part, template in zip(given, known, strict=True):
        if template.startswith("<"):
            found.append(part)
        elif part == template or closest(part, (template,)) or template in (part + "s", part + "es"):
            found.append(template)
        else:
            return None
    return found
