"""The race to 12 points: the probability that a team wins the game from a given score."""

from __future__ import annotations

from functools import cache
from typing import Final

from arena.games.truco.cards import TARGET
from arena.games.truco.state import TrucoState

_RESULTS: Final[tuple[float, ...]] = (0.75, 0.18, 0.035, 0.015, 0.02)
"""The probabilities that a hand gives one of the teams the points of each step of the stakes. The remaining
hands give no points. Measured in games between the house bots of version 0.1.0.
"""
_ELEVEN_RUNS: Final = 0.42
_ELEVEN_WINS: Final = 0.4
"""The probabilities that a team that alone has 11 points (10 if the stakes start at 2) runs, and that it
plays and wins (BT-5.2, TV-7.2).
"""
_FAR: Final = 60
"""With this many hands left, the limit on the number of hands has no effect."""

Table = tuple[tuple[float, ...], ...]
Stakes = tuple[int, ...]


@cache
def _after(hands_left: int, stakes: Stakes) -> Table:
    """Return the chances by own points and opponents' points, with ``hands_left`` hands left to play."""
    if hands_left == 0:
        return tuple(
            tuple(0.5 if ours == theirs else float(ours > theirs) for theirs in range(TARGET + 1))
            for ours in range(TARGET + 1)
        )
    later = _after(hands_left - 1, stakes)
    return tuple(
        tuple(_before_hand(later, ours, theirs, stakes) for theirs in range(TARGET + 1))
        for ours in range(TARGET + 1)
    )


def _before_hand(later: Table, ours: int, theirs: int, stakes: Stakes) -> float:
    if ours == TARGET or theirs == TARGET:
        return 0.5 if ours == theirs else float(ours > theirs)
    if ours == theirs:
        return 0.5
    threshold = TARGET - stakes[0]
    if ours == threshold:
        return _at_threshold(later, theirs, stakes)
    if theirs == threshold:
        return 1 - _at_threshold(later, ours, stakes)
    chance = (1 - sum(_RESULTS[: len(stakes)], 0.0)) * later[ours][theirs]
    for points, often in zip(stakes, _RESULTS, strict=False):
        won = later[min(TARGET, ours + points)][theirs]
        lost = later[ours][min(TARGET, theirs + points)]
        chance += often * (won + lost) / 2
    return chance


def _at_threshold(later: Table, theirs: int, stakes: Stakes) -> float:
    ours = later[TARGET - stakes[0]]
    lost = ours[min(TARGET, theirs + stakes[1])]
    ran = ours[min(TARGET, theirs + stakes[0])]
    return _ELEVEN_WINS + _ELEVEN_RUNS * ran + (1 - _ELEVEN_WINS - _ELEVEN_RUNS) * lost


class Race:
    """What a team's score after the hand in progress in ``state`` is worth: its chance to win the game."""

    def __init__(self, state: TrucoState, team: int) -> None:
        self._team = team
        rules = state.rules
        self._table = _after(min(rules.max_hands - state.hand_number, _FAR), rules.stakes)

    def chance_at(self, ours: int, theirs: int) -> float:
        """Return the chance with these points of the team and of its opponents."""
        return self._table[min(TARGET, ours)][min(TARGET, theirs)]

    def chance_in(self, state: TrucoState) -> float:
        """Return the chance in a state in which the hand is over."""
        return self.chance_at(state.score[self._team], state.score[1 - self._team])
