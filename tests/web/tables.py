"""A visitor's browser, in which any position of a game can be looked at."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from arena.games import game_of
from arena.live.header import Viewer
from arena.ops.jobs import InlineJobs
from arena.ops.service import Service, open_service
from arena.ops.settings import Settings
from tests.waiting import PATIENCE
from tests.web.playing import open_table, prepare_replay
from tests.web.questions import Question
from tests.web.sight import SIZES, WIDEST_TOUCHED
from tests.web.site import Site

SHORT = {"truco": {"variant": "paulista", "max_hands": 2}, "toepen": {"lives": 2}}


class Finished(NamedTuple):
    """The paths of a game that is over and reviewed: its table, its replay, and a table of practice."""

    table: str
    replay: str
    practice: str


class Tables(NamedTuple):
    """The pages of a visitor, who is ``person`` at every table, for screens with and without touch."""

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


def finish(tables: Tables, kind: str) -> Finished:
    """Play a short game at random, have it reviewed, and try again from its first hand."""
    service, person, rules = tables.service, tables.person, SHORT[kind]
    seats = game_of(kind).seats(game_of(kind).options.complete(rules))
    game = service.people.open(person, "127.0.0.1", kind, ["house:random"] * (seats - 1), rules)
    numbers = random.Random(kind)
    while service.people.header(game).state == "running":
        service.live.move_house_bots(game)
        view = service.live.view(game, Viewer(person))
        if view and view["turn"]:
            action = numbers.choice(view["turn"]["legal_actions"])
            service.people.act(game, person, view["turn"]["turn"], action)
    service.live.finish(game)
    page = tables.page_of(*SIZES[0])
    page.goto(f"{tables.url}/play/{game}")
    page.click("text=Ask shark")
    page.wait_for_url("**/games/*")
    prepare_replay(service, game)
    service.reviews.make(game, 0)
    page.goto(f"{tables.url}/games/{game}")
    page.click(".try button")
    page.wait_for_url("**/play/*")
    practice = page.url.removeprefix(tables.url)
    service.live.move_house_bots(practice.rpartition("/")[2])
    return Finished(f"/play/{game}", f"/games/{game}", practice)


@contextmanager
def tables_of(site: Site, browser: Any) -> Iterator[Tables]:
    """Open them while the block lasts."""
    service = open_service(Settings(site.store), InlineJobs())
    context = browser.new_context(reduced_motion="reduce")
    touching = browser.new_context(reduced_motion="reduce", has_touch=True, is_mobile=True)
    for one in (context, touching):
        one.set_default_timeout(PATIENCE * 1000)
    page = context.new_page()
    waiting = open_table(page, site.url, "toepen", {}, {"seat1": "friend"})
    touching.add_cookies(context.cookies())
    person = service.people.header(waiting).seats[0].bot
    assert person is not None
    yield Tables(site.url, service, person, page, touching.new_page())
    for one in (context, touching):
        one.close()
    service.close()
