"""Par: the play of the pinned house bot on all seats with a given pack."""

from __future__ import annotations

import random
from collections.abc import Callable
from hashlib import sha256

from arena.games.descriptor import Game, LuckModel
from arena.games.kernel import CHANCE, State


def model_of(game: Game) -> LuckModel:
    """Return the luck model of a game. Raises ValueError if the game has none or if its house bot is not the
    pinned version.
    """
    model = game.luck
    if model is None:
        raise ValueError(f"luck is not measured for {game.kind}")
    if game.house_bot(model.level).version != model.version:
        raise ValueError(f"the luck of {game.kind} must be measured with {model.level} {model.version}")
    return model


def play_on(game: Game, state: State, deal: str, play: int = 1) -> list[tuple[int, str]]:
    """Have the pinned house bot play all seats to the end of the hand in progress, and return each seat and
    its action. ``deal`` is the action that dealt the hand, and ``play`` the number of this play of it, from
    1; all randomness of the players is derived from both.
    """
    model = model_of(game)
    players: dict[int, Callable[[State], str]] = {}
    done: list[tuple[int, str]] = []
    while (awaited := state.awaiting()) and awaited[0] != CHANCE:
        seat = awaited[0]
        player = players.get(seat)
        if player is None:
            seed = int.from_bytes(sha256(f"botequim par v2 {seat} {play} {deal}".encode()).digest())
            player = players[seat] = model.player(random.Random(seed))
        action = player(state)
        state.apply(seat, action)
        done.append((seat, action))
    return done
