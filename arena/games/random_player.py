"""A player for every game that chooses a uniformly random legal action."""

from __future__ import annotations

import random

from arena.games.kernel import Turn


class RandomPlayer:
    """Chooses uniformly among the legal actions of a turn."""

    def __init__(self, random: random.Random) -> None:
        self._random = random

    def choose(self, turn: Turn) -> str:
        """Return a uniformly random legal action."""
        actions = turn["legal_actions"]
        return str(actions[int(self._random.random() * len(actions))])
