"""How ``regular`` and ``barfly`` differ. They are the same bot with different numbers."""

from __future__ import annotations

from typing import Final, NamedTuple


class Manner(NamedTuple):
    """How closely a seat follows its table, and which hands it burns.

    ``sharpness``: see :func:`~arena.games.truco.bots.solved.policy`. ``keep_from``: the value of a hand below
    which it is burnt.
    """

    sharpness: float
    keep_from: int


# Rare actions in a table are mostly left over from when the seats had learnt little.
REGULAR: Final = Manner(sharpness=3.0, keep_from=14)
BARFLY: Final = Manner(sharpness=2.0, keep_from=12)
