"""How ``regular`` calls and answers where calls are about the whole hand (TV-6.8), by the number of seats."""

from __future__ import annotations

from typing import Final, NamedTuple


class Manner(NamedTuple):
    """What a team assumes about the other one's calls and answers, and how often it bluffs.

    ``bold``: a seat that calls is assumed to hold the best of this many hands. ``doubt``: the factor by which
    the odds of the hand shrink if the other team stays or raises. ``bluffs``: how often a team calls with a
    hopeless hand.
    """

    bold: float
    doubt: float
    bluffs: float


_MANNERS: Final = {2: Manner(bold=1.0, doubt=6.0, bluffs=0.2), 4: Manner(bold=2.0, doubt=2.0, bluffs=0.0)}
HOPELESS_BELOW: Final = 0.2
"""The chance to win below which a hand is hopeless."""


def manner(seats: int) -> Manner:
    """Return the manner for a number of seats.

    Between two players, a call says less about the cards: there is no partner whose cards could be better,
    and a player who assumed as much strength as in games for four would run from most calls, so that calling
    with any hand would pay.
    """
    return _MANNERS[seats]
