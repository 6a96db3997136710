"""What opens over the table: the meaning of a question and, on phones, the log of the hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from arena.ops.jobs import InlineJobs
from arena.ops.service import Service, open_service
from arena.ops.settings import Settings
from tests.api.server import Server
from tests.waiting import PATIENCE
from tests.web.playing import open_table

pytestmark = pytest.mark.system

OPEN = "#help:popover-open"
SIZES = {"laptop": (1366, 650), "phone": (360, 640)}


@pytest.fixture
def service(server: Server) -> Iterator[Service]:
    """The workers' part of the service."""
    opened = open_service(Settings(server.redis_url), InlineJobs())
    yield opened
    opened.close()


def open_asked(context: Any, server: Server, service: Service) -> Any:
    """A page on which a question waits."""
    context.set_default_timeout(PATIENCE * 1000)
    page = context.new_page()
    game = open_table(page, server.url, "toepen", {}, {"seat1": "house:rookie"})
    service.live.move_house_bots(game)
    page.reload()
    page.wait_for_selector("#ask.waits")
    return page


@pytest.mark.parametrize("size", SIZES)
def test_help_opens_by_keyboard(size: str, browser: Any, server: Server, service: Service) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    width, height = SIZES[size]
    context = browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce")
    page = open_asked(context, server, service)
    troubles: list[str] = []
    page.on("console", lambda message: troubles.append(message.text))
    page.focus("#help-open")
    page.keyboard.press("Enter")
    page.wait_for_selector(OPEN)
    assert page.inner_text("#help-question") == page.inner_text("#question")
    assert page.locator("#help-answers dt").count() >= 1
    box = page.locator("#help").bounding_box()
    assert min(box["x"], box["y"]) >= 0
    assert box["x"] + box["width"] <= width
    assert box["y"] + box["height"] <= height
    assert axe.run(page).response["violations"] == []
    page.keyboard.press("Escape")
    page.wait_for_selector("#help", state="hidden")
    assert page.evaluate("document.activeElement.id") == "help-open"
    context.close()
    assert troubles == []


@pytest.mark.nightly("pages")
def test_help_opens_without_scripts(browser: Any, server: Server, service: Service) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = open_asked(context, server, service)
    page.click("#help-open")
    page.wait_for_selector(OPEN)
    assert page.locator("#help-answers dt").count() >= 1
    page.click("#help >> text=Close")
    page.wait_for_selector("#help", state="hidden")
    context.close()


PHONES = ((360, 640), (390, 844), (844, 390))


def log_in_sight(page: Any) -> str:
    """The last line of the log if it is on the screen and nothing lies over it, else nothing."""
    found: str = page.evaluate("""() => {
        const line = document.querySelector("#hand-log li:last-child");
        const { left, top, height } = line.getBoundingClientRect();
        const there = document.elementFromPoint(left + 8, top + height / 2);
        return line.contains(there) ? line.textContent : "";
    }""")
    return found


@pytest.mark.parametrize(("width", "height"), PHONES)
def test_the_log_opens_by_keyboard_on_phones(
    width: int, height: int, browser: Any, server: Server, service: Service
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    viewport = {"width": width, "height": height}
    context = browser.new_context(viewport=viewport, reduced_motion="reduce", has_touch=True)
    page = open_asked(context, server, service)
    page.wait_for_selector("#felt .seat")
    assert log_in_sight(page) == ""
    assert min(page.locator("#log-open").bounding_box()[side] for side in ("width", "height")) >= 44
    page.focus("#log-open")
    page.keyboard.press("Enter")
    page.wait_for_selector("#beside:popover-open")
    assert log_in_sight(page)
    assert page.locator("#order").is_visible()
    assert page.locator("#beside >> text=Close").bounding_box()["height"] >= 44
    assert axe.run(page).response["violations"] == []
    # Keys do nothing behind it.
    page.keyboard.press("1")
    assert page.evaluate("document.activeElement.closest('#felt, #choices')") is None
    page.keyboard.press("Escape")
    page.wait_for_selector("#beside", state="hidden")
    assert page.evaluate("document.activeElement.id") == "log-open"
    page.tap("#log-open")
    page.tap("#beside >> text=Close")
    page.wait_for_selector("#beside", state="hidden")
    context.close()


def test_the_log_is_on_the_page_without_scripts(browser: Any, server: Server, service: Service) -> None:
    width, height = PHONES[0]
    context = browser.new_context(viewport={"width": width, "height": height}, java_script_enabled=False)
    page = open_asked(context, server, service)
    assert page.locator("#hand-log li").last.is_visible()
    assert not page.locator("#log-open").is_visible()
    context.close()
