"""What happens at a table is shown and spoken once, to those who play and to those who watch."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from arena.live.header import Viewer
from arena.ops.jobs import InlineJobs
from arena.ops.service import Service, open_service
from arena.ops.settings import Settings
from arena.store.embedded import EmbeddedStore
from tests.api.server import Server
from tests.waiting import PATIENCE, wait_until
from tests.web.hearing import Heard, check_currents, check_spoken
from tests.web.playing import _AGAIN_S, open_table, play

pytestmark = pytest.mark.system

TABLES = {
    "truco&preset=paulista@1": (3, {"max_hands": "2"}),
    "toepen": (3, {"lives": "2"}),
    "truco": (3, {"max_hands": "3"}),
    "truco&preset=paulista-2@1": (1, {"max_hands": "4", "cut": "player"}),
    "truco&preset=mineiro@1": (3, {"max_hands": "3"}),
    "toepen&preset=duel@1": (1, {"lives": "4"}),
    "toepen&seats=8": (7, {"lives": "2"}),
}
QUICK = ("truco&preset=paulista@1", "toepen")
KINDS = [kind if kind in QUICK else pytest.param(kind, marks=pytest.mark.nightly("pages")) for kind in TABLES]
WIDE = {"width": 1366, "height": 768}


@pytest.fixture
def service(clean_store: EmbeddedStore) -> Iterator[Service]:
    """The workers' part of the service."""
    opened = open_service(Settings(clean_store.url), InlineJobs())
    yield opened
    opened.close()


@pytest.fixture
def context(browser: Any) -> Iterator[Any]:
    opened = browser.new_context(viewport=WIDE, reduced_motion="reduce")
    opened.set_default_timeout(PATIENCE * 1000)
    yield opened
    opened.close()


def act_at_random(numbers: random.Random) -> Callable[[Any], None]:
    """Press any card or button, calls included."""

    def act(page: Any) -> None:
        places = page.locator("#felt .card-button, #choices .choice:not(.optional)")
        places.nth(numbers.randrange(places.count())).click(timeout=_AGAIN_S * 1000)

    return act


def log_of(page: Any) -> list[str]:
    """The log of the hand, whose cards are drawings with words."""
    return [" ".join(line.split()) for line in page.locator("#hand-log li").all_text_contents()]


@pytest.mark.parametrize("kind", KINDS)
def test_a_player_sees_and_hears_everything_once(
    kind: str, server: Server, service: Service, context: Any
) -> None:
    seats, rules = TABLES[kind]
    page = context.new_page()
    heard = Heard(context)
    game = open_table(
        page, server.url, kind, rules, {f"seat{n}": "house:random" for n in range(1, seats + 1)}
    )
    start = page.evaluate("JSON.parse(document.getElementById('data').textContent).table.next")
    assert page.evaluate("document.activeElement.id") in ("question", "")
    assert play(service, game, [page], act_at_random(random.Random(kind))) > 0
    page.wait_for_selector("#end:not([hidden])")
    person = service.people.header(game).people()[0].bot
    events = service.live.events(game, Viewer(person), limit=10_000)["events"]
    names = page.evaluate("JSON.parse(document.getElementById('data').textContent).names")
    new = [event for event in events if event["n"] >= start]
    check_currents(heard, kind.partition("&")[0], new)
    check_spoken(heard, names, new)
    log = log_of(page)
    assert log
    page.reload()
    assert log_of(page) == log


@pytest.mark.parametrize("kind", ["truco", pytest.param("toepen", marks=pytest.mark.nightly("pages"))])
def test_a_spectator_sees_and_hears_everything_once(
    kind: str, server: Server, service: Service, context: Any
) -> None:
    rules = {"truco": {"max_hands": 2}, "toepen": {"seats": 3, "lives": 2}}[kind]
    names = ["random", "rookie", "random", "rookie"][: 4 if kind == "truco" else 3]
    game = service.live.create(kind, seats=[{"house": name} for name in names], rules=rules)["game"]
    page = context.new_page()
    heard = Heard(context)
    logs: list[list[str]] = []
    page.goto(f"{server.url}/games/{game}")
    page.wait_for_selector("#felt .seat")
    page.wait_for_selector("#hand-log li >> nth=0")
    start = len(service.live.events(game, Viewer(), limit=10_000)["events"])
    # All is played at once: the page is behind, and shows it step by step.
    service.live.move_house_bots(game)
    events = service.live.events(game, Viewer(), limit=10_000)["events"]
    last = [event["n"] for event in events if event["type"] in ("play", "run", "fold")][-1]
    wait_until(lambda: (logs.append(log_of(page)), heard.shown and heard.shown[-1].n >= last)[1], pause=0.2)
    new = [event for event in events if event["n"] >= start]
    check_currents(heard, kind, new)
    check_spoken(heard, page.evaluate("JSON.parse(document.getElementById('data').textContent).names"), new)
    assert any(len(log) > 8 for log in logs)


def test_the_log_without_scripts(server: Server, service: Service, browser: Any) -> None:
    context = browser.new_context(viewport=WIDE, java_script_enabled=False)
    page = context.new_page()
    game = open_table(page, server.url, "toepen", {"lives": "2"}, {"seat1": "house:random"})
    service.live.move_house_bots(game)
    page.goto(f"{server.url}/play/{game}")
    lines = log_of(page)
    assert any(line.startswith("You get ") and line.count(" of ") == 4 for line in lines)
    context.close()


@pytest.mark.nightly("pages")
def test_the_question_has_the_focus_on_arrival(server: Server, service: Service, context: Any) -> None:
    page = context.new_page()
    game = open_table(page, server.url, "toepen", {"lives": "3"}, {"seat1": "house:random"})
    service.live.move_house_bots(game)
    page.wait_for_selector("#ask.waits")
    assert page.evaluate("document.activeElement.id") == "question"
    page.reload()
    assert page.evaluate("document.activeElement.id") == "question"
    # The help of the question comes before its answers, where there is one.
    page.keyboard.press("Tab")
    if page.evaluate("document.activeElement.id === 'help-open'"):
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.matches('#choices *')")
