"""``botequim watch`` as a user runs it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.bots import GameNotPlayed, InvalidBot
from arena.cli.params import local_rules
from arena.cli.watch import Rounds, stamp_of
from arena.games import GAMES
from arena.play.saved_files import saved_file
from tests.runner.test_play import COMMAND, ROOT, botequim
from tests.waiting import PATIENCE, wait_until

FIRST = 'def choose(turn):\n    return turn["legal_actions"][0]\n'
LAST = 'def choose(turn):\n    return turn["legal_actions"][-1]\n'


class Watching:
    """A running command, and what it has printed."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.lines: list[str] = []
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))

    def wait_for(self, pattern: str, times: int = 1) -> str:
        def found() -> list[str]:
            return [line for line in self.lines if re.search(pattern, line)]

        wait_until(lambda: len(found()) >= times)
        return found()[-1]


@contextmanager
def watching(folder: Path, *words: str) -> Iterator[Watching]:
    with subprocess.Popen(
        [*COMMAND, "watch", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        # A background job of a shell ignores Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:  # fmt: skip
        try:
            yield Watching(process)
        finally:
            process.kill()


def save(path: Path, text: str) -> None:
    """As editors do, at once."""
    new = path.with_suffix(".new")
    new.write_text(text)
    new.rename(path)


@pytest.mark.system
def test_it_plays_again_on_every_save_until_ctrl_c(tmp_path: Path) -> None:
    file = tmp_path / "my_bot.py"
    save(file, FIRST)
    words = ("my_bot.py", "random", "--kind", "toepen", "--groups", "6", "--seed", "1", "--jobs", "1")
    with watching(tmp_path, *words) as seen:
        line = seen.wait_for("toepen against random: ")
        assert re.fullmatch(r"\S+ toepen against random: [+-]\d\.\d{3} ± \d\.\d{3}, 6 groups", line)
        save(file, "# The same bot.\n" + FIRST)
        # The same deals and the same randomness.
        assert seen.wait_for("toepen against random: ", 2).endswith(", 6 groups; no change")
        save(file, LAST)
        line = seen.wait_for("toepen against random: ", 3)
        assert re.search(r"6 groups; change [+-]\d\.\d{3} ± \d\.\d{3}$", line)
        save(file, "def choose(turn):\n    return (\n")
        seen.wait_for(r"my_bot\.py:2: SyntaxError: '\(' was never closed")
        file.unlink()
        save(file, "x = 1\n")
        seen.wait_for(r"my_bot\.py contains no bot")
        save(file, "def choose(turn):\n    return {}['x']\n")
        seen.wait_for("toepen against random: ", 4)
        seen.wait_for(r"my_bot: crashed, KeyError: 'x' \(my_bot\.py:2\)")
        seen.wait_for(r"at turn \S+; legal: ")
        assert not any("saved_files" in line for line in seen.lines)
        seen.process.send_signal(signal.SIGINT)
        assert seen.process.wait(PATIENCE) == 0
    assert not any("Traceback" in line and not line.startswith("    ") for line in seen.lines)
    assert not any("KeyboardInterrupt" in line for line in seen.lines)


def test_a_round_without_the_file_is_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "my_bot.py"
    rounds = Rounds((str(file), "random"), {"toepen": local_rules("toepen", None)}, False, 1, "1", 1)
    rounds.play(lambda: False)
    assert capsys.readouterr().out == ""
    save(file, FIRST)
    rounds.play(lambda: False)
    assert re.search(r"toepen against random: .*, 1 groups\n", capsys.readouterr().out)


def test_only_games_that_all_of_them_play_are_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine, other = tmp_path / "mine.py", tmp_path / "other.py"
    save(mine, 'games = ("toepen",)\n' + FIRST)
    save(other, 'games = ("truco",)\n' + FIRST)
    rules = {kind: local_rules(kind, None) for kind in GAMES}
    Rounds((str(mine), "random"), rules, False, 1, "1", 1).play(lambda: False)
    (line,) = capsys.readouterr().out.splitlines()
    assert " toepen against random: " in line
    for bots, every in (((str(mine), "random"), True), ((str(mine), str(other)), False)):
        with pytest.raises(GameNotPlayed):
            Rounds(bots, rules, every, 1, "1", 1).play(lambda: False)
    assert capsys.readouterr().out == ""


def test_a_saved_file_is_loaded_as_it_was_read(tmp_path: Path) -> None:
    path = tmp_path / "bot.py"
    path.write_text(FIRST)
    first = saved_file("bot", str(path))
    before = stamp_of([path])
    # The same size, perhaps in the same second.
    path.write_text(LAST.replace("-1", "1"))
    last = saved_file("bot", str(path))
    assert stamp_of([path]) != before
    turn = {"legal_actions": ["a", "b"]}
    assert [spec.make(0).choose(turn) for spec in (first, last)] == ["a", "b"]
    assert not (tmp_path / "__pycache__").exists()
    path.write_text("import sys\nsys.exit('no')\n")
    with pytest.raises(InvalidBot, match=r"bot\.py:2: SystemExit: no"):
        saved_file("bot", str(path)).load()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["random"], "Missing argument 'OPPONENT...'"),
        (["nowhere.py", "random"], "there is no file 'nowhere.py'"),
        (["random", "random", "--preset", "duel@1"], "--preset requires exactly one --kind"),
        (["random", "random", "--kind", "truco", "--preset", "duel@1"], "has no preset 'duel@1'"),
    ],
)
def test_bad_input_is_reported_in_one_line(words: list[str], said: str) -> None:
    done = botequim("watch", *words)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
