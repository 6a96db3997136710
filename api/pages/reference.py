"""The reference of the API, made of the OpenAPI document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import orjson
from flask import Flask, Response, current_app, render_template
from markdown_it import MarkdownIt
from markupsafe import Markup

from api.openapi import METHODS, document
from api.pages.manual import manual_page_of
from api.pages.markdown import Section
from api.pages.site import blueprint

ADDRESS: Final = "/docs/api"

_KNOWN: Final = "botequim-reference"
_CODE: Final = re.compile(r"^- `(\w+)`:", re.MULTILINE)


@dataclass(frozen=True)
class FieldRow:
    """A field or a parameter. ``place``: where a parameter stands, empty for a field."""

    name: str
    type: Markup
    required: bool
    description: Markup
    place: str = ""


@dataclass(frozen=True)
class ContentRow:
    """A body in one media type. ``example``: empty for none."""

    media: str
    type: Markup
    fields: Sequence[FieldRow]
    example: str


@dataclass(frozen=True)
class ResponseRow:
    """A response. ``codes``: of the problems that it may be."""

    status: str
    description: Markup
    codes: Sequence[str]
    contents: Sequence[ContentRow]


@dataclass(frozen=True)
class OperationView:
    """An operation as the page shows it."""

    id: str
    method: str
    path: str
    summary: str
    description: Markup
    tokens: str
    parameters: Sequence[FieldRow]
    body: Markup
    contents: Sequence[ContentRow]
    responses: Sequence[ResponseRow]


@blueprint.get(ADDRESS)
def reference_page() -> Response:
    """The operations of the API by tag, and the schemas."""
    reference = _reference(current_app)
    return manual_page_of("reference.html", current="api", html=reference[0], sections=reference[1])


def reference_sections(app: Flask) -> Sequence[Section]:
    """The headings of the reference with their texts, for searching."""
    return _reference(app)[1]


def _reference(app: Flask) -> tuple[Markup, Sequence[Section]]:
    known: tuple[Markup, Sequence[Section]] | None = app.extensions.get(_KNOWN)
    if known is None:
        spec = document(app)
        reader = _Reader(spec)
        operations = list(reader.operations())
        tags = [
            (tag, [one for name, one in operations if name == tag["name"]])
            for tag in spec["tags"]
            if any(name == tag["name"] for name, _ in operations)
        ]
        html = render_template(
            "operations.html",
            introduction=_html(spec["info"]["description"]),
            tags=tags,
            schemas=list(reader.schemas()),
        )
        known = app.extensions[_KNOWN] = (Markup(html), list(_sections(tags)))
    return known


def _sections(tags: Sequence[tuple[dict[str, str], Sequence[OperationView]]]) -> Iterator[Section]:
    yield Section(1, "", "API reference", "")
    for tag, operations in tags:
        yield Section(2, f"tag-{tag['name']}", tag["name"].capitalize(), tag["description"])
        for one in operations:
            text = " ".join(one.description.striptags().split())
            yield Section(3, one.id, one.summary, f"{one.method} {one.path} {text}")


class _Reader:
    """Reads what the page shows from a document."""

    def __init__(self, spec: Mapping[str, Any]) -> None:
        self._spec = spec

    def operations(self) -> Iterator[tuple[str, OperationView]]:
        """The operations with their tags."""
        for path, item in self._spec["paths"].items():
            for method in METHODS:
                if method in item:
                    yield item[method]["tags"][0], self._operation(path, method, item)

    def schemas(self) -> Iterator[tuple[str, Markup, Markup, Sequence[FieldRow]]]:
        """Name, description, type and fields of every schema; the type is empty if there are fields."""
        for name, schema in self._spec["components"]["schemas"].items():
            fields = self._fields(schema)
            yield name, _html(schema.get("description", "")), Markup() if fields else _type(schema), fields

    def _operation(self, path: str, method: str, item: Mapping[str, Any]) -> OperationView:
        operation = item[method]
        parameters = [*item.get("parameters", ()), *operation.get("parameters", ())]
        body = operation.get("requestBody", {})
        return OperationView(
            operation["operationId"],
            method.upper(),
            path,
            operation["summary"],
            _html(operation.get("description", "")),
            _tokens(operation["security"]),
            [self._parameter(self._resolved(one)) for one in parameters],
            _html(body.get("description", "")),
            self._contents(body, with_fields=True),
            [
                self._response(str(status), self._resolved(one))
                for status, one in sorted(operation["responses"].items(), key=lambda pair: str(pair[0]))
            ],
        )

    def _parameter(self, one: Mapping[str, Any]) -> FieldRow:
        description = _html(one.get("description", ""))
        return FieldRow(one["name"], _type(one["schema"]), one.get("required", False), description, one["in"])

    def _response(self, status: str, one: Mapping[str, Any]) -> ResponseRow:
        codes = _CODE.findall(one["description"])
        if codes:
            return ResponseRow(status, Markup(), codes, ())
        return ResponseRow(status, _html(one["description"]), (), self._contents(one, with_fields=False))

    def _contents(self, holder: Mapping[str, Any], *, with_fields: bool) -> Sequence[ContentRow]:
        return [
            ContentRow(
                media,
                _type(content["schema"]),
                self._fields(content["schema"]) if with_fields else (),
                _example(content.get("example")),
            )
            for media, content in holder.get("content", {}).items()
        ]

    def _fields(self, schema: Mapping[str, Any]) -> Sequence[FieldRow]:
        schema = self._resolved(schema)
        required = schema.get("required", ())
        rows = [row for part in schema.get("allOf", ()) for row in self._fields(part)]
        for name, field in schema.get("properties", {}).items():
            rows.append(FieldRow(name, _type(field), name in required, _html(field.get("description", ""))))
        return rows

    def _resolved(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in value:
            _, _, kind, name = value["$ref"].split("/")
            value = self._spec["components"][kind][name]
        return value


def _tokens(security: Sequence[Mapping[str, Any]]) -> str:
    names = [name for one in security for name in one]
    if not names:
        return "No token."
    text = "Token: " + " or ".join(names)
    return f"{text}; also without one." if {} in security else f"{text}."


def _type(schema: Mapping[str, Any]) -> Markup:
    """The type of a value in words, with links to schemas."""
    for name in ("oneOf", "anyOf", "allOf"):
        if name in schema:
            return Markup(" or ").join(_type(one) for one in schema[name])
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return Markup('<a href="#schema-{0}">{0}</a>').format(name)
    if "const" in schema or "enum" in schema:
        values = schema.get("enum", [schema.get("const")])
        return Markup(", ").join(Markup("<code>{}</code>").format(_json(value)) for value in values)
    kinds = schema.get("type", "any")
    words = [_kind(kind, schema) for kind in ([kinds] if isinstance(kinds, str) else kinds)]
    return Markup(" or ").join(words)


def _kind(kind: str, schema: Mapping[str, Any]) -> Markup:
    if kind == "array":
        return Markup("list of {}").format(_type(schema.get("items", {})))
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return Markup("object of {}").format(_type(schema["additionalProperties"]))
    if kind in ("integer", "number"):
        return Markup.escape(kind + _range(schema.get("minimum"), schema.get("maximum")))
    if kind == "string" and "maxLength" in schema:
        return Markup.escape(f"string, at most {schema['maxLength']} characters")
    return Markup.escape(kind)


def _range(least: object, most: object) -> str:
    if least is not None and most is not None:
        return f", {least} to {most}"
    if least is not None:
        return f", at least {least}"
    return "" if most is None else f", at most {most}"


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()


def _example(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


@cache
def _html(text: str) -> Markup:
    """A description, which is Markdown."""
    return Markup(_markdown().render(text).strip())


@cache
def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table")
