"""Exchanges and challenges (TP-2.2 to TP-2.5): how often to bluff, and how often to challenge.

Challenging a bluff costs the bluffer a life. Challenging dirty laundry costs the challenger a life. The share
of bluffs that leaves a challenger indifferent depends on what these lives are worth to it. It is a half with
two players, and three quarters with four, where other players also profit from a won challenge. The share of
challenges that leaves a bluffer indifferent is the gain from a new hand, divided by the cost of the life.
Both sides randomise with these shares. They deviate only as far as the habits of the other players justify.
"""

from __future__ import annotations

from typing import Final

from arena.games.toepen.bots.habits import HONEST, Habits
from arena.games.toepen.bots.manner import REGULAR, ToepenManner
from arena.games.toepen.bots.model import shifted
from arena.games.toepen.bots.spot import Spot
from arena.games.toepen.bots.worth import Stakes
from arena.games.toepen.cards import CLEAN

NEW_HAND: Final[tuple[float, ...]] = (0.0, 0.0, 0.28, 0.155, 0.09, 0.075, 0.065, 0.05, 0.05)
"""The gain from new cards for one of the weakest hands, by number of players in the hand. It is a share of
the difference between winning and losing the hand, and was measured. It is lower than the odds suggest,
because a weak hand folds.
"""
_STEP: Final = 0.05
WEAKEST: Final[tuple[tuple[float, ...], ...]] = (
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
"""The winning chances below which 0, 5, 10, ... 40% of the clean hands lie, by number of players
in the hand.
"""
_MOST_BLUFFS: Final = 0.35
"""The largest share of the clean hands that are laid away."""
_MOST_CHALLENGES: Final = 0.9
_FEWEST_CHALLENGES: Final = 0.02
_WIDER: Final = 1.8
_NARROWER: Final = 0.4
"""Factors for the share of bluffs that the rules justify, if nobody challenges and if everybody does."""
_KEENNESS: Final = 10.0
"""How much the log-odds of a challenge increase with the share of bluffs."""
_BLUFFS: Final = 0.5
"""The assumed probability that another seat lays away one of the weakest clean hands."""
_BOLD: Final = 0.9
"""The same probability for a dirty hand."""


def weakest(players: int, share: float) -> float:
    """Return the winning chance below which ``share`` of the clean hands lie."""
    known = WEAKEST[players]
    place = min(max(share, 0.0) / _STEP, len(known) - 1.001)
    below = int(place)
    return known[below] + (place - below) * (known[below + 1] - known[below])


def keep_chance(spot: Spot, players: int, lives: int) -> float:
    """Return the probability that another seat with ``lives`` keeps its hand, with ``players`` in
    the hand.
    """
    chance = spot.hand_chance()
    if not spot.hand & CLEAN:
        return 1.0 - _BOLD * (chance < 1 / players)
    is_weak = lives > 1 and chance < weakest(players, HONEST * (players - 1))
    return 1.0 - _BLUFFS * is_weak


class Laundry:
    """One exchange by ``exchanger``, among the players in the mask ``in_hand``. ``manner`` is that of the
    seat that decides.
    """

    def __init__(
        self, stakes: Stakes, lives: list[int], in_hand: int, exchanger: int, manner: ToepenManner = REGULAR
    ) -> None:
        self._stakes = stakes
        self._manner = manner
        self._lives = lives
        self._exchanger = exchanger
        self._players = in_hand.bit_count()
        self._opponents = [s for s in range(len(lives)) if in_hand >> s & 1 and s != exchanger]

    def fair_honesty(self, seat: int) -> float:
        """Return the share of dirty laundry among exchanges at which a challenge by ``seat`` breaks even."""
        worth, stakes = self._stakes.worth, self._stakes
        now = worth.of(seat, self._lives)
        right = worth.of(seat, stakes.without(self._exchanger)) - now
        wrong = now - worth.of(seat, stakes.without(seat))
        return right / (right + wrong) if right + wrong > 0 else 0.0

    @property
    def usual_honesty(self) -> float:
        """The share of dirty laundry at which the opponent most inclined to challenge is indifferent."""
        return max(0.05, max(self.fair_honesty(seat) for seat in self._opponents))

    @property
    def challenges(self) -> float:
        """The probability of being challenged at which a bluff breaks even."""
        stakes, seat = self._stakes, self._exchanger
        gain = NEW_HAND[self._players] * (stakes.won(seat, 1) - stakes.lost(seat, 1))
        costs = stakes.worth.of(seat, self._lives) - stakes.worth.of(seat, stakes.without(seat))
        return max(_FEWEST_CHALLENGES, min(_MOST_CHALLENGES, gain / costs if costs > 0 else 1.0))

    @property
    def challenges_each(self) -> float:
        """The probability that each single opponent must challenge with, since opponents decide one after
        another.
        """
        return float(1.0 - (1.0 - self.challenges) ** (1.0 / len(self._opponents)))

    def challenge_chance(self, seat: int, habits: Habits) -> float:
        """Return the probability that ``seat`` challenges."""
        usual = self.usual_honesty
        honest = habits.honesty(self._exchanger, usual)
        keen = _KEENNESS * (self.fair_honesty(seat) - honest)
        return shifted(self.challenges_each, keen + self._manner.challenges)

    def lays_away(self, spot: Spot, habits: Habits) -> bool:
        """Return whether the exchanger lays away the hand of ``spot``. It lays away a dirty hand if a new
        hand is likely to be better, and a clean hand if it is among the weakest.
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
        share = min(_MOST_BLUFFS, self._manner.exchanges * wider * HONEST * (1.0 - honest) / honest)
        return chance < weakest(self._players, share)
