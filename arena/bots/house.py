"""The base class of the house bots. A house bot creates the player of its game when the first
turn arrives.
"""

from __future__ import annotations

from typing import ClassVar

from arena.bots.base import Bot, Turn
from arena.games import game_of
from arena.games.descriptor import SeatPlayer


class HouseBot(Bot):
    """A bot that plays every game at one ``level``."""

    level: ClassVar[str]
    _player: SeatPlayer | None = None

    def choose(self, turn: Turn) -> str | None:
        """Return the action of this level's player for the turn's game."""
        if self._player is None:
            self._player = game_of(turn["kind"]).house_bot(self.level).player(self.random)
        return self._player.choose(turn)
