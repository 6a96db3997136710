"""Games in frames on other sites: their policy, what they show, and that they ask for nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from tests.api.conftest import Account
from tests.api.contract import ContractClient
from tests.api.pages import Browser
from tests.api.players import play_out
from tests.api.tables import TOEPEN, open_table
from tests.api.test_game_pages import CARD, new_game, seats

DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)


def policy(response: TestResponse) -> dict[str, str]:
    parts = (part.strip().partition(" ") for part in response.headers["Content-Security-Policy"].split(";"))
    return {name: value for name, _, value in parts}


def embedded(client: ContractClient | Browser, game: str) -> TestResponse:
    response = client.get(f"/embed/{game}")
    assert response.status_code == 200, response.text
    assert policy(response)["frame-ancestors"] == "*"
    assert policy(response)["form-action"] == "'none'"
    assert "unsafe" not in response.headers["Content-Security-Policy"]
    assert "Set-Cookie" not in response.headers
    assert not re.search(r"<form|csrf|/sign-in|/account", response.text)
    assert f'href="/games/{game}" target="_blank" rel="noopener"' in response.text
    return response


def data_of(response: TestResponse) -> dict[str, Any]:
    found = DATA.search(response.text)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


@pytest.mark.parametrize("kind", ["truco", "toepen"])
def test_a_game_in_a_frame_is_followed_and_then_stepped_through(
    kind: str, register: Callable[..., Account], owner: Account, browser: Browser, anybody: ContractClient
) -> None:
    game, players = new_game(kind, register, owner)
    for player in players * 2:
        player.step()
    live = embedded(anybody, game)
    assert data_of(live)["stream"] == f"/games/{game}/table"
    events = anybody.get(f"/v1/games/{game}/events").json["events"]
    assert set(CARD.findall(json.dumps(data_of(live)["picture"]))) <= set(CARD.findall(json.dumps(events)))
    # Its owner sees no more.
    assert embedded(browser, game).text == live.text
    play_out(players)
    over = embedded(anybody, game)
    assert len(data_of(over)["open"]) > 10
    assert f"/previews/games/{game}.png" in over.text
    assert embedded(browser, game).text == over.text


def test_all_other_pages_are_in_no_frame(
    register: Callable[..., Account], owner: Account, browser: Browser
) -> None:
    game, _ = new_game("toepen", register, owner)
    for path in (
        "/",
        f"/games/{game}",
        "/play",
        "/leaderboards/toepen",
        "/account",
        "/sign-in",
        "/docs",
        "/nowhere",
    ):
        response = browser.get(path, headers={"Accept": "text/html"})
        assert policy(response)["frame-ancestors"] == "'none'", path
        assert policy(response)["form-action"] == "'self'", path


def test_what_is_private_is_in_no_frame(
    app: Flask, register: Callable[..., Account], owner: Account, browser: Browser
) -> None:
    bots = [register("one"), register("two")]
    body = {"kind": "toepen", "seats": seats(bots), "visibility": "private"}
    game = owner.client.post("/v1/games", json=body).json["game"]
    assert browser.get(f"/embed/{game}").status_code in (403, 404)
    person = Browser(app)
    assert person.get(f"/embed/{open_table(person, TOEPEN)}").status_code in (403, 404)
    nothing = person.get("/embed/nothing", headers={"Accept": "text/html"})
    assert nothing.status_code == 404
    assert policy(nothing)["frame-ancestors"] == "'none'"
