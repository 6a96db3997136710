"""The games that must keep the contract; another folder may have the suite run on its own."""

from __future__ import annotations

from importlib import import_module
from typing import cast

import pytest

from arena.games import GAMES
from arena.games.descriptor import Game
from tests.contract.history import HAND_HISTORIES, HandHistory
from tests.contract.playouts import AlternativeLog


@pytest.fixture(scope="module", params=GAMES.values(), ids=GAMES.keys())
def game(request: pytest.FixtureRequest) -> Game:
    """Each game in turn."""
    return cast(Game, request.param)


@pytest.fixture(scope="module")
def alternative_log(game: Game) -> AlternativeLog:
    """Makes the log of a world that looks the same to a seat."""
    return cast(AlternativeLog, import_module(f"tests.contract.redeal_{game.kind}").alternative_log)


@pytest.fixture(scope="module")
def hand_history(game: Game) -> HandHistory:
    """Reads what happened in a hand."""
    return HAND_HISTORIES[game.kind]
