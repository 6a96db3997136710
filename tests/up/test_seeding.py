"""What a newcomer sees: a filled leaderboard soon after the first start, and their bot in the next round."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.client import Client
from tests.service import Service
from tests.waiting import wait_until

KINDS = ("truco", "toepen")
FIRST = {"first-truco", "first-toepen"}


def names(client: Client, kind: str) -> set[str]:
    """The bots on the board of uploaded and house bots."""
    return {row["name"] for row in json.loads(client.leaderboard(kind, "sealed"))["rows"]}


@pytest.mark.system
def test_a_new_service_fills_its_boards_by_itself_and_only_once(tmp_path: Path) -> None:
    with Service(tmp_path, BOTEQUIM_SEED="1") as service:
        client = service.client()
        everybody = {"random", "rookie", "regular"}
        for kind in KINDS:
            wait_until(lambda kind=kind: names(client, kind) >= everybody, seconds=300, pause=0.5)  # type: ignore[misc]
            assert names(client, kind) == everybody
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
