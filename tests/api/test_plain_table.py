"""What the page of a table says without scripts of vira, strongest cards, tricks and score."""

from __future__ import annotations

import re
from typing import Any

import pytest
from flask import Flask

from arena.games.cards import spoken
from tests.api.pages import Browser
from tests.api.tables import TOEPEN, TRUCO, buttons, open_table, press, quiet, service_of

TWO = {"game": "truco", "seats": "2", "seat1": "house:random"}
TAGS = re.compile(r"<[^>]+>")


def words(text: str) -> str:
    """The words of the part that is for pages without scripts."""
    part = text.partition('<section class="plain unscripted"')[2].partition("</section>")[0]
    return " ".join(TAGS.sub(" ", part).split())


def pages_of(app: Flask, values: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The page at every turn of a game, and its state as JSON."""
    browser = Browser(app)
    game = open_table(browser, values)
    service = service_of(app)
    found = []
    while True:
        service.live.move_house_bots(game)
        if service.people.header(game).state != "running":
            return found
        text = browser.get(f"/play/{game}").text
        found.append((text, browser.get(f"/play/{game}/state").json))
        press(browser, game, quiet(buttons(text)))


@pytest.mark.parametrize("preset", ["paulista-2@1", "mineiro-2@1"])
def test_truco_for_two(app: Flask, preset: str) -> None:
    pages = pages_of(app, {**TWO, "preset": preset, "rule-max_hands": "6"})
    tricks = 0
    for text, state in pages:
        picture, plain = state["picture"], words(text)
        score = picture["score"]
        assert f"score You {score[0]} : random {score[1]}, first to 12" in plain
        assert "lives" not in plain
        assert state["panel"]["reason"] in text
        turned = picture["turned"]
        assert (turned is not None) == (preset == "paulista-2@1")
        if turned is None:
            assert "Manilhas from the strongest: four of clubs, zap; seven of hearts, escopeta;" in plain
            assert "Then the ranks: 3 2 A K J Q 7 6 5 4" in plain
        else:
            assert f"Vira {spoken(turned['card'])}, manilhas are the " in plain
            first = next(iter(turned["titles"]))
            assert f"Manilhas from the strongest: {spoken(first)}, zap; " in plain
            for card in picture["cards0"]:
                title = turned["titles"].get(card)
                assert f'aria-label="{spoken(card)}{", " + title if title else ""}"' in text
        # Between two tricks, no trick is the current one.
        assert (f", trick {picture['trick']}" in plain) == (picture["trick"] > len(picture["tricks"]))
        for number, seat in enumerate(picture["tricks"], start=1):
            tricks += 1
            who = "tied" if seat is None else ("You", "random")[seat]
            assert f"Trick {number}: {who}" in plain
    assert tricks > 3


def test_a_card_of_the_hand_has_a_button_as_high_as_others(app: Flask) -> None:
    """The class ``card`` is that of drawings of cards."""
    pages = [text for values in (TRUCO, TOEPEN) for text, _ in pages_of(app, values)]
    assert any('<button name="action" value="play:' in text for text in pages)
    assert not any(re.search(r'<button [^>]*class="choice card"', text) for text in pages)


def test_the_ten_is_the_strongest_in_toepen(app: Flask) -> None:
    text, state = pages_of(app, TOEPEN)[0]
    assert state["picture"]["turned"] is None
    assert "Strongest first: 10 9 8 7 A K Q J" in words(text)
    assert "Manilhas" not in text
