"""The house bot ``shark`` at Toepen: search over re-deals of what it cannot see."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import accumulate
from math import sqrt
from typing import Final

from arena.bots.base import Turn
from arena.bots.toepen.duel import card_wins, hand_wins, is_duel
from arena.bots.toepen.habits import Habits
from arena.bots.toepen.history import History, Reading
from arena.bots.toepen.model import exchange_chance
from arena.bots.toepen.playout import Playout
from arena.bots.toepen.sight import Sight
from arena.games.toepen import ToepenState
from arena.games.toepen_cards import PACK
from arena.redeal.toepen import Redealer

_WORLDS: Final = {"exchange": 160, "challenge": 160, "poverty": 80, "play": 80, "knock": 80}
"""How many re-deals are played out, by phase."""
_DRAWN: Final = 3
"""How many times as many are drawn to choose these from."""
_BATCH: Final = 40
_HOPELESS: Final = 3.0
"""By how many standard errors an action must trail the best one to be dropped."""
_CLEAR: Final = 1.0
"""By how many it must lead the usual one to be preferred."""


class Player:
    """One seat of one game."""

    def __init__(self, random: random.Random) -> None:
        self._random = random
        self._history: History | None = None
        self._habits: Habits | None = None

    def choose(self, turn: Turn) -> str | None:
        """An action for a turn; None lets a right pass."""
        if self._history is None or self._habits is None:
            seats = len(turn["observation"]["lives"])
            self._history, self._habits = History(turn["seat"], seats), Habits(seats)
        self._history.note(turn)
        self._habits.note(turn)
        actions: list[str] = turn["legal_actions"]
        if turn["optional"]:
            return None
        if len(actions) == 1:
            return actions[0]
        sight = Sight(turn)
        if sight.phase == "exchange" and not exchange_chance(sight.spot, sight.in_hand.bit_count()):
            return next(action for action in actions if action != "exchange")
        playout = Playout(turn, sight, self._habits)
        count = _WORLDS[sight.phase]
        worlds = self._worlds(turn, Reading(self._history, sight.in_hand, playout.needed), count)
        if is_duel(sight.spot) and sight.phase in ("play", "knock", "poverty"):
            actions = _duel_actions(sight, playout, worlds)
            if len(actions) == 1:
                return actions[0]
        return self._search(playout, worlds, actions, playout.usual(sight, actions))

    def _search(
        self, playout: Playout, worlds: Sequence[ToepenState], actions: Sequence[str], usual: str
    ) -> str:
        """The action with the best mean over the worlds; another than the usual one must be clearly better.

        Actions that fall clearly behind are not looked at any further.
        """
        values: dict[str, list[float]] = {action: [] for action in actions}
        left = list(actions)
        for start in range(0, len(worlds), _BATCH):
            for world in worlds[start : start + _BATCH]:
                for action in left:
                    values[action].append(playout.value(world.clone(), action, self._random))
            best = max(left, key=lambda action: sum(values[action]))
            left = [a for a in left if a == best or _lead(values[best], values[a]) < _HOPELESS]
            if len(left) == 1:
                break
        best = max(left, key=lambda action: sum(values[action]))
        if usual in left and best != usual and _lead(values[best], values[usual]) < _CLEAR:
            return usual
        return best

    def _worlds(self, turn: Turn, reading: Reading, count: int) -> list[ToepenState]:
        """Re-deals, drawn again by how well they explain what the others decided."""
        redealer = Redealer(turn, stock=turn["observation"]["phase"] in ("exchange", "challenge"))
        if not reading.decisions:
            return [redealer.draw(self._random) for _ in range(count)]
        deals = [redealer.deal(self._random) for _ in range(_DRAWN * count)]
        sums = list(accumulate(reading.likelihood(redealer.hands(cards)) for cards in deals))
        step = sums[-1] / count
        if not step:
            return [redealer.state(cards) for cards in deals[:count]]
        worlds = []
        place = 0
        mark = step * self._random.random()
        for _ in range(count):
            while sums[place] < mark and place < len(sums) - 1:
                place += 1
            worlds.append(redealer.state(deals[place]))
            mark += step
        return worlds


def _duel_actions(sight: Sight, playout: Playout, worlds: Sequence[ToepenState]) -> list[str]:
    """What is worth looking at against one opponent: staying or folding, or the best card and a knock.

    The play is solved in each world as if both saw all cards. To stay is right from the odds that the
    lives at stake ask for.
    """
    spot = sight.spot
    other = spot.others.bit_length() - 1
    hands = [world.hands[other] for world in worlds]
    if sight.phase != "play":
        odds = sum(hand_wins(spot, theirs) for theirs in hands) / len(hands)
        return [sight.legal[0 if odds >= playout.needed(sight.in_hand, sight.seat, sight.value) else 1]]
    wins = {card: sum(card_wins(spot, card, theirs) for theirs in hands) for card in spot.playable()}
    best = max(wins, key=lambda card: (wins[card], -(card & 7)))
    return ["play:" + PACK[best], *(action for action in sight.legal if action.startswith("knock"))]


def _lead(better: Sequence[float], worse: Sequence[float]) -> float:
    """By how many standard errors the mean of ``better`` is above that of ``worse``, world by world."""
    differences = [one - other for one, other in zip(better, worse, strict=True)]
    count = len(differences)
    mean = sum(differences) / count
    variance = sum((difference - mean) ** 2 for difference in differences) / (count - 1)
    return mean / sqrt(variance / count + 1e-9)
