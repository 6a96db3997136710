"""Chances in one trick of Brazilian Truco, by counting the cards that may be anywhere."""

from __future__ import annotations

from math import comb
from typing import Final, NamedTuple

from arena.games.truco.bots.sight import TrucoSight
from arena.games.truco.cards import PACK

TOP: Final = 14
"""The greatest strength, the zap's."""


class Chances(NamedTuple):
    """The probabilities that the seat's team wins, ties and loses the trick in progress."""

    win: float
    tie: float
    lose: float


_BOLD: Final = 5
"""A seat that calls is assumed to hold the best of this many hands."""
_BOLD_HAND: Final = 2.0
"""The same where a call is about the whole hand (TV-6.8), for which fewer cards have to be good."""

Spread = list[float]
"""By strength from 0 to ``TOP``: how likely the best card has at most that strength."""


def best_of(cards: int, unseen: list[int]) -> Spread:
    """Return the distribution of the best of ``cards`` cards drawn from ``unseen`` (counts by strength)."""
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


def compare(ours: Spread, theirs: Spread) -> Chances:
    """Return the chances if both teams show their best card."""
    win = tie = 0.0
    our_before = their_before = 0.0
    for our_most, their_most in zip(ours, theirs, strict=True):
        win += (our_most - our_before) * their_before
        tie += (our_most - our_before) * (their_most - their_before)
        our_before, their_before = our_most, their_most
    return Chances(win, tie, 1.0 - win - tie)


class Trick:
    """The trick in progress as a seat can judge it, for any card that it may play.

    ``bold`` is a seat that has called or raised, and therefore holds better cards than by chance.
    """

    def __init__(self, sight: TrucoSight, bold: int | None = None) -> None:
        self._bold = _BOLD_HAND if sight.whole_hand else _BOLD
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
                spread = best_of(count, unseen)
                if seat == bold:
                    spread = [chance**self._bold for chance in spread]
                self._theirs = better_of(self._theirs, spread)

    def with_card(self, strength: int) -> Chances:
        """Return the chances if this seat plays a card of that strength and everybody after it shows their
        best.
        """
        return compare(better_of(self._ours, certain(strength)), self._theirs)

    def later(self, strength: int, cards: int) -> float:
        """Return the chance to win a later trick with a card of that strength if every other seat shows the
        best of that many cards; a tie counts half.
        """
        ours, theirs = certain(strength), certain(0)
        spread = best_of(cards, self._unseen)
        for partner, bold in self._later:
            if partner:
                ours = better_of(ours, spread)
            else:
                theirs = better_of(theirs, [chance**self._bold for chance in spread] if bold else spread)
        chances = compare(ours, theirs)
        return chances.win + chances.tie / 2

    def without_card(self) -> Chances:
        """Return the chances if this seat has played already."""
        return compare(self._ours, self._theirs)
