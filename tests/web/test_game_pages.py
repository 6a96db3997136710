"""Pages of games at a running service, in a real browser: watching a game, and its replay afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from arena.ops.service import Service
from tests.api.players import play_out
from tests.api.server import Server
from tests.waiting import PATIENCE, wait_until
from tests.web.conftest import address
from tests.web.playing import prepare_replay

pytestmark = pytest.mark.system


@pytest.fixture
def visit(browser: Any, server: Server) -> Iterator[Callable[[str], Any]]:
    """Opens a page of the service; no page may log an error or send a request to another host."""
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    context.set_default_timeout(PATIENCE * 1000)
    troubles: list[str] = []
    requests: list[str] = []

    def opened(path: str) -> Any:
        page = context.new_page()
        page.on("console", lambda message: troubles.append(message.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(server.url + path)
        return page

    yield opened
    context.close()
    assert troubles == []
    assert all(url.startswith(server.url + "/") for url in requests)


@pytest.mark.parametrize("kind", ["truco", pytest.param("toepen", marks=pytest.mark.nightly("pages"))])
def test_a_live_game_is_watched_to_its_end_and_replayed(
    kind: str, server: Server, services: Service, visit: Callable[[str], Any]
) -> None:
    owner = server.sign_up("ana")
    names = ["one", "two"]
    seats = [{"bot": name} for name in names] * (2 if kind == "truco" else 1)
    rules = {} if kind == "truco" else {"seats": 2, "lives": 8}
    tokens = server.register(owner, *names)
    players = [server.player(token, seed) for seed, token in enumerate(tokens)]
    body = {"kind": kind, "seats": seats, "rules": rules}
    game = server.request("POST", "/v1/games", body, owner).json["game"]

    page = visit(f"/games/{game}")
    page.wait_for_selector("#felt .seat")
    page.wait_for_selector("#felt .clock")
    wait_until(lambda: sum(player.step() for player in players) > 0)
    lying = page.locator("#felt .lying[data-card]")

    def played() -> int:
        for player in players:
            player.step()
        page.wait_for_timeout(50)
        return int(lying.count())

    wait_until(lambda: played() > 0)
    in_hands = page.locator("#felt .hand .card").evaluate_all("all => all.map(card => card.dataset.card)")
    assert "" in in_hands

    play_out(players)
    if page.locator("#catch-up").is_visible():
        page.click("#catch-up")
    prepare_replay(services, game)
    page.wait_for_selector("#list a[aria-current=step]")
    page.click("#verify")
    page.wait_for_selector("#check[data-state=fits]")
    page.keyboard.press("ArrowRight")
    assert address(page).endswith("#move-2")
    other = visit(f"/games/{game}#move-5")
    assert other.locator("#list a[aria-current=step]").get_attribute("href") == "#move-5"


@pytest.mark.nightly("pages")
def test_the_chosen_colours_stay(visit: Callable[[str], Any]) -> None:
    page = visit("/")
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.click("#theme")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert dark != paper
    assert visit("/tournaments").evaluate("getComputedStyle(document.body).backgroundColor") == dark
