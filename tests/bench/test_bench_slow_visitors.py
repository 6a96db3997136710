"""``python -m benchmarks.slow_visitors`` works from end to end and prints every line; no speed is tested."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.proxy import caddy
from benchmarks.slow_visitors import KINDS, Visitors
from tests.service import environment
from tests.waiting import wait_until

TINY = [
    "--rounds",
    "1",
    "--seconds",
    "1",
    "--players",
    "2",
    "--heads",
    "3",
    "--bodies",
    "3",
    "--readers",
    "1",
]


@pytest.mark.nightly("benchmarks")
@pytest.mark.skipif(caddy() is None, reason="needs caddy")
def test_the_command_prints_every_line(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.slow_visitors", *TINY]
    settings = environment(COLUMNS="120")
    done = subprocess.run(command, cwd=tmp_path, env=settings, capture_output=True, text=True, timeout=300)
    rows = [[cell.strip() for cell in line.strip("│").split("│")] for line in done.stdout.splitlines()]
    names = [row[0] for row in rows if row[0].startswith(("2 play", "and "))]
    visitors = ("3 slow heads", "3 slow bodies", "1 slow readers")
    assert names == [name for kind in visitors for name in ("2 play", f"and {kind}")], done.stderr
    # So short a round says nothing about the ratio, only that the command fails by it.
    assert done.returncode == (2 if "NOT shown" in done.stdout else 0)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_visitor_comes_again_when_its_connection_is_closed(kind: str) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        Visitors(server.getsockname()[1], kind, 1) as visitors,
    ):
        first, _ = server.accept()
        assert first.recv(1) == KINDS[kind][:1]
        first.close()
        second, _ = server.accept()
        with second:
            wait_until(lambda: visitors.opened == 2)
