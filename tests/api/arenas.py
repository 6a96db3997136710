"""Tournaments for the tests: announced to begin at once, and played as the workers do."""

from __future__ import annotations

import time
from typing import Any

from arena.ops.service import Service
from tests.api.contract import ContractClient
from tests.waiting import PATIENCE


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def announce(client: ContractClient, body: dict[str, Any]) -> str:
    """Announce a tournament that begins as soon as this machine can say so in time; its id."""
    for entry_ms in (300, 3000, 30_000):
        response = client.post("/v1/tournaments", json={"locks_ms": now_ms() + entry_ms, **body})
        if response.status_code != 422 or response.json.get("field") != "locks_ms":
            break
    assert response.status_code == 201, response.text
    event: str = response.json["id"]
    return event


def wait_for_lock(services: Service, event: str) -> None:
    """Until entry is locked."""
    view = services.tournaments.view(event)
    time.sleep(max(0, view["locks_ms"] - now_ms()) / 1000 + 0.005)


def play(services: Service, event: str, seconds: float = PATIENCE) -> None:
    """Until the tournament is over."""
    wait_for_lock(services, event)
    deadline = time.monotonic() + seconds
    while (state := services.tournaments.step(event).state) not in ("finished", "cancelled"):
        assert time.monotonic() < deadline, state
        if not services.tournaments.play_local_groups(event).groups:
            time.sleep(0.02)
