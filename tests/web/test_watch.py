"""The page /watch in a browser: its tables change while one looks, its links work, and it needs no script."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from arena.games import GAMES
from arena.ops.jobs import InlineJobs
from arena.ops.service import Service, open_service
from arena.ops.settings import Settings
from arena.store.embedded import EmbeddedStore
from tests.api.server import Server
from tests.live.playing import quiet
from tests.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.system


@pytest.fixture
def service(clean_store: EmbeddedStore) -> Iterator[Service]:
    """The workers' part of the service, with exhibition games that have just begun."""
    opened = open_service(Settings(clean_store.url), InlineJobs())
    opened.store.watchers.look()
    assert len(opened.exhibition.keep()) == len(GAMES)
    yield opened
    opened.close()


@pytest.fixture
def url(service: Service, clean_store: EmbeddedStore) -> Iterator[str]:
    with Server(clean_store.url) as server:
        yield server.url


def seats(kind: str) -> list[dict[str, str]]:
    return [{"bot": name} for name in ("ana", "bia", "ana", "bia")[: 2 if kind == "toepen" else 4]]


def test_tables_change_while_one_looks(service: Service, url: str, browser: Any) -> None:
    live = service.live
    small = live.create("toepen", seats=seats("toepen"), rules={"seats": 2})["game"]
    large = service.exhibition.games()["truco"]
    troubles: list[str] = []
    streams: list[str] = []
    context = browser.new_context(viewport={"width": 1366, "height": 650})
    context.set_default_timeout(PATIENCE * 1000)
    page = context.new_page()
    page.on("console", lambda message: troubles.append(message.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("request", lambda request: streams.append(request.url) if "/tables" in request.url else None)
    page.goto(f"{url}/watch")
    page.evaluate("window.same = true")
    wait_until(lambda: page.locator("article").count() == len(GAMES) + 1)

    def shown(game: str) -> str:
        return str(page.locator(f"[data-game='{game}']").inner_html())

    for _ in range(3):
        before = shown(large), shown(small)
        live.move_house_bots(large)
        for bot in ("ana", "bia"):
            for turn in live.turns(bot, rights=False).turns:
                live.answer(bot, [{"turn": turn["turn"], "action": quiet(turn)}])
                break
        wait_until(lambda old=before: shown(large) != old[0] and shown(small) != old[1])
    # The log of the large table is complete, and at its end.
    log = page.locator(f"[data-game='{large}'] .hand-log")
    assert "deal" in log.inner_text()
    assert log.evaluate("log => log.scrollTop + log.clientHeight >= log.scrollHeight - 8")
    # A table that begins appears by itself, and one that is over goes.
    other = live.create("truco", seats=seats("truco"))["game"]
    wait_until(lambda: page.locator(f"#small-tables [data-game='{other}']").count() == 1)
    live.cancel(small, running=True)
    wait_until(lambda: page.locator(f"[data-game='{small}']").count() == 0)
    assert page.evaluate("window.same")
    assert len(streams) == 1, "one stream for all tables"
    page.locator(f"[data-game='{large}']").get_by_role("link", name="Follow this table").click()
    page.wait_for_selector("#felt .seat")
    assert page.url.endswith(f"/games/{large}")
    wait_until(lambda: "spectator" in page.locator("#spectators").inner_text())
    assert page.locator("h1 a").first.get_attribute("href").startswith("/bots/")
    context.close()
    assert troubles == []


def test_without_scripts_the_page_shows_the_state_and_refreshes(url: str, browser: Any) -> None:
    context = browser.new_context(java_script_enabled=False)
    context.set_default_timeout(PATIENCE * 1000)
    page = context.new_page()
    page.goto(f"{url}/watch")
    wait_until(lambda: (page.goto(f"{url}/watch"), page.locator("article").count() == len(GAMES))[1])
    assert 'http-equiv="refresh"' in page.content()
    assert not page.locator("#watch-pause").is_visible()
    page.locator("article h2 a").first.click()
    page.wait_for_url("**/games/*")
    context.close()
