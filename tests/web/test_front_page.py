"""The table on the front page in a real browser: it follows a live game, and plays the latest one again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.api.players import Player, play_out
from tests.api.server import Server
from tests.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.system


COUNTED = """
    const streams = [];
    window.EventSource = class extends EventSource {
        constructor(url) { super(url); streams.push(this); }
    };
    window.open = () => streams.filter((stream) => stream.readyState !== EventSource.CLOSED).length;
"""
"""Counts the streams that the page has open."""

Visit = Callable[..., Any]


@pytest.fixture
def visit(browser: Any, server: Server) -> Iterator[Visit]:
    """Opens a page with options of its own; no page may log an error."""
    contexts: list[Any] = []
    troubles: list[str] = []

    def opened(path: str, before: Callable[[Any], None] | None = None, **options: Any) -> Any:
        context = browser.new_context(viewport={"width": 1280, "height": 1000}, **options)
        contexts.append(context)
        context.set_default_timeout(PATIENCE * 1000)
        page = context.new_page()
        page.on("console", lambda message: troubles.append(message.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        if before is not None:
            before(page)
        page.goto(server.url + path)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert troubles == []


def truco(server: Server) -> tuple[str, list[Player]]:
    owner = server.sign_up("ana")
    tokens = server.register(owner, "one", "two")
    body = {"kind": "truco", "seats": [{"bot": "one"}, {"bot": "two"}] * 2}
    game = server.request("POST", "/v1/games", body, owner).json["game"]
    return game, [server.player(token, seed) for seed, token in enumerate(tokens)]


def test_the_table_follows_a_live_game_and_then_shows_its_result(server: Server, visit: Visit) -> None:
    game, players = truco(server)
    page = visit("/", before=lambda page: page.clock.install())
    page.wait_for_selector("#felt .seat")
    assert not page.is_visible("#drawn")
    assert page.get_attribute("#front-title a", "href") == f"/games/{game}"
    lying = page.locator("#felt .lying[data-card]")

    def played() -> int:
        for player in players:
            player.step()
        page.clock.run_for(1000)
        return int(lying.count())

    wait_until(lambda: played() > 0)
    page.evaluate("window.same = true")
    play_out(players)

    def shows_the_latest() -> bool:
        page.clock.run_for(10_000)
        return bool(page.inner_text("#front-tag") == "latest")

    wait_until(shows_the_latest)
    assert page.evaluate("window.same"), "the page was not loaded again"
    assert "won by" in page.inner_text(".front-foot")


@pytest.mark.nightly("pages")
def test_a_paused_table_and_a_hidden_tab_have_no_stream(server: Server, visit: Visit) -> None:
    truco(server)

    page = visit("/", before=lambda page: page.add_init_script(COUNTED))
    wait_until(lambda: page.evaluate("open() === 1"))
    page.click("#front-pause")
    wait_until(lambda: page.evaluate("open() === 0"))
    page.click("#front-pause")
    wait_until(lambda: page.evaluate("open() === 1"))
    page.evaluate(
        "Object.defineProperty(document, 'hidden', {value: true});"
        "document.dispatchEvent(new Event('visibilitychange'))"
    )
    wait_until(lambda: page.evaluate("open() === 0"))


@pytest.mark.nightly("pages")
def test_the_last_hand_is_played_again(server: Server, visit: Visit) -> None:
    game, players = truco(server)
    play_out(players)
    wait_until(lambda: server.request("GET", f"/v1/games/{game}/record").status == 200)
    page = visit("/", before=lambda page: page.clock.install())
    felt = page.locator("#felt")
    final = felt.inner_html()
    page.clock.run_for(5100)
    assert felt.inner_html() != final
    page.clock.run_for(10 * 60 * 1000)
    page.click("#front-pause")
    paused = felt.inner_html()
    page.clock.run_for(60_000)
    assert felt.inner_html() == paused


@pytest.mark.nightly("pages")
def test_with_reduced_motion_the_last_hand_stands_still(server: Server, visit: Visit) -> None:
    game, players = truco(server)
    play_out(players)
    wait_until(lambda: server.request("GET", f"/v1/games/{game}/record").status == 200)
    page = visit("/", before=lambda page: page.clock.install(), reduced_motion="reduce")
    final = page.locator("#felt").inner_html()
    page.clock.run_for(60_000)
    assert page.locator("#felt").inner_html() == final
    page.click("#front-pause")
    page.clock.run_for(5100)
    assert page.locator("#felt").inner_html() != final


@pytest.mark.nightly("pages")
def test_without_a_script_the_server_draws_the_table(server: Server, visit: Visit) -> None:
    truco(server)
    page = visit("/", java_script_enabled=False)
    assert page.is_visible("svg.small-table")
    assert not page.is_visible("#board")
    assert not page.is_visible("#front-pause")
