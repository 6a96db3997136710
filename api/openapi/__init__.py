"""The OpenAPI document, generated from the operations, with examples captured from the running app.

``python -m api.openapi > openapi.yaml`` writes it; ``python -m api.openapi.capture`` captures the examples.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Mapping
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, NotRequired, TypedDict

import orjson
from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.openapi import OpenAPIConverter
from flask import Flask
from marshmallow import Schema

from api.http.contract import ApiOperation, Blueprint
from api.http.conventions import IF_NONE_MATCH, NOT_MODIFIED
from api.http.errors import ERRORS, PROBLEM_TYPE
from api.http.idempotency import IDEMPOTENCY_KEY, REPLAYED
from api.openapi.components import HEADERS, PATH_PARAMETERS, RATE_LIMIT, SECURITY_SCHEMES
from api.openapi.defaults import describe_defaults, describe_parameter_defaults
from api.openapi.record import record_schemas
from api.openapi.sharing import share_error_codes, share_examples, share_parameters, share_properties
from api.openapi.webhooks import add_webhooks
from api.schemas.common import ProblemSchema, UnionSchema
from api.schemas.fields import (
    action_to_openapi,
    mixed_to_openapi,
    moment_to_openapi,
    one_of_to_openapi,
)
from api.schemas.turns import OverSchema, ReconnectSchema
from arena import __version__
from arena.operations.operation import EVENT_STREAM, JSON

EXAMPLES_FILE: Final = Path(__file__).parent.parent / "examples.json"

METHODS: Final = ("get", "post", "put", "patch", "delete")

_DESCRIPTION: Final = """
A game service and arena for bots that play Brazilian Truco and Dutch Toepen.

Sign up (`POST /v1/owners`), register a bot (`POST /v1/bots`), create a game or join one
(`POST /v1/games`), and let the bot loop on `POST /v1/turns`.

Durations are integers in milliseconds; timestamps are Unix time in milliseconds. Requests can also have
timestamps in RFC 3339. Lists are paged: pass a page's `cursor` to get the next page. Every error is a problem
document with a stable `code`; `x-error-codes` lists those of an operation. Every response has the header
`X-Request-Id`.
"""

PROBLEM: Final = "Problem"
_PROBLEM_TEXT: Final = """
A problem document. Its `code` is one of the `x-error-codes` of the operation or, for all operations, of this
response; `x-errors` lists their meanings by status. With status 401, the response has `WWW-Authenticate`;
with 429 or 503, `Retry-After`; with 429, also `RateLimit` and `RateLimit-Policy`.
"""


class Captured(TypedDict):
    """The examples of an operation: ``request`` (the body), ``responses`` by status, and ``texts`` (a
    response in other media types).
    """

    request: NotRequired[object]
    responses: Mapping[str, Any]
    texts: NotRequired[Mapping[str, str]]


@cache
def examples() -> Mapping[str, Captured]:
    """Return the captured examples, by operation."""
    loaded: Mapping[str, Captured] = (
        orjson.loads(EXAMPLES_FILE.read_bytes()) if EXAMPLES_FILE.exists() else {}
    )
    return loaded


def document(app: Flask) -> dict[str, Any]:
    """Return the OpenAPI document of ``app``."""
    known = app.extensions.get("botequim-openapi")
    if known is None:
        built = _Builder(app).spec.to_dict()
        known = app.extensions["botequim-openapi"] = _completed(_plain(built))
    return copy.copy(known)


class _Converter(OpenAPIConverter):
    """A converter that also handles unions."""

    def schema2jsonschema(self, schema: Schema) -> object:
        """Return the JSON schema of ``schema``."""
        base: Any = super()
        if not isinstance(schema, UnionSchema):
            return base.schema2jsonschema(schema)
        members = {
            value: base.resolve_nested_schema(member)["$ref"] for value, member in schema.type_schemas.items()
        }
        return {
            "oneOf": [{"$ref": address} for address in members.values()],
            "discriminator": {"propertyName": schema.type_field, "mapping": members},
        }


class _Plugin(MarshmallowPlugin):
    Converter = _Converter


class _Builder:
    """Builds the specification of ``app`` from the operations of its blueprints."""

    def __init__(self, app: Flask) -> None:
        plugin = _Plugin()
        self.spec = APISpec(
            "Botequim",
            __version__,
            "3.1.0",
            [plugin],
            info={
                "description": inspect.cleandoc(_DESCRIPTION),
                "contact": {"name": "The Botequim project"},
                "license": {"name": "MIT", "identifier": "MIT"},
            },
            servers=[{"url": "/", "description": "This service."}],
        )
        converter: Any = plugin.converter
        for function in (one_of_to_openapi, action_to_openapi, mixed_to_openapi, moment_to_openapi):
            converter.add_attribute_function(function)
        self._codes: set[str] = set()
        self._problems: dict[int, Any] = {}
        self._add_components()
        for blueprint in app.blueprints.values():
            if isinstance(blueprint, Blueprint):
                self.spec.tag({"name": blueprint.name, "description": blueprint.description})
                for operation in blueprint.operations:
                    self._add(blueprint, operation)
        self._add_problem()

    def _add_components(self) -> None:
        add = self.spec.components
        for name, schema in (
            (PROBLEM, ProblemSchema),
            ("Over", OverSchema),
            ("Reconnect", ReconnectSchema),
        ):
            add.schema(name, schema=schema)
        for name, header in HEADERS.items():
            add.header(name, header)
        not_modified = {"description": "Not modified; see `If-None-Match`.", **_headers("ETag")}
        add.response(NOT_MODIFIED, not_modified)
        for name, parameter in PATH_PARAMETERS.items():
            add.parameter(name, "path", {"name": name, **parameter})
        for name, description in SECURITY_SCHEMES.items():
            add.security_scheme(name, {"type": "http", "scheme": "bearer", "description": description})

    def _add(self, blueprint: Blueprint, operation: ApiOperation) -> None:
        item = {"tags": [blueprint.name], **self._operation(operation)}
        in_path: list[Any] = [name for name in PATH_PARAMETERS if name in operation.in_path]
        self.spec.path(operation.path, operations={operation.method.lower(): item}, parameters=in_path)

    def _operation(self, operation: ApiOperation) -> Mapping[str, object]:
        captured = examples().get(operation.id, {"responses": {}})
        item: dict[str, Any] = {"operationId": operation.id, "summary": operation.summary}
        if operation.description:
            item["description"] = operation.description
        item["security"] = []
        if operation.scopes is not None:
            optional: list[dict[str, list[str]]] = [] if operation.scopes else [{}]
            item["security"] = optional + [{scope: []} for scope in operation.scopes or SECURITY_SCHEMES]
        item["parameters"] = [dict(parameter) for parameter in operation.parameters]
        if operation.takes_key:
            item["parameters"].append(dict(IDEMPOTENCY_KEY))
        if operation.is_polled:
            item["parameters"].append(dict(IF_NONE_MATCH))
        if operation.query is not None:
            item["parameters"].append({"in": "query", "schema": operation.query})
        if operation.body is not None:
            item["requestBody"] = _request_body(operation, captured)
        if operation.raw_query is not None:
            item["parameters"].append({"in": "query", "schema": operation.raw_query(partial=True)})
        responses: dict[int | str, Any] = {operation.status: _success(operation, captured)}
        if operation.accepted is not None:
            example = captured["responses"].get(str(HTTPStatus.ACCEPTED.value))
            responses[HTTPStatus.ACCEPTED] = {
                "description": "The upload is still being checked."
                if operation.raw
                else "The result is being prepared; ask again.",
                **_headers("Location"),
                "content": {JSON: {"schema": operation.accepted, **_example(example)}},
            }
        for status, meaning in operation.also.items():
            responses[status] = {"description": meaning}
            if status != HTTPStatus.NO_CONTENT:
                responses[status]["content"] = {JSON: {"schema": operation.returns}}
        if operation.is_polled:
            responses[HTTPStatus.NOT_MODIFIED] = NOT_MODIFIED
        codes = [code for same_status in operation.error_codes().values() for code in same_status]
        self._codes.update(codes)
        for problem in captured["responses"].values():
            if isinstance(problem, dict) and problem.get("code") in codes:
                self._problems.setdefault(problem["status"], problem)
        return {**item, "responses": {**responses, "default": PROBLEM}, "x-error-codes": codes}

    def _add_problem(self) -> None:
        """Add the response for all errors, with an example for each captured status."""
        errors: dict[int, dict[str, str]] = {}
        for code, error in ERRORS.items():
            if code in self._codes:
                errors.setdefault(error.status, {})[code] = error.meaning
        found = {problem["code"]: {"value": problem} for _, problem in sorted(self._problems.items())}
        response = {
            "description": inspect.cleandoc(_PROBLEM_TEXT),
            **_headers("X-Request-Id", "WWW-Authenticate", "Retry-After", *RATE_LIMIT),
            "content": {PROBLEM_TYPE: {"schema": ProblemSchema, "examples": found}},
            "x-errors": dict(sorted(errors.items())),
        }
        self.spec.components.response(PROBLEM, response)


def _request_body(operation: ApiOperation, captured: Captured) -> Mapping[str, object]:
    content: dict[str, Any] = {JSON: {"schema": operation.body, **_example(captured.get("request"))}}
    limits = {JSON: operation.max_body}
    for raw in operation.raw:
        schema = {"contentMediaType": raw.media, "description": raw.description}
        content[raw.media] = {"schema": schema, **_example(raw.example)}
        limits[raw.media] = raw.most
    if operation.raw:
        sizes = "this number of bytes: " + ", ".join(f"{most} as `{media}`" for media, most in limits.items())
    else:
        sizes = f"{operation.max_body} bytes"
    return {"description": f"At most {sizes}.", "required": True, "content": content}


def _success(operation: ApiOperation, captured: Captured) -> Mapping[str, object]:
    added = {
        REPLAYED: operation.takes_key,
        "ETag": operation.is_polled,
        **dict.fromkeys(RATE_LIMIT, operation.limit),
        "Link": operation.is_paged,
    }
    headers = [*operation.headers, *(name for name, is_added in added.items() if is_added)]
    response: dict[str, Any] = {
        "description": HTTPStatus(operation.status).phrase,
        **_headers(*headers),
    }
    if operation.returns is not None:
        example = captured["responses"].get(str(operation.status))
        if operation.media == EVENT_STREAM:
            example = _first_event(example)
        response["content"] = {operation.media: {"schema": operation.returns, **_example(example)}}
        for media in operation.texts:
            text = captured.get("texts", {}).get(media)
            response["content"][media] = {"schema": {"type": "string"}, **_example(text)}
        if operation.as_text:
            response["x-text"] = _example(captured.get("texts", {}).get("text/plain"))
    return response


def _first_event(stream: str | None) -> dict[str, str] | None:
    """Return the first event of a captured stream, in the shape of the stream's schema."""
    for message in (stream or "").split("\n\n"):
        event = dict(line.split(": ", 1) for line in message.split("\n") if ": " in line)
        if "event" in event:
            return event
    return None


def _example(value: object) -> Mapping[str, object]:
    return {} if value is None else {"example": value}


def _headers(*names: str) -> Mapping[str, object]:
    """Return the headers of a response, as references to the shared headers."""
    return {"headers": {name: name for name in names}} if names else {}


def _plain(value: Any) -> Any:
    """Return ``value`` with string keys, and with apispec's types replaced."""
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list | tuple) else value


def _completed(spec: dict[str, Any]) -> dict[str, Any]:
    """Return the document with the record schema and the webhooks added, and repetitions removed."""
    schemas, parameters = spec["components"]["schemas"], spec["components"]["parameters"]
    schemas.update(record_schemas())
    operations = [one for path in spec["paths"].values() for one in path.values() if isinstance(one, dict)]
    for operation in operations:
        describe_parameter_defaults(operation)
        if "requestBody" in operation:
            describe_defaults(operation["requestBody"]["content"][JSON]["schema"], schemas, set())
    share_error_codes(operations, spec["components"]["responses"][PROBLEM])
    share_parameters(operations, parameters)
    share_properties(schemas)
    spec["components"]["examples"] = share_examples(spec["paths"])
    add_webhooks(spec)
    return spec
