"""Bots that exploit habits of the house bots. They are on no board, and no wheel contains them.

Each plays as the house bot that it meets, apart from a habit; ``responder`` searches for the best answer to
it. ``benchmarks.exploiters`` measures them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from arena.bots import Bot, BotSpec
from benchmarks.zoo import toepen, truco
from benchmarks.zoo.exploiter import Exploiter, Habit
from benchmarks.zoo.responder import RESPONDERS

ZOO: Final[Mapping[str, Mapping[str, Habit]]] = {"truco": truco.HABITS, "toepen": toepen.HABITS}
"""The habit of each exploiter, by game and name."""

RESPONDER: Final = "responder"
NAMES: Final = (*dict.fromkeys(name for habits in ZOO.values() for name in habits), RESPONDER)
"""The names of all exploiters; games share some of them."""


@dataclass(frozen=True)
class ExploiterSpec(BotSpec):
    """An exploiter of the house bot ``source`` at ``kind``."""

    kind: str = ""

    def make(self, seed: int) -> Bot:
        """See :meth:`arena.bots.BotSpec.make`."""
        if self.name == RESPONDER:
            return RESPONDERS[self.kind](self.source, seed)
        return Exploiter(self.kind, self.source, ZOO[self.kind][self.name], seed)
