"""The usual length of a game of Toepen, for the limits of live games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from arena.games.options import Rules

OPTIONS_OF_LENGTH: Final = ("rubbers", "lives")

_PER_LIFE: Final[Mapping[str, Sequence[int]]] = {
    "elimination": (9, 12, 15, 19, 23, 25, 27),
    "rubber": (9, 11, 12, 16, 17, 17, 18),
}
"""The usual moves per life at the start, of a game with ``end=elimination`` or of one rubber, for two to
eight seats. They are means of games of ``rookie`` with 10 and 30 lives and the other options at their
defaults: a hand has 11 to 40 moves, and a game 0.65 to 1.2 hands per life. ``random`` needs up to a third
fewer. Bots that never knock play far longer.
"""


def usual_moves(rules: Rules) -> int:
    """Return the usual number of moves; see :class:`~arena.games.descriptor.Game`."""
    end = str(rules["end"])
    rubbers = int(rules["rubbers"]) if end == "rubber" else 1
    return rubbers * int(rules["lives"]) * _PER_LIFE[end][int(rules["seats"]) - 2]
