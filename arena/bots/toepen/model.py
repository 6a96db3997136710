"""How sound players decide, as chances: for playing a hand to its end, and for reading what was decided."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp
from typing import Final

from arena.bots.toepen.spot import Spot
from arena.games.toepen_cards import CLEAN

_KNOCK_FROM: Final = (1.0, 0.64, 0.4, 0.3)
_RAISE_FROM: Final = (1.0, 0.8, 0.75, 0.7)
"""The chance to win from which a seat rather knocks than not, for the first time in the hand or over
another's knock, by the number of others still in (the last for all more)."""
_STAYED: Final = (2.2, 1.35, 1.0, 1.0)
_BEHIND: Final = (2.2, 2.7, 5.0, 9.0)
"""By what factor a knock lowers the odds of the others, by trick: if the knocker had to play before
them, or has seen their cards and has still to play."""
_WIDTH: Final = 0.05
"""How far from the threshold a choice is still open, as a chance to win."""
_SURPRISE: Final = 0.04
"""How often anybody does the other thing."""


def knock_chance(odds: float, others: int, raises: bool) -> float:
    """How likely a seat knocks that may, with ``odds`` to win against that many others."""
    return _between(odds, (_RAISE_FROM if raises else _KNOCK_FROM)[min(others, 3)])


def stay_chance(odds: float, needed: float) -> float:
    """How likely a seat stays with ``odds`` to win, of which it needs ``needed``."""
    return _between(odds, needed)


def knocked_odds(spot: Spot, trick: int, knocker: int, waiting: int) -> float:
    """The odds of a seat that answers a knock in ``trick`` (from 0), against those who have decided and
    every second of the mask ``waiting``.
    """
    odds = stayers_odds(spot, waiting)
    behind = spot.played and spot.after >> knocker & 1
    return odds / (odds + (1.0 - odds) * (_BEHIND if behind else _STAYED)[trick])


def stayers_odds(spot: Spot, waiting: int) -> float:
    """The odds of a seat to win against those who have decided and every second of ``waiting``."""
    against = spot.others
    waiting &= ~(1 << spot.seat)
    while waiting:
        against &= ~(waiting & -waiting)
        waiting &= waiting - 1
        waiting &= waiting - 1
    return spot.hand_chance(against or spot.others)


def exchange_chance(spot: Spot, players: int) -> float:
    """How likely a seat lays its hand away, with that many players in the hand."""
    odds = spot.hand_chance() * players
    if spot.hand & CLEAN:
        return 0.25 if odds < 0.5 else 0.02 if odds < 1.0 else 0.0
    return 0.95 if odds < 1.0 else 0.5


def card_chance(odds: Mapping[int, float], card: int) -> float:
    """How likely a seat plays ``card`` of its cards with these odds to win; 0 if it is none of them."""
    if card not in odds:
        return 0.0
    best = max(odds.values())
    whole = sum([exp((value - best) / _WIDTH) for value in odds.values()])
    return _SURPRISE / len(odds) + (1 - _SURPRISE) * exp((odds[card] - best) / _WIDTH) / whole


def _between(odds: float, threshold: float) -> float:
    distance = (odds - threshold) / _WIDTH
    if distance > 8:
        return 1 - _SURPRISE
    if distance < -8:
        return _SURPRISE
    return _SURPRISE + (1 - 2 * _SURPRISE) / (1.0 + exp(-distance))
