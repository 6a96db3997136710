"""The chances in one trick of Brazilian Truco, computed by counting the cards that can be anywhere."""

from __future__ import annotations

from math import comb
from typing import Final, NamedTuple

from arena.games.truco.bots.sight import TrucoSight
from arena.games.truco.cards import PACK

TOP: Final = 14
"""The greatest strength, which is that of the zap."""


class Chances(NamedTuple):
    """The probabilities that the seat's team wins, ties and loses the trick in progress."""

    win: float
    tie: float
    lose: float


Spread = list[float]
"""A probability distribution of the best card. For each strength from 0 to ``TOP``, it has the probability
that the card is at most that strong.
"""


def best_of(cards: int, unseen: list[int]) -> Spread:
    """Return the distribution of the best of ``cards`` cards drawn from ``unseen``, which has card counts by
    strength.
    """
    total = sum(unseen)
    ways = comb(total, cards)
    spread = []
    weaker = 0
    for count in unseen:
        weaker += count
        spread.append(comb(weaker, cards) / ways if ways else 1.0)
    return spread


def certain(strength: int) -> Spread:
    """Return the distribution of one known card."""
    return [0.0] * strength + [1.0] * (TOP + 1 - strength)


def better_of(one: Spread, other: Spread) -> Spread:
    """Return the distribution of the better of two independent cards."""
    return [a * b for a, b in zip(one, other, strict=True)]


def _better(spread: Spread, times: float) -> Spread:
    """Return the distribution of the best card of ``times`` as many cards."""
    return spread if times == 1 else [chance**times for chance in spread]


def compare(ours: Spread, theirs: Spread) -> Chances:
    """Return the chances if both teams show their best cards."""
    win = tie = 0.0
    our_before = their_before = 0.0
    for our_most, their_most in zip(ours, theirs, strict=True):
        win += (our_most - our_before) * their_before
        tie += (our_most - our_before) * (their_most - their_before)
        our_before, their_before = our_most, their_most
    return Chances(win, tie, 1.0 - win - tie)


class Trick:
    """The trick in progress, evaluated for any card that the seat can play.

    ``bold`` is a seat that has called or raised, and is therefore assumed to hold the best of
    ``best_of_hands`` hands.
    """

    def __init__(self, sight: TrucoSight, best_of_hands: float, bold: int | None = None) -> None:
        self._bold = best_of_hands
        unseen = self._unseen = [0] * (TOP + 1)
        strength = sight.strength
        for number in range(len(PACK)):
            if sight.unseen >> number & 1:
                unseen[strength[number]] += 1
        partners = [strength[number] for number in range(len(PACK)) if sight.partners >> number & 1]
        self._later: list[tuple[bool, bool]] = [
            (seat == sight.partner, seat == bold) for seat in range(sight.seats) if seat != sight.seat
        ]
        nothing = certain(0)
        held = certain(sight.best)
        self._ours = held if sight.holder == 1 else nothing
        self._theirs = held if sight.holder == -1 else nothing
        if sight.holder == 0 and sight.best:
            self._ours = self._theirs = held
        for seat in sight.to_play:
            if seat == sight.seat:
                continue
            count = sight.held[seat]
            if seat == sight.partner:
                known = certain(max(partners)) if partners and count else best_of(count, unseen)
                self._ours = better_of(self._ours, known)
            else:
                spread = _better(best_of(count, unseen), self._bold if seat == bold else 1.0)
                self._theirs = better_of(self._theirs, spread)

    def with_card(self, strength: int) -> Chances:
        """Return the chances if this seat plays a card of this strength and every seat after it shows its
        best card.
        """
        return compare(better_of(self._ours, certain(strength)), self._theirs)

    def later(self, strength: int, cards: int) -> float:
        """Return the chance to win a later trick with a card of this strength if every other seat shows the
        best of ``cards`` cards. A tie counts as half.
        """
        ours, theirs = certain(strength), certain(0)
        spread = best_of(cards, self._unseen)
        for partner, bold in self._later:
            if partner:
                ours = better_of(ours, spread)
            else:
                theirs = better_of(theirs, _better(spread, self._bold if bold else 1.0))
        chances = compare(ours, theirs)
        return chances.win + chances.tie / 2

    def without_card(self) -> Chances:
        """Return the chances if this seat has already played."""
        return compare(self._ours, self._theirs)
