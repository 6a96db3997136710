"""What a newcomer sees: a filled leaderboard soon after the first start, and their bot in the next round."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.client import Client
from tests.service import Service
from tests.waiting import wait_until

pytestmark = pytest.mark.system

KINDS = ("truco", "toepen")
OF_PRESETS = ("truco-paulista", "truco-paulista-2", "truco-mineiro")
NAMES = (*KINDS, *OF_PRESETS)
FIRST = {f"first-{name}" for name in NAMES}
BOARDS = [(kind, None) for kind in KINDS] + [("truco", f"{name[6:]}@1") for name in OF_PRESETS]


def names(client: Client, kind: str, preset: str | None) -> set[str]:
    """The bots on the board of uploaded and house bots."""
    return {row["name"] for row in json.loads(client.leaderboard(kind, "sealed", preset=preset))["rows"]}


@pytest.mark.nightly("boards")
def test_a_new_service_fills_its_boards_by_itself_and_only_once(tmp_path: Path) -> None:
    with Service(tmp_path, BOTEQUIM_SEED="1") as service:
        client = service.client()
        everybody = {"random", "rookie", "regular", "barfly"}
        for board in BOARDS:
            wait_until(lambda board=board: names(client, *board) >= everybody, seconds=300, pause=0.5)  # type: ignore[misc]
            assert names(client, *board) == everybody
        made = {one["id"] for one in client.tournaments()}
        assert made >= FIRST
        schedules = {schedule["id"] for schedule in client.schedules()}
        of_boards = {f"{division}-{name}" for division in ("house", "sealed") for name in NAMES}
        assert schedules == of_boards | {f"models-{kind}" for kind in KINDS}
        assert all(schedule["enabled"] for schedule in client.schedules())
        # Nobody has handed in a bot.
        assert not any(one["id"].startswith("sealed-") for one in client.tournaments())
    with Service(tmp_path, port=service.port, BOTEQUIM_SEED="1") as service:
        client = service.client()
        before = [one["id"] for one in client.tournaments() if one["id"] in FIRST]
        assert sorted(before) == sorted(FIRST)
        # The scheduler has been there: it is what makes the tournaments of schedules.
        service.wait_for("workers:")
        assert {schedule["id"] for schedule in client.schedules()} == schedules
