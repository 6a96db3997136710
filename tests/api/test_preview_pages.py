"""What a messenger gets of a link: the tags of the page, and the image that they name."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from html import unescape

import pytest
from flask import Flask

from api.pages import previews as preview_pages
from arena.ops.service import Service
from arena.previews.previews import welcome
from tests.api.arenas import announce, play
from tests.api.conftest import Account
from tests.api.contract import ContractClient
from tests.api.pages import Browser
from tests.api.players import play_out
from tests.api.tables import TOEPEN, invite, open_table
from tests.api.test_game_pages import new_game, seats

TAG = re.compile(r'<meta (?:property|name)="([^"]+)" content="([^"]*)">')
OWN = "http://localhost"


def tags(client: ContractClient | Browser, path: str) -> dict[str, str]:
    """The tags of a page, as a messenger reads them."""
    response = client.get(path)
    assert response.status_code == 200, response.text
    found = {name: unescape(value) for name, value in TAG.findall(response.text)}
    return {
        name: value for name, value in found.items() if name.startswith(("og:", "twitter:", "description"))
    }


def image(client: ContractClient | Browser, address: str) -> bytes:
    """The image at an address of the tags."""
    assert address.startswith(f"{OWN}/previews/"), address
    response = client.get(address.removeprefix(OWN))
    assert response.status_code == 200
    assert response.content_type == "image/png"
    assert struct.unpack(">II", response.data[16:24]) == (1200, 630)
    assert "Set-Cookie" not in response.headers
    return response.data


def check(client: ContractClient | Browser, path: str, *texts: str) -> bytes:
    found = tags(client, path)
    assert found["twitter:card"] == "summary_large_image"
    assert (found["og:image:width"], found["og:image:height"]) == ("1200", "630")
    assert found["og:description"] == found["description"]
    for text in texts:
        assert text in f"{found['og:title']} {found['og:description']}"
    assert found.get("og:url", OWN + path) == OWN + path
    return image(client, found["og:image"])


def test_the_front_page(anybody: ContractClient) -> None:
    assert check(anybody, "/", "Botequim", "Truco") == welcome()


@pytest.mark.parametrize("kind", ["truco", "toepen"])
def test_a_game_is_itself_at_every_moment(
    kind: str, register: Callable[..., Account], owner: Account, anybody: ContractClient
) -> None:
    game, players = new_game(kind, register, owner)
    path = f"/games/{game}"
    images = [check(anybody, path, "live", kind.capitalize())]
    first = tags(anybody, path)["og:image"]
    for player in players * 3:
        player.step()
    images.append(check(anybody, path, "live"))
    assert tags(anybody, path)["og:image"] != first, "messengers keep an image by its address"
    play_out(players)
    images.append(check(anybody, path, "won by"))
    assert len({*images, welcome()}) == 4
    again = anybody.get(f"/previews{path}.png")
    assert again.headers["Cache-Control"] == "public, max-age=300"
    kept = anybody.get(f"/previews{path}.png", headers={"If-None-Match": again.headers["ETag"]})
    assert kept.status_code == 304


def test_bots_boards_and_tournaments(app: Flask, admin: ContractClient, anybody: ContractClient) -> None:
    body = {"name": "<b>Cup & co", "kind": "toepen", "format": "round_robin", "preset": "duel@1", "groups": 1}
    assert "og:title" not in tags(anybody, "/leaderboards/toepen")
    event = announce(admin, {**body, "house": ["rookie", "random", "rookie+2"]})
    path = f"/tournaments/{event}"
    images = [check(anybody, path, "<b>Cup & co", "Entry until", "Toepen")]
    images.append(check(anybody, "/bots/rookie", "rookie", "A bot of the house"))
    services = app.extensions["botequim"]
    play(services, event)
    services.publish_board("toepen", "sealed", "duel@1")
    images.append(check(anybody, path, "Won by"))
    images.append(
        check(
            anybody, "/leaderboards/toepen/sealed", "Toepen for two: the best bots", "rookie 1500", "3 bots"
        )
    )
    assert tags(anybody, "/leaderboards/toepen")["og:url"] == f"{OWN}/leaderboards/toepen/sealed"
    images.append(check(anybody, "/bots/rookie", "A bot of the house"))
    assert len({*images, welcome()}) == 6
    for gone in ("/previews/bots/nobody.png", "/previews/leaderboards/toepen/open.png"):
        assert anybody.get(gone).status_code == 404


def test_a_friends_link_names_nobody(app: Flask, anybody: ContractClient) -> None:
    host = Browser(app)
    _, link = invite(host, app)
    path = link.removeprefix(OWN)
    found = tags(Browser(app), path)
    assert found["og:title"] == "A seat for you"
    assert "og:url" not in found, "the link is secret"
    assert "code" not in found["og:image"]
    assert image(anybody, found["og:image"]) != welcome()
    for wrong in (
        "/previews/seats/truco/1.png",
        "/previews/seats/truco/99.png",
        "/previews/seats/chess/2.png",
    ):
        assert anybody.get(wrong).status_code == 404


def test_what_is_private_gives_nothing_to_anybody(
    app: Flask, register: Callable[..., Account], owner: Account, browser: Browser, anybody: ContractClient
) -> None:
    bots = [register("one"), register("two")]
    body = {"kind": "toepen", "seats": seats(bots), "visibility": "private"}
    game = owner.client.post("/v1/games", json=body).json["game"]
    assert tags(browser, f"/games/{game}") == {}
    assert anybody.get(f"/previews/games/{game}.png").status_code in (403, 404)
    person = Browser(app)
    own = open_table(person, TOEPEN)
    assert tags(person, f"/play/{own}") == {}
    assert person.get(f"/previews/games/{own}.png").status_code in (403, 404)


def test_a_hidden_tournament_gives_nothing(
    owner: Account, browser: Browser, anybody: ContractClient, admin: ContractClient
) -> None:
    body = {
        "name": "Secret cup",
        "kind": "toepen",
        "format": "round_robin",
        "preset": "duel@1",
        "hidden": True,
        "who": "invited",
    }
    event = announce(owner.client, body)
    assert tags(browser, f"/tournaments/{event}") == {}
    assert browser.get(f"/previews/tournaments/{event}.png").status_code == 404


def test_until_a_worker_has_drawn_it_the_image_is_that_of_the_service(
    services: Service, anybody: ContractClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services.jobs, "request", lambda job: None)
    monkeypatch.setattr(preview_pages, "WAIT_SECONDS", 0.0)
    path = "/previews/seats/truco/2.png"
    response = anybody.get(path)
    assert response.data == welcome()
    assert response.headers["Cache-Control"] == "no-store"
    services.budgets.charge(services.payers.of_address("127.0.0.1"), 10.0 * services.settings.guest_ms)
    assert anybody.get(path).data == welcome()


def test_addresses_are_those_of_the_service(
    app: Flask, services: Service, anybody: ContractClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.pages.previews.service_address", lambda: None)
    app.jinja_env.globals["service_address"], kept = lambda: None, app.jinja_env.globals["service_address"]
    try:
        assert "og:image" not in tags(anybody, "/")
    finally:
        app.jinja_env.globals["service_address"] = kept
