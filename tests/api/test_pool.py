"""The pool of house bots: one of them plays, drawn by lot at the lock."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from hmac import digest
from typing import Any

import pytest

from arena.bots import POOL_BOTS
from arena.events.creation import new_tournament
from arena.events.editing import settings_of
from arena.events.house_entries import draw_from_pool
from arena.events.tournament import Tournament
from arena.ops.service import Service
from tests.api.arenas import announce, now_ms, play
from tests.api.conftest import Account
from tests.api.contract import ContractClient
from tests.api.pages import Browser
from tests.api.test_web_pages import check_page

CUP: dict[str, Any] = {"name": "Cup", "kind": "toepen", "preset": "duel@1", "format": "round_robin"}


def lot(seed: str, name: str) -> bytes:
    """As docs/fair-deals.md describes it."""
    return digest(bytes.fromhex(seed), b"botequim lot v1\0pool\0" + name.encode(), "sha256")


def made(seed: int, *house: str) -> Tournament:
    fields = {**CUP, "locks_ms": 2, "house": house}
    return new_tournament(fields, "cup", "ana", 1, seed.to_bytes(32, "big"))


def test_one_bot_of_the_pool_plays(
    services: Service, owner: Account, anybody: ContractClient, browser: Browser
) -> None:
    event = announce(owner.client, {**CUP, "house": ["rookie", "pool"], "baseline": ["pool"]})
    before = anybody.get(f"/v1/tournaments/{event}").json["entries"][1]
    assert (before["bot"], before["version"], before["drawn"]) == ("pool", "by lot", False)
    assert '<th scope="row" class="text">pool</th>' in check_page(browser.get(f"/tournaments/{event}")).html
    play(services, event)
    view = anybody.get(f"/v1/tournaments/{event}").json
    name = min(POOL_BOTS, key=lambda name: lot(view["seed"], name))
    (entry,) = [one for one in view["entries"] if one["drawn"]]
    assert (entry["bot"], entry["house"], entry["baseline"]) == (name, True, True)
    rows = anybody.get(f"/v1/tournaments/{event}/standings").json["rows"]
    assert {row["name"]: row["groups"] > 0 for row in rows} == {"rookie": True, name: True}
    assert "baseline, drawn by lot</span>" in check_page(browser.get(f"/tournaments/{event}")).html
    again = owner.client.post(f"/v1/tournaments/{event}/clone", json={"locks_ms": now_ms() + 3_600_000}).json
    assert sorted(one["bot"] for one in again["entries"]) == ["pool", "rookie"]


def test_the_lot_follows_from_the_seed_and_is_even() -> None:
    drawn = Counter[str]()
    for seed in range(100):
        tournament = made(seed, "rookie", "pool")
        draw_from_pool(tournament)
        entry = tournament.entries[1]
        assert entry.name == min(POOL_BOTS, key=lambda name: lot(tournament.seed, name))
        assert settings_of(tournament)["house"] == ["rookie", "pool"]
        assert Tournament.loads(tournament.dumps()).entries[1] == entry
        drawn[entry.name] += 1
    assert all(30 < drawn[name] < 70 for name in POOL_BOTS)


@pytest.mark.parametrize("name", POOL_BOTS)
def test_a_bot_that_has_entered_itself_is_not_drawn(name: str) -> None:
    for seed in range(8):
        tournament = made(seed, name, "pool")
        draw_from_pool(tournament)
        assert sorted(entry.name for entry in tournament.entries) == sorted(POOL_BOTS)
        assert {entry.status for entry in tournament.entries} == {"qualified"}


def test_the_pool_needs_a_bot() -> None:
    tournament = made(1, *POOL_BOTS, "pool")
    draw_from_pool(tournament)
    assert [entry.status for entry in tournament.entries] == ["qualified", "qualified", "failed"]


def test_the_pool_is_no_bot(owner: Account, register: Callable[..., Account]) -> None:
    for name in ("pool", "barfly"):
        assert owner.client.post("/v1/bots", json={"name": name}).json["code"] == "name_taken"
    assert owner.client.get("/v1/bots/pool/games").status_code == 404
    seats = [{"house": "pool"}, {"house": "rookie"}]
    assert owner.client.post("/v1/games", json={"kind": "toepen", "seats": seats}).status_code == 422
    for house in (["pool", "pool"], ["pool+2", "rookie"]):
        body = {**CUP, "locks_ms": now_ms() + 3_600_000, "house": house}
        assert owner.client.post("/v1/tournaments", json=body).status_code in (409, 422)
