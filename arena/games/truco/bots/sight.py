"""What a seat sees at a turn of Brazilian Truco, as numbers that are quick to compute with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from arena.games.kernel import Turn
from arena.games.truco.cards import CARD_NUMBER, PACK
from arena.games.truco.seen import TrucoTrick
from arena.games.truco.view import order_seen

THREE: Final = 10
"""The strength of a 3. The manilhas have 11 to 14, a 2 has 9, an ace 8, and so on down to 1 for a 4."""


class TrucoSight:
    """One turn, as seen from its seat.

    Cards are numbers (indexes in ``PACK``). In ``results`` and ``holder``, 1 is the seat's own team, -1 is
    the other team, and 0 is nobody or both.

    ``hand`` is sorted from weakest to strongest. Four attributes describe the trick in progress: ``place`` is
    the number of cards on the table, ``best`` is the strength of the best card (0 if there is none),
    ``holder`` is the team that played it, and ``to_play`` lists the seats that have yet to play, in order.
    ``results`` are the results of the completed tricks. ``partners`` holds the cards that the partner is
    known to have been dealt. ``call`` is the action that raises the stake, or "" if there is none.
    """

    def __init__(self, turn: Turn) -> None:
        seen = turn["observation"]
        self.phase: str = seen["phase"]
        self.seat: int = turn["seat"]
        self.seats: int = turn["rules"]["seats"]
        self.partner = (self.seat + 2) % self.seats
        """The seat of the partner. With two seats there is no partner, and this is the seat itself."""
        self.strength = order_seen(seen).strength
        self.legal: list[str] = turn["legal_actions"]
        self.stake: int = seen["stake"]
        self.stakes = tuple(int(value) for value in turn["rules"]["stakes"].split("-"))
        self.whole_hand: bool = turn["rules"]["truco_scope"] == "hand"
        self.call = next((action for action in self.legal if action.startswith(("truco", "raise:"))), "")
        self.hand = sorted((CARD_NUMBER[card] for card in seen["hand"]), key=self.strength.__getitem__)
        self.partners = [CARD_NUMBER[card] for card in seen["partner_dealt"]]
        self._read_tricks(seen["tricks"])

    def _read_tricks(self, tricks: Sequence[TrucoTrick]) -> None:
        self.place = self.best = self.holder = 0
        self.results: list[int] = []
        self.to_play: list[int] = []
        for trick in tricks:
            self.best = self.holder = 0
            for play in trick["plays"]:
                if play["card"] is not None and not play["face_down"]:
                    self._lay(self.strength[CARD_NUMBER[play["card"]]], play["seat"])
            self.place = len(trick["plays"]) % self.seats
            self.to_play = [(trick["leader"] + place) % self.seats for place in range(self.place, self.seats)]
            if trick["over"]:
                winner = trick["winner"]
                self.results.append(0 if winner is None else 1 if winner == self.seat & 1 else -1)

    def _lay(self, strength: int, seat: int) -> None:
        side = 1 if (seat ^ self.seat) & 1 == 0 else -1
        if strength > self.best:
            self.best, self.holder = strength, side
        elif strength == self.best and side != self.holder:
            self.holder = 0

    @property
    def lead(self) -> int:
        """The tricks that the team has won in this hand, less those of the other team."""
        return sum(self.results)

    @property
    def strengths(self) -> list[int]:
        """The strengths of the seat's cards, weakest first."""
        return [self.strength[card] for card in self.hand]


def play(card: int) -> str:
    """Return the action that plays a card face up."""
    return "play:" + PACK[card]
