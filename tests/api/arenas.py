"""Tournaments for the tests: announced to begin at once, and played as the workers do."""

from __future__ import annotations

import time
from typing import Any

from arena.ops.service import Service
from arena.ratings import board
from tests.api.contract import ContractClient
from tests.live.clock import close_entry
from tests.live.snapshots import made_once
from tests.waiting import PATIENCE


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def announce(client: ContractClient, body: dict[str, Any]) -> str:
    """Announce a tournament, by default with an entry that is open until the test ends it; its id."""
    response = client.post("/v1/tournaments", json={"locks_ms": now_ms() + 3_600_000, **body})
    assert response.status_code == 201, response.text
    event: str = response.json["id"]
    return event


def lock(services: Service, event: str) -> None:
    """End the entry."""
    if services.tournaments.view(event)["state"] == "entry":
        close_entry(services.tournaments, event)


def play(services: Service, event: str, seconds: float = PATIENCE) -> None:
    """Until the tournament is over."""
    lock(services, event)
    deadline = time.monotonic() + seconds
    while (state := services.tournaments.step(event).state) not in ("finished", "cancelled"):
        assert time.monotonic() < deadline, state
        if not services.tournaments.play_local_groups(event).groups:
            time.sleep(0.02)


def play_models(
    services: Service, admin: ContractClient, owner: ContractClient, agent: ContractClient, name: str
) -> None:
    """Play a Toepen tournament for language models and publish its board. The bot ``name``, which is not
    qualified yet, resigns all its games, so that the table plays for it.
    """
    row = ["qualified", f"q-{name}", 1, 0, "", None, ""]
    services.store.qualifications.add(f"toepen/{name}/1", row)
    body = {"name": "Models", "kind": "toepen", "format": "round_robin", "division": "models"}
    event = announce(admin, {**body, "preset": "duel@1", "house": ["rookie"], "clock": {"preset": "patient"}})
    assert owner.post(f"/v1/tournaments/{event}/entries", json={"bot": name}).status_code == 200
    lock(services, event)
    deadline = time.monotonic() + PATIENCE
    while (state := services.tournaments.step(event).state) != "finished":
        assert time.monotonic() < deadline, state
        for listed in admin.get("/v1/games?state=running").json["games"]:
            agent.post(f"/v1/games/{listed['game']}/resign", json={})
            services.move_house_bots(listed["game"], "")
            services.finish_game(listed["game"])
    assert services.boards.publish("toepen", "models")


def play_rated(services: Service, admin: ContractClient, groups: int) -> Service:
    """Play a Truco tournament of house bots and publish its board with the matchups; once in a process."""
    name = ("a rated Truco board", groups, board.SETTLED_GROUPS)
    made_once(services, name, lambda: play_anew(services, admin, groups))
    return services


def play_anew(services: Service, admin: ContractClient, groups: int) -> None:
    """The same, in each case that asks for it: its games have just been played."""
    body = {"name": "Cup", "kind": "truco", "format": "round_robin", "groups": groups}
    play(services, announce(admin, {**body, "house": ["rookie", "random", "rookie+2"]}))
    assert services.boards.publish("truco", "sealed")
    assert services.matchups.compute("truco", "sealed")
