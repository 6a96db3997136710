"""The program as people run it: exit codes, one-line errors, ``verify``."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest
from games_played import group, record_line, rehash, write

import arena.cli
from arena import __version__
from tests.waiting import PATIENCE

PROGRAM = [sys.executable, "-m", "arena.cli"]


def run_program(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*PROGRAM, *arguments], input=stdin, capture_output=True, timeout=1200, check=False)


def one_line_error(captured: str) -> str:
    lines = captured.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("botequim: error: ")
    return lines[0].removeprefix("botequim: error: ")


# The skeleton


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert arena.cli.run([]) == 0
    listed = capsys.readouterr().out
    assert all(f"  {name} " in listed for name in arena.cli.COMMANDS)
    assert arena.cli.run(["--version"]) == 0
    assert capsys.readouterr().out == f"botequim, version {__version__}\n"
    for command in arena.cli.COMMANDS:
        assert arena.cli.run([command, "--help"]) == 0
        assert f"Usage: botequim {command} " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["verfy"], "No such command 'verfy'"),
        (["--nonsense"], "No such option"),
        (["verify"], "Missing argument 'FILE...'"),
        (["verify", "--jobs", "0", "x"], "0 is not in the range"),
        (["verify", "no\nsuch\x1b[2Jfile"], "cannot read no\\nsuch\\x1b[2Jfile: No such file"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert arena.cli.run(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in one_line_error(captured.err)


def test_commands_of_other_packages(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "tavern.py").write_text(
        "import click\n@click.command()\n@click.argument('n', type=int)\n"
        "def pour(n):\n    '''Pour drinks.'''\n    click.echo('cheers ' * n)\n    return 3\n"
    )
    (tmp_path / "cellar.py").write_text("import a_library_that_nobody_has\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    plugins = EntryPoints(
        EntryPoint(name, value, arena.cli.PLUGIN_GROUP)
        for name, value in (("pour", "tavern:pour"), ("fetch", "cellar:fetch"))
    )
    monkeypatch.setattr(arena.cli, "entry_points", lambda group: plugins.select(group=group))
    assert arena.cli.run(["--help"]) == 0
    listed = capsys.readouterr().out
    assert "Pour drinks." in listed
    assert "(not installed: needs a_library_that_nobody_has)" in listed
    assert arena.cli.run(["pour", "2"]) == 3
    assert capsys.readouterr().out == "cheers cheers \n"
    assert arena.cli.run(["fetch", "--all", "x"]) == 2
    assert "'botequim fetch' needs the library a_library_that_nobody_has" in one_line_error(
        capsys.readouterr().err
    )


def test_a_closed_pipe_is_not_an_error(tmp_path: Path) -> None:
    records = [json.loads(record_line("truco", 0, 0))] * 300
    path = write(tmp_path / "same.jsonl", records)
    program = subprocess.Popen([*PROGRAM, "verify", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert program.stdout is not None
    program.stdout.readline()
    program.stdout.close()
    assert program.stderr is not None
    assert program.stderr.read() == b""
    assert program.wait(timeout=PATIENCE) == 1


def test_ctrl_c_is_quiet(tmp_path: Path) -> None:
    fifo = tmp_path / "endless"
    os.mkfifo(fifo)
    program = subprocess.Popen(
        [*PROGRAM, "verify", str(fifo)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A background job of a shell ignores Ctrl-C, and so would its children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    with fifo.open("wb"):
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=PATIENCE)
    assert (out, err.strip(), program.returncode) == (b"", b"", 130)


# verify


def test_all_verified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = [*group("truco"), *group("toepen", "g2"), json.loads(record_line("toepen", 3, 1, 0.05))]
    path = write(tmp_path / "records.jsonl", records)
    zipped = tmp_path / "records.jsonl.gz"
    zipped.write_bytes(gzip.compress(Path(path).read_bytes()))
    for file in (path, str(zipped)):
        assert arena.cli.run(["verify", file]) == 0
        assert capsys.readouterr().out.startswith("7 records, all verified (")
    run = run_program("verify", "-", stdin=zipped.read_bytes())
    assert run.returncode == 0
    assert run.stdout.startswith(b"7 records, all verified (")


def test_errors_name_the_line_and_the_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = [json.loads(record_line("truco", 0, number)) for number in range(3)]
    records[1]["canonical"]["outcome"]["scores"][0] += 1
    records[2]["canonical"]["outcome"]["scores"][0] += 1
    rehash(records[2])
    path = write(tmp_path / "records.jsonl", records)
    assert arena.cli.run(["verify", path]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(": ")[:3] for line in lines[:-1]] == [
        [f"{path}:2", "game truco-1", "hash"],
        [f"{path}:2", "game truco-1", "outcome.scores"],
        [f"{path}:3", "game truco-2", "outcome.scores"],
    ]
    assert lines[-1].startswith("3 records, 2 wrong (")


def test_groups_are_checked_unless_the_file_is_an_extract(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = group("truco") + group("truco", "g2", first=9)
    path = write(tmp_path / "records.jsonl", records[:3])
    assert arena.cli.run(["verify", path]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{path}: group g2: 1 of its 2 games are missing: 1 (--partial allows extracts)"
    assert lines[1].startswith("3 records, 1 incomplete group (")
    assert arena.cli.run(["verify", "--partial", path]) == 0
    assert arena.cli.run(["verify", write(tmp_path / "one.json", records[:1])]) == 0
    capsys.readouterr()
    assert arena.cli.run(["verify", write(tmp_path / "twice.jsonl", [*records, records[0]])]) == 1
    assert f"{tmp_path / 'twice.jsonl'}:5: game g1-0: it occurs twice in this file" in capsys.readouterr().out


def test_unreadable_input_does_not_hide_the_rest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text(record_line("truco") + "\n" + record_line("truco", 1)[:100] + "\n{}\n")
    damaged = tmp_path / "damaged.gz"
    damaged.write_bytes(gzip.compress((record_line("toepen") + "\n").encode() * 2)[:-4])
    empty = tmp_path / "empty.jsonl"
    empty.write_text("\n")
    assert arena.cli.run(["verify", str(path)]) == 2
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{path}:2: not JSON: ")
    assert lines[1].startswith(f"{path}:3: the top: not a record: ")
    assert lines[2].startswith("3 records, 1 wrong, 1 unreadable (")
    assert arena.cli.run(["verify", str(damaged), str(empty), str(tmp_path / "none"), str(path)]) == 2
    captured = capsys.readouterr()
    message = one_line_error(captured.err)
    for part in (
        f"{damaged}: damaged gzip data",
        f"there is no record in {empty}",
        f"cannot read {tmp_path / 'none'}",
    ):
        assert part in message
    assert captured.out.splitlines()[-1].startswith("5 records, 2 wrong, 1 unreadable (")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_many_records_keep_their_order_whatever_the_jobs(
    tmp_path: Path, jobs: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [
        record_line(kind, 2, 0).replace(f'"{kind}-0"', f'"{kind}-{n}"')
        for n in range(130)
        for kind in ("truco", "toepen")
    ]
    path = tmp_path / "many.jsonl"
    path.write_text("\n".join(lines))
    assert arena.cli.run(["verify", "--jobs", jobs, str(path)]) == 1
    output = capsys.readouterr().out.splitlines()
    # All but the first of each kind have a game id that their hash does not know.
    assert [line.split(": ")[0] for line in output[:-1]] == [f"{path}:{n}" for n in range(3, 261)]
    assert output[-1].startswith("260 records, 258 wrong (")


@pytest.mark.parametrize("command", ["verify", "replay", "explain", "luck", "leaderboard"])
def test_empty_lines_without_end(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "bomb.jsonl.gz"
    with gzip.open(file, "wb") as out:
        out.write(b"\n" * (1 << 21))
    assert arena.cli.run([command, str(file)]) == 2
    assert "more than 1 MiB of empty lines; expected one record per line" in capsys.readouterr().err


@pytest.mark.parametrize("command", [("verify",), ("replay", "--number=99999"), ("leaderboard",)])
def test_a_small_file_does_not_contain_much(
    command: tuple[str, ...],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arena.records.record.MAX_RECORD_BYTES", 1 << 18)
    file = tmp_path / "bomb.jsonl.gz"
    line = record_line("toepen").encode() + b"\n"
    with gzip.open(file, "wb", 9) as out:
        out.write(line * (4_000_000 // len(line)))
    assert arena.cli.run([*command, str(file)]) == 2
    assert "the file contains more than 100 times its size" in capsys.readouterr().err


def test_at_most_100_problems_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = json.loads(record_line("truco"))
    record["canonical"]["faults"] = [{"seat": 0, "type": "late", "after": 0}] * 500
    assert arena.cli.run(["verify", write(tmp_path / "one.json", [record])]) == 1
    assert 100 <= len(capsys.readouterr().out.splitlines()) <= 105


def test_verify_stops_after_many_problems(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.cli.verify.MOST_WRONG", 150)
    file = tmp_path / "bomb.jsonl.gz"
    with gzip.open(file, "wb") as out:
        out.write(b"{}\n" * 1000)
    assert arena.cli.run(["verify", "--jobs", "1", str(file)]) == 2
    printed = capsys.readouterr()
    assert len(printed.out.splitlines()) < 160
    assert "bomb.jsonl.gz:150: stopped after 150 records with problems" in printed.err
