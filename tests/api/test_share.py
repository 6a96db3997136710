"""Links to give away: a field on the pages of games that everybody may see, and beside a free seat."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape

from flask import Flask

from tests.api.conftest import Account
from tests.api.contract import ContractClient
from tests.api.pages import Browser
from tests.api.players import play_out
from tests.api.tables import TOEPEN, open_table, person_of
from tests.api.tables import play_out as play_table
from tests.api.test_game_pages import new_game

FIELD = re.compile(r'<input id="([\w-]+)" type="text" readonly value="([^"]*)">')
FRAME = re.compile(r'<iframe src="([^"]+)" width="\d+" height="\d+" title="[^"]+"></iframe>').fullmatch
OWN = "http://localhost"


def fields(client: ContractClient | Browser, path: str) -> dict[str, str]:
    return {name: unescape(value) for name, value in FIELD.findall(client.get(path).text)}


def test_a_public_game_has_its_link_and_its_frame(
    register: Callable[..., Account], owner: Account, anybody: ContractClient
) -> None:
    game, players = new_game("toepen", register, owner)
    for _ in ("live", "over"):
        found = fields(anybody, f"/games/{game}")
        assert found["game-link"] == f"{OWN}/games/{game}"
        frame = re.fullmatch(
            r'<iframe src="([^"]+)" width="\d+" height="\d+" title="[^"]+"></iframe>', found["game-frame"]
        )
        assert frame is not None
        assert anybody.get(frame[1].removeprefix(OWN)).status_code == 200
        play_out(players)


def test_a_persons_game_has_them_when_it_is_public(app: Flask) -> None:
    person = Browser(app)
    game = open_table(person, TOEPEN)
    assert fields(person, f"/play/{game}") == {}
    play_table(app, person, game)
    assert fields(person, f"/games/{game}") == {}
    assert person.send(f"/games/{game}/publish", page=f"/games/{game}").status_code == 303
    assert set(fields(person, f"/games/{game}")) == {"game-link", "game-frame"}


def test_a_friends_link_is_a_field(app: Flask) -> None:
    person = Browser(app)
    game = open_table(person, {**TOEPEN, "seat1": "friend"})
    (link,) = fields(person, f"/play/{game}").values()
    assert re.fullmatch(rf"{OWN}/play/join\?code=[\w-]{{32}}", link)
    assert Browser(app).get(link.removeprefix(OWN)).status_code == 200
    assert person_of(app, game)
