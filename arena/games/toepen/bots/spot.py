"""The position of one seat in a hand, and the winning chances of its cards, computed by counting cards."""

from __future__ import annotations

from collections.abc import Sequence

from arena.games.toepen.bots.odds import POPCOUNT, UNBEATEN, chances


class Spot:
    """What one seat knows about a hand. Cards are numbers; sets of cards and of seats are bit masks.

    ``others`` are the other seats still in the hand, and ``unseen`` the cards that they can hold.
    ``may_hold`` holds, for each suit, the seats that have never failed to follow it. ``leads`` is whether
    this seat leads to the next trick. Five attributes describe the trick in progress: ``led`` is its suit (-1
    if there is none), ``best`` is the card that currently wins it, ``best_seat`` is the seat that played that
    card, ``played`` is whether this seat has played to it, and ``after`` holds the other seats that have yet
    to play to it.
    """

    __slots__ = (
        "after",
        "best",
        "best_seat",
        "hand",
        "leads",
        "led",
        "may_hold",
        "others",
        "played",
        "seat",
        "unseen",
    )

    def __init__(
        self,
        seat: int,
        hand: int,
        unseen: int,
        others: int,
        may_hold: Sequence[int],
        *,
        leads: bool = False,
        led: int = -1,
        best: int = -1,
        best_seat: int = -1,
        played: bool = False,
        after: int = 0,
    ) -> None:
        self.seat = seat
        self.hand = hand
        self.unseen = unseen
        self.others = others
        self.may_hold = may_hold
        self.leads = leads
        self.led = led
        self.best = best
        self.best_seat = best_seat
        self.played = played
        self.after = after

    def beats(self, card: int) -> bool:
        """Return whether ``card`` would currently win the trick."""
        return self.led < 0 or (card >> 3 == self.led and card > self.best)

    def unbeaten(self, card: int, seats: int, held: int) -> float:
        """Return the probability that none of ``seats``, with ``held`` cards each, holds a higher card of the
        same suit.
        """
        suit = card >> 3
        higher = POPCOUNT[(self.unseen >> (suit << 3) & 255) >> (card & 7)]
        return UNBEATEN[(self.may_hold[suit] & seats).bit_count()][held][self.unseen.bit_count()][higher]

    def rivals(self, against: int) -> tuple[int, int, int, int]:
        """Return, for each suit, how many of the seats in ``against`` can hold it."""
        clubs, hearts, spades, diamonds = self.may_hold
        return (
            (clubs & against).bit_count(),
            (hearts & against).bit_count(),
            (spades & against).bit_count(),
            (diamonds & against).bit_count(),
        )

    def playable(self) -> list[int]:
        """Return the cards that follow suit, or all cards if there are none (TP-4.1). The weakest card of
        each suit comes first.
        """
        hand = self.hand
        if self.led >= 0:
            hand = hand & 255 << (self.led << 3) or hand
        cards = []
        while hand:
            lowest = hand & -hand
            cards.append(lowest.bit_length() - 1)
            hand ^= lowest
        return cards

    def card_chance(self, card: int, against: int | None = None) -> float:
        """Return the chance to win the hand if this seat plays ``card`` to the trick now.

        If ``against`` is given, only those of the ``others`` count, as if the rest folded.
        """
        against = self.others if against is None else against
        takes = self.unbeaten(card, self.after & against, self.hand.bit_count()) if self.beats(card) else 0.0
        return self._after_trick(self.hand & ~(1 << card), takes, against)

    def hand_chance(self, against: int | None = None) -> float:
        """Return the chance to win the hand with the best play from here."""
        against = self.others if against is None else against
        if self.led < 0:
            return chances(self.hand, self.unseen, self.rivals(against))[self.leads]
        if not self.played:
            return max(self.card_chance(card, against) for card in self.playable())
        takes = 0.0
        if self.best_seat == self.seat:
            takes = self.unbeaten(self.best, self.after & against, self.hand.bit_count() + 1)
        return self._after_trick(self.hand, takes, against)

    def best_card(self) -> tuple[int, float]:
        """Return the card with the best chance to win the hand, and that chance. If several cards are equal,
        return the lowest.
        """
        best, best_chance = -1, -1.0
        for card in self.playable():
            chance = self.card_chance(card)
            if chance > best_chance or (chance == best_chance and card & 7 < best & 7):
                best, best_chance = card, chance
        return best, best_chance

    def _after_trick(self, rest: int, takes: float, against: int) -> float:
        if not rest:
            return takes
        follows, leads = chances(rest, self.unseen, self.rivals(against))
        return follows + takes * (leads - follows)
