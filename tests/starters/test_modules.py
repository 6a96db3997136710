"""The starters as modules in the sandbox: they play the games that they play as programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.games import GAMES
from arena.play.programs import end_programs, local_bot
from arena.sandbox.bot import check_bot, sandboxed_spec
from tests.starters.test_stdio import MODULES, built, canonical, line_with
from tests.starters.toolchains import done, needs, prepare

pytestmark = pytest.mark.system


def marks(language: str, kind: str) -> list[pytest.MarkDecorator]:
    by_night = language != "c" or kind == "toepen"
    return [needs(language), *([pytest.mark.nightly("starters")] if by_night else [])]


@pytest.mark.parametrize(
    ("language", "kind"),
    [pytest.param(name, kind, marks=marks(name, kind)) for name in MODULES for kind in GAMES],
)
def test_a_starter_plays_the_same_games_in_the_sandbox(
    language: str, kind: str, workshop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words, file, possible = MODULES[language]
    if not possible(prepare(language, workshop)):
        pytest.skip(f"this compiler of {language} builds no modules")
    folder, settings, readme = built(language, kind, workshop)
    done(line_with(readme, words), folder, settings)
    wasm = (folder / file.format(folder.name.replace("_", "-"))).read_bytes()
    spec = sandboxed_spec("bot", "1", wasm)
    assert check_bot(spec) == (kind,)
    command = line_with(readme, "botequim bot test").partition('"')[2].partition('"')[0]
    monkeypatch.chdir(folder)
    records = canonical(local_bot(command, kind), kind)
    end_programs()
    assert canonical(spec, kind) == records
    assert all(not record["faults"] and len(record["actions"]) > 5 for record in records)
