"""The house bots ``regular`` and ``barfly`` for Toepen, which count cards, weigh odds against the lives at
stake, and bluff.
"""

from __future__ import annotations

import random
from typing import ClassVar

from arena.games.kernel import State, Turn, turn_in
from arena.games.toepen.bots.habits import Habits
from arena.games.toepen.bots.laundry import Laundry
from arena.games.toepen.bots.manner import BARFLY, REGULAR, ToepenManner
from arena.games.toepen.bots.model import knock_chance, knock_gain, stay_gain
from arena.games.toepen.bots.sight import ToepenSight
from arena.games.toepen.bots.worth import Stakes, Worth
from arena.games.toepen.cards import PACK
from arena.games.toepen.state import ToepenState


class ToepenRegular:
    """The player of one seat in one game. Its decision model is in ``model``."""

    manner: ClassVar[ToepenManner] = REGULAR

    def __init__(self, random: random.Random) -> None:
        self._random = random
        self._habits: Habits | None = None

    def choose(self, turn: Turn) -> str | None:
        """Return an action for a turn, or None to decline a right."""
        if self._habits is None:
            self._habits = Habits(len(turn["observation"]["lives"]))
        self._habits.note(turn)
        if turn["optional"]:
            return None
        sight = ToepenSight(turn)
        stakes = Stakes(Worth(turn), sight.lives, sight.in_hand)
        if sight.phase in ("exchange", "challenge"):
            return self._exchange_or_challenge(sight, stakes, self._habits)
        if sight.phase == "play":
            return self._play(sight, stakes)
        stay, fold = sight.legal
        undecided = sight.to_answer & ~(1 << sight.seat)
        gain = stay_gain(sight.spot, stakes, sight.value, sight.tricks, sight.knocker, undecided)
        return stay if gain >= 0 else fold

    def choose_in(self, state: State) -> str:
        """Return the action of the awaited seat, which depends only on what that seat can see."""
        assert isinstance(state, ToepenState)
        seat = state.awaiting()[0]
        action = self.choose(turn_in(state, "toepen", state.rules.options, seat))
        assert action is not None
        return action

    def _exchange_or_challenge(self, sight: ToepenSight, stakes: Stakes, habits: Habits) -> str:
        assert sight.exchanger is not None
        laundry = Laundry(stakes, sight.lives, sight.in_hand, sight.exchanger, self.manner)
        if sight.phase == "challenge":
            chance = laundry.challenge_chance(sight.seat, habits)
            return "challenge" if self._random.random() < chance else "trust"
        if "exchange" in sight.legal and laundry.lays_away(sight.spot, habits):
            return "exchange"
        return next(action for action in sight.legal if action != "exchange")

    def _play(self, sight: ToepenSight, stakes: Stakes) -> str:
        card, odds = sight.spot.best_card()
        knock = f"knock:{sight.value + 1}"
        if knock in sight.legal:
            gain = knock_gain(sight.spot, stakes, sight.value, sight.tricks, odds, self.manner)
            if self._random.random() < knock_chance(gain, odds, self.manner):
                return knock
        return "play:" + PACK[card]


class ToepenBarfly(ToepenRegular):
    """A player with the numbers of ``barfly``."""

    manner = BARFLY
