"""The fields of all requests, from the OpenAPI document."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from tests.documents import openapi

_DEFAULT: Final = re.compile(r" ?Default: `(.*)`\.\Z", re.DOTALL)
_BOUNDS: Final = ("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems")
WHOLE: Final = ("rules",)
"""Objects that are one field: their members are the options of a game, from its own table."""


@dataclass(frozen=True, kw_only=True)
class Field:
    """A field of a body or a query. ``name``: its path, with dots. ``thing``: what it describes, by the tag
    of its operation. ``edits``: what is left out stays as it is. ``default``: as JSON, None if the document
    has none. ``choices``: those of all games.
    """

    operation: str
    thing: str
    edits: bool
    place: str
    name: str
    required: bool
    text: str
    default: str | None
    choices: tuple[Any, ...]
    bounds: Mapping[str, float]

    @property
    def id(self) -> str:
        """Its name in lists of gaps: ``operation.field``, or ``operation?field`` in a query."""
        return f"{self.operation}{'.' if self.place == 'body' else '?'}{self.name}"

    @property
    def own(self) -> str:
        """Its name in the thing that it describes: a schedule has the fields of its tournaments."""
        return self.name.removeprefix("tournament.")


@cache
def fields() -> tuple[Field, ...]:
    """The fields of all requests."""
    return tuple(_merged(_all()))


def _all() -> Iterator[Field]:
    for item in openapi()["paths"].values():
        for method, found in item.items():
            if method == "parameters":
                continue
            operation = {**found, "edits": method == "patch"}
            for given in operation.get("parameters", ()):
                parameter = _resolved(given)
                if parameter["in"] == "query":
                    yield _field(operation, "query", parameter["name"], parameter["schema"], parameter)
            body = operation.get("requestBody", {}).get("content", {}).get("application/json")
            if body is not None:
                yield from _members(operation, body["schema"], "")


def _members(operation: Mapping[str, Any], given: Any, prefix: str) -> Iterator[Field]:
    schema = _resolved(given)
    for part in (*schema.get("oneOf", ()), *schema.get("anyOf", ()), *schema.get("allOf", ())):
        yield from _members(operation, part, prefix)
    for name, shape in schema.get("properties", {}).items():
        inner = [*_members(operation, shape, f"{prefix}{name}.")] if name not in WHOLE else []
        items = [*_members(operation, shape.get("items", {}), f"{prefix}{name}.")]
        if not inner:
            found = _field(operation, "body", prefix + name, shape, shape)
            yield replace(found, required=name in schema.get("required", ()))
        yield from (*inner, *items)


def _field(
    operation: Mapping[str, Any], place: str, name: str, given: Any, described: Mapping[str, Any]
) -> Field:
    schema = _resolved(given)
    text = str(described.get("description", schema.get("description", "")))
    said = _DEFAULT.search(text)
    default = said[1] if said else json.dumps(schema["default"]) if "default" in schema else None
    is_template = name.startswith("tournament.")
    return Field(
        operation=operation["operationId"],
        edits=operation["edits"],
        thing="tournaments" if is_template else operation["tags"][0],
        place=place,
        name=name,
        required=place == "query" and bool(described.get("required")),
        text=_DEFAULT.sub("", text),
        default=default,
        choices=tuple(schema.get("enum", schema.get("items", {}).get("enum", ()))),
        bounds={bound: schema[bound] for bound in _BOUNDS if bound in schema},
    )


def enums(node: Any) -> Iterator[tuple[tuple[Any, ...], str]]:
    """The choices in a part of the document, with their descriptions."""
    for inner in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from enums(inner)
    if isinstance(node, dict):
        schema = node.get("schema", node)
        choices = schema.get("enum") if isinstance(schema, dict) else None
        if isinstance(choices, list) and isinstance(node.get("description"), str):
            yield tuple(choices), node["description"]


def explained(text: str, choices: Collection[Any]) -> dict[str, str]:
    """What a description says of each choice: of ``a``, ``b`` and ``c`` in "`a`, `b`: this. `c`: that."."""
    _, *parts = re.split(r"((?:`\w+`, )*`\w+`): ", _DEFAULT.sub("", text))
    groups = [re.findall(r"\w+", group) for group in parts[::2]]
    found = {name: said.strip() for group, said in zip(groups, parts[1::2], strict=True) for name in group}
    return {name: said for name, said in found.items() if name in choices}


def _resolved(schema: Any) -> Any:
    while "$ref" in schema:
        found: Any = openapi()
        for part in schema["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        schema = {**found, **{key: value for key, value in schema.items() if key != "$ref"}}
    return schema


def _merged(found: Iterable[Field]) -> Iterator[Field]:
    """One field where the bodies of several games have it, with the choices of all."""
    merged: dict[str, Field] = {}
    for one in found:
        known = merged.get(one.id)
        if known is None:
            merged[one.id] = one
        else:
            choices = dict.fromkeys((*known.choices, *one.choices))
            required = known.required and one.required
            merged[one.id] = replace(known, choices=tuple(choices), required=required)
    return iter(merged.values())
