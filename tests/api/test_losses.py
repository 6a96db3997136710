"""The dearest losses of a bot, for its owners."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

import pytest

from api.pages import losses
from arena.games.kernel import Turn
from arena.live.house import house_choice
from arena.ops.service import Service
from arena.people import coach
from tests.api.arenas import announce, play
from tests.api.conftest import Account
from tests.api.contract import ContractClient
from tests.api.pages import Browser
from tests.api.test_own_bot_pages import opened, settle, upload

PATH = "/bots/first/losses"


def regular(name: str, seat: int, turn: Turn, seed: int) -> str | None:
    """A reviewer that is faster than ``shark``."""
    return house_choice("regular", seat, turn, seed)


@pytest.fixture
def games(browser: Browser, admin: ContractClient, services: Service) -> list[str]:
    """The lost games of an uploaded bot that prints a line at each turn, newest first."""
    source = (
        "def choose(turn):\n    print('at', turn['legal_actions'])\n    return turn['legal_actions'][0]\n"
    )
    browser.send("/account/bots/new", {**upload(source), "name": "first", "version": "1"})
    settle(services)
    services.store.qualifications.change(
        "toepen/first/1", lambda _: ["qualified", "q-first", 1, 0, "", None, ""]
    )
    body = {"name": "Cup", "kind": "toepen", "preset": "duel@1", "format": "round_robin", "groups": 3}
    cup = announce(admin, {**body, "division": "sealed", "house": ["regular"]})
    entered = admin.post(f"/v1/tournaments/{cup}/entries", json={"bot": "first"})
    assert entered.status_code == 200, entered.text
    play(services, cup)
    found = services.bot_games.list("first", result="lost")
    assert len(found) > 1
    return [one["game"] for one in found]


def test_an_owner_finds_the_dearest_lost_game_and_the_log_of_that_turn(
    browser: Browser, services: Service, games: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(losses, "AT_ONCE", 2)
    monkeypatch.setattr(coach, "WORLDS", 20)
    assert f'href="{PATH}"' in opened(browser, "/bots/first").html
    assert "the last 2 lost games" in opened(browser, PATH).html
    assert browser.send(PATH, {}).status_code == 303
    waits = opened(browser, PATH).html
    assert "looking at 2 games" in waits
    assert 'data-refresh="5"' in waits
    for game in games[:2]:
        (seat,) = [one["seat"] for one in services.tournaments.journals.find("first", game) or ()]
        services.reviews.make(game, seat, regular, itertools.count(0.0, 0.05).__next__)
    page = opened(browser, PATH)
    costs = [float(found) for found in re.findall(r"<b>−([\d.]+) lives", page.html)]
    assert costs
    assert costs == sorted(costs, reverse=True)
    game, move = re.findall(r'href="/games/([^"?]+)\?of=first&amp;move=(\d+)#move-\2"', page.html)[0]
    assert game in games
    assert f'id="move-{move}"' in opened(browser, f"/games/{game}?move={move}").html
    log, anchor = re.findall(r'href="(/bots/first/log/[^"#]+)#([^"]+)"', page.html)[0]
    line = opened(browser, log).html.partition(f'id="{anchor}"')[2].partition("</tr>")[0]
    assert '<code class="printed">at ' in line
    # A second request goes on with the games that have no review.
    browser.send(PATH, {})
    assert services.reviews.find(games[2], services.bot_games.list("first", result="lost")[2]["seat"])


def test_reviews_are_paid_by_the_owner(
    browser: Browser, services: Service, games: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr(services.reviews, "request", lambda *sent: asked.append(sent))
    browser.send(PATH, {})
    account = services.accounts.bot("first")
    assert {payer for _, _, payer in asked} == {account.owner}
    assert [game for game, _, _ in asked] == games[: losses.AT_ONCE]


def test_nobody_else_sees_them(
    browser: Browser, anybody: ContractClient, sign_up: Callable[..., Account], games: list[str]
) -> None:
    assert anybody.get(PATH).status_code in (303, 401)
    browser.sign_in(sign_up("pia").token)
    assert browser.get(PATH).status_code == 403
    assert browser.send(PATH, {}, page="/account").status_code == 403
