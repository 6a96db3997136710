"""Bots that are programs, which real processes play."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.bots import BotFailure, BotSpec, GameNotPlayed, InvalidBot, UnknownBot, bot_spec
from arena.cli import run as command
from arena.games import GAMES
from arena.play.match import close_bots
from arena.play.programs import ProgramSpec, end_programs, files_of, local_bot
from arena.tournaments.local_run import Plan, play_group, run
from tests.blocks import file_of
from tests.runner import bots
from tests.waiting import wait_until

PYTHON = f"{sys.executable} -S"

PROGRAM = """
import json, os, random, subprocess, sys, time
OPENING = {opening}
for line in sys.stdin:
    turn = json.loads(line)
    if "protocol" in turn:
        rng = random.Random(int(turn["seed"], 16))
        print(json.dumps(OPENING), flush=True)
        continue
    legal = turn["legal_actions"]
    action = legal[0]
    {code}
    print(json.dumps({{"turn": turn["turn"], "action": action}}), flush=True)
"""

RANDOM = """
from arena.bots import Bot

class MyBot(Bot):
    def choose(self, turn):
        return self.random.choice(turn["legal_actions"])
"""


def program(folder: Path, code: str = "pass", opening: str = "{}", name: str = "bot.py") -> str:
    """The command of a program that executes ``code`` at each turn."""
    path = folder / name
    path.write_text(PROGRAM.format(code=code, opening=opening))
    return f"cmd:{PYTHON} {path}"


def plan(kind: str, specs: list[BotSpec], groups: int = 1) -> Plan:
    """A plan in which all bots have the same version, so that deals do not depend on them."""
    same = tuple(replace(spec, name=f"bot-{place}", version="1") for place, spec in enumerate(specs))
    return Plan(kind, GAMES[kind].options.complete({}), same, groups, "lines")


def faults(text: str, think_limit: float | None = None) -> tuple[list[str], list[str]]:
    """The faults of a program in a group of Toepen against ``random``, and their reports."""
    specs = [local_bot(text), bot_spec("random", "toepen")]
    summary = play_group(
        plan("toepen", specs), 0, plan("toepen", specs).all_groups()[0], think_limit=think_limit
    )
    assert all(player == 0 for player, _ in summary.reports)
    return summary.tallies[0].faults, [report.described() for report in summary.reports.values()]


@pytest.mark.parametrize("kind", GAMES)
def test_with_the_same_seed_a_program_plays_like_a_file(kind: str, tmp_path: Path) -> None:
    text = program(tmp_path, "action = rng.choice(legal)")
    file = tmp_path / "my_bot.py"
    file.write_text(RANDOM)
    records = []
    for spec in (local_bot(text, kind), local_bot(str(file), kind)):
        records.append(
            [line for one in run(plan(kind, [spec, bot_spec("rookie", kind)], 3)) for line in one.records]
        )
    assert len(records[0]) >= 6
    assert [canonical(line) for line in records[0]] == [canonical(line) for line in records[1]]


def canonical(line: str) -> Any:
    return json.loads(line)["canonical"]


def test_the_example_of_the_page_plays_without_a_fault(tmp_path: Path) -> None:
    (tmp_path / "first.py").write_text(file_of("docs/turns.md", "first.py"))
    assert faults(f"cmd:{PYTHON} {tmp_path / 'first.py'}") == ([], [])


@pytest.mark.parametrize(
    ("code", "fault", "shown"),
    [
        ("print('thinking', flush=True)", "malformed", "the line is not JSON.*\n +the line: thinking\n"),
        ("print(flush=True); continue", "malformed", "the line is empty\n"),
        ("action = None", "malformed", 'must be a text.*\n +the line: {"turn": ".*", "action": null}\n'),
        ("turn['turn'] = 'x'", "malformed", 'not to this turn\n +the line: {"turn": "x", '),
        ("action = 'play:ZZ'", "illegal", "play:ZZ\n"),
        ("print('x' * 70_000, flush=True)", "malformed", "a line of more than 65536 bytes\n +the line: xxx"),
        ("print('bye', file=sys.stderr); sys.exit(3)", "crashed", "it ended with exit code 3\n +bye\n"),
        ("os.kill(os.getpid(), 9)", "crashed", r"it ended with signal 9 \(Killed\)\n"),
        ("{}['x']", "crashed", "it ended with exit code 1\n(.*\n)+ +KeyError: 'x'\n"),
        ("os.close(1); time.sleep(60)", "crashed", "it closed its standard output\n"),
        ("while True: print('y\\n' * 10_000)", "malformed", "the line is not JSON.*\n +the line: y\n"),
    ],
)  # fmt: skip
def test_every_mistake_is_a_fault_that_shows_what_happened(
    code: str, fault: str, shown: str, tmp_path: Path
) -> None:
    found, reports = faults(program(tmp_path, code))
    # Three in each game forfeit it.
    assert set(found) == {fault}
    assert len(found) % 3 == 0
    assert len(reports) >= 1
    assert re.search(shown, reports[0]), reports[0]


def test_one_mistake_costs_one_fault_and_a_crashed_program_starts_again(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    once = f"if not os.path.exists({str(mark)!r}): open({str(mark)!r}, 'x').close(); sys.exit(5)"
    found, reports = faults(program(tmp_path, once))
    assert found == ["crashed"]
    assert "it ended with exit code 5" in reports[0]


@pytest.mark.parametrize("code", ["time.sleep(60)", "while True: print('y', file=sys.stderr)"])
def test_silence_is_late_and_ends_the_program(code: str, tmp_path: Path) -> None:
    started = time.monotonic()
    found, reports = faults(program(tmp_path, code), think_limit=0.2)
    assert set(found) == {"late"}
    assert reports[0].startswith("late, no answer within 0.2 s\n    at turn ")
    assert time.monotonic() - started < 30


def pids(folder: Path, count: int) -> list[int]:
    """The processes that programs have written to files, once there are that many."""
    wait_until(lambda: len(list(folder.glob("*.pid"))) >= count)
    return [int(path.stem) for path in folder.glob("*.pid")]


def lives(pid: int) -> bool:
    """Whether a process runs and is not just a zombie that nobody has waited for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        # The second one if the process ends between the opening of the file and its reading.
        return False


SPAWNING = (
    "child = subprocess.Popen(['sleep', '7200'], stdout=subprocess.DEVNULL); "
    "[open(f'{sys.argv[1]}/{pid}.pid', 'a').close() for pid in (os.getpid(), child.pid)]"
)


def test_the_children_of_a_program_end_with_it(tmp_path: Path) -> None:
    text = program(tmp_path, f"if action.startswith('play'): {SPAWNING}")
    found, _ = faults(f"{text} {tmp_path}")
    assert found == []
    own = pids(tmp_path, 4)
    try:
        # A child that survives sleeps for longer than the test waits.
        wait_until(lambda: not any(map(lives, own)), seconds=60)
    finally:
        for pid in own:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def group_lives(leader: int) -> bool:
    try:
        os.killpg(leader, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.system
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_programs_end_when_the_command_does(how: signal.Signals, tmp_path: Path) -> None:
    """So do the processes that play."""
    note = "open(f'{sys.argv[1]}/{os.getpid()}.pid', 'a').close()"
    text = program(tmp_path, f"{note}; time.sleep(0.05)")
    words = [sys.executable, "-m", "arena.cli", "play", "truco", f"{text} {tmp_path}", "random"]
    with subprocess.Popen(
        words,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=Path(__file__).parents[2],
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        process_group=0,
    ) as process:
        found = pids(tmp_path, 2)
        process.send_signal(how)
    for pid in found:
        wait_until(lambda pid=pid: not lives(pid))  # type: ignore[misc]
    wait_until(lambda: not group_lives(process.pid))


def test_one_process_can_play_all_seats(tmp_path: Path) -> None:
    note = "open(f'{sys.argv[1]}/{os.getpid()}.pid', 'a').close()"
    game = plan("toepen", [bot_spec("rookie", "toepen"), bot_spec("random", "toepen")])
    seats = sum(players.count(0) for players in game.all_groups()[0].seats)
    assert seats > 1
    for opening, processes in (('{"seats": "all"}', 1), ("{}", seats)):
        folder = tmp_path / str(processes)
        folder.mkdir()
        assert faults(f"{program(folder, note, opening)} {folder}") == ([], [])
        assert len(list(folder.glob("*.pid"))) == processes
    end_programs()


def test_rights_are_offered_to_programs_that_want_them(tmp_path: Path) -> None:
    for opening, offered in (('{"rights": True}', True), ("{}", False)):
        note = "if turn['optional']: open(f'{sys.argv[1]}/optional', 'a').close(); action = None"
        folder = tmp_path / str(offered)
        folder.mkdir()
        assert faults(f"{program(folder, note, opening)} {folder}") == ([], [])
        assert (folder / "optional").exists() == offered


def test_the_name_and_the_version_are_those_of_the_command_and_its_files(tmp_path: Path) -> None:
    text = program(tmp_path)
    spec = local_bot(text)
    assert isinstance(spec, ProgramSpec)
    assert local_bot(f"mine={text}").name == "mine"
    assert local_bot(text).version == spec.version
    assert local_bot(f"{text} --level=3").version != spec.version
    assert tmp_path / "bot.py" in files_of(spec)
    (tmp_path / "bot.py").write_text((tmp_path / "bot.py").read_text() + "# changed\n")
    assert local_bot(text).version != spec.version
    assert files_of(bot_spec("rookie")) == []


def test_a_program_is_named_after_its_first_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, name="my_bot.py")
    monkeypatch.chdir(tmp_path)
    assert local_bot("cmd:python3 my_bot.py --stdio").name == "my_bot"
    assert local_bot("cmd:python3 -c 'print({})'").name == "python3"


def test_a_program_says_which_games_it_plays(tmp_path: Path) -> None:
    text = program(tmp_path, opening='{"games": ["toepen"]}')
    assert local_bot(text).games == ("toepen",)
    assert local_bot(text, check=False).games == ()
    with pytest.raises(GameNotPlayed, match="does not play truco"):
        local_bot(text, "truco")


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("cmd:./nothing --stdio", UnknownBot, "there is no program './nothing'"),
        ("cmd:no-such-program", UnknownBot, "there is no program 'no-such-program'"),
        ("cmd:", UnknownBot, "'cmd:' names no program"),
        ("cmd:./bot 'x", InvalidBot, "cmd:./bot 'x: No closing quotation"),
        ("cmd:false", InvalidBot, "cmd:false: it ended with exit code 1"),
        ("cmd:sh -c 'echo no >&2; exit 3'", InvalidBot, "it ended with exit code 3: no"),
        (
            "cmd:echo hello",
            InvalidBot,
            "cmd:echo hello: the answer to the first line is hello: the line is not",
        ),
        ("./bot", UnknownBot, "there is no bot './bot'"),
    ],
)
def test_what_is_no_program_is_refused(text: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=re.escape(message)):
        local_bot(text)


def test_a_file_that_cannot_be_executed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bot"
    path.write_text("no program")
    with pytest.raises(UnknownBot, match=f"'{path}' is not executable"):
        local_bot(f"cmd:{path}")
    path.chmod(0o755)
    with pytest.raises(InvalidBot, match="Exec format error"):
        local_bot(f"cmd:{path}")


def test_a_program_that_does_not_answer_the_first_line_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.play.programs._FIRST_ANSWER_SECONDS", 0.2)
    with pytest.raises(InvalidBot, match=r"cmd:sleep 60: no answer to the first line within 0\.2 s"):
        local_bot("cmd:sleep 60")


def test_a_program_that_reads_no_turns_does_not_stop_the_game(tmp_path: Path) -> None:
    """Neither the pipe to it nor the one from it is emptied by anybody else."""
    path = tmp_path / "deaf.py"
    path.write_text(
        "import sys\nsys.stdin.readline()\nprint('{}', flush=True)\nwhile True: print('y' * 60_000)\n"
    )
    bot = local_bot(f"cmd:{PYTHON} {path}").make(0)
    turn: Any = {"turn": "x" * 1_000_000, "optional": False, "legal_actions": []}
    with pytest.raises(BotFailure, match="it writes without reading turns"):
        bot.choose(turn)
    close_bots([bot])


@pytest.mark.system
def test_the_commands_take_programs(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = program(tmp_path, "print('thinking', file=sys.stderr)", '{"seats": "all"}')
    records = str(tmp_path / "out.jsonl")
    play = ["play", "truco", f"mine={text}", "random", "--groups", "1", "--seed", "1", "--records", records]
    assert command(play) == 0
    assert "thinking" not in capfd.readouterr().err
    with suppress(SystemExit):  # its exit code is the result of the comparison
        command(["compare", f"new={text}", "random", "--kind", "truco", "--most", "60", "--seed", "1"])
    assert "groups: 60, margin: " in capfd.readouterr().out
    assert command(["bot", "test", text, "--games", "2", "--preset", "duel@1"]) == 0
    assert " process " in capfd.readouterr().out
    assert command(["bot", "debug", records, "--number", "1", "--turn", "3", "--bot", text]) == 0
    said = capfd.readouterr()
    assert "thinking" in said.err
    assert re.search(r"^now: +'\S+'$", said.out, re.MULTILINE)
    explain = ["explain", records, "--number", "1", "--bot", f"mine={text}", "--worlds", "2"]
    assert command(explain) == 0
    assert "(mine): shark would have chosen differently" in capfd.readouterr().out
    for words in (["bot", "test", text, "--sandbox"], [*play, "--sandbox"]):
        assert command(words) == 2
        assert "a program cannot run in the sandbox" in capfd.readouterr().err


def test_the_records_of_a_python_file_stay_as_they_were(tmp_path: Path) -> None:
    """A file is loaded in this process, by the same name."""
    path = bots.write(tmp_path, "first")
    assert local_bot(path) == bot_spec(path)
    assert os.path.samefile(files_of(local_bot(path))[0], path)
