"""Bots in files."""

from __future__ import annotations

from pathlib import Path

from arena.bots import bot_spec


def test_the_version_of_a_file_is_what_it_holds(tmp_path: Path) -> None:
    first, second = tmp_path / "first.py", tmp_path / "second.py"
    for path in (first, second):
        path.write_text("def choose(turn):\n    return turn['legal_actions'][0]\n")
    version = bot_spec(str(first)).version
    assert bot_spec(str(second)).version == version
    first.write_text("def choose(turn):\n    return turn['legal_actions'][-1]\n")
    assert bot_spec(str(first)).version != version
