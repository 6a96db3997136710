"""What a seat sees at a turn of Toepen, as numbers that are quick to compute with."""

from __future__ import annotations

from arena.games.kernel import Turn
from arena.games.toepen.bots.spot import Spot
from arena.games.toepen.cards import CARD_NUMBER, CLEAN, WHOLE_PACK, mask_of
from arena.games.toepen.redeal import voids_of
from arena.games.toepen.seen import ToepenObservation


class ToepenSight:
    """One turn, as seen from its seat. ``spot`` is the seat's position in the hand. Sets of seats are bit
    masks.

    ``gone`` holds the cards that cannot be in another hand, except for the seat's own cards. ``to_answer``
    holds the seats that have yet to answer an exchange, poverty or a knock. ``exchanger`` is the seat that is
    exchanging its hand, if any. ``tricks`` is the number of finished tricks.
    """

    def __init__(self, turn: Turn) -> None:
        seen = turn["observation"]
        self.phase: str = seen["phase"]
        self.seat: int = turn["seat"]
        self.legal: list[str] = turn["legal_actions"]
        self.seats = len(seen["lives"])
        self.lives: list[int] = seen["lives"]
        self.value: int = seen["value"]
        self.knocker: int | None = seen["knocker"]
        self.exchanger: int | None = seen["turn"] if self.phase in ("exchange", "challenge") else None
        self.dealer: int = seen["dealer"]
        self.tricks = len(seen["tricks"])
        self.to_answer = sum(1 << seat for seat in seen["to_answer"])
        self.in_hand = sum(1 << seat for seat, is_in in enumerate(seen["in_hand"]) if is_in)
        self.gone = _gone(seen)
        self.spot = self._spot(seen)

    @property
    def others(self) -> int:
        """The other seats that are still in the hand."""
        return self.spot.others

    @property
    def dirty(self) -> bool:
        """Whether the seat's hand is dirty laundry (TP-2.2)."""
        return not self.spot.hand & CLEAN

    def _spot(self, seen: ToepenObservation) -> Spot:
        hand = mask_of(seen["hand"])
        voids = voids_of(seen)
        may_hold = [
            sum(1 << seat for seat, void in enumerate(voids) if not void >> (suit << 3) & 1)
            for suit in range(4)
        ]
        others = self.in_hand & ~(1 << self.seat)
        leader = seen["leader"]
        leads = (self._first_leader() if leader is None else leader) == self.seat
        unseen = WHOLE_PACK & ~hand & ~self.gone
        spot = Spot(self.seat, hand, unseen, others, may_hold, leads=leads, after=others)
        for item in seen["trick"]:
            card, seat = CARD_NUMBER[item["card"]], item["seat"]
            spot.after &= ~(1 << seat)
            if spot.led < 0:
                spot.led = card >> 3
            if seat == self.seat:
                spot.played = True
            if self.in_hand >> seat & 1 and card >> 3 == spot.led and card > spot.best:
                spot.best, spot.best_seat = card, seat
        return spot

    def _first_leader(self) -> int:
        """Return the seat that leads the first trick as things stand (TP-4.1, TP-6.1)."""
        players = [seat for seat in range(self.seats) if self.in_hand >> seat & 1]
        pelt = [seat for seat in players if self.lives[seat] == 1]
        return min(pelt or players, key=lambda seat: (seat - self.dealer - 1) % self.seats)


def _gone(seen: ToepenObservation) -> int:
    gone = mask_of(item["card"] for item in seen["trick"])
    for trick in seen["tricks"]:
        gone |= mask_of(item["card"] for item in trick["cards"])
    for laid in seen["laid_away"]:
        gone |= mask_of(laid["cards"] or ())
    return gone
