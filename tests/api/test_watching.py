"""Spectators get every change once, also those who read slowly or come back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from flask import Flask

from api import watching
from api.spectators import Spectators
from api.watching import Message, WatchedGame
from arena.live.header import ANYBODY
from arena.live.service import LiveGames
from tests.api.contract import ContractClient


@pytest.fixture
def live(app: Flask) -> LiveGames:
    found: LiveGames = app.extensions["botequim"].live
    return found


@pytest.fixture
def counts(app: Flask) -> Spectators:
    service = app.extensions["botequim"]
    return Spectators(service.store, service.exhibition)


@pytest.fixture
def game(live: LiveGames) -> str:
    """A game in progress that nobody has played on yet."""
    seats = [{"house": "random"}, {"house": "rookie"}]
    return str(live.create("toepen", seats=seats, rules={"seats": 2, "lives": 3})["game"])


def play_on(live: LiveGames, game: str, watched: WatchedGame) -> int:
    """Play the game in small pieces, each of which the process reads; how many there were."""
    pieces = 0
    while live.summary(game)["state"] == "running":
        live.move_house_bots(game, seconds=0)
        watched.read(0)
        pieces += 1
    return pieces


def seen_by(messages: Iterable[Message | None]) -> tuple[dict[str, Any], list[str], list[int]]:
    """The picture and the log at the end, and the events shown in between."""
    picture: dict[str, Any] = {}
    log: list[str] = []
    events: list[int] = []
    for message in messages:
        assert message is not None
        if message.kind == "table":
            picture, log = dict(message.data["picture"]), list(message.data["log"])
            continue
        for change in message.data["changes"]:
            if "hand" in change and picture["hand"]:
                log = []
            log += change["lines"]
            events.append(change["n"])
            picture |= change
    return {name: value for name, value in picture.items() if name not in ("n", "lines")}, log, events


def test_a_slow_spectator_misses_nothing(live: LiveGames, counts: Spectators, game: str) -> None:
    watched = WatchedGame(live, counts, game)
    watched.read(0)
    start = live.events(game, ANYBODY)["next"]
    messages = watched.messages(0)
    first = next(messages)
    assert play_on(live, game, watched) > 2
    # All that was sent meanwhile comes in one message.
    (second,) = messages
    picture, log, events = seen_by([first, second])
    assert picture == watched._table.shown
    assert log == watched._table.log
    assert events == sorted(set(events))
    played = [one["n"] for one in live.events(game, ANYBODY)["events"] if one["type"] in ("play", "knock")]
    assert {n for n in played if n >= start} <= set(events)


def test_a_spectator_who_missed_too_much_gets_the_table(
    live: LiveGames, counts: Spectators, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "MOST_MISSED", 3)
    watched = WatchedGame(live, counts, game)
    watched.read(0)
    messages = watched.messages(0)
    first = next(messages)
    play_on(live, game, watched)
    (second,) = messages
    assert second is not None
    assert second.kind == "table"
    picture, log, _ = seen_by([first, second])
    assert (picture, log) == (watched._table.shown, watched._table.log)


def test_a_spectator_comes_back(
    live: LiveGames, counts: Spectators, game: str, anybody: ContractClient
) -> None:
    watched = WatchedGame(live, counts, game)
    watched.read(0)
    first = next(watched.messages(0))
    assert first is not None
    play_on(live, game, watched)
    missed = next(watched.messages(0, first.next))
    picture, log, events = seen_by([first, missed])
    assert (picture, log) == (watched._table.shown, watched._table.log)
    assert events[0] == first.next
    # Over HTTP, where the id of a message is the number of the last event in it.
    headers = {"Last-Event-ID": str(first.next - 1)}
    assert "event: moves" in anybody.get(f"/games/{game}/table", headers=headers).text
    assert "event: table" in anybody.get(f"/games/{game}/table").text
    assert anybody.get(f"/games/{game}/table", headers={"Last-Event-ID": "x"}).status_code == 422
