"""The soak scripts on a small scale; ``BOTEQUIM_SOAK`` multiplies the number of games."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.soak import kills, processes

SCALE = int(os.environ.get("BOTEQUIM_SOAK", "1"))

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("curl", [False, True], ids=["sdk", "curl"])
def test_four_processes_play_over_http(curl: bool, tmp_path: Path) -> None:
    counts = processes.play(tmp_path, 3 * SCALE, curl=curl, seconds=300 * SCALE)
    assert counts["truco"] == counts["toepen"] == 3 * SCALE
    assert counts["faults"] == 0


@pytest.mark.parametrize("target", kills.TARGETS)
def test_nothing_is_lost_when_parts_are_killed(target: str, tmp_path: Path) -> None:
    counts = kills.play(tmp_path, 6 * SCALE, target, pause=2, seconds=300 * SCALE)
    assert counts["truco"] == counts["toepen"] == 3 * SCALE
