"""The hand as a whole: the chances of winning its best of three, and when its stake is worth raising.

This applies to ``truco_scope=hand``, where a call changes only the value (TV-6.8).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from arena.games.truco.bots.chances import Chances
from arena.games.truco.bots.race import Race, Stakes

RUNS: Final = 0.45
"""The caller's estimate of the probability that the other team runs."""
RUNS_FROM_RAISE: Final = 0.15
"""The same of a team that has called itself."""
_MARGIN: Final = 0.01
"""By how much of a chance to win the game a raise must be better."""
_CALL_FROM: Final = 50
"""Percent. With less a hand is not raised, even if it gains because the other team may run: no bluffs."""
_DOUBT: Final = 2.0
"""By how much the odds of the hand shrink when the other team stays or raises."""


def chance_of_hand(
    results: Sequence[int], chances: Chances, later: float, last: float, all_tied: float = 0.5
) -> float:
    """Return the chance to win the hand (BT-3.5), given the chances in the trick in progress.

    ``results`` are the completed tricks: 1 won, -1 lost, 0 tied. ``later`` and ``last`` are the chances to
    win another trick with the better and the worse of the remaining cards. ``all_tied`` is what three ties
    are worth.
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
    """Return what a chance is worth if the other team considers its hand good enough for a higher stake."""
    return chance / (chance + _DOUBT * (1 - chance)) if chance > 0 else 0.0


class RaceState(NamedTuple):
    """What the points of a hand are worth to one team: see :class:`Race`."""

    ours: int
    theirs: int
    hands_left: int
    stakes: Stakes


@lru_cache(maxsize=1 << 14)
def raise_from(state: RaceState, stake: int, value: int, runs: float) -> float:
    """Return the chance from which on a hand worth ``stake`` is better played for ``value``.

    ``runs`` is the probability that the other team runs from that.
    """
    race = _race(state)
    for percent in range(_CALL_FROM, 100):
        chance = percent / 100
        raised = runs * race.won(stake) + (1 - runs) * race.played(value, doubted(chance))
        if raised > race.played(stake, chance) + _MARGIN:
            return chance
    return 1.0


@lru_cache(maxsize=1 << 14)
def stay_from(state: RaceState, stake: int, value: int) -> float:
    """Return the chance from which on it is better to play for ``value`` than to give ``stake`` away."""
    race = _race(state)
    lost = race.lost(value)
    gained = race.won(value) - lost
    # In the last hand of a game that ends by their number the stake may decide nothing.
    return (race.lost(stake) - lost) / gained if gained else 0.0


def _race(state: RaceState) -> Race:
    return Race((state.ours, state.theirs), state.hands_left, state.stakes)
