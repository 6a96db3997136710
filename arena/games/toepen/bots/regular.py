"""The house bot ``regular`` at Toepen: counted cards, the odds of the last trick, and lives at stake."""

from __future__ import annotations

import random

from arena.games.kernel import Turn
from arena.games.toepen.bots.habits import Habits
from arena.games.toepen.bots.model import exchange_chance, knock_gain, stay_gain
from arena.games.toepen.bots.sight import ToepenSight
from arena.games.toepen.bots.worth import Stakes, Worth
from arena.games.toepen.cards import PACK


class ToepenRegular:
    """One seat of one game. What it weighs is in ``model``."""

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
        sight = ToepenSight(turn)
        if sight.phase == "exchange":
            return self._exchange(sight)
        stakes = Stakes(Worth(turn), sight.lives, sight.in_hand)
        if sight.phase == "challenge":
            return _challenge(sight, stakes, self._habits)
        if sight.phase == "play":
            return _play(sight, stakes)
        stay, fold = sight.legal
        return stay if stay_gain(sight.spot, stakes, sight.value, sight.tricks, sight.knocker) >= 0 else fold

    def _exchange(self, sight: ToepenSight) -> str:
        """Lay the hand away if a new one is likely better: dirty laundry, or rarely as a bluff."""
        lives = sight.lives[sight.seat]
        if "exchange" in sight.legal:
            chance = exchange_chance(sight.spot, sight.in_hand.bit_count(), lives)
            if chance and (chance == 1 or self._random.random() < chance):
                return "exchange"
        return next(action for action in sight.legal if action != "exchange")


def _challenge(sight: ToepenSight, stakes: Stakes, habits: Habits) -> str:
    exchanger = sight.exchanger
    honest = habits.honesty(exchanger)
    now = stakes.worth.of(sight.seat, sight.lives)
    right = stakes.worth.of(sight.seat, stakes.without(exchanger)) - now
    wrong = now - stakes.worth.of(sight.seat, stakes.without(sight.seat))
    return "challenge" if (1 - honest) * right > honest * wrong else "trust"


def _play(sight: ToepenSight, stakes: Stakes) -> str:
    card, odds = sight.spot.best_card()
    knock = f"knock:{sight.value + 1}"
    if knock in sight.legal and knock_gain(sight.spot, stakes, sight.value, odds) > 0:
        return knock
    return "play:" + PACK[card]
