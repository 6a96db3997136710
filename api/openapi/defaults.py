"""Describes the defaults of requests in words, because some client generators misinterpret ``default``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson


def describe_defaults(schema: object, schemas: Mapping[str, object], seen: set[str]) -> None:
    """Move the defaults of a body's fields to their descriptions, because openapi-typescript makes a field
    with ``default`` required. ``seen`` holds the names of the schemas that were already handled.
    """
    if isinstance(schema, list):
        for inner in schema:
            describe_defaults(inner, schemas, seen)
    elif isinstance(schema, dict):
        name = schema.get("$ref", "").rpartition("/")[2]
        if name and name not in seen:
            seen.add(name)
            describe_defaults(schemas[name], schemas, seen)
        for field in schema.get("properties", {}).values():
            if "default" in field:
                _describe_default(field, field)
        for inner in schema.values():
            describe_defaults(inner, schemas, seen)


def describe_parameter_defaults(operation: Mapping[str, Any]) -> None:
    """If an operation accepts a file as its body, move the defaults of its query parameters to their
    descriptions, because openapi-python-client sends these parameters with any body.
    """
    if len(operation.get("requestBody", {}).get("content", ())) > 1:
        for parameter in operation["parameters"]:
            if "default" in parameter.get("schema", {}):
                _describe_default(parameter, parameter["schema"])


def _describe_default(described: dict[str, object], schema: dict[str, object]) -> None:
    default = orjson.dumps(schema.pop("default")).decode()
    described["description"] = f"{described.get('description', '')} Default: `{default}`.".strip()
