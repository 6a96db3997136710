"""How ``regular`` decides, as functions of what a seat knows: for itself, for playing a hand to its end
and for reading what the others decided.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, log
from typing import Final

from arena.games.toepen.bots.spot import Spot
from arena.games.toepen.bots.worth import Stakes
from arena.games.toepen.cards import CLEAN

_BLUFF: Final = 0.5
"""The probability of laying away a hand that is not dirty laundry and much worse than a new one."""
_BLUFF_FROM: Final = 0.25
_CALLED: Final = 0.8
"""How much worse the odds are, in log-odds, against a player who risks more on its hand."""
_KNOCKED_BEFORE: Final = (0.7, 0.3, 0.0, 0.0)
_KNOCKED_BEHIND: Final = (0.7, 1.0, 1.6, 2.2)
"""The same against a knock in each of the four tricks: by one who had to play first, or who has
seen this seat's card and has still to play."""
_SPREAD: Final = 0.1
_WIDTH: Final = 0.04
"""How far from the threshold another's choice is still open, as a chance to win."""
_SURPRISE: Final = 0.04
"""The probability that a seat deviates from the model."""
_BOLD: Final = 0.9
"""The share of hands to lay away that are laid away."""


def exchange_chance(spot: Spot, players: int, lives: int) -> float:
    """The probability that a seat with ``lives`` lays its hand away, with ``players`` in the hand."""
    gain = 1 / players - spot.hand_chance()
    if not spot.hand & CLEAN:
        return 1.0 if gain > 0 else 0.0
    return _BLUFF if gain > _BLUFF_FROM and lives > 1 else 0.0


def stay_gain(spot: Spot, stakes: Stakes, value: int, trick: int, knocker: int | None) -> float:
    """The odds to win beyond those needed to stay for ``value``, after a knock in ``trick`` (from 0) or in
    poverty (``knocker`` None).
    """
    odds = spot.hand_chance()
    if knocker is not None:
        behind = spot.played and spot.after >> knocker & 1
        odds = shifted(odds, -(_KNOCKED_BEHIND if behind else _KNOCKED_BEFORE)[trick])
    return odds - stakes.to_stay(spot.seat, value)


def knock_gain(spot: Spot, stakes: Stakes, value: int, odds: float) -> float:
    """What a knock over ``value`` gains with ``odds`` to win: a life more at stake, and perhaps all fold."""
    seat = spot.seat
    others = spot.others
    folds = []
    mean = (1 - odds) / others.bit_count()
    all_fold = 1.0
    while others:
        other = others & -others
        others ^= other
        fold = _logistic((stakes.to_stay(other.bit_length() - 1, value + 1) - mean) / _SPREAD)
        folds.append((fold, other))
        all_fold *= fold
    count = max(1, round(sum([1 - fold for fold, _ in folds]) / (1 - all_fold)))
    callers = 0
    for _, other in sorted(folds)[:count]:
        callers |= other
    called = shifted(spot.hand_chance(callers), -_CALLED)
    win = stakes.won(seat, value)
    raised = called * stakes.won(seat, value + 1) + (1 - called) * stakes.lost(seat, value + 1)
    return all_fold * win + (1 - all_fold) * raised - odds * win - (1 - odds) * stakes.lost(seat, value)


def keep_chance(spot: Spot, players: int, lives: int) -> float:
    """How likely a seat keeps its hand; many are too shy to lay one away."""
    return 1.0 - _BOLD * exchange_chance(spot, players, lives)


def knock_chance(gain: float) -> float:
    """How likely a seat knocks that gains so much by it."""
    return 1.0 - _SURPRISE if gain > 0 else _SURPRISE


def stay_chance(gain: float) -> float:
    """How likely a seat stays whose odds are so far above those that it needs."""
    return _SURPRISE + (1 - 2 * _SURPRISE) * _logistic(gain / _WIDTH)


def card_chance(odds: Mapping[int, float], card: int) -> float:
    """How likely a seat plays ``card`` of its cards with these odds to win; 0 if it is none of them."""
    if card not in odds:
        return 0.0
    best = max(odds.values())
    whole = sum([exp((value - best) / _WIDTH) for value in odds.values()])
    return _SURPRISE / len(odds) + (1 - _SURPRISE) * exp((odds[card] - best) / _WIDTH) / whole


def shifted(chance: float, by: float) -> float:
    """A chance whose log-odds are changed by so much."""
    return _logistic(_log_odds(chance) + by)


def _logistic(value: float) -> float:
    return 1 / (1 + exp(-max(-50.0, min(50.0, value))))


def _log_odds(chance: float) -> float:
    chance = max(1e-6, min(1 - 1e-6, chance))
    return log(chance / (1 - chance))
