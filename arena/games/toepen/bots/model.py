"""The decision model of ``regular``, as functions of what a seat knows. It is used for the bot's own
decisions, for playouts of a hand, and for interpreting the decisions of other seats.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, log
from typing import Final

from arena.games.toepen.bots.manner import REGULAR, ToepenManner
from arena.games.toepen.bots.spot import Spot
from arena.games.toepen.bots.worth import Stakes

_CALLED: Final = 0.8
"""The reduction of the odds, in log-odds, against a player who increases the risk on its hand."""
_KNOCKED_BEFORE: Final[tuple[float, ...]] = (0.5, 0.2, 0.1, 0.4)
_KNOCKED_BEHIND: Final[tuple[float, ...]] = (0.4, 0.9, 2.0, 2.8)
"""The same reduction after a knock in each of the four tricks, for a knocker who had to play first, and for
one who has seen this seat's card and has yet to play. The values were measured in games of the bot against
itself, so that the weakest hand that stays breaks even.
"""
_STAYED: Final = 0.7
"""The same reduction for each player who has already stayed."""
_RAISED: Final = 0.6
"""The same reduction against players who stayed earlier, if the hand is worth more than one life."""
_STAYS: Final = 0.3
"""The share of ``stay`` among the answers to a knock or to poverty."""
_TYPICAL_BEFORE: Final[tuple[float, ...]] = (0.1, -0.2, -0.8, -1.7)
_TYPICAL_BEHIND: Final[tuple[float, ...]] = (0.1, 0.5, 1.3, 2.0)
"""The log-odds of a typical hand in these positions. Together with ``_FOLDING``, which measures how closely
hands cluster around them, they predict who folds.
"""
_FOLDING: Final = 3.0
_AGAINST_BEFORE: Final = tuple(a - b for a, b in zip(_KNOCKED_BEFORE, _TYPICAL_BEFORE, strict=True))
_AGAINST_BEHIND: Final = tuple(a - b for a, b in zip(_KNOCKED_BEHIND, _TYPICAL_BEHIND, strict=True))
_MIXED: Final = 0.02
"""How far the probability of a knock extends below the break-even point, as a gain."""
_HOPELESS: Final = 0.12
_WIDTH: Final = 0.04
"""The distance from the threshold within which another seat's decision is uncertain, as a winning chance."""
_SURPRISE: Final = 0.04
"""The probability that a seat deviates from the model."""


def stay_gain(
    spot: Spot, stakes: Stakes, value: int, trick: int, knocker: int | None, undecided: int
) -> float:
    """Return the winning chance minus the chance needed to stay for ``value``, after a knock in ``trick``
    (from 0) or in poverty (``knocker`` is None). ``undecided`` is the mask of the other seats that have not
    answered yet; most of them fold.
    """
    odds = spot.hand_chance()
    decided = spot.others & ~undecided
    if undecided:
        all_fold = (1 - _STAYS) ** undecided.bit_count()
        odds += all_fold * (spot.hand_chance(decided) - odds)
    if knocker is not None:
        behind = spot.played and spot.after >> knocker & 1
        against = (_KNOCKED_BEHIND if behind else _KNOCKED_BEFORE)[trick]
        odds = shifted(odds, -against - _STAYED * (decided.bit_count() - 1))
    return odds - stakes.to_stay(spot.seat, value)


def knock_gain(
    spot: Spot, stakes: Stakes, value: int, trick: int, odds: float, manner: ToepenManner = REGULAR
) -> float:
    """Return the gain from knocking in a hand worth ``value`` with the winning chance ``odds``. The knock
    puts one more life at stake, and all other players may fold. The gain is a share of the difference between
    winning and losing the hand at its present value.
    """
    seat = spot.seat
    others = spot.others
    folds = []
    all_fold = 1.0
    strong = _RAISED if value > 1 else 0.0
    while others:
        other = others & -others
        others ^= other
        behind = spot.after & other == 0 and not spot.played and spot.led >= 0
        against = (_AGAINST_BEHIND if behind else _AGAINST_BEFORE)[trick]
        need = stakes.to_stay(other.bit_length() - 1, value + 1)
        fold = _logistic(_FOLDING * (_log_odds(need) + against - strong))
        folds.append((fold, other))
        all_fold *= fold
    all_fold = min(all_fold, 0.999)
    count = max(1, round(sum([1 - fold for fold, _ in folds]) / (1 - all_fold)))
    callers = 0
    for _, other in sorted(folds)[:count]:
        callers |= other
    called = shifted(spot.hand_chance(callers), -_CALLED - strong)
    win, lose = stakes.won(seat, value), stakes.lost(seat, value)
    raised = called * stakes.won(seat, value + 1) + (1 - called) * stakes.lost(seat, value + 1)
    knocked = all_fold * win + (1 - all_fold) * raised
    return (knocked - lose) / max(win - lose, 1e-9) - odds - manner.patience[trick]


def knock_chance(gain: float, odds: float, manner: ToepenManner = REGULAR) -> float:
    """Return the probability that a seat knocks, given the gain and the winning chance ``odds``. A seat that
    would lose little knocks occasionally, so that a card played without a knock reveals less. A seat that
    gains only because others fold to a hopeless hand does not always knock, or they would stop folding.
    """
    chance = 1.0 if gain >= 0 else exp(gain / _MIXED)
    return chance * manner.bluffs if odds < _HOPELESS else chance


def knock_likelihood(gain: float, odds: float) -> float:
    """Return the probability that another seat knocks, given the gain and the winning chance ``odds``."""
    return _SURPRISE + (1 - 2 * _SURPRISE) * knock_chance(gain, odds)


def would_knock(gain: float, odds: float) -> bool:
    """Return whether a seat knocks more often than not."""
    return gain > 0 and odds >= _HOPELESS


def stay_chance(gain: float) -> float:
    """Return the probability that a seat stays if its winning chance exceeds the required chance
    by ``gain``.
    """
    return _SURPRISE + (1 - 2 * _SURPRISE) * _logistic(gain / _WIDTH)


def card_chance(odds: Mapping[int, float], card: int) -> float:
    """Return the probability that a seat with these winning chances plays ``card``, or 0 if it cannot play
    the card.
    """
    if card not in odds:
        return 0.0
    best = max(odds.values())
    whole = sum([exp((value - best) / _WIDTH) for value in odds.values()])
    return _SURPRISE / len(odds) + (1 - _SURPRISE) * exp((odds[card] - best) / _WIDTH) / whole


def shifted(chance: float, by: float) -> float:
    """Return a chance after adding ``by`` to its log-odds."""
    return _logistic(_log_odds(chance) + by)


def _logistic(value: float) -> float:
    return 1 / (1 + exp(-max(-50.0, min(50.0, value))))


def _log_odds(chance: float) -> float:
    chance = max(1e-6, min(1 - 1e-6, chance))
    return log(chance / (1 - chance))
