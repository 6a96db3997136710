"""The benchmark of the workers runs and prints a ratio per game."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.service import environment


def ratios(folder: Path, *options: str) -> list[float]:
    command = [sys.executable, "-m", "benchmarks.tournaments", "--times", "1", *options]
    done = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines()[1:]]
    assert [row[0] for row in rows] == ["truco", "toepen"]
    return [float(row[3]) for row in rows]


@pytest.mark.nightly("benchmarks")
def test_a_worker_is_measured_beside_the_local_runner(tmp_path: Path) -> None:
    # 0.8 and more where nothing else runs (docs/performance.md): here anything may run.
    assert min(ratios(tmp_path, "--groups", "10")) > 0


@pytest.mark.nightly("benchmarks")
def test_uploaded_bots_are_measured_beside_house_bots(tmp_path: Path) -> None:
    assert min(ratios(tmp_path, "--groups", "10", "--uploaded")) > 0
