"""The soak scripts on a small scale; ``BOTEQUIM_SOAK`` multiplies the number of games."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.soak import arena, bill, faulty, hostile, kills, processes, submit, webhooks
from tests.waiting import PATIENCE

SCALE = int(os.environ.get("BOTEQUIM_SOAK", "1"))


@pytest.mark.nightly("soak")
def test_two_uploaded_files_reach_the_leaderboards(tmp_path: Path) -> None:
    """The first, because it waits for minutes, and the others run meanwhile."""
    lines: list[str] = []
    counts = submit.play(tmp_path, lines.append, soon=True)
    assert counts["decisions"] > counts["games"] > 0
    for kind in submit.BOTS:
        # ``bot submit`` waits until the bot is on the board, and ends with its place there.
        place = re.compile(rf"  {kind}: (provisional: |rank )\d+ .*: http\S+/leaderboards/{kind}")
        assert any(map(place.fullmatch, lines)), lines


@pytest.mark.parametrize(
    "curl",
    [
        pytest.param(False, id="sdk", marks=pytest.mark.system),
        pytest.param(True, id="curl", marks=pytest.mark.nightly("soak")),
    ],
)
def test_four_processes_play_over_http(curl: bool, tmp_path: Path) -> None:
    counts = processes.play(tmp_path, 3 * SCALE, curl=curl, seconds=PATIENCE * SCALE)
    assert counts["truco"] == counts["toepen"] == 3 * SCALE
    assert counts["faults"] == 0


@pytest.mark.nightly("soak")
@pytest.mark.parametrize("target", kills.TARGETS)
def test_nothing_is_lost_when_parts_are_killed(target: str, tmp_path: Path) -> None:
    counts = kills.play(tmp_path, 6 * SCALE, target, pause=2, seconds=PATIENCE * SCALE)
    assert counts["truco"] == counts["toepen"] == 3 * SCALE
    assert counts["archived"] > 0


@pytest.mark.nightly("soak")
def test_nothing_is_lost_with_an_object_store(tmp_path: Path) -> None:
    counts = kills.play(tmp_path, 12 * SCALE, "database", archive="s3", pause=2, seconds=PATIENCE * SCALE)
    assert counts["archived"] == 12 * SCALE
    assert counts["archived"] >= 8 * SCALE
    assert counts["archiver starts"] > 1


@pytest.mark.nightly("soak")
@pytest.mark.parametrize("kind", arena.KINDS)
def test_a_tournament_has_the_same_result_whatever_is_killed(kind: str, tmp_path: Path) -> None:
    outcome, killed, counts = arena.compare(tmp_path, kind, 120 * SCALE, 1.0, seed=1)
    assert outcome.records == counts["archived"] == 240 * SCALE
    # The faster the machine, the fewer kills fit into the tournament.
    assert sum(killed.values()) >= 2


@pytest.mark.nightly("soak")
def test_a_tournament_has_the_same_result_with_an_object_store(tmp_path: Path) -> None:
    outcome, killed, counts = arena.compare(tmp_path, "toepen", 60 * SCALE, 1.0, seed=2, archive="s3")
    assert outcome.records == counts["archived"] == 120 * SCALE
    # The faster the machine, the fewer kills fit into the tournament.
    assert killed["archiver"] >= 1
    assert sum(killed.values()) >= 2


@pytest.mark.nightly("soak")
def test_webhook_bots_play_over_http(tmp_path: Path) -> None:
    counts = webhooks.play(tmp_path, 10 * SCALE, seconds=PATIENCE * SCALE)
    assert counts["truco"] == counts["toepen"] == 5 * SCALE
    assert counts["faults"] == 0


@pytest.mark.nightly("soak")
@pytest.mark.parametrize("kind", faulty.KINDS)
def test_faulty_bots_harm_only_themselves(kind: str, tmp_path: Path) -> None:
    rows = faulty.play(tmp_path, kind)
    assert len(rows) == 7


@pytest.mark.nightly("soak")
def test_hostile_modules_are_ended_beside_honest_bots(tmp_path: Path) -> None:
    calls = hostile.play(tmp_path, 40 * SCALE, lambda line: None, groups=20)
    ended = [call for call in calls if call.bot != hostile.HONEST]
    assert len(ended) >= 40 * SCALE
    assert sum(call.fault != "" for call in ended) >= 40 * SCALE


@pytest.mark.nightly("soak")
def test_the_sum_of_all_charges_is_the_processor_time_of_the_workers(tmp_path: Path) -> None:
    found = bill.measure(tmp_path, 100 * SCALE, 30, lambda line: None)
    assert abs(found.difference) < bill.MOST_DIFFERENCE, found
    assert found.accounts.keys() == {"olga", "pia", "rita", "all guests", "the arena itself"}
