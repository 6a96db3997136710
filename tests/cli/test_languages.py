"""The table of languages: it has every starter, its commands exist, and the manual shows it."""

from __future__ import annotations

import shlex

import pytest

from arena.cli.languages import LANGUAGE_TABLE, Language
from arena.cli.new import LANGUAGES
from tests.cli.tree import LEAVES
from tests.service import ROOT

MANUAL = (ROOT / "docs/bots.md").read_text(encoding="utf-8")


def test_every_language_has_a_starter() -> None:
    folders = {path.name for path in (ROOT / "arena/cli/starters").iterdir() if path.is_dir()}
    assert set(LANGUAGES) == folders


@pytest.mark.parametrize("language", LANGUAGE_TABLE, ids=lambda language: language.name)
def test_the_commands_exist(language: Language) -> None:
    for line in language.commands("truco"):
        for part in line.split(" && "):
            program, *words = shlex.split(part)
            if program != "botequim":
                continue
            name = next(name for name in (" ".join(words[:2]), words[0]) if name in LEAVES)
            options = {option for parameter in LEAVES[name].params for option in parameter.opts}
            assert {word for word in words if word.startswith("--")} <= options


@pytest.mark.parametrize("language", LANGUAGE_TABLE, ids=lambda language: language.name)
def test_the_manual_shows_them(language: Language) -> None:
    block = "".join(f"    {line}\n" for line in language.commands("truco"))
    assert f"{language.title}:\n\n{block}\n" in MANUAL
    assert f"| {language.title} | {language.home} | {language.arena} | {language.cost} |\n" in MANUAL
