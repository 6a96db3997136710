"""One name for one thing: no two public classes share a name."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = ("botequim", "arena", "api", "queues", "workers", "benchmarks")
OF_THE_API = ROOT / "arena" / "client" / "types.py"
"""The things of the service, as the API names them."""


def public_classes() -> dict[str, list[str]]:
    """Where each public class is defined at the top level of a module, by its name."""
    found: dict[str, list[str]] = defaultdict(list)
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.parse(path.read_text(encoding="utf-8")).body if path != OF_THE_API else ():
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    found[node.name].append(str(path.relative_to(ROOT)))
    return found


def test_no_two_public_classes_share_a_name() -> None:
    classes = public_classes()
    assert {"Table", "Tournaments"} <= classes.keys()
    shared = {name: files for name, files in classes.items() if len(files) > 1}
    assert shared == {}
