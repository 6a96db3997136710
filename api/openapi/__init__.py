"""The OpenAPI document, generated from the operations, with examples captured from the running app.

``python -m api.openapi > openapi.yaml`` writes it; ``python -m api.capture`` captures the examples.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Sequence
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

import orjson
from apispec import APISpec
from apispec_oneofschema import MarshmallowPlugin
from flask import Flask

from api.contract import ApiOperation, Blueprint
from api.conventions import IF_NONE_MATCH, NOT_MODIFIED
from api.edge import JSON
from api.errors import ERRORS, PROBLEM_TYPE
from api.idempotency import IDEMPOTENCY_KEY, REPLAYED
from api.openapi_webhooks import add_webhooks
from api.schemas.common import ProblemSchema
from api.schemas.fields import (
    action_to_openapi,
    mixed_to_openapi,
    moment_to_openapi,
    one_of_to_openapi,
)
from api.schemas.turns import OverSchema, ReconnectSchema
from arena import __version__
from arena.accounts.names import LABEL_PATTERN, NAME_PATTERN
from arena.games import GAMES
from arena.operations.operation import EVENT_STREAM
from arena.play.players import DIVISION_TEXT, DIVISIONS
from arena.records.record import record_schema

EXAMPLES_FILE: Final = Path(__file__).parent.parent / "examples.json"

METHODS: Final = ("get", "post", "put", "patch", "delete")

GAME_PATTERN: Final = "^[0-9A-Za-z_-]{1,64}$"

_DESCRIPTION: Final = """
A game service and arena for bots that play Brazilian Truco and Dutch Toepen.

Sign up (`POST /v1/owners`), register a bot (`POST /v1/bots`), create a game or join one
(`POST /v1/games`), and let the bot loop on `POST /v1/turns`.

Times are integers in milliseconds; timestamps are Unix time in milliseconds. Requests may also have
timestamps in RFC 3339. Lists are paged: pass a page's `cursor` to get the next page. Every error is a problem
document with a stable `code`.
"""

PATH_PARAMETERS: Final[dict[str, dict[str, Any]]] = {
    "owner": {"description": "The owner's name.", "schema": {"type": "string", "pattern": NAME_PATTERN}},
    "bot": {"description": "The bot's name.", "schema": {"type": "string", "pattern": NAME_PATTERN}},
    "version": {
        "description": "The version's label.",
        "schema": {"type": "string", "pattern": LABEL_PATTERN},
    },
    "series": {"description": "The series' id.", "schema": {"type": "string", "maxLength": 40}},
    "invitation": {"description": "The invitation's id.", "schema": {"type": "string", "maxLength": 40}},
    "upload": {"description": "The upload's id.", "schema": {"type": "string", "maxLength": 40}},
    "link": {"description": "The id of the link.", "schema": {"type": "string", "maxLength": 40}},
    "subscription": {
        "description": "The id of the subscription.",
        "schema": {"type": "string", "maxLength": 40},
    },
    "game": {"description": "The game's id.", "schema": {"type": "string", "pattern": GAME_PATTERN}},
    "tournament": {
        "description": "The tournament's id.",
        "schema": {"type": "string", "pattern": GAME_PATTERN},
    },
    "comparison": {
        "description": "The comparison's id.",
        "schema": {"type": "string", "pattern": GAME_PATTERN},
    },
    "entry": {
        "description": "The name of a bot that has entered.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 40},
    },
    "schedule": {
        "description": "The schedule's id.",
        "schema": {"type": "string", "pattern": "^[a-z0-9][a-z0-9-]{0,23}$"},
    },
    "kind": {"description": "The kind of game.", "schema": {"type": "string", "enum": list(GAMES)}},
    "division": {
        "description": DIVISION_TEXT,
        "schema": {"type": "string", "enum": list(DIVISIONS)},
    },
}

SECURITY_SCHEMES: Final = {
    "owner": "An owner's token, `btq_o_...`, issued on sign-up.",
    "bot": "A bot's token, `btq_b_...`, issued when the bot is registered.",
    "admin": "The service's admin token, or the token of an owner who is an admin.",
}

HEADERS: Final[dict[str, dict[str, Any]]] = {
    "X-Request-Id": {"description": "The id of this request in the log.", "schema": {"type": "string"}},
    "WWW-Authenticate": {"description": "Always `Bearer`.", "schema": {"type": "string"}},
    "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}},
    "X-Next": {"description": "The value of `after` for the next download.", "schema": {"type": "string"}},
    "Location": {"description": "Where the upload can be read.", "schema": {"type": "string"}},
    REPLAYED: {
        "description": "`true` if this is the reply to an earlier request with the same `Idempotency-Key`.",
        "schema": {"type": "string"},
    },
    "RateLimit": {
        "description": "What is left of the limit: `r` requests at once, and all of them after `t` seconds.",
        "schema": {"type": "string", "examples": ['"games_per_owner";r=1998;t=4']},
    },
    "RateLimit-Policy": {
        "description": "The limit: `q` requests in `w` seconds.",
        "schema": {"type": "string", "examples": ['"games_per_owner";q=2000;w=3600']},
    },
    "Link": {"description": '`rel="next"`: the next page, if there is one.', "schema": {"type": "string"}},
    "ETag": {"description": "The version, to be sent in `If-None-Match`.", "schema": {"type": "string"}},
}
"""The response headers that operations refer to by name."""

_RATE_LIMIT: Final = ("RateLimit", "RateLimit-Policy")
_ERROR_HEADERS: Final = {
    401: ("WWW-Authenticate",),
    429: ("Retry-After", *_RATE_LIMIT),
    503: ("Retry-After",),
}


_NAMED_CODES: Final = 3
"""Error responses with more codes than this are named after their first operation."""


@cache
def examples() -> dict[str, Any]:
    """Return the captured examples by operation: ``request`` (the body), ``responses`` by status, and
    ``texts`` (the same response in other media types).
    """
    loaded: dict[str, Any] = orjson.loads(EXAMPLES_FILE.read_bytes()) if EXAMPLES_FILE.exists() else {}
    return loaded


def document(app: Flask) -> dict[str, Any]:
    """Return the OpenAPI document of ``app``."""
    known = app.extensions.get("botequim-openapi")
    if known is None:
        built = _Builder(app).spec.to_dict()
        known = app.extensions["botequim-openapi"] = _completed(_plain(built))
    return copy.copy(known)


class _Builder:
    """Builds the specification of ``app`` from the operations of its blueprints."""

    def __init__(self, app: Flask) -> None:
        plugin = MarshmallowPlugin()
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
        plugin.converter.add_attribute_function(one_of_to_openapi)
        plugin.converter.add_attribute_function(action_to_openapi)
        plugin.converter.add_attribute_function(mixed_to_openapi)
        plugin.converter.add_attribute_function(moment_to_openapi)
        self._error_names: dict[tuple[str, ...], str] = {}
        self._add_components()
        for blueprint in app.blueprints.values():
            if isinstance(blueprint, Blueprint):
                self.spec.tag({"name": blueprint.name, "description": blueprint.description})
                for operation in blueprint.operations:
                    self._add(blueprint, operation)

    def _add_components(self) -> None:
        add = self.spec.components
        for name, schema in (
            ("Problem", ProblemSchema),
            ("Over", OverSchema),
            ("Reconnect", ReconnectSchema),
        ):
            add.schema(name, schema=schema)
        for name, header in HEADERS.items():
            add.header(name, header)
        not_modified = {"description": "Not modified; see `If-None-Match`.", "headers": _headers(("ETag",))}
        add.response(NOT_MODIFIED, not_modified)
        for name, parameter in PATH_PARAMETERS.items():
            add.parameter(name, "path", {"name": name, **parameter})
        for name, description in SECURITY_SCHEMES.items():
            add.security_scheme(name, {"type": "http", "scheme": "bearer", "description": description})

    def _add(self, blueprint: Blueprint, operation: ApiOperation) -> None:
        item = {"tags": [blueprint.name], **self._operation(operation)}
        in_path: list[Any] = [name for name in PATH_PARAMETERS if name in operation.in_path]
        self.spec.path(operation.path, operations={operation.method.lower(): item}, parameters=in_path)

    def _operation(self, operation: ApiOperation) -> dict[str, Any]:
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
        responses: dict[int, Any] = {operation.status: _success(operation, captured)}
        if operation.accepted is not None:
            example = captured["responses"].get(str(HTTPStatus.ACCEPTED.value))
            responses[HTTPStatus.ACCEPTED] = {
                "description": "The upload is still being checked.",
                "headers": _headers(("Location",)),
                "content": {JSON: {"schema": operation.accepted, **_example(example)}},
            }
        for status, meaning in operation.also.items():
            responses[status] = {"description": meaning, "headers": _headers(())}
            if status != HTTPStatus.NO_CONTENT:
                responses[status]["content"] = {JSON: {"schema": operation.returns}}
        if operation.is_polled:
            responses[HTTPStatus.NOT_MODIFIED] = NOT_MODIFIED
        for status, codes in operation.error_codes().items():
            responses[status] = self._error(operation, status, codes, captured["responses"].get(str(status)))
        return {**item, "responses": responses}

    def _error(self, operation: ApiOperation, status: int, codes: Sequence[str], example: Any) -> str:
        """Return the name of the shared response for these codes. It shows the first captured example."""
        name = self._error_names.get(tuple(codes))
        if name is None:
            name = self._error_names[tuple(codes)] = _error_name(operation, status, codes)
            response = {
                "description": "\n".join(f"- `{code}`: {ERRORS[code].meaning}" for code in codes),
                "headers": _headers(_ERROR_HEADERS.get(status, ())),
                "content": {PROBLEM_TYPE: {"schema": ProblemSchema}},
            }
            self.spec.components.response(name, response)
        content = self.spec.components.responses[name]["content"][PROBLEM_TYPE]
        if "example" not in content:
            content.update(_example(example))
        return name


def _error_name(operation: ApiOperation, status: int, codes: Sequence[str]) -> str:
    if len(codes) <= _NAMED_CODES:
        return "Or".join("".join(word.capitalize() for word in code.split("_")) for code in codes)
    return operation.id[0].upper() + operation.id[1:] + HTTPStatus(status).phrase.replace(" ", "")


def _request_body(operation: ApiOperation, captured: dict[str, Any]) -> dict[str, Any]:
    content: dict[str, Any] = {JSON: {"schema": operation.body, **_example(captured.get("request"))}}
    limits = {JSON: operation.max_body}
    for raw in operation.raw:
        schema = {"contentMediaType": raw.media, "description": raw.description}
        content[raw.media] = {"schema": schema, **_example(raw.example)}
        limits[raw.media] = raw.most
    sizes = ", ".join(f"{most} bytes as `{media}`" for media, most in limits.items())
    return {"description": f"At most {sizes}.", "required": True, "content": content}


def _success(operation: ApiOperation, captured: dict[str, Any]) -> dict[str, Any]:
    headers = [*operation.headers]
    headers += [
        name
        for name, adds in (
            (REPLAYED, operation.takes_key),
            ("ETag", operation.is_polled),
            *((name, operation.limit) for name in _RATE_LIMIT),
            ("Link", operation.is_paged),
        )
        if adds and name not in headers
    ]
    response: dict[str, Any] = {
        "description": HTTPStatus(operation.status).phrase,
        "headers": _headers(headers),
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
    """The first event of a captured stream, in the shape of the stream's schema."""
    for message in (stream or "").split("\n\n"):
        event = dict(line.split(": ", 1) for line in message.split("\n") if ": " in line)
        if "event" in event:
            return event
    return None


def _example(value: Any) -> dict[str, Any]:
    return {} if value is None else {"example": value}


def _headers(names: Sequence[str]) -> dict[str, str]:
    """References to the shared headers."""
    return {name: name for name in ("X-Request-Id", *names)}


def _plain(value: Any) -> Any:
    """Return ``value`` with string keys and without apispec's own types."""
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list | tuple) else value


def _completed(spec: dict[str, Any]) -> dict[str, Any]:
    """With the schema of records, and with parameters that several operations have written once."""
    schemas = spec["components"]["schemas"]
    record = copy.deepcopy(record_schema())
    for name, part in record.pop("definitions").items():
        schemas[_part_name(name)] = _renamed(part)
    # Generators would name the class after the title.
    del record["title"]
    record["properties"]["info"]["additionalProperties"] = True
    schemas["GameRecord"] = _renamed({key: value for key, value in record.items() if not key.startswith("$")})
    for path in spec["paths"].values():
        for item in path.values():
            if isinstance(item, dict) and len(item.get("requestBody", {}).get("content", ())) > 1:
                # They belong to a body that is a file: openapi-python-client sends defaults with any body.
                for parameter in item["parameters"]:
                    if "default" in parameter.get("schema", {}):
                        _describe_default(parameter, parameter["schema"])
    _share_parameters(spec)
    add_webhooks(spec)
    for path in spec["paths"].values():
        for item in path.values():
            if isinstance(item, dict) and "requestBody" in item:
                _describe_defaults(spec, item["requestBody"]["content"][JSON]["schema"], set())
    return spec


def _describe_defaults(spec: dict[str, Any], schema: Any, seen: set[str]) -> None:
    """Move the defaults of request fields into their descriptions: openapi-typescript makes a field with
    `default` required.
    """
    if isinstance(schema, list):
        for inner in schema:
            _describe_defaults(spec, inner, seen)
    elif isinstance(schema, dict):
        name = schema.get("$ref", "").rpartition("/")[2]
        if name and name not in seen:
            seen.add(name)
            _describe_defaults(spec, spec["components"]["schemas"][name], seen)
        for property in schema.get("properties", {}).values():
            if "default" in property:
                _describe_default(property, property)
        for inner in schema.values():
            _describe_defaults(spec, inner, seen)


def _describe_default(described: dict[str, Any], schema: dict[str, Any]) -> None:
    default = orjson.dumps(schema.pop("default")).decode()
    described["description"] = f"{described.get('description', '')} Default: `{default}`.".strip()


def _share_parameters(spec: dict[str, Any]) -> None:
    """Replace parameters that several operations share with references to components."""
    items = [item for path in spec["paths"].values() for item in path.values() if isinstance(item, dict)]
    users: dict[bytes, list[dict[str, Any]]] = {}
    for item in items:
        for parameter in item["parameters"]:
            if "$ref" not in parameter:
                users.setdefault(orjson.dumps(parameter), []).append(item)
    components = spec["components"]["parameters"]
    references: dict[bytes, dict[str, Any]] = {}
    for text, sharing in sorted(users.items(), key=lambda pair: -len(pair[1])):
        if len(sharing) > 1:
            parameter = orjson.loads(text)
            name = parameter["name"]
            if name in components:
                name = f"{sharing[0]['operationId']}-{name}"
            components[name] = parameter
            references[text] = {"$ref": f"#/components/parameters/{name}"}
    for item in items:
        shared = [references.get(orjson.dumps(parameter), parameter) for parameter in item.pop("parameters")]
        if shared:
            item["parameters"] = shared


def _part_name(name: str) -> str:
    return "GameRecord" + name[0].upper() + name[1:]


def _renamed(value: Any) -> Any:
    """Convert part of a draft 7 schema to 2020-12, with references to the document's components."""
    if isinstance(value, list):
        return [_renamed(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    renamed = {key: _renamed(inner) for key, inner in value.items()}
    if isinstance(renamed.get("$ref"), str):
        renamed["$ref"] = "#/components/schemas/" + _part_name(value["$ref"].removeprefix("#/definitions/"))
    if isinstance(renamed.get("items"), list):
        if renamed.pop("additionalItems", True) is False:
            # Client generators do not support the equivalent `items: false`.
            renamed["maxItems"] = len(renamed["items"])
        renamed["prefixItems"] = renamed.pop("items")
        renamed["items"] = {}
    return renamed
