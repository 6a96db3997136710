"""What the house bots share: each has one player per game, made when the first turn arrives."""

from __future__ import annotations

import importlib
import random
from typing import ClassVar, Protocol, cast

from arena.bots.base import Bot, Turn


class Player(Protocol):
    """How one house bot plays one seat of one game: the class ``Player`` of
    ``arena.bots.<kind>.<level>``, made as ``Player(random)``.
    """

    def choose(self, turn: Turn) -> str | None:
        """As :meth:`arena.bots.base.Bot.choose`."""
        ...


class HouseBot(Bot):
    """A bot that plays every game of the house at one ``level``."""

    level: ClassVar[str]
    _player: Player | None = None

    def choose(self, turn: Turn) -> str | None:
        """The action of this level's player of the turn's game."""
        if self._player is None:
            self._player = _player(self.level, turn["kind"], self.random)
        return self._player.choose(turn)


def _player(level: str, kind: str, source: random.Random) -> Player:
    module = importlib.import_module(f"arena.bots.{kind}.{level}")
    return cast(Player, module.Player(source))
