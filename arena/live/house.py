"""House bots at live tables. They move until the game waits for another player or is paused; in exhibition
games, they make one move at a time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import NamedTuple

from arena.bots import bot_spec
from arena.games.kernel import Turn
from arena.live.game import LiveGame
from arena.live.repository import GameRepository
from arena.play.clocks import ServiceClock
from arena.play.dealing import bot_seed
from arena.play.judge import fail, judge, seats_with_rights

Choose = Callable[[str, int, Turn, int], str | None]
"""A function ``choose(name, seat, turn, seed)`` that returns a house bot's action, or None to pass an
optional turn.
"""


class HouseMoves(NamedTuple):
    """The number of moves, and whether the game still waits for a house bot."""

    moves: int
    more: bool


def move_house_bots(repository: GameRepository, game_id: str, choose: Choose, seconds: float) -> HouseMoves:
    """See :meth:`arena.live.service.LiveGames.move_house_bots`."""
    until = time.thread_time() + seconds
    moves = 0
    offered: dict[int, tuple[int, int]] = {}
    while True:
        game = repository.load(game_id)
        seats = game.awaited_house_seats()
        if not seats or game.is_paused(repository.store.clock()):
            return HouseMoves(moves, False)
        if moves and time.thread_time() > until:
            return HouseMoves(moves, True)
        for seat in _seats_to_move(game, seats[0], offered):
            repository.complete(game, seat)
            if _move(repository, game, seat, choose):
                moves += 1
                break
        if moves and game.header.exhibition:
            return HouseMoves(moves, False)


def house_choice(name: str, seat: int, turn: Turn, seed: int) -> str | None:
    """Return the action of house bot ``name``. A new bot is created, so the action depends only on the turn
    and ``seed``.
    """
    return bot_spec(name).make(seed).choose(turn)


def _seats_to_move(game: LiveGame, to_play: int, offered: dict[int, tuple[int, int]]) -> Iterator[int]:
    """Yield the house seats with an unused right, each once per event, and then the seat to play."""
    table = game.playing
    for seat in seats_with_rights(table):
        seen = (table.turn_number(seat), table.first_event + len(table.events))
        if game.header.seats[seat].house is not None and offered.get(seat) != seen:
            offered[seat] = seen
            yield seat
    yield to_play


def _move(repository: GameRepository, game: LiveGame, seat: int, choose: Choose) -> bool:
    """Ask the house bot at ``seat`` to choose, and apply its action. Returns whether the game changed."""
    table = game.playing
    turn = table.turn(seat)
    name = game.header.seats[seat].house
    if turn is None or name is None:
        return False
    number = table.turn_number(seat)
    failure = ""
    answer: str | None = None
    try:
        answer = choose(name, seat, turn, _seed(table.seed, seat, number))
    except Exception as error:
        failure = f"{type(error).__name__}: {error}"
    if answer is None and turn["optional"] and not failure:
        return False

    def act(now: LiveGame, clock: ServiceClock) -> bool:
        table = now.table
        if table is None or table.turn_number(seat) != number or not table.legal_actions(seat):
            return False
        if failure:
            fail(table, seat, "crashed", failure)
        else:
            judge(table, seat, number, answer)
        return True

    return repository.change_one(game.id, act, by_house=True)


def _seed(seed: bytes, seat: int, number: int) -> int:
    """Return the seed of the bot's randomness for this turn, which is the same if the turn is repeated."""
    return int.from_bytes(sha256(b"%d %d" % (bot_seed(seed, seat), number)).digest())
