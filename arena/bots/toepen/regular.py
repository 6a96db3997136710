"""The house bot ``regular`` at Toepen: counted cards, the odds of the last trick, and lives at stake."""

from __future__ import annotations

import random
from math import exp, log
from typing import Final

from arena.bots.base import Turn
from arena.bots.toepen.habits import Habits
from arena.bots.toepen.sight import Sight
from arena.bots.toepen.worth import Stakes, Worth
from arena.games.toepen_cards import PACK

_CALLED: Final = 0.8
"""How much worse the odds are, in log-odds, against a player who risks more on its hand."""
_KNOCKED_BEFORE: Final = (0.7, 0.3, 0.0, 0.0)
_KNOCKED_BEHIND: Final = (0.7, 1.0, 1.6, 2.2)
"""The same against a knock in each of the four tricks: by one who had to play first, or who has
seen this seat's card and has still to play."""
_SPREAD: Final = 0.1
_BLUFF_FROM: Final = 0.25
_BLUFF: Final = 0.5


class Player:
    """One seat of one game."""

    def __init__(self, random: random.Random) -> None:
        self._random = random
        self._habits: Habits | None = None

    def choose(self, turn: Turn) -> str | None:
        """An action for a turn; None lets a right pass."""
        if self._habits is None:
            self._habits = Habits(len(turn["observation"]["lives"]))
        self._habits.note(turn)
        if turn["optional"]:
            return None
        sight = Sight(turn)
        stakes = Stakes(Worth(turn), sight.lives, sight.in_hand)
        if sight.phase == "exchange":
            return self._exchange(sight)
        if sight.phase == "challenge":
            return self._challenge(sight, stakes, self._habits)
        if sight.phase == "play":
            return _play(sight, stakes)
        stay, fold = sight.legal
        odds = sight.spot.hand_chance()
        if sight.phase == "knock":
            odds = _shifted(odds, -_doubt(sight))
        due = int(fold.split(":")[1])
        return stay if odds >= stakes.needed(sight.seat, due, sight.value) else fold

    def _exchange(self, sight: Sight) -> str:
        """Lay the hand away if a new one is likely better: dirty laundry, or rarely as a bluff."""
        if "exchange" in sight.legal:
            gain = 1 / sight.in_hand.bit_count() - sight.spot.hand_chance()
            if sight.dirty and gain > 0:
                return "exchange"
            if gain > _BLUFF_FROM and sight.lives[sight.seat] > 1 and self._random.random() < _BLUFF:
                return "exchange"
        return next(action for action in sight.legal if action != "exchange")

    def _challenge(self, sight: Sight, stakes: Stakes, habits: Habits) -> str:
        exchanger = sight.exchanger
        honest = habits.honesty(exchanger)
        now = stakes.worth.of(sight.seat, sight.lives)
        right = stakes.worth.of(sight.seat, stakes.without(exchanger)) - now
        wrong = now - stakes.worth.of(sight.seat, stakes.without(sight.seat))
        return "challenge" if (1 - honest) * right > honest * wrong else "trust"


def _play(sight: Sight, stakes: Stakes) -> str:
    card, odds = sight.spot.best_card()
    knock = f"knock:{sight.value + 1}"
    if knock in sight.legal and _should_knock(sight, stakes, odds):
        return knock
    return "play:" + PACK[card]


def _doubt(sight: Sight) -> float:
    """What the knock tells of the knocker's hand, in log-odds."""
    behind = sight.spot.played and sight.knocker is not None and sight.spot.after >> sight.knocker & 1
    return (_KNOCKED_BEHIND if behind else _KNOCKED_BEFORE)[sight.tricks]


def _should_knock(sight: Sight, stakes: Stakes, odds: float) -> bool:
    """Whether one more life at stake, and the chance that the others fold, gains anything."""
    seat, value = sight.seat, sight.value
    others = [other for other in range(sight.seats) if sight.others >> other & 1]
    folds = []
    for other in others:
        mean = (1 - odds) / len(others)
        folds.append(_logistic((stakes.needed(other, value, value + 1) - mean) / _SPREAD))
    all_fold = 1.0
    for fold in folds:
        all_fold *= fold
    callers = 0
    count = max(1, round(sum(1 - fold for fold in folds) / (1 - all_fold)))
    for _, other in sorted(zip(folds, others, strict=True))[:count]:
        callers |= 1 << other
    called = sight.spot.hand_chance(callers)
    called = _shifted(called, -_CALLED)
    win, lose = stakes.won(seat, seat, value), stakes.lost(seat, value)
    raised = called * stakes.won(seat, seat, value + 1) + (1 - called) * stakes.lost(seat, value + 1)
    return all_fold * win + (1 - all_fold) * raised > odds * win + (1 - odds) * lose


def _logistic(value: float) -> float:
    return 1 / (1 + exp(-max(-50.0, min(50.0, value))))


def _log_odds(chance: float) -> float:
    chance = max(1e-6, min(1 - 1e-6, chance))
    return log(chance / (1 - chance))


def _shifted(chance: float, by: float) -> float:
    return _logistic(_log_odds(chance) + by)
