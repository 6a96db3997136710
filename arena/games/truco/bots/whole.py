"""The hand as a whole: the chances of its best of three, and when its stake is worth raising.

For ``truco_scope=hand``, where a call changes the value and nothing else (TV-6.8).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from arena.games.truco.bots.chances import Chances

RUNS: Final = 0.45
"""The caller's estimate of the probability that the other team runs."""
RUNS_FROM_RAISE: Final = 0.15
"""The same of a team that has called itself."""
_DOUBT: Final = 2.0
"""By how much the odds of the hand shrink when the other team stays or raises."""


def hand_chance(
    results: Sequence[int], chances: Chances, later: float, last: float, all_tied: float = 0.5
) -> float:
    """The chance to win the hand (BT-3.5), given those of the trick in progress.

    ``results``: the completed tricks, 1 won, -1 lost, 0 tied. ``later`` and ``last``: the chances to win
    another trick with the better and the worse of the cards left. ``all_tied``: what three ties are worth.
    """
    win, tie, lose = chances
    if not results:
        return win * (1 - (1 - later) * (1 - last)) + tie * later + lose * later * last
    first = results[0]
    if len(results) == 1:
        if first == 1:
            return win + tie + lose * later
        return win * later if first == -1 else win + tie * later
    return win + tie * (1.0 if first == 1 else 0.0 if first == -1 else all_tied)


def doubted(chance: float) -> float:
    """What a chance is worth if the other team thinks its hand good enough for more."""
    return chance / (chance + _DOUBT * (1 - chance)) if chance > 0 else 0.0


@cache
def raise_from(stake: int, value: int, runs: float) -> float:
    """From which chance on a hand worth ``stake`` is better played for ``value``, by points."""
    for percent in range(50, 100):
        chance = percent / 100
        raised = runs * stake + (1 - runs) * value * (2 * doubted(chance) - 1)
        if raised > stake * (2 * chance - 1):
            return chance
    return 1.0


@cache
def stay_from(stake: int, value: int) -> float:
    """From which chance on it is better to play for ``value`` than to give ``stake`` away, by points."""
    return (value - stake) / (2 * value)
