"""The habits of the other seats in one game, from the events of a seat's turns."""

from __future__ import annotations

from typing import Final

from arena.games.kernel import Turn
from arena.games.toepen.cards import CLEAN, mask_of

HONEST: Final = 1820 / 35960
"""The share of hands that are dirty laundry: 4 of 16 cards out of 4 of 32."""
_DECISIONS: Final = 20
"""How many decisions to exchange or to keep outweigh what is expected of a stranger."""
_SHOWN: Final = 4
"""The same in hands shown by challenges."""
_CHALLENGES: Final = 6
"""The same in decisions to challenge or to trust."""


class Habits:
    """Per seat: how often it laid its hand away, what challenges revealed, and how often it challenged."""

    def __init__(self, seats: int) -> None:
        self._noted = -1
        self.kept = [0] * seats
        self.exchanged = [0] * seats
        self.honest = [0] * seats
        self.caught = [0] * seats
        self.challenged = [0] * seats
        self.trusted = [0] * seats

    def note(self, turn: Turn) -> None:
        """Take in the events of a turn, except those noted before."""
        for event in turn["events"]:
            if event["n"] <= self._noted:
                continue
            self._noted = event["n"]
            if event["type"] == "keep":
                self.kept[event["seat"]] += 1
            elif event["type"] == "exchange":
                self.exchanged[event["seat"]] += 1
            elif event["type"] == "trust":
                self.trusted[event["seat"]] += 1
            elif event["type"] == "challenge":
                self.challenged[event["seat"]] += 1
                if mask_of(event["cards"]) & CLEAN:
                    self.caught[event["exchanger"]] += 1
                else:
                    self.honest[event["exchanger"]] += 1

    def honesty(self, seat: int, expected: float = 0.5) -> float:
        """Return the chance that the hand that ``seat`` has just laid away is dirty laundry; ``expected`` is
        the chance for a stranger.
        """
        before = max(0, self.exchanged[seat] - 1)
        rate = (before + _DECISIONS * HONEST / expected) / (before + self.kept[seat] + _DECISIONS)
        honest = min(1.0, HONEST / rate)
        shown = self.honest[seat] + self.caught[seat]
        return (_SHOWN * honest + self.honest[seat]) / (_SHOWN + shown)

    def challenges(self, seat: int, expected: float) -> float:
        """Return how likely ``seat`` is to challenge; ``expected`` is the chance for a stranger."""
        decisions = self.challenged[seat] + self.trusted[seat]
        return (self.challenged[seat] + _CHALLENGES * expected) / (decisions + _CHALLENGES)
