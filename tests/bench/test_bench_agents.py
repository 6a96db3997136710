"""``python -m benchmarks.agents`` works from end to end and prints every line; no speed is tested."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.agents import AgentsReport
from benchmarks.beside import CrowdSample
from benchmarks.http.load import Load
from tests.service import environment

TINY = ["--rounds", "2", "--seconds", "1", "--agents", "5", "--players", "2"]


@pytest.mark.nightly("benchmarks")
def test_the_command_prints_every_line(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.agents", *TINY]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    figures = r"[\d,]+ answers/s, p50 [\d.]+ ms, p99 [\d.]+ ms, server [\d,?]+ µs per answer"
    assert re.search(rf"^2 play: {figures}$", done.stdout, re.MULTILINE)
    assert re.search(rf"^2 play, 5 agents wait: {figures}$", done.stdout, re.MULTILINE)
    assert re.search(r"^beside over alone: answers/s [\d.]+, p50 [\d.]+, p99 [\d.]+$", done.stdout, re.M)
    # All wait in both rounds, and longer than these last.
    assert "the agents began 10 waits of 20 s" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_ratios_are_medians_over_rounds() -> None:
    def samples(*answers: int) -> list[CrowdSample]:
        return [CrowdSample(Load(count, 2.0, [0.1]), None) for count in answers]

    report = AgentsReport(False, samples(10, 20, 40), samples(9, 10, 40), 0)
    assert report.rate_ratio == 0.9
