"""A player for all games that chooses legal actions uniformly at random."""

from __future__ import annotations

import random

from arena.games.kernel import Turn


class RandomPlayer:
    """Chooses uniformly at random among the legal actions of a turn."""

    def __init__(self, random: random.Random) -> None:
        self._random = random

    def choose(self, turn: Turn) -> str:
        """Return a legal action, chosen uniformly at random."""
        actions = turn["legal_actions"]
        return str(actions[int(self._random.random() * len(actions))])
