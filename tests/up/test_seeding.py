"""What a newcomer sees: a filled leaderboard soon after the first start, and their bot in the next round."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from arena.client import Client
from tests.service import Service

KINDS = ("truco", "toepen")
FIRST = {"first-truco", "first-toepen"}


def board(client: Client, kind: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(client.leaderboard(kind, "sealed"))
    return found


def test_a_new_service_fills_its_boards_by_itself_and_only_once(tmp_path: Path) -> None:
    with Service(tmp_path, BOTEQUIM_SEED="1") as service:
        client = service.client()
        deadline = time.monotonic() + 120
        while not all(board(client, kind)["rows"] for kind in KINDS):
            assert time.monotonic() < deadline
            time.sleep(0.5)
        for kind in KINDS:
            assert {row["name"] for row in board(client, kind)["rows"]} == {"random", "rookie", "regular"}
        made = {one["id"] for one in client.tournaments()}
        assert made >= FIRST
        schedules = {schedule["id"] for schedule in client.schedules()}
        assert schedules == {f"{division}-{kind}" for division in ("house", "sealed") for kind in KINDS}
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
