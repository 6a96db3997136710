"""The code blocks of the README and the guides do what they say."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.blocks import ROOT, blocks, file_of
from tests.service import Service, environment


def run(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run what the page shows, with ``botequim`` being this tree's."""
    prelude = f'set -eu\nbotequim() {{ "{sys.executable}" -m arena.cli "$@"; }}\n'
    return subprocess.run(
        ["bash", "-c", prelude + script],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=400,
        env=environment(),
    )


@pytest.mark.system
def test_the_readme_from_its_first_bot_to_the_last_command(tmp_path: Path) -> None:
    said = []
    for block in blocks("README.md"):
        language, name, text = block.language, block.file, block.text
        if name:
            (tmp_path / name).write_text(text, encoding="utf-8")
        elif language == "console":
            for line in text.splitlines():
                assert line.startswith("$ ")
                done = run(line[2:], tmp_path)
                assert done.returncode == 0, (line, done.stderr)
                said.append(done.stdout)
        else:
            assert language == "sh", f"a block of {language} that nothing runs"
    assert "120 games in 60 mirrored groups" in said[0]
    assert "120 records, all verified" in said[1]


@pytest.mark.system
def test_the_readme_online(tmp_path: Path) -> None:
    (tmp_path / "my_bot.py").write_text(file_of("README.md", "my_bot.py"), encoding="utf-8")
    (script,) = [block.text for block in blocks("README.md") if block.language == "sh"]
    with Service(tmp_path) as service:
        done = run(script.replace("http://127.0.0.1:8000", service.url), tmp_path)
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout.splitlines()[-1])
    assert {player["name"] for player in record["canonical"]["players"]} == {"ana-bot", "rookie", "regular"}


def test_the_turn_of_the_page_has_the_fields_of_a_real_one() -> None:
    from arena.play.table import Table

    table = Table("g8f2", "toepen", {}, bytes(32))
    table.start()
    real = table.turn(table.awaited()[0])
    assert real is not None
    (shown,) = [json.loads(block.text) for block in blocks("docs/turns.md") if block.language == "json"]
    assert list(shown) == list(real)
    assert shown["rules"] == real["rules"]


@pytest.mark.parametrize(
    "page", ["README.md", *sorted(str(p.relative_to(ROOT)) for p in (ROOT / "docs").rglob("*.md"))]
)
def test_links_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)", text):
        if "://" not in target:
            assert ((ROOT / page).parent / target).exists(), target


@pytest.mark.parametrize(
    "page",
    ["CONTRIBUTING.md", "docs/architecture.md", "docs/life-of-a-game.md", "docs/life-of-a-bot-version.md"],
)
def test_files_that_are_named_exist(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:arena|api|workers|tests|docs)/[\w/.-]*)`", text))
    assert len(named) > 5
    assert sorted(name for name in named if not (ROOT / name).exists()) == []
