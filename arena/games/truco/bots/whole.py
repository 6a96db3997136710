"""The hand as a whole: the chances to win two of its three tricks, and the chance from which its stake is
worth raising.

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
RUNS_UNEVEN: Final = 0.6
"""The same estimate if one team has won more tricks than the other."""
RUNS_FROM_RAISE: Final = 0.15
"""The same estimate for a team that has itself called."""
_MARGIN: Final = 0.01
"""The margin in the chance to win the game by which a raise must be better."""
_CALL_FROM: Final = 50
"""The minimum chance to win, in percent, for a raise. Below it, only bluffs at random raise, even if a raise
would gain because the other team may run.
"""


def chance_of_hand(
    results: Sequence[int], chances: Chances, later: float, last: float, all_tied: float = 0.5
) -> float:
    """Return the chance to win the hand (BT-3.5), given the chances in the trick in progress.

    ``results`` are the completed tricks: 1 for won, -1 for lost, 0 for tied. ``later`` and ``last`` are the
    chances to win another trick with the better and the worse of the remaining cards. ``all_tied`` is the
    value of three ties.
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


def runs_of(lead: int) -> float:
    """Return the estimate of a caller if a team has won ``lead`` more tricks than the other one."""
    return RUNS_UNEVEN if lead else RUNS


def doubted(chance: float, doubt: float) -> float:
    """Return the reduced chance to win if the other team considers its hand good enough for a
    higher stake.
    """
    return chance / (chance + doubt * (1 - chance)) if chance > 0 else 0.0


class RaceState(NamedTuple):
    """The parameters from which one team evaluates the points of a hand; see :class:`Race`."""

    ours: int
    theirs: int
    hands_left: int
    stakes: Stakes


@lru_cache(maxsize=1 << 14)
def raise_from(state: RaceState, stake: int, value: int, runs: float, doubt: float) -> float:
    """Return the chance above which raising a hand from ``stake`` to ``value`` is better than playing on.

    ``runs`` is the probability that the other team runs when the stake is raised, and ``doubt`` is that of
    its manner.
    """
    race = _race(state)
    for percent in range(_CALL_FROM, 100):
        chance = percent / 100
        raised = runs * race.won(stake) + (1 - runs) * race.played(value, doubted(chance, doubt))
        if raised > race.played(stake, chance) + _MARGIN:
            return chance
    return 1.0


@lru_cache(maxsize=1 << 14)
def stay_from(state: RaceState, stake: int, value: int) -> float:
    """Return the chance above which playing for ``value`` is better than running for ``stake``."""
    race = _race(state)
    lost = race.lost(value)
    gained = race.won(value) - lost
    # In the last hand of a game with a limit on hands, the stake can be irrelevant.
    return (race.lost(stake) - lost) / gained if gained else 0.0


def _race(state: RaceState) -> Race:
    return Race((state.ours, state.theirs), state.hands_left, state.stakes)
