"""Dry runs: they check what announcing checks, count, estimate, and leave nothing behind."""

from __future__ import annotations

import re
from typing import Any

import pytest
from click.testing import CliRunner
from flask import Flask

from arena.cli import botequim
from arena.events.planning import GameTimes, _duration
from arena.ops.service import Service
from tests.api.arenas import announce, now_ms, play
from tests.api.conftest import Account
from tests.api.contract import ContractClient
from tests.api.pages import Browser
from tests.api.test_web_pages import check_page

CUP = {
    "name": "Class cup",
    "kind": "toepen",
    "preset": "duel@1",
    "format": "swiss",
    "rounds": 6,
    "groups": 10,
    "max_entries": 60,
    "division": "sealed",
}


def dry_run(client: ContractClient, query: str = "", **changes: Any) -> Any:
    body = {"locks_ms": now_ms() + 3_600_000, **CUP, **changes}
    return client.post(f"/v1/tournament-dry-runs{query}", json=body)


def test_sixty_students(owner: Account, services: Service) -> None:
    found = dry_run(owner.client).json
    assert (found["entrants"], found["groups"], found["games"]) == (60, 1800, 3600)
    assert found["text"].startswith("60 entrants: 3,600 games, about 2 minutes (an assumption")
    assert found["measured"] is False
    assert found["budget"] == {"groups": 1800, "left": 10_000, "fits": True}
    GameTimes(services.store.game_times).note("toepen", "uploaded", 1000, 16.5)
    found = dry_run(owner.client).json
    assert found["text"] == "60 entrants: 3,600 games, about 59 seconds"
    assert (found["measured"], found["seconds"], found["played_by"]) == (True, 59.4, "uploaded")


def test_nothing_is_stored_and_no_budget_is_used(
    owner: Account, anybody: ContractClient, services: Service
) -> None:
    before = owner.client.get("/v1/owners/me").json
    assert dry_run(owner.client).status_code == 200
    assert anybody.get("/v1/tournaments").json["tournaments"] == []
    assert owner.client.get("/v1/owners/me").json == before
    assert services.store.tournaments.active() == []


def test_it_does_not_fit(owner: Account) -> None:
    found = dry_run(owner.client, groups=100, rounds=10).json
    assert found["budget"] == {"groups": 30_000, "left": 10_000, "fits": False}


def test_fewer_entrants(owner: Account, admin: ContractClient) -> None:
    assert dry_run(owner.client, "?entrants=10").json["games"] == 600
    assert dry_run(owner.client, "?entrants=61").json["field"] == "entrants"
    assert dry_run(owner.client, "?entrants=1").status_code == 422
    assert dry_run(admin).json["budget"] is None
    names = ["zap-bot", "rookie", "random"]
    unknown = dry_run(owner.client, who="invited", invited=names, house=names[1:])
    assert (unknown.status_code, unknown.json["field"]) == (422, "invited")
    assert owner.client.post("/v1/bots", json={"name": "zap-bot"}).status_code == 201
    invited = dry_run(owner.client, who="invited", invited=names, house=names[1:]).json
    assert invited["entrants"] == 3


@pytest.mark.parametrize(
    "changes",
    [{"format": "ladder"}, {"rated": True}, {"tie_breaks": ["luck"]}, {"house": ["nobody"]}, {"rounds": 0}],
)
def test_it_refuses_what_announcing_refuses(owner: Account, changes: dict[str, Any]) -> None:
    body = {"locks_ms": now_ms() + 3_600_000, **CUP, **changes}
    refused = dry_run(owner.client, **changes)
    announced = owner.client.post("/v1/tournaments", json=body)
    assert refused.status_code == announced.status_code == 422
    assert (refused.json["code"], refused.json["detail"]) == (
        announced.json["code"],
        announced.json["detail"],
    )


def test_workers_measure(services: Service, admin: ContractClient) -> None:
    body = {"name": "Cup", "kind": "toepen", "preset": "duel@1", "format": "round_robin", "groups": 3}
    play(services, announce(admin, {**body, "house": ["rookie", "random"]}))
    times = GameTimes(services.store.game_times)
    assert services.store.game_times.find("toepen/house")[0] == 6
    assert 0 < (times.seconds("toepen", "house") or 0) < 60
    assert times.seconds("toepen", "uploaded") is None
    found = admin.post(
        "/v1/tournament-dry-runs", json={**body, "house": ["rookie", "random"], "who": "house"}
    ).json
    assert (found["played_by"], found["measured"], found["games"]) == ("house", True, 6)


def test_old_measurements_fade(services: Service) -> None:
    times = GameTimes(services.store.game_times)
    times.note("truco", "house", 30_000, 300.0)
    times.note("truco", "house", 15_000, 1500.0)
    assert times.seconds("truco", "house") == pytest.approx(1650 / 30_000)


def test_live_games_play_side_by_side(owner: Account, services: Service) -> None:
    GameTimes(services.store.game_times).note("toepen", "live", 100, 800.0)
    found = dry_run(owner.client, "?entrants=10", division="open").json
    assert found["played_by"] == "live"
    # 600 games of 8 s, of which 10 bots with 4 games at once play 20 at a time.
    assert found["seconds"] == 240.0


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.2, "a second"), (59.6, "a minute"), (89, "89 seconds"), (120, "2 minutes"), (7200, "2 hours")],
)
def test_durations(seconds: float, text: str) -> None:
    assert _duration(seconds) == text


def test_the_command_and_the_page(owner: Account, online: list[str], app: Flask) -> None:
    command = ["tournament", "create", "Cup", "toepen", "--preset", "duel@1", "--max-entries", "8"]
    run, mine = CliRunner().invoke, ["--token", owner.token, *online]
    said = run(botequim, [*command, "--dry-run", "--entrants", "4", *mine]).output
    assert said.startswith("4 entrants: 12 games, about ")
    assert said.endswith("budget: 6 of the 10000 groups left today\n")
    assert run(botequim, [*command, "--entrants", "4", *mine]).exit_code != 0
    browser = Browser(app)
    browser.sign_in(owner.token)
    values = {"kind": "toepen", "name": "Cup", "format": "round_robin", "preset": "duel@1", "groups": "1"}
    shown = browser.send("/tournaments/new", {**values, "max_entries": "8", "dry_run": "1"})
    check_page(shown)
    assert re.search(r"8 entrants: 56 games, about .* Nothing was announced", shown.text, re.DOTALL)
    assert "Cup" in shown.text
    assert browser.get("/v1/tournaments").json["tournaments"] == []
