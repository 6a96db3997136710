"""The starters as programs that read JSON lines: by the commands of their READMEs, and as modules."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from arena.bots import BotSpec, bot_spec
from arena.cli.new import LANGUAGES, commands, write_starter
from arena.games import GAMES, game_of
from arena.play.programs import end_programs, local_bot
from arena.tournaments.local_run import Plan, play_group
from tests.starters.toolchains import done, needs, prepare
from tests.waiting import PATIENCE

pytestmark = pytest.mark.system

GROUPS: Final = 5


FILES: Final = {"python": "cmd:python main.py --stdio", "javascript": "cmd:node main.mjs --stdio"}
"""The programs of the languages whose files play without one."""


def marks(language: str, kind: str) -> list[pytest.MarkDecorator]:
    """As in ``test_playing.py``."""
    by_night = kind == "toepen" or language == "rust"
    return [needs(language), *([pytest.mark.nightly("starters")] if by_night else [])]


def line_with(readme: str, words: str) -> str:
    """The command of a README that contains ``words``, without its comment."""
    line = next(line for line in re.findall(r"^    (.+)$", readme, re.MULTILINE) if words in line)
    return str(re.sub(r" +# .*", "", line))


def built(language: str, kind: str, workshop: Path) -> tuple[Path, dict[str, str], str]:
    """The folder of a starter, the environment for its commands, and its README."""
    settings = prepare(language, workshop)
    folder = workshop / f"stdio_{language}_{kind}"
    if not folder.exists():
        write_starter(folder, kind, language)
        done(commands((folder / "README.md").read_text())["build"], folder, settings)
        if language == "rust":
            # Of all tests, since it is said where cargo builds.
            (folder / "target").symlink_to(settings["CARGO_TARGET_DIR"])
    return folder, settings, (folder / "README.md").read_text()


def canonical(spec: BotSpec, kind: str) -> list[Any]:
    """The records of groups against ``rookie``."""
    game = game_of(kind)
    bots = (replace(spec, name="bot", version="1"), bot_spec("rookie", kind))
    plan = Plan(kind, game.options.complete(game.presets[0].rules), bots, GROUPS, "stdio")
    groups = [
        play_group(plan, index, group, think_limit=PATIENCE) for index, group in enumerate(plan.all_groups())
    ]
    assert [report.described() for group in groups for report in group.reports.values()] == []
    return [json.loads(line)["canonical"] for group in groups for line in group.records]


@pytest.mark.parametrize(
    ("language", "kind"),
    [pytest.param(name, kind, marks=marks(name, kind)) for name in LANGUAGES for kind in GAMES],
)
def test_every_language_plays_like_python_without_a_fault(
    language: str, kind: str, workshop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, settings, readme = built(language, kind, workshop)
    command = line_with(readme, "botequim bot test")
    if language in FILES:
        command = f"botequim bot test '{FILES[language]}'"
    said = done(f"{command} --games 4 --json", folder, settings)
    found = json.loads(said[said.index("{") :])
    assert not found["failed"], found["failures"]
    assert {one["preset"] for one in found["presets"]} == {preset.name for preset in GAMES[kind].presets}

    write_starter(tmp_path / "my_bot", kind, "python")
    program = re.search(r"cmd:[^\"']+", command)
    assert program is not None
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", settings["PATH"])
    ours = canonical(local_bot(program[0], kind), kind)
    end_programs()
    assert ours == canonical(local_bot(str(tmp_path / "my_bot/my_bot.py"), kind), kind)


def go_is_new(settings: dict[str, str]) -> bool:
    version = re.search(r"go1\.(\d+)", done("go version", Path.cwd(), settings))
    return version is not None and int(version[1]) >= 21


def rust_has_target(settings: dict[str, str]) -> bool:
    root = done("rustc --print sysroot", Path.cwd(), settings).strip()
    return Path(root, "lib/rustlib/wasm32-wasip1").is_dir()


def c_has_library(settings: dict[str, str]) -> bool:
    return shutil.which("clang") is not None and Path("/usr/include/wasm32-wasi/stdio.h").exists()


MODULES: Final[dict[str, tuple[str, str, Callable[[dict[str, str]], bool]]]] = {
    "go": ("GOOS=wasip1", "bot.wasm", go_is_new),
    "rust": ("wasm32-wasip1", "target/wasm32-wasip1/release/{}.wasm", rust_has_target),
    "c": ("make bot.wasm", "bot.wasm", c_has_library),
}
"""What is in the command that builds a module, where the module is, and whether the compiler can build it."""


@pytest.mark.nightly("starters")
@pytest.mark.parametrize("language", [pytest.param(name, marks=needs(name)) for name in MODULES])
def test_a_module_is_a_command_of_wasi_preview_1(language: str, workshop: Path) -> None:
    import wasmtime

    words, file, possible = MODULES[language]
    if not possible(prepare(language, workshop)):
        pytest.skip(f"this compiler of {language} builds no modules")
    folder, settings, readme = built(language, "truco", workshop)
    done(line_with(readme, words), folder, settings)
    module = wasmtime.Module.from_file(
        wasmtime.Engine(), str(folder / file.format(folder.name.replace("_", "-")))
    )
    assert {one.module for one in module.imports} == {"wasi_snapshot_preview1"}
    assert {"memory", "_start"} <= {one.name for one in module.exports}


def test_the_python_program_does_not_play_online(workshop: Path, tmp_path: Path) -> None:
    write_starter(tmp_path / "my_bot", "truco", "python")
    ended = subprocess.run(
        ["bash", "-c", "python main.py"],
        cwd=tmp_path / "my_bot",
        env=prepare("python", workshop),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert ended.returncode == 1
    assert ended.stderr == "usage: python main.py --stdio; to play online: botequim bot run my_bot.py\n"
