"""Writes once in the OpenAPI document what several operations have alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson


def share_error_codes(operations: Sequence[dict[str, Any]], problem: dict[str, Any]) -> None:
    """Move the codes that all operations have to ``problem``, the response of errors."""
    first, *others = [operation["x-error-codes"] for operation in operations]
    shared = [code for code in first if all(code in codes for codes in others)]
    problem["x-error-codes"] = shared
    for operation in operations:
        operation["x-error-codes"] = [code for code in operation["x-error-codes"] if code not in shared]


def share_parameters(operations: Sequence[dict[str, Any]], components: dict[str, Any]) -> None:
    """Move the parameters that several operations have to ``components``, and refer to them."""
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
