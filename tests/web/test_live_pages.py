"""Pages that follow what they show: a tournament that runs, a board that is published again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask

from api.app import create_app
from arena.ops.service import Service
from arena.ops.settings import DEFAULT_LIMITS, HttpSettings, Settings
from arena.store.embedded import EmbeddedStore
from tests.api.arenas import announce, lock, play
from tests.api.conftest import ADMIN_TOKEN
from tests.api.contract import ContractClient, contract_client
from tests.api.server import Server
from tests.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.system

BODY = {"name": "Cup", "kind": "toepen", "format": "round_robin", "preset": "duel@1", "groups": 12}
HOUSE = ["rookie", "random", "rookie+2"]


@pytest.fixture
def app(clean_store: EmbeddedStore) -> Iterator[Flask]:
    """Plays in this process what the server, another one, shows."""
    http = HttpSettings(limits=dict.fromkeys(DEFAULT_LIMITS))
    made = create_app(Settings(clean_store.url, admin_token=ADMIN_TOKEN, http=http))
    yield made
    made.extensions["botequim"].close()


@pytest.fixture
def services(app: Flask) -> Service:
    service: Service = app.extensions["botequim"]
    return service


@pytest.fixture
def admin(app: Flask) -> ContractClient:
    return contract_client(app, ADMIN_TOKEN)


# What becomes bold is so for two seconds, which may be over before a busy machine looks.
NOTE_BOLD = """() => {
    window.bold = {};
    new MutationObserver((changes) => {
        for (const { target } of changes) {
            if (!target.classList.contains("changed")) continue;
            window.bold[target.dataset.label ?? "figure"] = getComputedStyle(target).fontWeight;
        }
    }).observe(document.body, { subtree: true, attributes: true, attributeFilter: ["class"] });
}"""


class Followed:
    """A page whose clock the test turns; ``asked``: how often the page has been requested since."""

    def __init__(self, page: Any, url: str) -> None:
        self.page = page
        self.asked = 0
        page.clock.install()
        page.goto(url)
        page.evaluate("window.same = true")
        page.evaluate(NOTE_BOLD)
        page.on("request", self._count)

    def _count(self, request: Any) -> None:
        self.asked += request.resource_type == "fetch"

    def until(self, condition: Callable[[], object]) -> None:
        """Let time pass until the page shows what it should."""

        def turn() -> object:
            self.page.clock.run_for(1000)
            return condition()

        wait_until(turn)
        assert self.page.evaluate("window.same"), "the page was not loaded again"

    def stays_silent(self) -> None:
        """Much time passes, and nothing is requested."""
        asked = self.asked
        self.page.clock.run_for(10 * 60 * 1000)
        self.page.evaluate("fetch('/healthz')")
        wait_until(lambda: (self.page.wait_for_timeout(10), self.asked > asked)[1])
        assert self.asked == asked + 1, "only the test has asked"


@pytest.fixture
def open_page(browser: Any, clean_store: EmbeddedStore) -> Iterator[Callable[[str], Followed]]:
    troubles: list[str] = []
    with Server(clean_store.url) as server:
        context = browser.new_context(viewport={"width": 1280, "height": 700})
        context.set_default_timeout(PATIENCE * 1000)

        def opened(path: str) -> Followed:
            page = context.new_page()
            page.on("console", lambda message: troubles.append(message.text))
            page.on("pageerror", lambda error: troubles.append(str(error)))
            return Followed(page, server.url + path)

        yield opened
        context.close()
    assert troubles == []


@pytest.mark.nightly("pages")
def test_a_tournament_is_followed_to_its_end(
    services: Service, admin: ContractClient, open_page: Callable[[str], Followed]
) -> None:
    event = announce(admin, {**BODY, "house": HOUSE})
    lock(services, event)
    assert services.tournaments.step(event).state == "running"
    followed = open_page(f"/tournaments/{event}")
    page = followed.page
    page.set_viewport_size({"width": 1280, "height": 320})
    done = page.locator("#progress + span .figure").first
    assert done.inner_text() == "0"
    page.click(".folded summary")
    page.focus(".folded a >> nth=0")
    focused = page.evaluate("document.activeElement.href")
    scrolled = page.evaluate("scrollY")

    services.tournaments.play_local_groups(event)
    followed.until(lambda: done.inner_text() != "0")
    assert page.evaluate("window.bold")["figure"] == "700"
    play(services, event)
    followed.until(lambda: page.locator(".podium li").count() > 0)
    assert page.get_by_role("link", name="Crosstable").count() == 1
    assert page.locator(".standings tbody tr").count() == len(HOUSE)
    assert page.get_attribute(".folded", "open") is not None
    assert page.evaluate("document.activeElement.href") == focused
    assert scrolled > 0
    assert page.evaluate("scrollY") > 0
    page.clock.run_for(2100)
    assert page.locator(".changed").count() == 0
    # It is over, so there will be no news.
    assert not page.is_visible("#live-pause")
    followed.stays_silent()


@pytest.mark.nightly("pages")
def test_a_page_that_nobody_looks_at_asks_for_nothing(
    services: Service, admin: ContractClient, open_page: Callable[[str], Followed]
) -> None:
    event = announce(admin, {**BODY, "house": HOUSE})
    followed = open_page(f"/tournaments/{event}")
    page = followed.page
    followed.until(lambda: followed.asked > 0)
    page.click("#live-pause")
    followed.stays_silent()
    page.click("#live-pause")
    asked = followed.asked
    followed.until(lambda: followed.asked > asked)
    page.evaluate(
        "Object.defineProperty(document, 'hidden', {value: true, configurable: true});"
        "document.dispatchEvent(new Event('visibilitychange'))"
    )
    followed.stays_silent()
    play(services, event)
    page.evaluate("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))")
    page.wait_for_selector("[role=status]:text-is('finished')")


def test_a_leaderboard_shows_a_new_board(
    services: Service, admin: ContractClient, open_page: Callable[[str], Followed]
) -> None:
    body = {**BODY, "groups": 6}
    play(services, announce(admin, {**body, "house": HOUSE[:2]}))
    assert services.boards.publish("toepen", "sealed")
    followed = open_page("/leaderboards/toepen")
    page = followed.page
    names = page.locator(".ratings tbody th.bot")
    assert sorted(names.all_inner_texts()) == sorted(HOUSE[:2])
    row = page.locator(".ratings tr[data-key^='random ']").first
    games = row.locator("[data-label=games]")
    before = int(games.inner_text())
    row.evaluate("row => { window.row = row; row.querySelector('a').focus(); }")

    play(services, announce(admin, {**body, "house": HOUSE}))
    assert services.boards.publish("toepen", "sealed")
    followed.until(lambda: names.count() == len(HOUSE))
    assert int(games.inner_text()) > before
    assert page.evaluate("window.bold")["games"] == "700"
    assert page.evaluate("window.row.contains(document.activeElement)"), "the row kept the focus"
