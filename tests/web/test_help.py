"""What a question at the table means: a popover that opens by keyboard, by touch and without scripts."""

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
