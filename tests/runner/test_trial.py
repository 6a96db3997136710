"""``botequim bot test``, and ``botequim bot debug`` at what it finds, as a user runs them."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.bots import bot_spec
from arena.cli import run
from arena.games import GAMES
from arena.installation import install_command
from arena.records.record import load_records
from arena.records.verify import verify
from arena.tournaments.trial import chosen_presets, trial_plan, try_out
from tests.runner import bots
from tests.runner.test_play import COMMAND, ROOT, botequim

RANDOM = """
from arena.bots import Bot

class MyBot(Bot):
    def choose(self, turn):
        return self.random.choice(turn["legal_actions"])
"""

ODD = """
from arena.bots import Bot

class MyBot(Bot):
    tried = False

    def choose(self, turn):
        print("at", turn["turn"])
        left = len(turn["observation"]["hand"])
        if left == 1:
            return {}["x"]
        if left == 2 and not self.tried:
            self.tried = True
            return "play:ZZ"
        return turn["legal_actions"][0]
"""

EVERY = [f"{game.kind}/{preset.name}" for game in GAMES.values() for preset in game.presets]


Called = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def called(capsys: pytest.CaptureFixture[str]) -> Called:
    """``botequim`` with some words, in this process."""

    def call(*words: str) -> subprocess.CompletedProcess[str]:
        status = run(words)
        return subprocess.CompletedProcess(words, status, *capsys.readouterr())

    return call


def write(folder: Path, source: str) -> str:
    path = folder / "my_bot.py"
    path.write_text(source)
    return str(path)


@pytest.mark.system
def test_every_preset_is_played_here_and_in_the_sandbox(tmp_path: Path) -> None:
    done = botequim("bot", "test", write(tmp_path, RANDOM), "--games", "6", "--seed", "1")
    assert done.returncode == 0, done.stdout
    rows = [line.split() for line in done.stdout.splitlines() if "@" in line]
    assert [row[0] for row in rows if row[1] == "process"] == EVERY
    assert [row[0] for row in rows if row[1] == "sandbox"] == EVERY
    for _, where, games, decisions, median, most, longest, faults in rows:
        assert int(games) == (6 if where == "process" else 2)
        assert int(decisions) > 10
        assert 0 < float(median) <= float(most) <= float(longest) + 0.06
        assert faults == "0"
    # Without a terminal there is no bar.
    assert done.stderr == "preparing the sandbox, which takes minutes the first time on a machine\n"


@pytest.mark.nightly("simulations")
def test_500_games_of_a_preset_are_the_default_and_a_seed_repeats_them(tmp_path: Path) -> None:
    words = ("bot", "test", write(tmp_path, RANDOM), "--preset", "paulista-2@1", "--no-sandbox", "--json")
    first, again = (json.loads(botequim(*words, "--seed", "1").stdout) for _ in range(2))
    (preset,) = first["presets"]
    assert (preset["kind"], preset["preset"], preset["games"]) == ("truco", "paulista-2@1", 500)
    assert first["presets"][0]["decisions"] == again["presets"][0]["decisions"]
    other = json.loads(botequim(*words, "--seed", "2").stdout)
    assert other["presets"][0]["decisions"] != preset["decisions"]


def test_each_distinct_failure_is_printed_once_and_can_be_debugged(called: Called, tmp_path: Path) -> None:
    file, records = write(tmp_path, ODD), tmp_path / "failed.jsonl"
    done = called("bot", "test", file, "--games", "4", "--seed", "1", "--records", str(records))
    assert done.returncode == 1
    illegal, crashed = re.findall(r"^(?:illegal|crashed), .*\n(?:    .*\n)+", done.stdout, re.MULTILINE)
    assert illegal.startswith("illegal, play:ZZ\n    at turn ")
    assert crashed.startswith(f"crashed, KeyError: 'x' ({file}:11)\n    Traceback (most recent call last):\n")
    assert f'File "{file}", line 11, in choose' in crashed
    assert crashed.count('  File "') == 1
    assert all(verify(record) == [] for record in load_records(records))

    turns = [re.findall(r"at turn (\S+);", text)[0] for text in (illegal, crashed)]
    for sandbox in ([], ["--sandbox"]):
        words = ("bot", "debug", str(records), "--bot", file, *sandbox)
        shown = called(*words, "--turn", turns[0])
        assert shown.returncode == 0, shown.stderr
        assert "at first:  a fault (illegal) is recorded, now 'play:ZZ'" in shown.stdout
        shown = called(*words, "--turn", turns[1])
        assert shown.returncode == 0, shown.stderr
        assert shown.stderr == ""
        # Once, with its turn, and only the lines of the bot.
        assert shown.stdout.count("Traceback") == 1
        assert shown.stdout.count("KeyError: 'x'\n") == 1
        assert f"\ncrashed at the turn {turns[1]}" in shown.stdout
        assert shown.stdout.count('  File "') == 1
        assert re.search(r"^now: +crashed: KeyError: 'x' \(\S*bot\.py(:11|, line 11)\)$", shown.stdout, re.M)


def test_earlier_tracebacks_are_labelled_with_their_turn(called: Called, tmp_path: Path) -> None:
    records = tmp_path / "r.jsonl"
    called("play", "truco", "random", "rookie", "--groups", "1", "--seed", "1", "--records", str(records))
    file = write(
        tmp_path,
        "made = []\ndef choose(turn):\n    made.append(1)\n"
        "    if len(made) < 4:\n        return {}[len(made)]\n    return 'x'\n",
    )
    for sandbox in ([], ["--sandbox"]):
        words = ("--number", "1", "--seat", "0", "--turn", "6", "--bot", file, *sandbox)
        shown = called("bot", "debug", str(records), *words)
        assert shown.returncode == 0, shown.stderr
        assert shown.stdout.count("Traceback") == 1
        assert re.search(r"^crashed at the earlier turn \S+\.0\.\d+; 2 more before it:$", shown.stdout, re.M)
        assert "KeyError: 3" in shown.stdout
        assert re.search(r"^now: +'x'$", shown.stdout, re.MULTILINE)


def test_a_bot_that_cannot_be_made_is_debugged_without_a_traceback_of_ours(
    called: Called, tmp_path: Path
) -> None:
    records = tmp_path / "r.jsonl"
    called("play", "truco", "random", "rookie", "--groups", "1", "--seed", "1", "--records", str(records))
    words = ("--number", "1", "--seat", "0", "--turn", "1", "--bot", bots.write(tmp_path, "not_made"))
    shown = called("bot", "debug", str(records), *words)
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.count('  File "') == 1
    assert re.search(r"^now: +crashed: RuntimeError: not today \(\S+not_made\.py:4\)$", shown.stdout, re.M)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def choose(turn:\n", "not loaded: {file}:1: SyntaxError"),
        ("x = 1\n", "not loaded: {file} contains no bot; expected a class Bot"),
        (
            "import os\ndef choose(turn):\n    os._exit(1)\n",
            "void: my_bot ended its process\nstopped after 1 of",
        ),
        (
            "import socket\ndef choose(turn):\n    return turn['legal_actions'][0]\n",
            "not loaded in the sandbox: ModuleNotFoundError: there is no module 'socket'",
        ),
    ],
)
def test_what_fails_as_a_whole(source: str, said: str, tmp_path: Path) -> None:
    file = write(tmp_path, source)
    done = botequim("bot", "test", file, "--games", "2")
    assert done.returncode == 1, done.stdout
    assert said.format(file=file) in done.stdout
    assert "Traceback" not in done.stderr


def test_only_the_games_that_the_bot_plays_are_tested(called: Called, tmp_path: Path) -> None:
    file = write(tmp_path, RANDOM.replace("(Bot):\n", '(Bot):\n    games = ("toepen",)\n'))
    done = called("bot", "test", file, "--games", "2", "--no-sandbox")
    assert done.returncode == 0, done.stderr
    rows = [line.split()[0] for line in done.stdout.splitlines()[1:]]
    assert rows == [f"toepen/{preset.name}" for preset in GAMES["toepen"].presets]
    refused = called("bot", "test", file, "--kind", "truco")
    assert refused.returncode == 2
    line = (
        f"botequim: error: {file} does not play truco: its games do not name it; at --kind; expected toepen\n"
    )
    assert refused.stderr == line


@pytest.mark.system
def test_a_bot_that_is_late_ends_the_test(tmp_path: Path) -> None:
    words = ("bot", "test", bots.write(tmp_path, "hangs"), "--think-limit", "0.2", "--no-sandbox")
    done = botequim(*words, "--games", "2")
    assert done.returncode == 1
    assert "stopped after 1 of" in done.stdout
    assert re.search(r"late, no answer within 0\.2 s \(\S+hangs\.py:[567]\)", done.stdout)


def test_a_few_failing_groups_are_enough(tmp_path: Path) -> None:
    spec = bot_spec(bots.write(tmp_path, "illegal"), "truco")
    plan = trial_plan(spec, "truco", "base@1", 500, "1")
    counted: list[int] = []
    trial = try_out(plan, "base@1", jobs=1, think_limit=60.0, on_games=counted.append)
    assert trial.ended
    assert trial.games == sum(counted) == 10
    assert len(trial.reports) == 1


def test_without_the_sandbox_one_line_says_so(tmp_path: Path) -> None:
    """As with the package alone, without its extra."""
    blocked = tmp_path / "blocked"
    blocked.mkdir()
    (blocked / "wasmtime.py").write_text("raise ModuleNotFoundError('No module', name='wasmtime')\n")
    words = [*COMMAND, "bot", "test", write(tmp_path, RANDOM), "--games", "2", "--kind", "toepen"]
    environment = {**os.environ, "PYTHONPATH": f"{blocked}{os.pathsep}{ROOT}"}
    done = subprocess.run(words, capture_output=True, text=True, env=environment, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    line = f"not played in the sandbox, because it needs the library wasmtime: {install_command('server')}"
    assert line in done.stdout
    assert "sandbox  " not in done.stdout
    done = subprocess.run([*words, "--sandbox"], capture_output=True, text=True, env=environment, cwd=ROOT)
    assert done.returncode == 2
    assert line in done.stderr


@pytest.mark.system
def test_a_terminal_has_a_bar(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    words = [*COMMAND, "bot", "test", write(tmp_path, RANDOM), "--games", "40", "--no-sandbox"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=theirs, text=True, env=environment, cwd=ROOT
    ) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                data = os.read(ours, 4096)
            except OSError:
                break
            if not data:
                break
            shown += data
        assert process.stdout is not None
        out = process.stdout.read()
    os.close(ours)
    assert process.returncode == 0, out
    assert b"toepen/table-4@1" in shown
    assert b"/320" in shown


def test_presets_are_chosen_by_game_and_name() -> None:
    assert [f"{kind}/{preset}" for kind, preset in chosen_presets((), ())] == EVERY
    assert {kind for kind, _ in chosen_presets(("toepen",), ())} == {"toepen"}
    assert chosen_presets((), ("duel@1",)) == [("toepen", "duel@1")]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere.py"], "there is no file 'nowhere.py'"),
        (["random", "--preset", "duel"], "there is no preset 'duel'; at --preset; expected one of base@1, "),
        (["random", "--kind", "truco", "--preset", "duel@1"], "there is no preset 'duel@1'"),
        (["random", "--games", "0"], "0 is not in the range x>=1"),
    ],
)
def test_bad_input_is_reported_in_one_line(called: Called, words: list[str], said: str) -> None:
    done = called("bot", "test", *words)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
