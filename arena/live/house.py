"""House bots at live tables: let them move until somebody outside must decide."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any

from arena.dealing import bot_seed
from arena.live.clocks import ServiceClock
from arena.live.desk import Desk
from arena.live.game import LiveGame
from arena.table import StaleTurn, TurnAlreadyAnswered, UnknownTurn

Choose = Callable[[str, int, Mapping[str, Any], int], str | None]
"""``choose(name, seat, turn, seed)`` is what a house bot does at a turn; None lets an optional one pass."""


def play_house(desk: Desk, game_id: str, choose: Choose) -> int:
    """See :meth:`arena.live.games.LiveGames.play_house`."""
    moves = 0
    offered: dict[int, tuple[int, int]] = {}
    while True:
        game = desk.load(game_id)
        seats = game.awaited_house_seats()
        if not seats:
            return moves
        rights = [] if game.playing.state.answer_pending() else _rights(game, seats[0], offered)
        for seat in (*rights, seats[0]):
            desk.complete(game, seat)
            if _ask(desk, game, seat, choose):
                moves += 1
                break


def _rights(game: LiveGame, to_play: int, offered: dict[int, tuple[int, int]]) -> list[int]:
    """The house seats with a right to offer, in seat order from the one to play, once per event."""
    table = game.playing
    found = []
    for distance in range(1, table.size):
        seat = (to_play + distance) % table.size
        if game.sheet.seats[seat].house is None or not table.legal_actions(seat):
            continue
        seen = (table.turn_number(seat), table.first_event + len(table.events))
        if offered.get(seat) != seen:
            offered[seat] = seen
            found.append(seat)
    return found


def _ask(desk: Desk, game: LiveGame, seat: int, choose: Choose) -> bool:
    """Ask the house bot on ``seat`` and do what it says; whether the game went on."""
    table = game.playing
    turn = table.turn(seat)
    name = game.sheet.seats[seat].house
    if turn is None or name is None:
        return False
    number = table.turn_number(seat)
    fault = ""
    action: str | None = None
    try:
        action = choose(name, seat, turn, _seed(table.seed, seat, number))
    except Exception as error:
        fault = f"{type(error).__name__}: {error}"
    if action is None and not fault:
        if turn["optional"]:
            return False
        fault = "no action"
    elif action is not None and action not in turn["legal_actions"]:
        fault = f"illegal: {action}"

    def act(now: LiveGame, clock: ServiceClock) -> bool:
        table = now.playing
        if table.turn_number(seat) != number or not table.legal_actions(seat):
            return False
        if fault:
            if not table.fault(seat, "crashed", fault) and seat in table.awaited():
                table.act_for(seat, "crashed")
            return True
        assert action is not None
        try:
            table.submit(seat, number, action)
        except (StaleTurn, TurnAlreadyAnswered, UnknownTurn):
            return False
        return True

    return desk.change_one(game.id, act)


def _seed(seed: bytes, seat: int, number: int) -> int:
    """A number for the bot's own randomness at this turn, the same whenever it is asked again."""
    return int.from_bytes(sha256(b"%d %d" % (bot_seed(seed, seat), number)).digest())


__all__ = ["Choose", "play_house"]
