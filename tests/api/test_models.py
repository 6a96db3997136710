"""What owners say about their language models, and where it is shown."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from flask import Flask

from arena.ops.service import Service
from arena.play.clocks import CLOCKS
from tests.api.arenas import play_models
from tests.api.conftest import Account
from tests.api.contract import ContractClient
from tests.api.pages import Browser

SAID = {"model": "Some <b>Model</b> 3", "game_cost": 0.25}


def test_a_bot_says_what_it_is(
    owner: Account, anybody: ContractClient, register: Callable[..., Account]
) -> None:
    made = owner.client.post("/v1/bots", json={"name": "ana-agent", **SAID}).json["bot"]
    assert (made["model"], made["game_cost"]) == (SAID["model"], 0.25)
    register("plain")
    plain = anybody.get("/v1/bots/plain").json
    assert (plain["model"], plain["game_cost"]) == ("", None)
    changed = owner.client.patch("/v1/bots/plain", json={"model": "Other", "game_cost": 0}).json
    assert (changed["model"], changed["game_cost"]) == ("Other", 0.0)
    changed = owner.client.patch("/v1/bots/plain", json={"model": ""}).json
    assert (changed["model"], changed["game_cost"]) == ("", 0.0)


def test_the_cost_can_be_withdrawn(
    owner: Account, anybody: ContractClient, register: Callable[..., Account]
) -> None:
    register("ana-agent", **SAID)
    for _ in range(2):
        changed = owner.client.patch("/v1/bots/ana-agent", json={"game_cost": None}).json
        assert (changed["model"], changed["game_cost"]) == (SAID["model"], None)
    assert anybody.get("/v1/bots/ana-agent").json["game_cost"] is None
    refused = owner.client.post("/v1/bots", json={"name": "other-agent", "game_cost": None})
    assert (refused.status_code, refused.json["field"]) == (422, "game_cost")


@pytest.mark.parametrize(
    "wrong", [{"model": "m" * 61}, {"model": "two\nlines"}, {"game_cost": -1}, {"game_cost": 1001}]
)
def test_what_is_said_is_bounded(owner: Account, wrong: dict[str, object]) -> None:
    refused = owner.client.post("/v1/bots", json={"name": "ana-agent", **wrong})
    assert (refused.status_code, refused.json["code"], refused.json["field"]) == (
        422,
        "invalid",
        next(iter(wrong)),
    )


def test_hidden_descriptions_hide_the_model_too(
    owner: Account, admin: ContractClient, anybody: ContractClient
) -> None:
    owner.client.post("/v1/bots", json={"name": "ana-agent", **SAID})
    text = {"of": "bot", "id": "ana-agent", "text": "description", "reason": "spam"}
    assert admin.post("/v1/admin/hidden-texts", json=text).status_code == 201
    assert anybody.get("/v1/bots/ana-agent").json["model"] == "hidden"


def test_the_settings_page_says_it(app: Flask, owner: Account, register: Callable[..., Account]) -> None:
    register("ana-agent")
    browser = Browser(app)
    browser.sign_in(owner.token)
    values = {"description": "", "model": SAID["model"], "game_cost": "0.25", "tournaments": ""}
    assert browser.send("/bots/ana-agent/settings", values).status_code == 303
    page = browser.get("/bots/ana-agent").text
    assert "Some &lt;b&gt;Model&lt;/b&gt; 3 · $0.25 per game" in page
    wrong = browser.send("/bots/ana-agent/settings", {**values, "game_cost": "much"})
    assert wrong.status_code == 422
    assert 'value="much"' in wrong.text
    # The other forms of the page have no such field.
    assert browser.send("/bots/ana-agent/settings", {"state": "withdrawn"}).status_code == 303
    assert "$0.25 per game" in browser.get("/bots/ana-agent").text
    assert browser.send("/bots/ana-agent/settings", {**values, "game_cost": " "}).status_code == 303
    assert "per game" not in browser.get("/bots/ana-agent").text


def test_the_board_shows_it(
    services: Service,
    admin: ContractClient,
    owner: Account,
    anybody: ContractClient,
    register: Callable[..., Account],
) -> None:
    play_models(services, admin, owner.client, register("ana-agent", **SAID).client, "ana-agent")
    path = "/v1/leaderboards/toepen/models"
    reply = anybody.get(path)
    rows = {row["name"]: row for row in reply.json["rows"]}
    assert {name: (one["model"], one["game_cost"]) for name, one in rows.items()} == {
        "ana-agent": (SAID["model"], 0.25),
        "rookie": ("", None),
    }
    assert rows["ana-agent"]["illegal"] == rows["ana-agent"]["late"] == 0
    text = anybody.get(f"{path}?format=text").text
    assert re.search(r"illegal +late +model", text)
    assert "Some <b>Model</b> 3" in text
    page = anybody.get("/leaderboards/toepen/models?columns=all").text
    assert "Some &lt;b&gt;Model&lt;/b&gt; 3" in page
    assert anybody.get("/leaderboards/toepen").status_code == 200
    assert "model" not in anybody.get("/v1/leaderboards/toepen/sealed").json
    # What is said anew is shown at once, also to who has the board already.
    owner.client.patch("/v1/bots/ana-agent", json={"model": "Another"})
    fresh = anybody.get(path, headers={"If-None-Match": reply.headers["ETag"]})
    assert fresh.status_code == 200
    assert "Another" in fresh.text
    assert anybody.get(path, headers={"If-None-Match": fresh.headers["ETag"]}).status_code == 304


def test_clocks_have_names(owner: Account, register: Callable[..., Account]) -> None:
    register("ana-one")
    body = {"kind": "toepen", "seats": [{"bot": "ana-one"}, {"house": "rookie"}]}
    for name, clock in CLOCKS.items():
        made = owner.client.post("/v1/games", json={**body, "clock": {"preset": name}}).json
        assert made["clock"] == clock.as_json()
    mixed = owner.client.post("/v1/games", json={**body, "clock": {"preset": "patient", "bank_ms": 5}}).json
    assert (mixed["code"], mixed["field"]) == ("invalid", "clock.preset")
    unknown = owner.client.post("/v1/games", json={**body, "clock": {"preset": "slow"}}).json
    assert unknown["field"] == "clock.preset"
