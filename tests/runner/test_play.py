"""``botequim play`` as a user runs it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from arena.bots import bot_spec
from arena.games import GAMES
from arena.records.record import load_records
from arena.records.verify import verify
from arena.tournaments.local_run import Plan, run
from tests.runner import bots
from tests.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.system

COMMAND = [sys.executable, "-m", "arena.cli"]
ROOT = Path(__file__).parents[2]


def botequim(*words: str, timeout: float = 300) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80"}
    return subprocess.run(
        [*COMMAND, *words], capture_output=True, text=True, timeout=timeout, env=environment, cwd=ROOT
    )


@pytest.mark.parametrize("kind", ["truco", "toepen"])
def test_the_records_do_not_depend_on_the_number_of_jobs(kind: str, tmp_path: Path) -> None:
    files = []
    for jobs in ("1", "2", "3"):
        files.append(tmp_path / f"{jobs}.jsonl")
        done = botequim(
            "play", kind, "random", bots.write(tmp_path, "first"), "--groups", "12", "--seed", "7",
            "--jobs", jobs, "--records", str(files[-1]),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    assert files[0].read_bytes() == files[1].read_bytes() == files[2].read_bytes()
    records = list(load_records(files[0]))
    assert len(records) == 24
    assert all(verify(record) == [] for record in records)


def test_another_seed_gives_other_games(tmp_path: Path) -> None:
    for seed in ("7", "8"):
        botequim("play", "truco", "random", "rookie", "--groups", "2", "--seed", seed,
                 "--records", str(tmp_path / seed))  # fmt: skip
    assert (tmp_path / "7").read_bytes() != (tmp_path / "8").read_bytes()


@pytest.mark.parametrize(
    ("kind", "words", "rules"),
    [
        ("truco", ("--preset", "paulista-2@1"), {"variant": "paulista", "seats": 2}),
        # What is tested is what is rated.
        ("truco", (), GAMES["truco"].presets[0].rules),
        ("toepen", (), GAMES["toepen"].presets[0].rules),
        ("toepen", ("--rule", "lives=3"), {**GAMES["toepen"].presets[0].rules, "lives": 3}),
        ("truco", ("--rule", "cut=none"), {"cut": "none"}),
    ],
)
def test_the_rules_are_those_of_a_preset(
    kind: str, words: tuple[str, ...], rules: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "out.jsonl"
    done = botequim("play", kind, "random", "rookie", "--groups", "1", *words, "--records", str(path))
    assert done.returncode == 0, done.stderr
    complete = GAMES[kind].options.complete(rules)
    assert [record["canonical"]["rules"] for record in load_records(path)] == [complete] * 2


@pytest.mark.parametrize("mirrored", [True, False])
def test_a_mirrored_group_has_the_same_deals_and_an_independent_one_has_not(mirrored: bool) -> None:
    rules = GAMES["truco"].options.complete({})
    specs = bot_spec("random", "truco"), bot_spec("rookie", "truco")
    plan = Plan("truco", rules, specs, 3, "1", mirrored)
    seeds: dict[str, set[str]] = {}
    names: dict[str, set[str]] = {}
    for line in (line for group in run(plan) for line in group.records):
        canonical = json.loads(line)["canonical"]
        seeds.setdefault(canonical["group"]["id"], set()).add(canonical["seed"])
        names.setdefault(canonical["group"]["id"], set()).add(canonical["players"][0]["name"])
    assert [len(group) for group in seeds.values()] == [1 if mirrored else 2] * 3
    assert {len(group) for group in names.values()} == {2}


@pytest.mark.parametrize(
    ("bad", "fault"),
    [
        ("raises", "crashed"), ("illegal", "illegal"), ("malformed", "malformed"), ("hangs", "late"),
        ("hangs_deaf", "late"), ("exits", "crashed"),
    ],
)  # fmt: skip
def test_a_bad_bot_costs_itself_and_not_the_run(bad: str, fault: str, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    done = botequim(
        "play", "toepen", "random", bots.write(tmp_path, bad), "--rule", "seats=2", "--groups", "1",
        "--seed", "1", "--think-limit", "1" if bad.startswith("hangs") else "60", "--records", str(path),
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    row = next(line for line in done.stdout.splitlines() if line.startswith(f" {bad}"))
    assert re.search(rf"\d+ {fault}", row), done.stdout
    records = list(load_records(path))
    if "void" in done.stdout:
        assert records == []
        return
    for record in records:
        assert verify(record) == []
        outcome = record["canonical"]["outcome"]
        loser = [player["name"] for player in record["canonical"]["players"]].index(bad)
        assert outcome["forfeits"] == [loser]
        assert outcome["places"][loser] == 2


def reports(done: subprocess.CompletedProcess[str], name: str) -> list[str]:
    """What is printed about the faults of a bot, one text each."""
    assert done.returncode == 1, done.stderr
    return [
        text for text in re.split(r"^(?=\S)", done.stdout, flags=re.MULTILINE) if text.startswith(f"{name}:")
    ]


@pytest.mark.parametrize("sandbox", [[], ["--sandbox"]], ids=["process", "sandbox"])
def test_every_kind_of_error_is_printed_once_with_file_and_line(sandbox: list[str], tmp_path: Path) -> None:
    path = bots.write(tmp_path, "raises_twice")
    file = "bot.py" if sandbox else path
    done = botequim("play", "truco", "random", path, "--groups", "3", "--seed", "1", *sandbox)
    found = sorted(reports(done, "raises_twice"))
    assert len(found) == 2, done.stdout
    key_error, value_error = found
    place = "(bot.py, line {})" if sandbox else f"({path}:{{}})"
    assert re.match(r"raises_twice: crashed, KeyError: '\[red\]\S+\.\d\.\d+\\x1b' ", key_error)
    assert key_error.splitlines()[0].endswith(place.format(9))
    assert value_error.splitlines()[0] == f"raises_twice: crashed, ValueError: odd {place.format(7)}"
    assert f'File "{file}", line 6, in choose' in key_error
    assert f'File "{file}", line 9, in pick' in key_error
    assert "match.py" not in done.stdout
    assert re.search(r"at turn \S+\.\d\.\d+; legal: \S", key_error)


def test_an_error_of_making_the_bot_is_printed(tmp_path: Path) -> None:
    path = bots.write(tmp_path, "not_made")
    (found,) = reports(botequim("play", "truco", "random", path, "--groups", "2", "--jobs", "2"), "not_made")
    assert found.startswith(f"not_made: crashed, RuntimeError: not today ({path}:4)\n")


def test_the_time_limit_shows_where_the_bot_was(tmp_path: Path) -> None:
    path = bots.write(tmp_path, "hangs")
    done = botequim("play", "truco", "random", path, "--groups", "1", "--think-limit", "0.3")
    (found,) = reports(done, "hangs")
    assert re.match(rf"hangs: late, no answer within 0.3 s \({re.escape(path)}:[567]\)\n", found)


def test_an_illegal_answer_is_printed_with_what_was_legal(tmp_path: Path) -> None:
    rules = ["--rule", "seats=2", "--groups", "2", "--seed", "1"]
    done = botequim("play", "toepen", "random", bots.write(tmp_path, "illegal"), *rules)
    (found,) = reports(done, "illegal")
    assert re.fullmatch(r"illegal: illegal, play:ZZ\n    at turn \S+; legal: [a-z]\S+(, \S+)*\n\n", found)
    done = botequim("play", "toepen", "random", bots.write(tmp_path, "malformed"), *rules)
    (found,) = reports(done, "malformed")
    assert found.startswith("malformed: malformed, dict is not an action\n    at turn ")


def test_void_groups_are_printed_once_per_reason(tmp_path: Path) -> None:
    done = botequim("play", "truco", "random", bots.write(tmp_path, "exits"), "--groups", "3", "--seed", "1")
    assert done.returncode == 1, done.stderr
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("void: ")]
    assert line.endswith(": exits ended its process (and 2 more groups)")


def test_what_bots_print_does_not_disturb_the_table(tmp_path: Path) -> None:
    done = botequim("play", "truco", "random", bots.write(tmp_path, "prints"), "--groups", "2", "--seed", "1")
    assert done.returncode == 0
    assert "aloud" not in done.stdout


def test_a_function_is_a_bot_too_and_three_bots_meet_in_pairs(tmp_path: Path) -> None:
    done = botequim(
        "play",
        "truco",
        "random",
        "rookie",
        f"last={bots.write(tmp_path, 'plain')}",
        "--groups",
        "2",
        "--seed",
        "1",
    )
    assert done.returncode == 0, done.stderr
    assert "12 games in 6 mirrored groups" in done.stdout
    assert re.search(r"^ last .* 8 ", done.stdout, re.MULTILINE)


def test_ctrl_c_keeps_what_is_finished(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    process = subprocess.Popen(
        [*COMMAND, "play", "truco", "random", "random", "--groups", "100000", "--seed", "1", "--jobs", "2",
         "--records", str(path)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, start_new_session=True,
        # A background job of a shell ignores Ctrl-C, and so would its children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    try:
        wait_until(lambda: path.exists() and path.stat().st_size > 100_000)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert process.returncode == 130, err
    assert "Traceback" not in err
    kept = re.search(r"interrupted; (\d+) of 100000 groups were kept", out)
    assert kept is not None, out
    records = list(load_records(path))
    assert len(records) == 2 * int(kept[1]) > 0
    assert verify(records[-1]) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["chess", "random", "rookie"], "there is no game 'chess'"),
        (["truco", "random", "grandmaster"], "there is no bot 'grandmaster'"),
        (["truco", "random", "nowhere/bot.py"], "there is no file 'nowhere/bot.py'"),
        (["truco", "random"], "a game needs at least 2 bots"),
        (["truco", "random", "rookie", "--rule", "colour=red"], "no rule option 'colour'"),
        (["truco", "random", "rookie", "--rule", "max_burns=10"], "10 is not a valid value"),
        (["truco", "random", "rookie", "--rule", "max_burns"], "'max_burns' is not a valid rule option"),
        (["toepen", "random", "rookie", "--rule", "whistling=often"], "'often' is not a valid value"),
        (["truco", "random", "rookie", "--preset", "duel@1"], "at --preset; expected one of base@1"),
        (["truco", "random", "rookie", "--preset", "base@1", "--rule", "cut=none"], "be used together"),
        (["truco", "random", "rookie", "--groups", "0"], "0 is not in the range x>=1"),
        (["truco", "random", "rookie", "--groups", "many"], "many"),
        (["truco"], "BOTS"),
    ],
)  # fmt: skip
def test_bad_input_is_reported_in_one_line(words: list[str], said: str) -> None:
    done = botequim("play", *words)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stderr.startswith("botequim: error: ")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("x = 1\n", "contains no bot"),
        ("def choose(turn:\n", r":1: SyntaxError"),
        ("import nowhere_at_all\n", r"bad\.py:1: ModuleNotFoundError"),
        ("class Bot:\n    pass\n", "the class Bot has no method choose"),
    ],
)
def test_a_bot_file_without_a_bot_is_reported_in_one_line(source: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.py"
    path.write_text(source)
    done = botequim("play", "truco", "random", os.path.relpath(path, ROOT))
    assert done.returncode == 2
    assert re.search(said, done.stderr)
    assert os.path.relpath(path, ROOT) in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
