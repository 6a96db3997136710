"""The race to 12 points: how likely a team is to win the game from a score."""

from __future__ import annotations

from functools import cache
from typing import Final

from arena.games.truco.cards import TARGET

_RESULTS: Final = ((1, 0.75), (3, 0.18), (6, 0.035), (9, 0.015), (12, 0.02))
"""The probability that a hand gives one team this many points; other hands give none. Measured over
games of the house bots among themselves."""
_NOBODY: Final = 1 - sum(chance for _, chance in _RESULTS)
_ELEVEN_RUNS: Final = 0.42
_ELEVEN_WINS: Final = 0.4
"""The probabilities that a team with 11 against fewer runs, and that it plays and wins (BT-5.2)."""
_FAR: Final = 60
"""With this many hands left, the limit of hands does not matter."""

Table = tuple[tuple[float, ...], ...]


@cache
def _after(hands_left: int) -> Table:
    """The chances by own points and theirs with ``hands_left`` hands left to play."""
    if hands_left == 0:
        return tuple(
            tuple(0.5 if ours == theirs else float(ours > theirs) for theirs in range(TARGET + 1))
            for ours in range(TARGET + 1)
        )
    later = _after(hands_left - 1)
    return tuple(
        tuple(_before_hand(later, ours, theirs) for theirs in range(TARGET + 1)) for ours in range(TARGET + 1)
    )


def _before_hand(later: Table, ours: int, theirs: int) -> float:
    if ours == TARGET or theirs == TARGET:
        return 0.5 if ours == theirs else float(ours > theirs)
    if ours == theirs:
        return 0.5
    if ours == TARGET - 1:
        return _with_eleven(later, theirs)
    if theirs == TARGET - 1:
        return 1 - _with_eleven(later, ours)
    chance = _NOBODY * later[ours][theirs]
    for points, often in _RESULTS:
        won = later[min(TARGET, ours + points)][theirs]
        lost = later[ours][min(TARGET, theirs + points)]
        chance += often * (won + lost) / 2
    return chance


def _with_eleven(later: Table, theirs: int) -> float:
    lost = later[TARGET - 1][min(TARGET, theirs + 3)]
    ran = later[TARGET - 1][min(TARGET, theirs + 1)]
    return _ELEVEN_WINS + _ELEVEN_RUNS * ran + (1 - _ELEVEN_WINS - _ELEVEN_RUNS) * lost


class Race:
    """What the points of the hand in progress are worth, as chances of winning the game.

    ``score`` is own points and theirs, ``hands_left`` the number of hands after this one.
    """

    def __init__(self, score: tuple[int, int], hands_left: int) -> None:
        self._ours, self._theirs = score
        self._table = _after(min(hands_left, _FAR))
        self.nobody = self._table[self._ours][self._theirs]

    def won(self, points: int) -> float:
        """The chances after the seat's team scores that many points."""
        return self._table[min(TARGET, self._ours + points)][self._theirs]

    def lost(self, points: int) -> float:
        """When the other team scores them."""
        return self._table[self._ours][min(TARGET, self._theirs + points)]
