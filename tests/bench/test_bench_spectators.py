"""``python -m benchmarks.spectators`` works from end to end and prints every line; no speed is tested."""

from __future__ import annotations

import gzip
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.beside import CrowdSample
from benchmarks.http.load import BenchFailed, Load
from benchmarks.spectators.crowd import Got, Spectator
from benchmarks.spectators.measure import CrowdReport
from benchmarks.spectators.pages import first_loads
from tests.service import environment
from tests.waiting import PATIENCE

TINY = ["--rounds", "2", "--seconds", "1", "--spectators", "5", "--players", "2"]

STREAM = (
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"d\r\nretry: 1000\n\n\r\n20\r\n"
    b'event: table\ndata: {"picture":{}}\n\n\r\n30\r\n'
    b'event: moves\ndata: {"changes":[{"a":1},{"b":2}]}\n\n\r\n8\r\n: ping\n\n\r\n'
)


@pytest.mark.nightly("benchmarks")
def test_the_command_prints_every_line(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.spectators", *TINY]
    settings = environment(COLUMNS="120")
    done = subprocess.run(command, cwd=tmp_path, env=settings, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    rows = [[cell.strip() for cell in line.strip("│").split("│")] for line in done.stdout.splitlines()]
    assert [row[0] for row in rows if row[0].startswith("2 play")] == ["2 play", "2 play, 5 watch"]
    loads = {row[0]: row[4] for row in rows if len(row) == 5 and "shown" in row[4]}
    assert set(loads.values()) == {"shown"}
    assert {"home", "leaderboard", "replay", "live table", "API reference"} <= set(loads)
    assert {"play", "lesson", "in one minute, truco", "table, truco", "table, toepen"} <= set(loads)
    assert re.search(r"^beside over alone: answers/s [\d.]+, p50 [\d.]+, p99 [\d.]+$", done.stdout, re.M)
    sent = dict(re.findall(r"^(\w+): (\d+) bytes per move and spectator, .*: shown$", done.stdout, re.M))
    assert set(sent) == {"truco", "toepen"}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.nightly("benchmarks")
def test_the_exhibition_is_measured(tmp_path: Path) -> None:
    tiny = ["--rounds", "1", "--seconds", "6", "--spectators", "5", "--players", "2"]
    command = [sys.executable, "-m", "benchmarks.spectators", *tiny, "--exhibition"]
    settings = environment(COLUMNS="120")
    done = subprocess.run(command, cwd=tmp_path, env=settings, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^exhibition: [\d.]+ s of processor time per hour$", done.stdout, re.M)
    assert re.search(r"^tables: \d+ bytes per move and spectator", done.stdout, re.M)


def test_too_long_rounds_are_refused(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.spectators", "--seconds", "31"]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("botequim: error: ")


@pytest.fixture
def spectator() -> Iterator[Spectator]:
    with socket.socket() as unused:
        yield Spectator(unused, counts=True)


@pytest.mark.parametrize("split", [1, 7, 100, 10_000])
def test_streams_are_read_however_they_come(split: int, spectator: Spectator) -> None:
    got = Got()
    for at in range(0, len(STREAM), split):
        spectator.take(STREAM[at : at + split], got)
    assert spectator.has_table
    moves = b'event: moves\ndata: {"changes":[{"a":1},{"b":2}]}\n\n'
    assert (got.messages, got.moves, got.move_bytes, got.tables) == (2, 2, len(moves), 0)
    spectator.take(STREAM, got)
    assert got.tables == 1


@pytest.mark.parametrize("received", [b"", b'event: reconnect\ndata: {"code":"come_back"}\n\n'])
def test_a_stream_that_ends_ends_the_benchmark(received: bytes, spectator: Spectator) -> None:
    with pytest.raises(BenchFailed):
        spectator.take(received, Got())


def test_ratios_are_medians_over_rounds() -> None:
    def samples(*answers: int) -> list[CrowdSample]:
        return [CrowdSample(Load(count, 2.0, [0.1, count / 10]), None) for count in answers]

    report = CrowdReport(
        False, samples(10, 20, 40), samples(9, 10, 40), ["truco"] * 3, [Got(moves=2, move_bytes=300)] * 3, {}
    )
    assert report.rate_ratio == 0.9
    assert report.latency_ratio(0.5) == 0.9
    assert (report.bytes_per_move("truco"), report.bytes_per_move("toepen")) == (150, None)


def test_a_first_load_has_all_resources_once() -> None:
    bodies = {
        "http://x/": b'<link rel=stylesheet href="/a.css?v=1"><script src="b.js"></script><img src="/i.svg">',
        "http://x/a.css?v=1": b"a { background: url('/i.svg') } b { fill: url(#mark) }",
        "http://x/b.js": b'import "./c.js";\nlet x = 1;',
        "http://x/c.js": b"let y = 2;",
        "http://x/i.svg": b"<svg/>",
    }
    asked: list[str] = []

    def body(address: str) -> bytes:
        asked.append(address)
        return bodies[address]

    loaded = first_loads("http://x", {"one": "/", "again": "/"}, body)
    assert loaded["one"] == loaded["again"]
    assert (loaded["one"].resources, loaded["one"].plain) == (5, sum(map(len, bodies.values())))
    assert loaded["one"].compressed == sum(len(gzip.compress(one, 6)) for one in bodies.values())
    assert sorted(asked) == sorted([*bodies, "http://x/"])
