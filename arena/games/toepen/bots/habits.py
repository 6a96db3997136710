"""The habits of the other seats in one game, from the events of a seat's turns."""

from __future__ import annotations

from typing import Final

from arena.games.kernel import Turn
from arena.games.toepen.cards import CLEAN, mask_of

HONEST: Final = 1820 / 35960
"""The share of hands that are dirty laundry: 4 of 16 cards out of 4 of 32."""


class Habits:
    """The frequency of laid-away hands per seat, and the hands shown by challenges."""

    def __init__(self, seats: int) -> None:
        self._noted = -1
        self.kept = [0] * seats
        self.exchanged = [0] * seats
        self.honest = [0] * seats
        self.caught = [0] * seats

    def note(self, turn: Turn) -> None:
        """Take in the events of a turn; those noted before are passed over."""
        for event in turn["events"]:
            if event["n"] <= self._noted:
                continue
            self._noted = event["n"]
            if event["type"] == "keep":
                self.kept[event["seat"]] += 1
            elif event["type"] == "exchange":
                self.exchanged[event["seat"]] += 1
            elif event["type"] == "challenge":
                if mask_of(event["cards"]) & CLEAN:
                    self.caught[event["exchanger"]] += 1
                else:
                    self.honest[event["exchanger"]] += 1

    def honesty(self, seat: int) -> float:
        """The chance that the hand which ``seat`` has just laid away is dirty laundry."""
        rate = (self.exchanged[seat] + 1) / (self.exchanged[seat] + self.kept[seat] + 10)
        expected = min(1.0, HONEST / rate)
        shown = self.honest[seat] + self.caught[seat]
        return (4 * expected + self.honest[seat]) / (4 + shown)
