"""A robot on its way from the front page to its first card: ``pytest -s`` prints its clicks and seconds."""

from __future__ import annotations

import time
from typing import Any

import pytest

from arena.ops.service import Service
from tests.api.server import Server
from tests.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.system

CLICKS = 2
"""A button of the front page, and a card. An answer to a bot that raises before that is one click more, and
Toepen asks first whether to exchange the hand.
"""


@pytest.mark.parametrize("start", ["Truco paulista", "Paulista for two"])
def test_from_the_front_page_to_the_first_card(
    start: str, browser: Any, server: Server, services: Service
) -> None:
    context = browser.new_context(viewport={"width": 1366, "height": 650})
    context.set_default_timeout(PATIENCE * 1000)
    page = context.new_page()
    began, clicks, answered = time.monotonic(), 1, 0
    page.goto(server.url)
    page.click(f".start:has-text('{start}')")
    page.wait_for_url("**/play/*")
    game = page.url.rpartition("/")[2]
    cards, answers = page.locator("#felt .card-button"), page.locator("#choices .choice:not(.call)")

    def is_asked() -> bool:
        services.live.move_house_bots(game)
        return bool(page.locator("#ask.waits").count() and (cards.count() or answers.count()))

    wait_until(is_asked)
    while not cards.count():
        turn = page.input_value("#turn-id")
        answers.first.click()
        answered += 1
        wait_until(lambda seen=turn: page.input_value("#turn-id") != seen and is_asked())
    cards.first.click()
    clicks += 1
    page.wait_for_selector("#felt .lying[data-card]")
    took = f"{clicks} clicks, {answered} answers, {time.monotonic() - began:.1f} s"
    print(f"\nfrom / to the first card, {start}: {took}")
    context.close()
    assert clicks == CLICKS
