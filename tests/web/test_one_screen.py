"""The table on one screen: for every kind of question of both games, hand and answers are in sight."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from arena.games import GAMES
from arena.ops.jobs import InlineJobs
from arena.ops.service import Service, open_service
from arena.ops.settings import Settings
from tests.waiting import PATIENCE
from tests.web.playing import open_table
from tests.web.questions import LONG_NAME, Question, questions
from tests.web.sight import SIZES, places, unseen
from tests.web.site import Site

pytestmark = pytest.mark.system

WIDEST_TOUCHED = 1180


class Tables(NamedTuple):
    """A visitor's browser, in which any position can be looked at."""

    url: str
    service: Service
    person: str
    page: Any
    touching: Any

    def sit(self, question: Question, names: str = "guest") -> str:
        """Begin a game at a question, and return the address of its table."""
        return f"{self.url}/play/{question.set_up(self.service, self.person, names)}"

    def page_of(self, width: int, height: int) -> Any:
        """A page of this size; small screens are touched."""
        page = self.touching if width < WIDEST_TOUCHED else self.page
        page.set_viewport_size({"width": width, "height": height})
        return page


@pytest.fixture(scope="module")
def tables(empty: Site, browser: Any) -> Iterator[Tables]:
    service = open_service(Settings(empty.store), InlineJobs())
    context = browser.new_context(reduced_motion="reduce")
    touching = browser.new_context(reduced_motion="reduce", has_touch=True, is_mobile=True)
    for one in (context, touching):
        one.set_default_timeout(PATIENCE * 1000)
    page = context.new_page()
    waiting = open_table(page, empty.url, "toepen", {}, {"seat1": "friend"})
    touching.add_cookies(context.cookies())
    person = service.people.header(waiting).seats[0].bot
    assert person is not None
    yield Tables(empty.url, service, person, page, touching.new_page())
    for one in (context, touching):
        one.close()
    service.close()


def look(tables: Tables, page: Any, address: str) -> list[str]:
    if page.url != address:
        page.goto(address)
    page.wait_for_selector("#felt .seat")
    return unseen(page, touched=page is tables.touching)


@pytest.mark.parametrize("kind", GAMES)
def test_every_question_is_on_one_screen(kind: str, tables: Tables) -> None:
    """Each kind of question at one size, by turns."""
    findings = []
    for number, question in enumerate(questions(kind)):
        width, height = SIZES[number % len(SIZES)]
        address = tables.sit(question, LONG_NAME if number % 2 else "guest")
        found = look(tables, tables.page_of(width, height), address)
        findings += [f"{question.name} at {width}×{height}: {one}" for one in found]
    assert not findings, "\n".join(findings)


@pytest.mark.nightly("pages")
@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("kind", GAMES)
def test_every_question_is_on_every_screen(kind: str, width: int, height: int, tables: Tables) -> None:
    """And the felt and the question stay where they are, whatever is asked."""
    findings = []
    where: dict[str, dict[str, str]] = {}
    for names in ("guest", LONG_NAME):
        for question in questions(kind):
            page = tables.page_of(width, height)
            found = look(tables, page, tables.sit(question, names))
            findings += [f"{question.name}, {names}: {one}" for one in found]
            where.setdefault(question.table, {}).setdefault(places(page), question.what)
    findings += [f"{table}: {seen}" for table, seen in where.items() if len(seen) > 1]
    assert not findings, "\n".join(findings)
