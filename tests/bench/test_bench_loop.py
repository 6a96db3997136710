"""``python -m benchmarks.loop`` measures every page from end to end; no speed is tested."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.pages import PATHS
from tests.service import environment

TINY = ["--part", "pages", "--groups", "1", "--bots", "100", "--tournaments", "45", "--actions", "1000"]


@pytest.mark.nightly("benchmarks")
def test_the_command_measures_every_page(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.loop", *TINY]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=600
    )
    lines = re.findall(r"^ +[\d.]+ +[\d.]+ +[\d,]+  GET .+: (\d{3})$", done.stdout, re.M)
    assert len(lines) == sum(len(paths.split()) for paths in PATHS.values()), done.stdout + done.stderr
    assert set(lines) <= {"200", "404"}
    assert re.search(r"for more than 100 ms, 0 fail$", done.stdout, re.M)
    assert re.search(r"^the median page costs [\d.]+ ms; at most 15 are allowed$", done.stdout, re.M)
    assert list(tmp_path.iterdir()) == []
