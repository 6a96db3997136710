"""High card is one of the games as long as the tests of this folder run, and an app of their own knows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

import pytest
from flask import Flask

from api.app import create_app
from arena.games import GAMES, register
from arena.games.cards import split_cards
from arena.games.descriptor import Game
from arena.games.kernel import CHANCE
from arena.ops.settings import Settings
from tests.api.conftest import (  # noqa: F401  (fixtures)
    admin,
    anybody,
    app,
    checker,
    owner,
    settings,
    sign_up,
)
from tests.api.conftest import register as register_bot  # noqa: F401  (a fixture)
from tests.contract.history import HandHistory
from tests.contract.playouts import LOG, AlternativeLog
from tests.highcard.game import GAME
from tests.highcard.rules import CARDS


@pytest.fixture(scope="module", autouse=True)
def game() -> Iterator[Game]:
    """The game, registered."""
    register(GAME)
    yield GAME
    del GAMES[GAME.kind]


@pytest.fixture(scope="module")
def one_app(game: Game, settings: Settings) -> Flask:  # noqa: F811
    """An app that was made when the game was known."""
    return create_app(settings)


@pytest.fixture(scope="module")
def alternative_log() -> AlternativeLog:
    """Gives every card that the viewer never sees another place in the pack."""

    def make(log: LOG, viewer: int, random: Random, rules: Mapping[str, Any]) -> LOG | None:
        starts = [index for index, (seat, _) in enumerate(log) if seat == CHANCE]
        other: LOG = []
        for start, end in zip(starts, [*starts[1:], len(log)], strict=True):
            pack = split_cards(log[start][1].removeprefix("deal:"))
            seen = {action.removeprefix("play:") for _, action in log[start + 1 : end]}
            seen.update(pack[CARDS * viewer :][:CARDS])
            unseen = [card for card in pack if card not in seen]
            new = dict(zip(unseen, random.sample(unseen, len(unseen)), strict=True))
            other.append((CHANCE, "deal:" + "".join(new.get(card, card) for card in pack)))
            other += log[start + 1 : end]
        return other

    return make


@pytest.fixture(scope="module")
def hand_history() -> HandHistory:
    """Reads the cards played in a hand."""
    return HandHistory(
        lambda seen: [("play", play["seat"], play["card"]) for play in seen["played"]],
        lambda view: [("play", view["seat"], view["card"])] if view["type"] == "play" else [],
        "hand",
    )
