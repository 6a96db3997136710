"""``python -m benchmarks.http`` works from end to end and prints every line; no speed is tested."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import benchmarks
from benchmarks.http.load import BenchFailed, Load, body_of
from benchmarks.http.measure import Bytes, Report, Sample
from tests.service import environment
from tests.waiting import PATIENCE

TINY = ["--rounds", "1", "--waiting-rounds", "1", "--seconds", "0.2", "--connections", "4", "--answers", "4"]


@pytest.mark.nightly("benchmarks")
def test_the_command_prints_every_line(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.http", *TINY, "--waiters", "6", "--players", "3"]
    settings = environment(COLUMNS="120")
    done = subprocess.run(command, cwd=tmp_path, env=settings, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    rows = [[cell.strip() for cell in line.strip("│").split("│")] for line in done.stdout.splitlines()]
    numbers = {row[0]: row[1:] for row in rows if len(row) == 6}
    names = ["bare route", "turns, 1 answer", "turns, 4 answers", "3 play, none wait", "3 play, 6 wait"]
    assert list(numbers) == names
    for cells in numbers.values():
        assert all(re.fullmatch(r"[\d,.]+|\?", cell) for cell in cells), cells
        assert float(cells[0].replace(",", "")) > 0
    goals = {row[0]: row[4] for row in rows if len(row) == 5}
    assert list(goals) == [
        "1 answer, over the bare route",
        "4 answers, over 1",
        "beside 6 waiting, over alone",
    ]
    assert set(goals.values()) <= {"shown", "NOT shown"}
    read, written = re.findall(r"^a move: (\d+) bytes read, (\d+) bytes written$", done.stdout, re.MULTILINE)[
        0
    ]
    assert 200 < int(read) < 20_000
    assert 200 < int(written) < 20_000
    assert list(tmp_path.iterdir()) == []


@pytest.mark.nightly("benchmarks")
def test_a_commit_is_as_fast_as_itself_within_wide_bounds(tmp_path: Path) -> None:
    # As `make bench-http` makes it.
    made = tmp_path / "made"
    made.mkdir()
    for part in Path(sys.prefix).iterdir():
        (made / part.name).symlink_to(part)
    (made / "benchmarks").symlink_to(Path(benchmarks.__file__).parent)
    size = ["--rounds", "2", "--waiting-rounds", "2", "--seconds", "0.2", "--waiters", "6"]
    command = [sys.executable, "-m", "benchmarks.http.by_turns", str(made), str(made), *size]
    settings = environment(COLUMNS="120")
    done = subprocess.run(command, cwd=tmp_path, env=settings, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    rows = [[cell.strip() for cell in line.strip("│").split("│")] for line in done.stdout.splitlines()]
    ratios = {row[0]: float(row[1]) for row in rows if len(row) == 5}
    names = ["bare route", "turns, 1 answer", "turns, 32 answers", "50 play, none wait", "50 play, 6 wait"]
    assert list(ratios) == names
    assert all(0.01 < ratio < 100 for ratio in ratios.values()), ratios


def test_what_cannot_be_measured_is_an_error_in_a_line(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.http", "--answers", "1"]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("botequim: error: ")


def sample(answers: int, cpu: float | None) -> Sample:
    return Sample(Load(answers, 2.0, [0.1]), cpu, cpu)


def report(one: Sequence[Sample], other: Sequence[Sample]) -> Report:
    return Report(False, Bytes(1, 1), {"one": one, "other": other}, [])


def test_ratios_are_medians_over_rounds() -> None:
    found = report(
        [sample(n, 1.0) for n in (10, 90, 30)], [sample(10, 0.5), sample(10, 2.0), sample(10, 1.0)]
    )
    assert found.rate_ratio("one", "other") == 3
    # 10 over 20, 90 over 5, 30 over 10
    assert found.cpu_ratio("one", "other") == 3
    assert report([sample(1, None)], [sample(1, 1.0)]).cpu_ratio("one", "other") is None


@pytest.mark.parametrize("split", [1, 20, 60, 10_000])
def test_replies_are_read_however_they_come(split: int) -> None:
    reply = b"HTTP/1.1 200 OK\r\nServer: x\r\nContent-Length: 5\r\n\r\nhello"
    data = bytearray(reply[:split])
    assert body_of(data) == (b"hello" if split >= len(reply) else None)
    data += reply[split:]
    assert body_of(data) == b"hello"


def test_a_refusal_ends_the_benchmark() -> None:
    with pytest.raises(BenchFailed, match="429"):
        body_of(bytearray(b"HTTP/1.1 429 TOO MANY REQUESTS\r\nContent-Length: 0\r\n\r\n"))
