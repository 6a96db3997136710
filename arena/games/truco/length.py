"""The usual length of a game of Truco, for the limits of live games."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from arena.games.options import Rules

OPTIONS_OF_LENGTH: Final = ("max_hands",)


class _Usual(NamedTuple):
    hands: int
    moves: int


_USUAL: Final[Mapping[object, _Usual]] = {2: _Usual(17, 6), 4: _Usual(13, 10)}
"""The usual hands of a game and moves of a hand by seats: the largest means of games of ``rookie`` and
``random`` by all presets, and by the other values of ``max_burns``, ``pack`` and ``face_down``. A game ends
with 12 points, so that ``max_hands`` only matters to players who never score: they reach the limit of live
games.
"""

_WITH_SIGNALS: Final = 14
"""The usual moves of a hand if ``random`` makes gestures."""


def usual_moves(rules: Rules) -> int:
    """Return the usual number of moves; see :class:`~arena.games.descriptor.Game`."""
    hands, moves = _USUAL[rules["seats"]]
    return min(hands, int(rules["max_hands"])) * (_WITH_SIGNALS if rules["signals"] == "table" else moves)
