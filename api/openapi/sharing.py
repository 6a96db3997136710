"""Moves parts that several operations or schemas of the OpenAPI document have in common to one place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson

_OBJECT: Final = ("type", "properties", "required")
_MIN_PROPERTIES: Final = 5
"""The minimum number of properties of a schema that others extend."""
_MIN_EXAMPLE: Final = 500
"""The minimum size, in bytes, of an example that operations share."""


def share_error_codes(operations: Sequence[dict[str, Any]], problem: dict[str, Any]) -> None:
    """Move the error codes that all operations share to ``problem``, the response for errors."""
    first, *others = [operation["x-error-codes"] for operation in operations]
    shared = [code for code in first if all(code in codes for codes in others)]
    problem["x-error-codes"] = shared
    for operation in operations:
        operation["x-error-codes"] = [code for code in operation["x-error-codes"] if code not in shared]


def share_examples(paths: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return one example of each schema that several operations return, unless it is short, and make these
    operations refer to it. The longest example is used, from operations with GET if there are any. A plain
    text has an example of its own for each operation.
    """
    users: dict[bytes, list[tuple[bool, int, str, dict[str, Any]]]] = {}
    for item in paths.values():
        for method, operation in item.items():
            for response in operation["responses"].values() if isinstance(operation, dict) else ():
                for content in response.get("content", {}).values():
                    schema = content["schema"]
                    if "example" in content and schema != {"type": "string"}:
                        name = schema.get("$ref", operation["operationId"]).rpartition("/")[2]
                        rank = (method == "get", len(orjson.dumps(content["example"])), name, content)
                        users.setdefault(orjson.dumps(schema), []).append(rank)
    shared: dict[str, Any] = {}
    for ranked in users.values():
        _, size, name, best = max(ranked, key=lambda one: one[:2])
        if len(ranked) > 1 and size >= _MIN_EXAMPLE:
            shared[name] = {"value": best["example"]}
            for *_, content in ranked:
                del content["example"]
                content["examples"] = {name: {"$ref": f"#/components/examples/{name}"}}
    return shared


def share_parameters(operations: Sequence[dict[str, Any]], components: dict[str, Any]) -> None:
    """Move the parameters that several operations share to ``components``, and replace them with
    references.
    """
    users: dict[bytes, list[dict[str, Any]]] = {}
    for operation in operations:
        for parameter in operation["parameters"]:
            if "$ref" not in parameter:
                users.setdefault(orjson.dumps(parameter), []).append(operation)
    references: dict[bytes, dict[str, Any]] = {}
    for text, sharing in sorted(users.items(), key=lambda pair: -len(pair[1])):
        if len(sharing) > 1:
            parameter = orjson.loads(text)
            name = parameter["name"]
            if name in components:
                name = f"{sharing[0]['operationId']}-{name}"
            components[name] = parameter
            references[text] = {"$ref": f"#/components/parameters/{name}"}
    for operation in operations:
        parameters = operation.pop("parameters")
        if parameters:
            operation["parameters"] = [references.get(orjson.dumps(one), one) for one in parameters]


def share_properties(schemas: dict[str, Any]) -> None:
    """Make every schema extend, using ``allOf``, the largest schema whose properties it includes.

    The extended schema is another schema of the document, such as a summary of the same thing, or a base that
    is added for the members of a union.
    """
    closed = {name for name, schema in schemas.items() if schema.get("additionalProperties") is False}
    known = {
        name: {key: (shape, key in schema.get("required", ())) for key, shape in schema["properties"].items()}
        for name, schema in schemas.items()
        if "properties" in schema and schema.keys() <= {*_OBJECT, "additionalProperties"}
    }
    names = list(known)
    for name, schema in schemas.items():
        if "discriminator" in schema:
            first, *others = [known.get(member["$ref"].rpartition("/")[2], {}) for member in schema["oneOf"]]
            alike = {key: one for key, one in first.items() if all(other.get(key) == one for other in others)}
            known[f"{name}Base"] = alike
    for name in names:
        included = [
            other
            for other, part in known.items()
            if _MIN_PROPERTIES <= len(part) < len(known[name])
            and part.items() <= known[name].items()
            and other not in closed
        ]
        base = max(included, key=lambda other: len(known[other]), default=None)
        if base is None:
            schemas.setdefault(name, _object(known[name]))
            continue
        own = {key: field for key, field in known[name].items() if key not in known[base]}
        # If there is only one part, openapi-python-client mistakes the schema for that part.
        schemas[name] = {"allOf": [{"$ref": f"#/components/schemas/{base}"}, _object(own)]}
        if name in closed:
            schemas[name]["unevaluatedProperties"] = False
        if base not in names:
            names.append(base)


def _object(fields: Mapping[str, tuple[object, bool]]) -> dict[str, object]:
    """Return the schema of an object. ``fields`` maps the properties to whether they are required."""
    required = sorted(name for name, (_, is_required) in fields.items() if is_required)
    return {
        "type": "object",
        "properties": {name: shape for name, (shape, _) in fields.items()},
        **({"required": required} if required else {}),
    }
