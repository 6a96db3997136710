"""Prints the OpenAPI document as YAML: ``python -m api.openapi > openapi.yaml``."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Final

import orjson
import yaml

from api.app import create_app
from api.openapi import document
from arena.ops.settings import Settings

_WIDTH: Final = 110
_SHORT: Final = 110
"""The maximum length, as JSON, of a value that is written on one line."""


def as_yaml(spec: Mapping[str, object]) -> str:
    """Return the document as YAML, in the style of ``openapi.yaml``: examples, and all values that fit on one
    line, are written like JSON.
    """
    dumped: str = yaml.dump(spec, None, _Dumper, sort_keys=False, allow_unicode=True, width=_WIDTH)
    return dumped


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: object) -> bool:
        return True

    def represent_mapping(self, tag: str, mapping: Any, flow_style: bool | None = None) -> yaml.MappingNode:
        node = super().represent_mapping(tag, mapping, _fits(mapping))
        for key, value in node.value:
            if key.value in ("example", "value"):
                value.flow_style = True
        return node


def _text(dumper: _Dumper, data: str) -> yaml.Node:
    return dumper.represent_scalar("tag:yaml.org,2002:str", data, style="|" if "\n" in data else None)


def _sequence(dumper: _Dumper, data: list[object]) -> yaml.Node:
    in_one_line = all(isinstance(item, str | int | float | None) for item in data) or _fits(data)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", data, flow_style=in_one_line)


def _fits(value: object) -> bool:
    return len(json := orjson.dumps(value)) <= _SHORT and b"\\n" not in json


_Dumper.add_representer(str, _text)
_Dumper.add_representer(list, _sequence)


def main() -> None:
    """Print the document as YAML."""
    sys.stdout.write(as_yaml(document(create_app(Settings(redis_url="unix:///nowhere")))))


if __name__ == "__main__":
    main()
