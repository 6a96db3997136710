"""Exchanges and challenges (TP-2.2 to TP-2.5): how often to bluff, and how often to challenge.

Challenging a bluff costs the bluffer a life; challenging dirty laundry costs the challenger one. The share of
bluffs among exchanges that leaves a challenger indifferent follows from what these lives are worth to it: a
half with two players, three quarters with four, where the others share in what it wins. The share of
challenges that leaves a bluffer indifferent is what a new hand gains, divided by what the life costs. Both
sides keep to these shares, at random, and deviate from them only as far as the habits of the others at the
table justify.
"""

from __future__ import annotations

from typing import Final

from arena.games.toepen.bots.habits import HONEST, Habits
from arena.games.toepen.bots.model import shifted
from arena.games.toepen.bots.spot import Spot
from arena.games.toepen.bots.worth import Stakes
from arena.games.toepen.cards import CLEAN

NEW_HAND: Final = (0.0, 0.0, 0.28, 0.155, 0.09, 0.075, 0.065, 0.05, 0.05)
"""What new cards gain for one of the weakest hands, by players in the hand, as a share of the difference
between winning and losing the hand; measured. Less than the odds say, because a weak hand folds."""
_STEP: Final = 0.05
WEAKEST: Final = (
    (),
    (),
    (0.154, 0.278, 0.322, 0.361, 0.391, 0.417, 0.444, 0.468, 0.49),
    (0.05, 0.092, 0.115, 0.135, 0.158, 0.18, 0.203, 0.228, 0.249),
    (0.029, 0.049, 0.06, 0.072, 0.085, 0.098, 0.115, 0.131, 0.153),
    (0.022, 0.032, 0.039, 0.045, 0.053, 0.066, 0.076, 0.087, 0.101),
    (0.019, 0.026, 0.031, 0.034, 0.041, 0.05, 0.058, 0.066, 0.073),
    (0.018, 0.023, 0.027, 0.029, 0.033, 0.041, 0.047, 0.053, 0.058),
    (0.018, 0.023, 0.027, 0.029, 0.033, 0.041, 0.047, 0.053, 0.058),
)
"""By players in the hand: the chance to win of which 0, 5, 10, ... 40% of the clean hands fall short."""
_MOST_BLUFFS: Final = 0.35
"""The largest share of the clean hands that are laid away."""
_MOST_CHALLENGES: Final = 0.9
_FEWEST_CHALLENGES: Final = 0.02
_WIDER: Final = 1.8
_NARROWER: Final = 0.4
"""By how much more and less than the share of bluffs that fits the rules: where nobody challenges, and
where everybody does."""
_KEENNESS: Final = 10.0
"""By how much the log-odds of a challenge grow with the share of bluffs."""
_BLUFFS: Final = 0.5
"""The share of the weakest clean hands that others are taken to lay away."""
_BOLD: Final = 0.9
"""The same of dirty hands."""


def weakest(players: int, share: float) -> float:
    """Return the chance to win below which ``share`` of the clean hands fall."""
    known = WEAKEST[players]
    place = min(max(share, 0.0) / _STEP, len(known) - 1.001)
    below = int(place)
    return known[below] + (place - below) * (known[below + 1] - known[below])


def keep_chance(spot: Spot, players: int, lives: int) -> float:
    """Return how likely another seat with ``lives`` is to keep its hand, with ``players`` in the hand."""
    chance = spot.hand_chance()
    if not spot.hand & CLEAN:
        return 1.0 - _BOLD * (chance < 1 / players)
    is_weak = lives > 1 and chance < weakest(players, HONEST * (players - 1))
    return 1.0 - _BLUFFS * is_weak


class Laundry:
    """One exchange by ``exchanger``, among the players in the mask ``in_hand``."""

    def __init__(self, stakes: Stakes, lives: list[int], in_hand: int, exchanger: int) -> None:
        self._stakes = stakes
        self._lives = lives
        self._exchanger = exchanger
        self._players = in_hand.bit_count()
        self._opponents = [s for s in range(len(lives)) if in_hand >> s & 1 and s != exchanger]

    def fair_honesty(self, seat: int) -> float:
        """Return the share of dirty laundry among exchanges at which a challenge gains ``seat`` nothing."""
        worth, stakes = self._stakes.worth, self._stakes
        now = worth.of(seat, self._lives)
        right = worth.of(seat, stakes.without(self._exchanger)) - now
        wrong = now - worth.of(seat, stakes.without(seat))
        return right / (right + wrong) if right + wrong > 0 else 0.0

    @property
    def usual_honesty(self) -> float:
        """The share at which the opponent most inclined to challenge is indifferent."""
        return max(0.05, max(self.fair_honesty(seat) for seat in self._opponents))

    @property
    def challenges(self) -> float:
        """How often an exchange must be challenged for a bluff to gain nothing."""
        stakes, seat = self._stakes, self._exchanger
        gain = NEW_HAND[self._players] * (stakes.won(seat, 1) - stakes.lost(seat, 1))
        costs = stakes.worth.of(seat, self._lives) - stakes.worth.of(seat, stakes.without(seat))
        return max(_FEWEST_CHALLENGES, min(_MOST_CHALLENGES, gain / costs if costs > 0 else 1.0))

    @property
    def challenges_each(self) -> float:
        """The same for each opponent, since they decide one after the other."""
        return float(1.0 - (1.0 - self.challenges) ** (1.0 / len(self._opponents)))

    def challenge_chance(self, seat: int, habits: Habits) -> float:
        """Return the probability with which ``seat`` challenges."""
        usual = self.usual_honesty
        honest = habits.honesty(self._exchanger, usual)
        return shifted(self.challenges_each, _KEENNESS * (self.fair_honesty(seat) - honest))

    def lays_away(self, spot: Spot, habits: Habits) -> bool:
        """Return whether the exchanger lays away the hand of ``spot``: a dirty one if a new hand is likely to
        be better, a clean one if it is among the weakest.
        """
        chance = spot.hand_chance()
        if not spot.hand & CLEAN:
            return chance < 1 / self._players
        if self._lives[self._exchanger] == 1:
            return False
        honest = self.usual_honesty
        each, usual = self.challenges_each, self.challenges
        trusted = 1.0
        for seat in self._opponents:
            trusted *= 1.0 - habits.challenges(seat, each)
        wider = min(_WIDER, max(_NARROWER, 2.0 - (1.0 - trusted) / usual))
        share = min(_MOST_BLUFFS, wider * HONEST * (1.0 - honest) / honest)
        return chance < weakest(self._players, share)
