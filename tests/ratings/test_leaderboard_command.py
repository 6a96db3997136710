"""``botequim leaderboard`` as people run it, on records of games that were really played."""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

import arena.cli
from arena.bots import bot_spec
from arena.games import game_of
from arena.installation import install_command
from arena.play.board_names import BoardName
from arena.ratings.board import boards, ledger_board
from arena.ratings.ledger import Ledger
from arena.ratings.results import Results, collect
from arena.records.record import canonical_hash, dumps, load_records
from arena.tournaments.local_run import Plan
from arena.tournaments.local_run import run as run_plan
from tests.service import botequim, environment

pytestmark = pytest.mark.system


def run(*arguments: str | Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        botequim(*map(str, arguments)), input=stdin, capture_output=True, timeout=300, env=environment()
    )


def here(*arguments: str | Path) -> tuple[int, str, str]:
    """The exit code and what is printed, in this process."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = arena.cli.run(["leaderboard", *map(str, arguments)])
    return code, out.getvalue(), err.getvalue()


def shown(*arguments: str | Path) -> str:
    code, out, err = here(*arguments)
    assert (code, err) == (0, "")
    return out


def refused(*arguments: str | Path) -> str:
    code, out, err = here(*arguments)
    assert (code, out) == (2, "")
    (line,) = err.splitlines()
    assert line.startswith("botequim: error: ")
    return line.removeprefix("botequim: error: ")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three files: Truco sealed (34 groups), Truco open (3), Toepen sealed (4 tables of four)."""
    folder = tmp_path_factory.mktemp("records")
    plays = [
        ("truco", "rookie", "regular", "--preset", "no-cut@1", "--groups", "34"),
        ("toepen", "rookie", "regular", "random", "random", "--preset", "table-4@1", "--groups", "4"),
    ]
    paths = []
    for number, arguments in enumerate(plays):
        paths.append(folder / f"{number}.jsonl")
        done = run("play", *arguments, "--seed", "s", "--jobs", "1", "--records", paths[-1])
        assert done.returncode == 0, done.stderr.decode()
    game = game_of("truco")
    rules = game.options.complete(game.preset("no-cut@1").rules)
    specs = bot_spec("rookie", "truco"), bot_spec("random", "truco")
    independent = Plan("truco", rules, specs, 3, "s", mirrored=False)
    paths.insert(1, folder / "open.jsonl")
    with paths[1].open("w") as file:
        file.writelines(f"{line}\n" for group in run_plan(independent) for line in group.records)
    return paths


def test_the_text_shows_a_board_per_game_and_division(played: list[Path]) -> None:
    text = shown(*played)
    heads = [
        line for line in text.splitlines() if " groups, " in line and ": " in line and "left" not in line
    ]
    assert heads == [
        "toepen/table-4@1, sealed: 4 groups, 16 records",
        "truco/no-cut@1, open: 3 groups, 6 records",
        "truco/no-cut@1, sealed: 34 groups, 68 records",
    ]
    assert text.endswith(
        "\n90 records; left out: 0 games that are not rated, 0 groups that do not count, "
        "0 groups whose rules match no preset\n"
    )
    assert text.count("1500.0-1500.0") == 3
    hashes = [board["records_hash"] for board in json.loads(shown(*played, "--format", "json"))["boards"]]
    assert [line for line in text.splitlines() if "hash" in line] == [
        f"records hash: {own}" for own in hashes
    ]
    lines = csv.DictReader(io.StringIO(shown(*played, "--format", "csv")))
    assert list(dict.fromkeys(line["records_hash"] for line in lines)) == hashes


def test_a_board_published_group_by_group_comes_out_again(played: list[Path], tmp_path: Path) -> None:
    groups = collect(record for path in played for record in load_records(path))
    random.Random(1).shuffle(groups)
    ledgers: dict[BoardName, Ledger] = {}
    for group in groups:
        key = group.board
        assert key is not None
        ledger = ledgers.get(key) or Ledger(*key)
        ledger.add(group)
        ledgers[key] = Ledger.from_bytes(ledger.to_bytes())
    published = json.dumps([ledger_board(ledgers[key]).as_json() for key in sorted(ledgers)])
    lines = b"".join(path.read_bytes() for path in played).splitlines(keepends=True)
    random.Random(2).shuffle(lines)
    download = tmp_path / "download.jsonl.gz"
    download.write_bytes(gzip.compress(b"".join(lines + lines[:9])))
    done = run("leaderboard", download, "--format", "json")
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout) == {"boards": json.loads(published)}
    assert shown(*played, "--format", "json") == done.stdout.decode()
    assert json.dumps([board.as_json() for board in boards(groups)]) == published


def test_standard_input_and_the_exit_code(played: list[Path]) -> None:
    lines = played[1].read_bytes()
    done = run("leaderboard", "-", stdin=lines)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == shown(played[1])
    done = run("leaderboard", "-", stdin=lines + b"{}")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"botequim: error: standard input:7: not a record")
    assert done.stderr.count(b"\n") == 1


def test_one_game_and_one_division(played: list[Path]) -> None:
    everything = json.loads(shown(*played, "--format", "json"))["boards"]
    for options, numbers in (
        (["--kind", "toepen"], [0]),
        (["--division", "sealed"], [0, 2]),
        (["--kind", "truco", "--division", "open"], [1]),
        (["--kind", "toepen", "--division", "open"], []),
        (["--preset", "no-cut@1"], [1, 2]),
        (["--preset", "no-cut@1", "--kind", "toepen"], None),
        (["--preset", "duel@1"], []),
    ):
        if numbers is None:
            assert refused(*played, *options).startswith("there is no preset 'no-cut@1'")
            continue
        found = json.loads(shown(*played, *options, "--format", "json"))["boards"]
        assert found == [everything[number] for number in numbers], options


def test_csv(played: list[Path]) -> None:
    lines = list(csv.DictReader(io.StringIO(shown(*played, "--format", "csv"))))
    found = json.loads(shown(*played, "--format", "json"))["boards"]
    assert [(line["kind"], line["division"], line["name"], float(line["rating"])) for line in lines] == [
        (board["kind"], board["division"], row["name"], row["rating"])
        for board in found
        for row in board["rows"]
    ]
    assert len(lines) == 8
    assert {(line["kind"], line["preset"]) for line in lines} == {
        ("toepen", "table-4@1"),
        ("truco", "no-cut@1"),
    }


def test_records_left_out_are_counted(played: list[Path], tmp_path: Path) -> None:
    records = list(load_records(played[1]))
    records[0]["info"]["rated"] = False
    path = tmp_path / "r.jsonl"
    path.write_text("".join(dumps(record) + "\n" for record in records))
    assert shown(path).endswith(
        "6 records; left out: 1 games that are not rated, 1 groups that do not count, "
        "0 groups whose rules match no preset\n"
    )


def test_a_file_without_records_is_not_an_error(tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_text("")
    assert shown(path).startswith("0 records; ")
    assert json.loads(shown(path, "--format", "json")) == {"boards": []}


def test_bad_input_is_one_line_with_file_and_line(played: list[Path], tmp_path: Path) -> None:
    lines = played[1].read_text().splitlines()
    bad = tmp_path / "bad.jsonl"

    def message(*texts: str) -> str:
        bad.write_text("\n".join(texts) + "\n")
        return refused(played[0], bad)

    assert message(lines[0], lines[1][:-5]).startswith(f"{bad}:2: not JSON")
    assert message(lines[0], "", "[1]").startswith(f"{bad}:3: not a record")
    record = json.loads(lines[0])
    record["canonical"]["outcome"]["places"].reverse()
    assert message(dumps(record)).startswith(f"{bad}:1: the hash does not match the canonical part")
    record["hash"] = canonical_hash(record["canonical"])
    assert message(lines[0], lines[1], dumps(record)) == (
        f"{bad}:3: group {record['canonical']['group']['id']} has two different records of its game 0 "
        f"(the other is {bad}:1); at group"
    )


def test_bad_options_are_one_line(played: list[Path], tmp_path: Path) -> None:
    assert refused(tmp_path / "none.jsonl").startswith(f"cannot read {tmp_path}/none.jsonl: No such file")
    assert refused(tmp_path).startswith(f"cannot read {tmp_path}: Is a directory")
    assert refused(played[0], "--kind", "poker").startswith("there is no game 'poker'")
    assert "'closed' is not one of 'sealed', 'open'" in refused(played[0], "--division", "closed")
    assert "Missing argument 'FILE...'" in refused()


def test_without_numpy_it_says_what_to_install(played: list[Path]) -> None:
    code = (
        "import sys\n"
        "from importlib.machinery import PathFinder\n"
        "find = PathFinder.find_spec\n"
        "PathFinder.find_spec = lambda name, *rest: None if name == 'numpy' else find(name, *rest)\n"
        "from arena.cli import run\n"
        "sys.exit(run(sys.argv[1:]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "leaderboard", str(played[1])],
        capture_output=True,
        text=True,
        timeout=300,
        env=environment(),
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "botequim: error: 'botequim leaderboard' needs the library numpy, which is not installed; "
        f"expected {install_command('ratings')}\n"
    )


def test_results_of_a_file_are_those_of_its_records(played: list[Path]) -> None:
    results = Results()
    results.add_file(played[2])
    assert [own.as_json() for own in results.groups()] == [
        own.as_json() for own in collect(load_records(played[2]))
    ]
    assert results.games == 16
