"""The house bot ``random``, which chooses a uniformly random legal action."""

from __future__ import annotations

from arena.bots.base import Bot, Turn
from arena.games.random_player import RandomPlayer


class RandomBot(Bot):
    """Plays any game, even one that is not registered."""

    def choose(self, turn: Turn) -> str:
        """Return a uniformly random legal action."""
        return RandomPlayer(self.random).choose(turn)
