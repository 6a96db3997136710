"""One name for one thing, and words that English has: no two public classes share a name."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = ("botequim", "arena", "api", "queues", "workers", "benchmarks")
OF_THE_API = ROOT / "arena" / "client" / "types.py"
"""The things of the service, as the API names them."""

TEXTS = (*PACKAGES, "docs", "examples", "README.md", "CONTRIBUTING.md")
NOT_ENGLISH = {
    r"\bexcludes? each other\b": "cannot be used together",
    r"\b(?:has|have) to be (?:more|less|greater) than\b": "must be greater than",
    r"\bare two ways\b": "cannot be used together",
    r"\bis not more than\b": "is not greater than",
    r"(?<!there )\bis no (?:list|object|date|table)\b": "is not a",
    r"\bbegins? so\b": "begins with",
    r"\bit is looked (?!at|after)": "is checked",
    r"\bfor ever\b": "forever",
}
"""Forms that no native speaker writes, with the usual one."""


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


def texts() -> list[Path]:
    """The files that people read, or whose messages they read."""
    found: list[Path] = []
    for name in TEXTS:
        place = ROOT / name
        if place.is_file():
            found.append(place)
        found += [path for path in sorted(place.rglob("*")) if path.suffix in (".py", ".md", ".html", ".js")]
    return found


def test_no_text_has_a_form_that_is_not_english() -> None:
    files = texts()
    assert {"errors.md", "schedules.py", "base.html"} <= {path.name for path in files}
    forms = {re.compile(form): usual for form, usual in NOT_ENGLISH.items()}
    found = [
        f"{path.relative_to(ROOT)}: {match[0]!r}; write {usual!r}"
        for path in files
        # A form may be broken over two lines of a docstring or a paragraph.
        for text in [" ".join(path.read_text(encoding="utf-8").split())]
        for form, usual in forms.items()
        for match in form.finditer(text)
    ]
    assert found == []
