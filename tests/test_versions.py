"""The version of the program, which several files name, and what the changelog says of it."""

from __future__ import annotations

import json
import re

from arena import __version__
from tests.service import ROOT

PAGES = (ROOT / "README.md", ROOT / "clients/typescript/README.md", *sorted((ROOT / "docs").glob("*.md")))
PACKAGE = re.compile(r"botequim-(\d[\w.]*?)(?:-py3-none-any\.whl|\.tgz)")
NAMING = ("clients/typescript/README.md", "docs/agents.md", "docs/bots.md", "docs/five-minutes.md")
"""The pages that name a package of the program, or of its client."""

MOST_LINES = 60
"""The maximum length of an entry of the changelog."""


def test_all_files_name_the_version_of_the_program() -> None:
    found = {
        page.relative_to(ROOT).as_posix(): set(versions)
        for page in PAGES
        if (versions := PACKAGE.findall(page.read_text(encoding="utf-8")))
    }
    assert found == {name: {__version__} for name in NAMING}
    package = json.loads((ROOT / "clients/typescript/package.json").read_text(encoding="utf-8"))
    assert package["version"] == __version__


def test_the_changelog_has_a_short_entry_per_version() -> None:
    _, *entries = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    lines = {entry.split()[0]: len(entry.rstrip().splitlines()) for entry in entries}
    assert next(iter(lines)) == __version__
    assert max(lines.values()) <= MOST_LINES, lines
