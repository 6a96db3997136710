"""Re-deal what a seat cannot see: the first step of a simulation.

A bot gets a turn, never a state. :func:`redeal` makes a state of the game that looks to the
bot exactly as its turn does, with all that it cannot see drawn at random, and a bot may then play on
from it as often as it likes::

    from botequim import Bot, redeal

    class MyBot(Bot):
        def choose(self, turn):
            totals = dict.fromkeys(turn["legal_actions"], 0.0)
            for _ in range(20):
                world = redeal(turn, self.random)
                for action in totals:
                    state = world.clone()
                    state.apply(turn["seat"], action)
                    totals[action] += self.play_on(state)  # your own playout
            return max(totals, key=totals.get)
"""

from __future__ import annotations

import random

from arena.bots.base import Turn
from arena.games import game_of
from arena.games.kernel import State


def redeal(turn: Turn, rng: random.Random) -> State:
    """Return a state that is consistent with all that ``turn`` shows, with the rest drawn with ``rng``.

    In it, the seat of the turn has the same observation and the same legal actions, and the same seats are
    awaited. Every assignment of the unseen cards that the rules allow is equally likely; what the choices of
    other seats reveal about their cards is left to the bot. Raises :class:`~arena.errors.UnknownGame` for a
    kind that is not played here.
    """
    return game_of(turn["kind"]).redeal(turn, rng)
