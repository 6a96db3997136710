"""A lesson in a real browser, played by clicks on the cards of the table and on the answers beside it."""

from __future__ import annotations

from typing import Any

import pytest

from arena.people.lessons import lesson_of
from tests.api.server import Server
from tests.waiting import PATIENCE
from tests.web.overlaps import overlaps

pytestmark = pytest.mark.system

SIZES = {"laptop": (1366, 650), "phone": (360, 640), "turned": (844, 390)}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", ["truco", pytest.param("toepen", marks=pytest.mark.nightly("pages"))])
def test_a_lesson_is_played_by_clicks(kind: str, size: str, browser: Any, server: Server) -> None:
    width, height = SIZES[size]
    context = browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE * 1000)
    page = context.new_page()
    troubles: list[str] = []
    page.on("console", lambda message: troubles.append(message.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    lesson = lesson_of(kind)
    assert lesson is not None
    page.goto(f"{server.url}/learn/{kind}/lesson")
    for deal in lesson.deals:
        for step in deal.steps:
            page.wait_for_selector("#felt .seat")
            size_of_page = "(({ scrollWidth, scrollHeight }) => [scrollWidth, scrollHeight])"
            assert page.evaluate(f"{size_of_page}(document.documentElement)") == [width, height]
            assert overlaps(page) == []
            word, _, card = step.right.partition(":")
            if word == "play":
                page.click(f"#felt .card-link:has([data-card='{card}'])")
            else:
                page.click(f".lesson-answers a[href$='answer={step.right}']")
            page.wait_for_selector("h2:text-is('Right')")
            assert page.evaluate("document.activeElement.id") == "now"
            page.click("a:text-is('Continue')")
        page.wait_for_selector("h2:text-is('The deal is over')")
        if deal is not lesson.deals[-1]:
            page.click("text=Next deal")
    context.close()
    assert troubles == []


@pytest.mark.nightly("pages")
@pytest.mark.parametrize("kind", ["truco", "toepen"])
def test_a_lesson_without_scripts(kind: str, browser: Any, server: Server) -> None:
    """The table is drawn, and each answer is a link: the first is given again if it was not the best."""
    context = browser.new_context(java_script_enabled=False)
    context.set_default_timeout(PATIENCE * 1000)
    page = context.new_page()
    lesson = lesson_of(kind)
    assert lesson is not None
    page.goto(f"{server.url}/learn/{kind}")
    page.click("a:has-text('a lesson')")
    for deal in lesson.deals:
        for step in deal.steps:
            page.wait_for_selector("svg.small-table")
            page.click(".lesson-answers a >> nth=0")
            if page.inner_text("#now") != "Right":
                assert page.inner_text("#now") == "Not the best"
                page.click("a:text-is('Try again')")
                page.click(f".lesson-answers a[href$='answer={step.right}']")
            assert page.inner_text("#now") == "Right"
            page.click("a:text-is('Continue')")
        assert page.inner_text("#now") == "The deal is over"
        page.click("a:text-is('Next deal')" if deal is not lesson.deals[-1] else "main a:text-is('Play')")
    assert "/play" in page.url
    context.close()
