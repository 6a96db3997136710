"""No page of a person at a table holds a card that its seat may not know: ``tests/live/test_leaks.py``."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest
from flask import Flask

from arena.games.cards import RANK_NAMES, SUIT_NAMES, pack
from tests.api.pages import Browser
from tests.api.tables import TOEPEN, TRUCO, buttons, open_table, press, service_of
from tests.live.test_leaks import Knowledge, cards_in

pytestmark = pytest.mark.system

PACK = pack("".join(RANK_NAMES))
SPOKEN = {f"{RANK_NAMES[card[0]]} of {SUIT_NAMES[card[1]]}": card for card in PACK}
NAMED = re.compile("|".join(SPOKEN), re.IGNORECASE)
MANILHAS = re.compile(r'<p class="note">Manilhas .*?</p>')
TURN_ID = re.compile(r"[0-9a-f]{18}\..*")
DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)

GAMES = [
    {**TRUCO, "rule-max_hands": "6", "rule-signals": "table", "seat2": "friend"},
    {
        "game": "truco",
        "seats": "2",
        "preset": "paulista-2@1",
        "rule-pack": "clean",
        "rule-cut": "player",
        "seat1": "friend",
    },
    {**TOEPEN, "rule-lives": "4", "rule-whistling": "true", "seat1": "friend"},
]


class Reader:
    """One person, and all that its pages have shown."""

    def __init__(self, app: Flask, seat: int) -> None:
        self.browser = Browser(app)
        self.seat = seat
        self.ever: set[str] = set()
        self.next = 0
        self.read = 0

    def look(self, game: str, known: set[str]) -> list[str]:
        """Check the page and the JSON, and return the buttons."""
        self.ever |= known
        text = self.browser.get(f"/play/{game}").text
        data = DATA.search(text)
        assert data is not None
        self._check(json.loads(data[1])["table"], known)
        shown = DATA.sub("", text)
        # Which cards are manilhas says nothing of where they are.
        named = {SPOKEN[name.lower()] for name in NAMED.findall(MANILHAS.sub("", shown))}
        assert named <= known, named - known
        self._check(re.findall(r'value="([^"]*:[^"]*)"', shown.replace("\n", " ")), known)
        state = self.browser.get(f"/play/{game}/state?after={self.next}").json
        self.next = state["next"]
        # They may go back to the hand before.
        self._check(state.pop("changes"), self.ever)
        self._check(state, known)
        return buttons(text)

    def _check(self, value: Any, known: set[str]) -> None:
        cards = {card for card in cards_in(_public(value)) if card in PACK}
        assert cards <= known, cards - known
        self.read += len(cards)


def _public(value: Any) -> Any:
    """Without what is no card: ids of turns are hexadecimal, and the manilhas may be anywhere."""
    if isinstance(value, list):
        return [_public(one) for one in value if not (isinstance(one, str) and TURN_ID.fullmatch(one))]
    if isinstance(value, dict) and value.get("label") != "Manilhas":
        return {name: _public(item) for name, item in value.items()}
    return None if isinstance(value, dict) else value


@pytest.mark.parametrize("values", GAMES, ids=["truco", "paulista", "toepen"])
def test_no_page_holds_a_hidden_card(app: Flask, values: dict[str, str]) -> None:
    friend = next(int(name[4:]) for name, value in values.items() if value == "friend")
    readers = [Reader(app, 0), Reader(app, friend)]
    game = open_table(readers[0].browser, values)
    found = re.search(r"/play/join\?code=([\w-]{32})", readers[0].browser.get(f"/play/{game}").text)
    assert found is not None
    readers[1].browser.send("/play/join", {"code": found[1]}, page=found[0])
    service = service_of(app)
    secret = service.people.header(game).seed
    knowledge = Knowledge(values["game"], len(service.people.header(game).seats) + 1)
    source = random.Random(7)
    hidden = 0
    for _ in range(600):
        service.live.move_house_bots(game)
        for event in service.live.store.events(game, len(knowledge.by_event), 10_000):
            knowledge.note(json.loads(event))
            for reader in readers:
                reader.ever |= knowledge.known[reader.seat]
        if service.people.header(game).state != "running":
            break
        for reader in readers:
            known = knowledge.known[reader.seat]
            hidden += len(set().union(*knowledge.known) - known)
            actions = reader.look(game, known)
            assert secret not in reader.browser.get(f"/play/{game}").text
            if actions:
                press(reader.browser, game, source.choice(actions))
                break
    assert service.people.header(game).state == "finished"
    # A game of two may be over with its first hand.
    assert min(reader.read for reader in readers) > 10
    assert hidden > 10
