"""The schema of records in the OpenAPI document."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from arena.records.record import record_schema


def record_schemas() -> Mapping[str, object]:
    """Return the schema ``GameRecord`` and its parts, in the JSON Schema dialect of the document."""
    record = copy.deepcopy(record_schema())
    schemas = {_part_name(name): _converted(part) for name, part in record.pop("definitions").items()}
    # Client generators would name the class after the title.
    del record["title"]
    record["properties"]["info"]["additionalProperties"] = True
    own = {key: value for key, value in record.items() if not key.startswith("$")}
    return {**schemas, "GameRecord": _converted(own)}


def _part_name(name: str) -> str:
    return "GameRecord" + name[0].upper() + name[1:]


def _converted(value: object) -> object:
    """Convert part of a draft 7 schema to 2020-12, with references to the document's components."""
    if isinstance(value, list):
        return [_converted(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    converted: dict[str, Any] = {key: _converted(inner) for key, inner in value.items()}
    if isinstance(converted.get("$ref"), str):
        converted["$ref"] = "#/components/schemas/" + _part_name(value["$ref"].removeprefix("#/definitions/"))
    if isinstance(converted.get("items"), list):
        if converted.pop("additionalItems", True) is False:
            # Client generators do not support the equivalent `items: false`.
            converted["maxItems"] = len(converted["items"])
        converted["prefixItems"] = converted.pop("items")
        converted["items"] = {}
    return converted
