"""Par: the play of the pinned house bot on all seats with a given pack."""

from __future__ import annotations

import random
from collections.abc import Callable
from hashlib import sha256

from arena.games.descriptor import Game, LuckModel, SeatPlayer
from arena.games.kernel import CHANCE, State
from arena.games.options import Rules


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


def play_on(
    game: Game,
    rules: Rules,
    state: State,
    deal: str,
    done: Callable[[int, str], None] | None = None,
) -> None:
    """Have the pinned house bot play all seats to the end of the hand in progress. ``deal`` is the action
    that dealt the hand; all randomness of the players is derived from it. ``done`` is called with each seat
    and its action.
    """
    model = model_of(game)
    players: dict[int, SeatPlayer] = {}
    while (awaited := state.awaiting()) and awaited[0] != CHANCE:
        seat = awaited[0]
        player = players.get(seat)
        if player is None:
            seed = int.from_bytes(sha256(f"botequim par v1 {seat} {deal}".encode()).digest())
            player = players[seat] = game.house_bot(model.level).player(random.Random(seed))
        action = player.choose(
            {
                "turn": "",
                "game": "",
                "kind": game.kind,
                "rules": rules,
                "seat": seat,
                "optional": False,
                "legal_actions": list(state.legal_actions(seat)),
                "default_action": None,
                "deadline_ms": None,
                "bank_ms": None,
                "observation": state.observation(seat),
                "events": [],
            }
        )
        assert action is not None
        state.apply(seat, action)
        if done is not None:
            done(seat, action)
