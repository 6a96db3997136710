"""The OpenAPI document: made from the schemas, with examples captured from the running app.

``python -m api.openapi > openapi.yaml`` writes it; ``python -m api.capture`` takes the examples anew.
"""

from __future__ import annotations

import copy
import sys
from functools import cache
from pathlib import Path
from typing import Any, Final

import orjson
from flask import Flask

from arena.records import record_schema

EXAMPLES_FILE: Final = Path(__file__).parent / "examples.json"

METHODS: Final = ("get", "post", "put", "patch", "delete")


@cache
def examples() -> dict[str, Any]:
    """What was captured, by operation: ``request`` (its body), ``responses`` by status, and ``texts``: the
    same in other media, by type.
    """
    loaded: dict[str, Any] = orjson.loads(EXAMPLES_FILE.read_bytes()) if EXAMPLES_FILE.exists() else {}
    return loaded


def document(app: Flask) -> dict[str, Any]:
    """The OpenAPI document of ``app``."""
    known = app.extensions.get("botequim-openapi")
    if known is None:
        spec = app.extensions["flask-smorest"]["apis"][""]["ext_obj"].spec
        known = app.extensions["botequim-openapi"] = _with_examples(_plain(_completed(spec.to_dict())))
    return copy.copy(known)


def _completed(spec: dict[str, Any]) -> dict[str, Any]:
    """With the schema of records, and without what flask-smorest registers for its own pagination."""
    schemas = spec["components"]["schemas"]
    schemas.pop("PaginationMetadata", None)
    record = copy.deepcopy(record_schema())
    for name, part in record.pop("definitions").items():
        schemas[_part_name(name)] = _renamed(part)
    record["properties"]["info"]["additionalProperties"] = True
    schemas["Record"] = _renamed({key: value for key, value in record.items() if not key.startswith("$")})
    return spec


def _part_name(name: str) -> str:
    return "Record" + name[0].upper() + name[1:]


def _renamed(value: Any) -> Any:
    """A part of a schema of draft 7 as the document has it: 2020-12, with references to its components."""
    if isinstance(value, list):
        return [_renamed(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    renamed = {key: _renamed(inner) for key, inner in value.items()}
    if isinstance(renamed.get("$ref"), str):
        renamed["$ref"] = "#/components/schemas/" + _part_name(value["$ref"].removeprefix("#/definitions/"))
    if isinstance(renamed.get("items"), list):
        renamed["prefixItems"] = renamed.pop("items")
        renamed["items"] = renamed.pop("additionalItems", True)
    return renamed


def _plain(value: Any) -> Any:
    """The same with texts as keys (statuses are numbers until now) and without apispec's own types."""
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list | tuple) else value


def _with_examples(spec: dict[str, Any]) -> dict[str, Any]:
    for path in spec["paths"].values():
        for method in METHODS:
            operation = path.get(method)
            known = examples().get(operation["operationId"]) if operation else None
            if not operation or not known:
                continue
            for content in operation.get("requestBody", {}).get("content", {}).values():
                if "request" in known:
                    content["examples"] = _captured(known["request"])
            for status, response in operation["responses"].items():
                for media, content in response.get("content", {}).items():
                    if media in known.get("texts", {}):
                        content["examples"] = _captured(known["texts"][media])
                    elif status in known["responses"]:
                        content["examples"] = _captured(known["responses"][status])
    return spec


def _captured(value: Any) -> dict[str, Any]:
    return {"captured": {"summary": "Captured from the running service", "value": value}}


def as_yaml(spec: dict[str, Any]) -> str:
    """The document as ``openapi.yaml`` has it."""
    import yaml

    class Dumper(yaml.SafeDumper):
        def ignore_aliases(self, data: Any) -> bool:
            return True

    def text(dumper: yaml.SafeDumper, data: str) -> yaml.Node:
        return dumper.represent_scalar("tag:yaml.org,2002:str", data, style="|" if "\n" in data else None)

    Dumper.add_representer(str, text)
    return yaml.dump(spec, None, Dumper, sort_keys=False, allow_unicode=True, width=110)


def main() -> None:
    """Print the document as YAML."""
    from api.app import create_app
    from api.config import Config

    sys.stdout.write(as_yaml(document(create_app(Config(redis_url="unix:///nowhere")))))


if __name__ == "__main__":
    main()
