"""``botequim new``: what it writes and what it refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from arena.bots import bot_spec
from arena.cli import run
from arena.cli.new import LANGUAGES, commands, sample_turns, write_starter
from arena.games import GAMES
from arena.inputs.names import NAME_PATTERN

kinds = pytest.mark.parametrize("kind", GAMES)
languages = pytest.mark.parametrize("language", LANGUAGES)


@kinds
@languages
def test_a_starter_is_for_one_bot_and_one_game(language: str, kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "big_fish"
    written = write_starter(folder, kind, language)
    assert sorted(written) == sorted(path for path in folder.rglob("*") if path.is_file())
    assert {folder / "README.md", folder / "turns.json"} < set(written)
    for path in written:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"my[_-]bot|MyBot|@\w+@|\.tmpl", text + path.name), path
        assert not any(other in path.name for other in GAMES)
        assert not re.search(r"https?://(?!127\.0\.0\.1)", text), f"{path} names a host"
    readme = (folder / "README.md").read_text(encoding="utf-8")
    last = "register" if language == "java" else "submit"
    assert commands(readme).keys() == {"build", "test", "run", last}
    assert f"botequim game create {kind} big-fish " in readme
    assert "botequim bot register big-fish " in readme


@kinds
def test_the_turns_are_of_a_real_game(kind: str) -> None:
    turns = sample_turns(kind)
    assert len(turns) > 3
    assert all(turn["kind"] == kind and turn["legal_actions"] for turn in turns)
    assert any(action.startswith("play:") for turn in turns for action in turn["legal_actions"])
    assert turns == sample_turns(kind)
    # Also one of those that are rare, and trap bots.
    assert any(
        turn["observation"]["phase"] in ("answer", "knock") and not turn["observation"]["hand"]
        for turn in turns
    )


@kinds
def test_the_python_file_is_a_bot(kind: str, tmp_path: Path) -> None:
    write_starter(tmp_path / "my_bot", kind, "python")
    bot = bot_spec(str(tmp_path / "my_bot/my_bot.py")).make(0)
    assert bot.games == (kind,)
    assert all(bot.choose(turn) in turn["legal_actions"] for turn in sample_turns(kind))


def test_it_prints_the_files_and_the_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["new", "my_bot", "--game", "truco"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said == [
        "my_bot/README.md",
        "my_bot/main.py",
        "my_bot/my_bot.py",
        "my_bot/test_my_bot.py",
        "my_bot/turns.json",
        "",
        "cd my_bot",
        "python -m compileall -q .      # build",
        "python -m unittest             # test",
        "botequim bot run my_bot.py     # run",
        "botequim bot submit my_bot.py --name my-bot --token $OWNER # submit",
        *("", "OWNER is the token printed by 'botequim signup'; see README.md for details."),
    ]


def test_a_starter_that_the_arena_cannot_run_is_registered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["new", str(tmp_path / "my_bot"), "--game", "truco", "--language", "java"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert "export BOTEQUIM_TOKEN=$(botequim bot register my-bot --token $OWNER) # register" in said


def test_nothing_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "my_bot"
    folder.mkdir()
    (folder / "test_my_bot.py").write_text("mine")
    assert run(["new", str(folder), "--game", "truco"]) == 2
    assert "test_my_bot.py already exists; nothing was written" in capsys.readouterr().err
    assert [path.name for path in folder.iterdir()] == ["test_my_bot.py"], "it is all or nothing"
    assert (folder / "test_my_bot.py").read_text() == "mine"
    (folder / "test_my_bot.py").rename(folder / "notes.txt")
    assert run(["new", str(folder), "--game", "truco"]) == 0
    assert json.loads((folder / "turns.json").read_text())[0]["kind"] == "truco"
    assert (folder / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("name", ["My_bot", "ab", "_bot", "bot_", "1bot", "b" * 33, "my bot", "böt"])
def test_a_name_that_no_bot_can_have_is_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["new", str(tmp_path / name), "--game", "truco"]) == 2
    assert "expected 3 to 32 of a-z" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["json", "random", "shark", "arena", "botequim", "lambda", "main"])
def test_a_name_that_is_in_use_is_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["new", str(tmp_path / name), "--game", "truco"]) == 2
    assert f"the name '{name}' is already taken" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["my_bot", "my-bot", "a-1", "b" * 32])
def test_the_bot_can_be_registered_by_the_name_of_the_readme(name: str, tmp_path: Path) -> None:
    write_starter(tmp_path / name, "toepen", "python")
    readme = (tmp_path / name / "README.md").read_text()
    (registered,) = re.findall(r"bot register (\S+)", readme)
    assert re.match(NAME_PATTERN, registered)
