"""What one plays at has no finding of axe-core at any size, whatever is asked: tables, their end, practice,
lessons and rules. Nothing scrolls sideways, and the policy of every page allows nothing unsafe.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from arena.games import GAMES
from arena.people.lessons import lesson_of
from tests.web.questions import Question, questions
from tests.web.sight import SIZES, unseen
from tests.web.tables import Finished, Tables, finish

pytestmark = [pytest.mark.system, pytest.mark.nightly("pages")]

THEMES = ("light", "dark")


@pytest.fixture(scope="module")
def axe() -> Any:
    return pytest.importorskip("axe_playwright_python.sync_playwright").Axe()


@pytest.fixture(scope="module")
def finished(tables: Tables) -> dict[str, Finished]:
    return {kind: finish(tables, kind) for kind in GAMES}


def once_each(kind: str) -> Iterator[Question]:
    """A question of each kind, at the table at which it has the most answers."""
    found: dict[str, Question] = {}
    for question in questions(kind):
        found.setdefault(question.what, question)
    yield from found.values()


def look(axe: Any, page: Any, address: str, theme: str, ready: str, name: str) -> list[str]:
    """Open a page, and return what is wrong with it."""
    page.emulate_media(color_scheme=theme)
    reply = page.goto(address)
    page.wait_for_selector(ready)
    found = [] if "unsafe" not in reply.headers["content-security-policy"] else ["an unsafe policy"]
    if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
        found.append("scrolls sideways")
    return [f"{name}, {theme}: {one}" for one in found + violations(axe, page)]


def violations(axe: Any, page: Any) -> list[str]:
    """All that axe-core finds, of any impact."""
    return [
        f"{one['id']} ({one['impact']}) at {[node['target'] for node in one['nodes']][:3]}"
        for one in axe.run(page).response["violations"]
    ]


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("kind", GAMES)
def test_questions_have_no_findings(kind: str, width: int, height: int, axe: Any, tables: Tables) -> None:
    """Nor has the explanation of each."""
    page = tables.page_of(width, height)
    findings = []
    for number, question in enumerate(once_each(kind)):
        theme = THEMES[number % 2]
        findings += look(axe, page, tables.sit(question), theme, "#felt .seat", question.name)
        if page.locator("#help-open").is_visible():
            page.click("#help-open")
            page.wait_for_selector("#help:popover-open")
            findings += [f"{question.name}, help, {theme}: {one}" for one in violations(axe, page)]
    assert findings == []


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("kind", GAMES)
def test_the_end_and_practice_have_no_findings(
    kind: str, width: int, height: int, axe: Any, tables: Tables, finished: dict[str, Finished]
) -> None:
    game = finished[kind]
    page = tables.page_of(width, height)
    findings = []
    for theme in THEMES:
        for name, path, ready in (
            ("the end, reviewed", game.table, "#dearest a"),
            ("the replay, reviewed", game.replay, "#list a"),
            ("practice", game.practice, "#felt .seat"),
        ):
            findings += look(axe, page, tables.url + path, theme, ready, name)
        findings += [f"practice: {one}" for one in unseen(page, touched=page is tables.touching)]
    assert findings == []


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("kind", GAMES)
def test_rules_and_lessons_have_no_findings(
    kind: str, width: int, height: int, axe: Any, tables: Tables
) -> None:
    page = tables.page_of(width, height)
    page.goto(f"{tables.url}/learn/{kind}")
    links = page.locator(".variants a").evaluate_all("links => links.map((link) => link.href)")
    guides = dict.fromkeys(links, ".guide h2")
    lesson = lesson_of(kind)
    assert lesson is not None
    start = f"{tables.url}/learn/{kind}/lesson"
    steps = {}
    for number, deal in enumerate(lesson.deals, 1):
        at = number % len(deal.steps) + 1
        step = deal.steps[at - 1]
        wrong = next((one for one in step.comments if one != step.right), step.right)
        for query in (f"step={at}", f"step={at}&answer={wrong}", f"step={len(deal.steps) + 1}"):
            steps[f"{start}?deal={number}&{query}"] = "#felt .seat"
    findings = []
    for number, (address, ready) in enumerate((guides | steps).items()):
        name = address.removeprefix(tables.url)
        findings += look(axe, page, address, THEMES[number % 2], ready, name)
    assert len(steps) == 9
    assert findings == []
