"""The habits of the other seats in one game, observed in the events of a seat's turns."""

from __future__ import annotations

from typing import Final

from arena.games.kernel import Turn
from arena.games.toepen.cards import CLEAN, mask_of

HONEST: Final = 1820 / 35960
"""The probability that a dealt hand is dirty laundry: 4 of 16 cards out of 4 of 32."""
_DECISIONS: Final = 20
"""The weight of the expectation about a stranger, as a number of decisions to exchange or to keep."""
_SHOWN: Final = 4
"""The same weight, as a number of hands shown by challenges."""
_CHALLENGES: Final = 6
"""The same weight, as a number of decisions to challenge or to trust."""


class Habits:
    """Counts for each seat how often it laid its hand away, what challenges revealed, and how often it
    challenged.
    """

    def __init__(self, seats: int) -> None:
        self._noted = -1
        self.kept = [0] * seats
        self.exchanged = [0] * seats
        self.honest = [0] * seats
        self.caught = [0] * seats
        self.challenged = [0] * seats
        self.trusted = [0] * seats

    def note(self, turn: Turn) -> None:
        """Record the events of a turn, except those recorded before."""
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
        """Return the probability that the hand that ``seat`` has just laid away is dirty laundry.
        ``expected`` is the probability for a stranger.
        """
        before = max(0, self.exchanged[seat] - 1)
        rate = (before + _DECISIONS * HONEST / expected) / (before + self.kept[seat] + _DECISIONS)
        honest = min(1.0, HONEST / rate)
        shown = self.honest[seat] + self.caught[seat]
        return (_SHOWN * honest + self.honest[seat]) / (_SHOWN + shown)

    def challenges(self, seat: int, expected: float) -> float:
        """Return the probability that ``seat`` challenges. ``expected`` is the probability for a stranger."""
        decisions = self.challenged[seat] + self.trusted[seat]
        return (self.challenged[seat] + _CHALLENGES * expected) / (decisions + _CHALLENGES)
