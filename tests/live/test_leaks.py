"""Nothing leaks: over whole games, no seat and no spectator receives a card that it may not know yet.

What may be known is told here from the rules (BT-7.1, TP-8.1) and the full events in the store, not
from the games' own views.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from typing import Any

import pytest

from arena.live.service import LiveGames, Viewer
from arena.play.turn_texts import turn_text
from tests.live.playing import BOTS, SEATS, answer, checked_record, new_game, open_games

ONE = re.compile(r"(?:[2-9TJQKA][CHSD])+")
NOT_CARDS = {"game", "turn", "commitment", "nonce", "name", "kind", "type", "version", "cursor", "manilhas"}


def cards_in(value: Any) -> Iterator[str]:
    """Every card in a JSON value, in whatever field it hides, alone, in a row or in an action."""
    if isinstance(value, str):
        for word in re.split(r"[^0-9A-Za-z]+", value):
            if ONE.fullmatch(word):
                yield from (word[i : i + 2] for i in range(0, len(word), 2))
    elif isinstance(value, dict):
        for name, item in value.items():
            if name not in NOT_CARDS:
                yield from cards_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from cards_in(item)


class Knowledge:
    """The cards of the present hand that each seat, and a spectator (last), may know; and those of
    every event by its number.
    """

    def __init__(self, kind: str, viewers: int) -> None:
        self.kind = kind
        self.viewers = viewers
        self.known: list[set[str]] = [set() for _ in range(viewers)]
        self.by_event: list[list[set[str]]] = []

    def note(self, event: list[Any]) -> None:
        type_, seat = event[0], event[1]
        if type_ == "hand":
            self.known = [set() for _ in range(self.viewers)]
        cards = set(cards_in(event))
        who: list[int] = list(range(self.viewers))
        if self.kind == "toepen":
            if type_ in ("dealt", "new_cards", "exchange"):
                who = [seat]
        elif type_ == "dealt":
            who = [] if event[3] else [seat]
        elif type_ == "hide":
            who = [seat]
        elif type_ == "passed":
            who = [seat, (seat + 2) % 4]
        elif type_ == "shown":
            who = [(seat + 2) % 4]
        if type_ == "shown":
            who.append(seat)
        self.by_event.append([cards if viewer in who else set() for viewer in range(self.viewers)])
        for viewer in who:
            self.known[viewer] |= cards


class Watch:
    """Receives everything that can be received of a game, and checks it."""

    def __init__(self, games: LiveGames, game: str, kind: str, seats: int = 4) -> None:
        self.games, self.game = games, game
        self.knowledge = Knowledge(kind, seats + 1)
        self.seats = seats
        self.cursors: list[str | None] = [None] * seats
        self.next_events = [0] * (seats + 1)
        self.received = 0
        self.hidden = 0

    def look(self) -> None:
        for event in self.games.store.events(self.game, len(self.knowledge.by_event), 10_000):
            self.knowledge.note(json.loads(event))
        for viewer in range(self.seats + 1):
            who = Viewer(BOTS[viewer]) if viewer < self.seats else Viewer()
            view = self.games.view(self.game, who)
            assert view is not None
            turn = view.pop("turn")
            self.check(viewer, view)
            told = self.games.events(self.game, who, start=self.next_events[viewer])
            self.next_events[viewer] = told["next"]
            self.check_events(viewer, told["events"])
            turns = [turn] if turn else []
            if viewer < self.seats:
                page = self.games.turns(BOTS[viewer], self.cursors[viewer])
                self.cursors[viewer] = page.cursor
                turns += page.turns
            for turn in turns:
                assert turn["seat"] == viewer
                manilhas = turn["observation"].get("manilhas") or ()
                assert set(cards_in(turn_text(turn))) <= {*cards_in(turn), *manilhas}
                self.check_events(viewer, turn.pop("events"))
                self.check(viewer, turn)

    def check(self, viewer: int, value: Any) -> None:
        cards = set(cards_in(value))
        assert cards <= self.knowledge.known[viewer], f"viewer {viewer}: {value}"
        self.received += len(cards)
        self.hidden += len(set().union(*self.knowledge.known) - cards)

    def check_events(self, viewer: int, events: list[dict[str, Any]]) -> None:
        for event in events:
            assert set(cards_in(event)) <= self.knowledge.by_event[event["n"]][viewer], event


GAMES: list[tuple[str, dict[str, Any]]] = [
    ("truco", {"signals": "table"}),
    ("truco", {"cut": "none", "face_down": "after_first_trick"}),
    ("truco", {"variant": "paulista", "cut": "player"}),
    ("truco", {"variant": "paulista", "seats": 2, "pack": "clean"}),
    ("toepen", {"whistling": True, "lives": 4}),
]


@pytest.mark.parametrize(("kind", "rules"), GAMES)
def test_hidden_cards_are_never_sent(single_url: str, kind: str, rules: dict[str, Any]) -> None:
    games = open_games(single_url)
    other = open_games(single_url)
    source = random.Random(5)
    size = rules.get("seats", 4)
    game = new_game(games, kind, rules=rules, seats=SEATS[:size], seed=source.randbytes(32))
    watch = Watch(games, game, kind, size)
    secret = games.repository.load(game).header.seed
    moves = 0
    while (view := games.view(game))["state"] == "running":  # type: ignore[index]
        assert view is not None
        assert secret not in json.dumps(view)
        # Now from the memory of the process that made the move, now read anew.
        watch.games = (games, other)[moves % 2]
        watch.look()
        rights = [seat for seat in range(size) if seat not in view["awaiting"]]
        seat = source.choice(rights) if source.random() < 0.05 else view["awaiting"][0]
        mine = games.view(game, Viewer(BOTS[seat]))
        assert mine is not None
        if mine["turn"] is not None:
            action = source.choice(mine["turn"]["legal_actions"])
            assert answer(games, BOTS[seat], mine["turn"]["turn"], action)["status"] == "accepted"
            moves += 1
    watch.look()
    assert watch.received > 500
    assert watch.hidden > 500, "there were secrets to keep"
    checked_record(games, game)
    games.close()
    other.close()


def test_the_check_detects_a_leak(single_url: str) -> None:
    games = open_games(single_url)
    game = new_game(games, "toepen")
    watch = Watch(games, game, "toepen")
    watch.look()
    other = games.view(game, Viewer(BOTS[1]))
    assert other is not None
    with pytest.raises(AssertionError):
        watch.check(0, {"note": ["play:" + other["observation"]["hand"][0]]})
    with pytest.raises(AssertionError):
        watch.check(4, {"pack": "".join(other["observation"]["hand"])})
    games.close()
