"""``python -m api.openapi > openapi.yaml``: the OpenAPI document as YAML."""

from __future__ import annotations

import sys
from typing import Any

import yaml

from api.app import create_app
from api.openapi import document
from arena.ops.settings import Settings


def as_yaml(spec: dict[str, Any]) -> str:
    """Return the document as YAML, as in ``openapi.yaml``."""

    class Dumper(yaml.SafeDumper):
        def ignore_aliases(self, data: Any) -> bool:
            return True

    def text(dumper: yaml.SafeDumper, data: str) -> yaml.Node:
        return dumper.represent_scalar("tag:yaml.org,2002:str", data, style="|" if "\n" in data else None)

    def sequence(dumper: yaml.SafeDumper, data: list[Any]) -> yaml.Node:
        in_one_line = all(isinstance(item, str | int | float | None) for item in data)
        return dumper.represent_sequence("tag:yaml.org,2002:seq", data, flow_style=in_one_line)

    Dumper.add_representer(str, text)
    Dumper.add_representer(list, sequence)
    dumped: str = yaml.dump(spec, None, Dumper, sort_keys=False, allow_unicode=True, width=110)
    return dumped


def main() -> None:
    """Print the document as YAML."""
    sys.stdout.write(as_yaml(document(create_app(Settings(redis_url="unix:///nowhere")))))


if __name__ == "__main__":
    main()
