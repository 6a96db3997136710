"""The API reference, generated from the OpenAPI document: an index, and a page for each tag."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import orjson
from flask import Flask, Response, abort, current_app, render_template
from markdown_it import MarkdownIt
from markupsafe import Markup

from api.openapi import METHODS, document
from api.pages.manual import manual_page_of
from api.pages.markdown import Section
from api.pages.site import blueprint

ADDRESS: Final = "/docs/api"
TITLE: Final = "API reference"

_KNOWN: Final = "botequim-reference"
_SCHEMA_LINK: Final = re.compile(r'href="#schema-(\w+)"')


@dataclass(frozen=True)
class FieldRow:
    """A field or parameter. ``place`` is the location of a parameter, and is empty for a field."""

    name: str
    type: Markup
    required: bool
    description: Markup
    place: str = ""


@dataclass(frozen=True)
class ContentRow:
    """A body in one media type. ``example`` is empty if there is none."""

    media: str
    type: Markup
    fields: Sequence[FieldRow]
    example: str


@dataclass(frozen=True)
class ResponseRow:
    """A response. ``codes`` are the error codes of the problem documents that it can contain."""

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


@dataclass(frozen=True)
class ReferencePage:
    """A page of the reference: its title, its text and its headings."""

    title: str
    html: Markup
    sections: Sequence[Section]


@blueprint.get(ADDRESS)
def reference_page() -> Response:
    """Show all operations by tag, and all schemas, with their anchors from when this was the only page."""
    return _shown("")


@blueprint.get(f"{ADDRESS}/<name>")
def reference_part(name: str) -> Response:
    """Show the operations of a tag, and the schemas that they need and no earlier tag needs."""
    if name not in _reference(current_app):
        abort(404)
    return _shown(name)


def _shown(name: str) -> Response:
    one = _reference(current_app)[name]
    return manual_page_of(
        "reference.html", current="api", title=one.title, html=one.html, sections=one.sections
    )


def reference_sections(app: Flask) -> Iterator[tuple[str, Section]]:
    """Yield the headings of the reference with their texts and the URLs of their pages, for searching."""
    for name, one in _reference(app).items():
        # The index only repeats the contents of the other pages.
        if name:
            yield from ((f"{ADDRESS}/{name}", section) for section in one.sections)


def _reference(app: Flask) -> Mapping[str, ReferencePage]:
    """Return the pages by name. The name of the index is empty."""
    known: Mapping[str, ReferencePage] | None = app.extensions.get(_KNOWN)
    if known is None:
        spec = document(app)
        reader = _Reader(spec)
        operations = list(reader.operations())
        tags = [
            (tag, [one for name, one in operations if name == tag["name"]])
            for tag in spec["tags"]
            if any(name == tag["name"] for name, _ in operations)
        ]
        schemas = list(reader.schemas())
        homes = reader.homes([tag["name"] for tag, _ in tags])
        index = render_template(
            "operations_index.html",
            introduction=_html(spec["info"]["description"]),
            tags=tags,
            schemas=[(name, homes[name]) for name, *_ in schemas],
        )
        headings = [Section(2, f"tag-{tag['name']}", tag["name"].capitalize(), "") for tag, _ in tags]
        pages = {"": ReferencePage(TITLE, Markup(index), [Section(1, "", TITLE, ""), *headings])}
        for tag, own in tags:
            title = f"{TITLE}: {tag['name']}"
            html = render_template(
                "operations.html",
                title=title,
                tag=tag,
                operations=own,
                schemas=[one for one in schemas if homes[one[0]] == tag["name"]],
            )
            sections = list(_sections(title, tag, own))
            pages[tag["name"]] = ReferencePage(title, _with_homes(html, homes, tag["name"]), sections)
        known = app.extensions[_KNOWN] = pages
    return known


def _with_homes(html: str, homes: Mapping[str, str], page: str) -> Markup:
    """Return the HTML of a page, with links to schemas directed to the pages that show these."""

    def link(found: re.Match[str]) -> str:
        home = homes[found[1]]
        return found[0] if home == page else f'href="{ADDRESS}/{home}#schema-{found[1]}"'

    return Markup(_SCHEMA_LINK.sub(link, html))


def _sections(title: str, tag: Mapping[str, str], operations: Sequence[OperationView]) -> Iterator[Section]:
    yield Section(1, "", title, tag["description"])
    for one in operations:
        text = " ".join(one.description.striptags().split())
        yield Section(2, one.id, one.summary, f"{one.method} {one.path} {text}")


class _Reader:
    """Extracts the contents of the reference pages from an OpenAPI document."""

    def __init__(self, spec: Mapping[str, Any]) -> None:
        self._spec = spec

    def operations(self) -> Iterator[tuple[str, OperationView]]:
        """Yield the operations with their tags."""
        for path, item in self._spec["paths"].items():
            for method in METHODS:
                if method in item:
                    yield item[method]["tags"][0], self._operation(path, method, item)

    def homes(self, tags: Sequence[str]) -> dict[str, str]:
        """Return the tag of each schema: the first tag whose operations need it, or else the last tag."""
        known = self._spec["components"]
        found: dict[str, str] = {}
        for tag in tags:
            ahead = [
                item
                for item in self._spec["paths"].values()
                if any(item[method]["tags"][0] == tag for method in METHODS if method in item)
            ]
            while ahead:
                for kind, name in _references(ahead.pop()):
                    if kind != "schemas":
                        ahead.append(known[kind][name])
                    elif name not in found:
                        found[name] = tag
                        ahead.append(known[kind][name])
        return {name: found.get(name, tags[-1]) for name in known["schemas"]}

    def schemas(self) -> Iterator[tuple[str, Markup, Markup, Sequence[FieldRow]]]:
        """Yield every schema's name, description, type and fields. The type is empty if there are fields."""
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
            [*self._responses(operation["responses"]), *self._problems(operation)],
        )

    def _parameter(self, one: Mapping[str, Any]) -> FieldRow:
        description = _html(one.get("description", ""))
        return FieldRow(one["name"], _type(one["schema"]), one.get("required", False), description, one["in"])

    def _responses(self, responses: Mapping[str, Any]) -> Iterator[ResponseRow]:
        """Yield the rows of successful responses."""
        for status in sorted(responses.keys() - {"default"}):
            one = self._resolved(responses[status])
            yield ResponseRow(status, _html(one["description"]), (), self._contents(one, with_fields=False))

    def _problems(self, operation: Mapping[str, Any]) -> Iterator[ResponseRow]:
        """Yield a row with the error codes for each status."""
        problem = self._resolved(operation["responses"]["default"])
        own = {*problem["x-error-codes"], *operation["x-error-codes"]}
        for status, errors in problem["x-errors"].items():
            codes = [code for code in errors if code in own]
            if codes:
                yield ResponseRow(status, Markup(), codes, ())

    def _contents(self, holder: Mapping[str, Any], *, with_fields: bool) -> Sequence[ContentRow]:
        return [
            ContentRow(
                media,
                _type(content["schema"]),
                self._fields(content["schema"]) if with_fields else (),
                self._example(content),
            )
            for media, content in holder.get("content", {}).items()
        ]

    def _example(self, content: Mapping[str, Any]) -> str:
        """Return the example of a body (resolving references), or an empty string if there is none."""
        for shared in content.get("examples", {}).values():
            return _example(self._resolved(shared)["value"])
        return _example(content.get("example"))

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


def _references(value: object) -> Iterator[tuple[str, str]]:
    """Yield the kinds and names of all components referred to by part of a document."""
    if isinstance(value, Mapping):
        if isinstance(value.get("$ref"), str):
            _, _, kind, name = value["$ref"].split("/")
            yield kind, name
        for part in value.values():
            yield from _references(part)
    elif isinstance(value, list):
        for part in value:
            yield from _references(part)


def _tokens(security: Sequence[Mapping[str, object]]) -> str:
    names = [name for one in security for name in one]
    if not names:
        return "No token."
    text = "Token: " + " or ".join(names)
    return f"{text}; also without one." if {} in security else f"{text}."


def _type(schema: Mapping[str, Any]) -> Markup:
    """Return a description of a value's type, with links to schemas."""
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


def _json(value: object) -> str:
    return orjson.dumps(value).decode()


def _example(value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


@cache
def _html(text: str) -> Markup:
    """Convert a description from Markdown to HTML."""
    return Markup(_markdown().render(text).strip())


@cache
def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table")
