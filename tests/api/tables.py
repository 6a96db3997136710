"""People who play at the pages of an app, without scripts."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from flask import Flask

from arena.ops.service import Service
from tests.api.pages import Browser

TOEPEN = {"game": "toepen", "seats": "2", "rule-lives": "2", "seat1": "house:random"}
TRUCO = {"game": "truco", "rule-max_hands": "2", **{f"seat{seat}": "house:random" for seat in (1, 2, 3)}}


def service_of(app: Flask) -> Service:
    found: Service = app.extensions["botequim"]
    return found


def open_table(browser: Browser, values: dict[str, Any]) -> str:
    """Open a table and return the game's id."""
    response = browser.send("/play", values, page=f"/play?game={values['game']}")
    assert response.status_code == 303, response.text
    return str(response.location).removeprefix("/play/")


def person_of(app: Flask, game: str, seat: int = 0) -> str:
    """The secret id of a person at a table."""
    person = service_of(app).people.header(game).seats[seat].bot
    assert person is not None
    return person


def buttons(text: str) -> list[str]:
    """The actions on a page."""
    return [unescape(found) for found in re.findall(r'<button name="action" value="([^"]+)"', text)]


def turn_on(text: str) -> str:
    """The turn's id on a page."""
    found = re.search(r'name="turn" id="turn-id" value="([^"]*)"', text)
    assert found is not None
    return found[1]


def press(browser: Browser, game: str, action: str, **more: str) -> Any:
    """Press a button on the page as it is now."""
    turn = more.pop("turn", None) or turn_on(browser.get(f"/play/{game}").text)
    values = {"turn": turn, "action": action, "number": "20", **more}
    return browser.send(f"/play/{game}/act", values, page=f"/play/{game}")


def quiet(actions: list[str]) -> str:
    """A button that does not raise the stake."""
    return next(
        (one for one in actions if not one.startswith(("truco", "raise", "knock", "cut"))), actions[0]
    )


def play_out(app: Flask, browser: Browser, game: str) -> list[str]:
    """Press buttons until the game is over; the pages that were seen."""
    pages = []
    for _ in range(2000):
        service_of(app).live.move_house_bots(game)
        response = browser.get(f"/play/{game}")
        pages.append(response.text)
        if service_of(app).people.header(game).state != "running":
            service_of(app).live.finish(game)
            return pages
        actions = buttons(response.text)
        assert actions, response.text
        assert press(browser, game, quiet(actions)).status_code == 303
    raise AssertionError("the game does not end")


def invite(browser: Browser, app: Flask, **more: str) -> tuple[str, str]:
    """A game of two people, and the address of the link for the friend."""
    game = open_table(browser, {**TOEPEN, "seat1": "friend", **more})
    found = re.search(r"/play/join\?code=[\w-]{32}", browser.get(f"/play/{game}").text)
    assert found is not None
    return game, found[0]


def accept(friend: Browser, link: str, **values: str) -> Any:
    return friend.send("/play/join", {"code": link.partition("code=")[2], **values}, page=link)


def end_of(text: str) -> str:
    """What the page of a table says about the end of the game; "" before it."""
    found = re.search(
        r'<section class="ask waits end(?: is-over)?"[^>]*?( hidden)?>\s*<h2[^>]*>(.*?)</h2>', text
    )
    assert found is not None
    assert bool(found[1]) == (not found[2])
    return unescape(found[2])
