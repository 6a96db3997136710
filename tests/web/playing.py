"""Someone at a table in a real browser; the service's part is done in the test's process."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import Any

from playwright.sync_api import TimeoutError as PlaywrightTimeout

from arena.ops.jobs import InlineJobs
from arena.ops.service import Service, open_service
from arena.ops.settings import Settings
from tests.waiting import PATIENCE, wait_until

_TRIES = 20
_AGAIN_S = 5.0

# The turn at which the page waits for a press, in one reading: the table may be drawn anew between two.
_TURN = """() => document.querySelector("#ask.waits")
    && document.querySelector("#felt .card-button, #choices .choice")
    && document.getElementById("turn-id").value"""


def prepare_replay(services: Service, game: str) -> None:
    """Prepare the replay of a game, as a worker does, once a page has asked for it."""
    wait_until(lambda: services.replays.find(game) is not None)
    services.replays.prepare(game)


def open_table(page: Any, url: str, kind: str, rules: dict[str, str], seats: dict[str, str]) -> str:
    """Sit down with the form, and return the game's id. ``kind``: with a preset as in the address."""
    page.goto(f"{url}/play?game={kind}&seats={len(seats) + 1}")
    for name, value in seats.items():
        page.select_option(f"#{name}", value)
    if rules:
        page.click("details.rules summary")
    for name, value in rules.items():
        field = page.locator(f"#rule-{name}")
        if field.evaluate("field => field.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)
    page.click("button:has-text('Sit down')")
    page.wait_for_url("**/play/*")
    return str(page.url.rpartition("/")[2].partition("?")[0])


def open_tables(page: Any, url: str, store: str) -> dict[str, str]:
    """The addresses of tables at which the visitor is asked, and of one that waits for a friend."""
    house = {f"seat{seat}": "house:regular" for seat in (1, 2, 3)}
    service = open_service(Settings(store), InlineJobs())
    found = {}
    for name, kind, seats in (
        ("table-truco", "truco", house),
        ("table-toepen", "toepen", house),
        ("table-waits", "toepen", {**house, "seat2": "friend"}),
    ):
        game = open_table(page, url, kind, {}, seats)
        found[name] = f"/play/{game}"
        if name != "table-waits":
            service.live.move_house_bots(game)
    found["join"] = invitation(page).removeprefix(url)
    service.close()
    return found


def invitation(page: Any) -> str:
    """The first link for a friend on the page of a table that waits."""
    link: str = page.locator(".share input").first.input_value()
    return link


def is_over(service: Service, game: str) -> bool:
    return service.people.header(game).state != "running"


def play(service: Service, game: str, pages: list[Any], act: Callable[[Any], None]) -> int:
    """Let each page act whenever it is asked, until the game is over; how often that was."""
    acted = 0
    turns: dict[int, str] = {}
    for _ in range(20_000):
        service.live.move_house_bots(game)
        if is_over(service, game):
            return acted
        for number, page in enumerate(pages):
            turn = page.evaluate(_TURN)
            if not turn or turn == turns.get(number):
                continue
            turns[number] = turn
            act_until_taken(page, turn, act)
            acted += 1
        pages[0].wait_for_timeout(20)
    raise AssertionError(f"not over after {PATIENCE} s")


def wait_for_another_turn(page: Any, turn: str) -> None:
    """Not by `wait_for_function`: it evaluates a text, which the policy of pages forbids."""
    wait_until(lambda: page.locator("#turn-id").input_value() != turn)


def act_until_taken(page: Any, turn: str, act: Callable[[Any], None]) -> None:
    """Act as a person does: again if nothing happened, as the table may be drawn anew under a press."""
    for _ in range(_TRIES):
        # A late answer to the press before may take the buttons away.
        with contextlib.suppress(PlaywrightTimeout):
            act(page)
        until = time.monotonic() + _AGAIN_S
        while time.monotonic() < until:
            if page.locator("#turn-id").input_value() != turn:
                return
            page.wait_for_timeout(20)
    raise AssertionError(f"nothing happens at {turn}")


def click_something(page: Any) -> None:
    """Click a card, or else the first button that does not raise the stake."""
    cards = page.locator("#felt .card-button")
    if cards.count():
        cards.first.click(timeout=_AGAIN_S * 1000)
    else:
        page.locator("#choices .choice:not(.call):not(.sign)").first.click(timeout=_AGAIN_S * 1000)


def press_something(page: Any) -> None:
    """The same by keyboard."""
    page.keyboard.press("1")
    page.keyboard.press("Enter")
