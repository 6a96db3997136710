"""Two people play the same deals one after the other, each in a browser of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from arena.ops.jobs import InlineJobs
from arena.ops.service import Service, open_service
from arena.ops.settings import Settings
from arena.store.embedded import EmbeddedStore
from tests.api.server import Server
from tests.waiting import PATIENCE
from tests.web.clipping import clipped
from tests.web.playing import click_something, open_table, play
from tests.web.sight import SIZES
from tests.web.words import words_of_programmers

pytestmark = pytest.mark.system

DESKTOP, PHONE = (1366, 650), (390, 844)
TABLES = {
    "truco&preset=paulista-2@1": ({"max_hands": "3"}, {"seat1": "house:random"}),
    "toepen": ({"lives": "2"}, {"seat1": "house:random", "seat2": "house:random"}),
}


@pytest.fixture
def service(clean_store: EmbeddedStore) -> Iterator[Service]:
    """The workers' part of the service."""
    opened = open_service(Settings(clean_store.url), InlineJobs())
    yield opened
    opened.close()


class Person:
    """Somebody with a browser of their own; ``troubles`` is what went wrong in it."""

    def __init__(self, browser: Any, size: tuple[int, int], *, scripts: bool = True) -> None:
        self.context = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            reduced_motion="reduce",
            java_script_enabled=scripts,
        )
        self.context.set_default_timeout(PATIENCE * 1000)
        self.troubles: list[str] = []
        self.page = self.context.new_page()
        self.page.on("console", lambda message: self.troubles.append(message.text))
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))


def look(axe: Any, page: Any) -> None:
    """Nothing on the page is cut off, wider than the screen or unreadable, whatever its size."""
    before = page.viewport_size
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        assert clipped(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.set_viewport_size(before)
    assert words_of_programmers(page) == []
    found = axe.run(page).response["violations"]
    assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == []


def finish(service: Service, game: str, page: Any) -> None:
    """Play the game to the end."""
    play(service, game, [page], click_something)
    service.live.finish(game)
    page.wait_for_selector("#end.is-over:not([hidden])")


@pytest.mark.parametrize(
    ("kind", "sizes"),
    [
        ("truco&preset=paulista-2@1", (DESKTOP, PHONE)),
        pytest.param("toepen", (PHONE, DESKTOP), marks=pytest.mark.nightly("pages")),
    ],
)
def test_a_friend_plays_the_same_deals(
    kind: str, sizes: tuple[tuple[int, int], ...], server: Server, service: Service, browser: Any
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    one, friend = (Person(browser, size) for size in sizes)
    game = open_table(one.page, server.url, kind, *TABLES[kind])
    assert not one.page.locator("#challenge").is_visible()
    finish(service, game, one.page)
    result = one.page.inner_text("#end-words")
    button = one.page.locator("#challenge button")
    button.scroll_into_view_if_needed()
    assert button.inner_text() == "Challenge a friend"
    button.click()
    one.page.wait_for_url("**/play/challenge?code=*")
    link = one.page.inner_text("code.link")
    assert link == one.page.url
    look(axe, one.page)

    friend.page.goto(link)
    before = friend.page.inner_text("main")
    assert result not in before
    assert game not in before
    look(axe, friend.page)
    friend.page.click("button:text-is('Play')")
    friend.page.wait_for_url(re.compile(r"/play/[0-9a-f]+$"))
    made = friend.page.url.rpartition("/")[2]
    one.page.reload()
    assert "1 friend plays at the moment" in one.page.inner_text("main")
    assert not one.page.locator("table.hands").count()
    finish(service, made, friend.page)
    theirs = friend.page.inner_text("#end-words")
    friend.page.locator("#challenge a").scroll_into_view_if_needed()
    friend.page.click("#challenge a")
    friend.page.wait_for_selector("#verdict")
    look(axe, friend.page)
    assert friend.page.inner_text(".pair dd >> nth=0").startswith(theirs)

    one.page.reload()
    look(axe, one.page)
    assert one.page.inner_text(".pair dd >> nth=0").startswith(result)
    # The same table of hands for both, in the other order.
    rows = [person.page.locator("table.hands tbody tr").count() for person in (one, friend)]
    assert rows[0] == rows[1] > 0
    assert one.troubles == friend.troubles == []
    for person in (one, friend):
        person.context.close()


def test_a_friend_without_scripts(server: Server, service: Service, browser: Any) -> None:
    one, friend = Person(browser, DESKTOP), Person(browser, PHONE, scripts=False)
    game = open_table(one.page, server.url, "toepen", *TABLES["toepen"])
    one.page.click("#at-table summary")
    one.page.click("button:text-is('Leave the table')")
    one.page.wait_for_url("**/play")
    service.live.move_house_bots(game)
    service.live.finish(game)
    one.page.goto(f"{server.url}/games/{game}")
    one.page.click("button:text-is('Challenge a friend')")
    one.page.wait_for_url("**/play/challenge?code=*")
    friend.page.goto(one.page.url)
    friend.page.click("button:text-is('Play')")
    friend.page.wait_for_url(re.compile(r"/play/[0-9a-f]+$"))
    made = friend.page.url.rpartition("/")[2]
    friend.page.click("#at-table summary")
    friend.page.click("button:text-is('Leave the table')")
    friend.page.wait_for_url("**/play")
    service.live.move_house_bots(made)
    service.live.finish(made)
    friend.page.goto(one.page.url)
    assert friend.page.inner_text("#verdict")
    assert "You left" in friend.page.inner_text(".results")
    for person in (one, friend):
        person.context.close()
