"""The house bot ``shark`` for Toepen, which searches over re-deals of the cards that it cannot see.

The search decides which card to play, when to knock and how to answer. All actions are tried in the same
re-deals, which are chosen by how well they explain the decisions of the other seats. Each is played out with
every seat acting like ``regular``, and judged by the worth of the resulting lives. Exchanges and challenges
are decided like those of ``regular``. The budget is a number of re-deals instead of a time, so that a game
replays exactly.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import sqrt
from typing import Final

from arena.games.kernel import Turn
from arena.games.toepen.bots import regular
from arena.games.toepen.bots.history import History, Reading
from arena.games.toepen.bots.playout import ToepenPlayout
from arena.games.toepen.bots.sight import ToepenSight
from arena.games.toepen.redeal import ToepenRedealer
from arena.games.toepen.state import ToepenState

WORLDS: Final = 30
"""The number of re-deals played out for a decision."""
_DRAWN: Final = 2
"""The number of re-deals drawn per re-deal chosen."""
_BATCH: Final = 10
_HOPELESS: Final = 3.0
"""An action is dropped if it trails the best one by this many standard errors after a batch."""
_CLEAR: Final = 0.5
"""An action is preferred to that of ``regular`` if it leads by this many standard errors."""

_PATIENCE: Final[tuple[float, ...]] = (0.6, 0.5, 0.1, 0.0)
"""How much better than a card a knock must be in each of the four tricks, as a share of the difference
between winning and losing the hand at its present value. Playouts overestimate early knocks: in them, the
others answer like ``regular``, and the seat does not wait for a better moment as well as it can. Measured in
games against ``regular``.
"""
_PLUCK: Final[tuple[float, ...]] = (0.0, 0.0, 0.15, 0.15)
"""How much worse than folding it may be to stay against the only other seat in the hand, in each of the four
tricks, in the same unit. Playouts underestimate staying: the cards of a seat that knocks late are weaker than
its play suggests, and the seat raises better than it does in them. Measured by playing out such decisions
from the true state, with the other seat acting like ``shark`` and like ``regular``.
"""


class ToepenShark:
    """The player of one seat in one game."""

    def __init__(self, random: random.Random, worlds: int = WORLDS, clear: float = _CLEAR) -> None:
        self._random = random
        self._number, self._clear = worlds, clear
        self._regular = regular.ToepenRegular(random)
        self._history: History | None = None

    def choose(self, turn: Turn) -> str | None:
        """Return an action for a turn, or None to decline a right."""
        if self._history is None:
            self._history = History(turn["seat"], len(turn["observation"]["lives"]))
        self._history.note(turn)
        usual = self._regular.choose(turn)
        actions: list[str] = turn["legal_actions"]
        if usual is None or len(actions) == 1:
            return usual
        sight = ToepenSight(turn)
        if sight.phase in ("exchange", "challenge"):
            return usual
        playout = ToepenPlayout(turn, sight)
        worlds = self._worlds(turn, Reading(self._history, sight.in_hand, playout.stakes))
        stakes = playout.stakes(sight.lives, sight.in_hand)
        at_stake = stakes.won(sight.seat, sight.value) - stakes.lost(sight.seat, sight.value)
        corrections = {"knock": -_PATIENCE[sight.tricks] * at_stake}
        if sight.others.bit_count() == 1:
            corrections["stay"] = _PLUCK[sight.tricks] * at_stake
        return _search(playout, worlds, actions, usual, self._clear, corrections)

    def _worlds(self, turn: Turn, reading: Reading) -> list[ToepenState]:
        """Return re-deals, resampled by how well they explain the decisions of the other seats."""
        redealer = ToepenRedealer(turn, stock=False)
        if not reading.decisions:
            return [redealer.draw(self._random) for _ in range(self._number)]
        deals = [redealer.deal(self._random) for _ in range(_DRAWN * self._number)]
        sums = list(accumulate(reading.likelihood(redealer.hands(cards)) for cards in deals))
        step = sums[-1] / self._number
        if not step:
            return [redealer.state(cards) for cards in deals[: self._number]]
        worlds = []
        place = 0
        mark = step * self._random.random()
        for _ in range(self._number):
            while sums[place] < mark and place < len(sums) - 1:
                place += 1
            worlds.append(redealer.state(deals[place]))
            mark += step
        self._random.shuffle(worlds)
        return worlds


def _search(
    playout: ToepenPlayout,
    worlds: Sequence[ToepenState],
    actions: Sequence[str],
    usual: str,
    clear: float,
    corrections: Mapping[str, float],
) -> str:
    """Return the action with the best mean over the worlds, plus the correction for its first word. An action
    other than ``usual`` must be clearly better.

    Actions that fall far behind are dropped.
    """
    values: dict[str, list[float]] = {action: [] for action in actions}
    corrected = {action: corrections.get(action.partition(":")[0], 0.0) for action in actions}
    left = list(actions)
    for start in range(0, len(worlds), _BATCH):
        for world in worlds[start : start + _BATCH]:
            for action in left:
                values[action].append(playout.value(world.clone(), action) + corrected[action])
        best = max(left, key=lambda action: sum(values[action]))
        left = [a for a in left if a == best or _lead(values[best], values[a]) < _HOPELESS]
        if len(left) == 1:
            break
    best = max(left, key=lambda action: sum(values[action]))
    if usual in left and best != usual and _lead(values[best], values[usual]) < clear:
        return usual
    return best


def _lead(better: Sequence[float], worse: Sequence[float]) -> float:
    """Return the number of standard errors by which the mean of ``better`` exceeds that of ``worse``. Values
    are paired by world.
    """
    differences = [one - other for one, other in zip(better, worse, strict=True)]
    count = len(differences)
    mean = sum(differences) / count
    variance = sum((difference - mean) ** 2 for difference in differences) / (count - 1)
    return mean / sqrt(variance / count + 1e-9)
