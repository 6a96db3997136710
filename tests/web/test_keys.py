"""The keys of the pages, and their switch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from arena.store.embedded import EmbeddedStore
from tests.api.server import Server
from tests.replays.games import played
from tests.waiting import PATIENCE, wait_until
from tests.web.conftest import OpenPage, address

pytestmark = pytest.mark.system


@pytest.fixture
def visit(browser: Any, clean_store: EmbeddedStore) -> Iterator[Callable[[str], Any]]:
    """Opens a page of a service; no page may log an error."""
    troubles: list[str] = []
    with Server(clean_store.url) as server:
        context = browser.new_context(viewport={"width": 1280, "height": 1000})
        context.set_default_timeout(PATIENCE * 1000)

        def opened(path: str) -> Any:
            page = context.new_page()
            page.on("console", lambda message: troubles.append(message.text))
            page.on("pageerror", lambda error: troubles.append(str(error)))
            page.goto(server.url + path)
            return page

        yield opened
        context.close()
    assert troubles == []


def press(page: Any, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def test_going_to_pages(visit: Callable[[str], Any]) -> None:
    page = visit("/")
    for letter, path in (("t", "/tournaments"), ("l", "/leaderboards/truco"), ("h", "/")):
        press(page, "g", letter)
        page.wait_for_url(f"**{path}")
    press(page, "/")
    wait_until(lambda: page.evaluate("document.activeElement.type === 'search'"))
    # In a field they are letters.
    press(page, "g", "t", "?")
    assert page.input_value("input[type=search]:focus") == "gt?"
    assert page.locator("dialog").count() == 0


@pytest.mark.nightly("pages")
def test_the_dialog_shows_the_keys_and_switches_letters_off(visit: Callable[[str], Any]) -> None:
    page = visit("/tournaments")
    press(page, "?")
    dialog = page.get_by_role("dialog", name="Keys of this page")
    assert dialog.is_visible()
    terms = [" ".join(term.split()) for term in dialog.locator("dt").all_inner_texts()]
    assert terms[:4] == ["/", "g h", "g l", "g t"]
    linked = page.locator(".links a[href='/play']").count()
    assert terms.count("g p") == linked
    # The page below does not move.
    press(page, "g", "h")
    assert page.url.endswith("/tournaments")
    page.get_by_label("Single letters and signs are keys").uncheck()
    press(page, "Escape")
    wait_until(lambda: page.evaluate("document.activeElement === document.body"))
    assert not dialog.is_visible()
    press(page, "?", "g", "h")
    assert not dialog.is_visible()
    assert page.url.endswith("/tournaments")
    # Another page knows it, and its button is there without keys.
    other = visit("/")
    press(other, "?")
    assert other.locator("dialog").count() == 0
    other.click(".foot .keys-open")
    other.get_by_label("Single letters and signs are keys").check()
    other.get_by_role("button", name="Close").click()
    press(other, "?")
    assert other.get_by_role("dialog").is_visible()


def test_the_keys_of_a_replay(open_page: OpenPage) -> None:
    page = open_page(played("truco", {}))
    speed = "#speeds [aria-pressed=true]"
    press(page, "+")
    assert page.get_attribute(speed, "value") == "2"
    press(page, "-", "-", "-")
    assert page.get_attribute(speed, "value") == "0.5"
    press(page, "s")
    assert page.get_attribute("#felt .at-0", "data-seat") == "1"
    press(page, "o")
    assert page.input_value("#view") == "1"
    press(page, "O")
    assert page.input_value("#view") == ""
    press(page, "ArrowRight", "l")
    wait_until(lambda: page.evaluate("document.getElementById('copy').textContent !== 'Copy link'"))
    assert address(page).endswith("#move-2")
    press(page, "v")
    page.wait_for_selector("#check[data-state=fits]")
    press(page, "?")
    page.get_by_label("Single letters and signs are keys").uncheck()
    press(page, "Escape")
    wait_until(lambda: page.evaluate("document.activeElement === document.body"))
    press(page, "s")
    assert page.get_attribute("#felt .at-0", "data-seat") == "1"
    press(page, "ArrowRight")
    assert address(page).endswith("#move-3"), "keys that are not letters still work"
