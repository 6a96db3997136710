"""How ``regular`` and ``barfly`` call and answer. They are the same bot with different numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class Manner(NamedTuple):
    """What a team assumes about the other one's calls and answers, and how often it bluffs.

    ``bold``: a seat that calls is assumed to hold the best of this many hands. ``doubt``: the factor by which
    the odds of the hand shrink if the other team stays or raises, where calls are about the whole hand
    (TV-6.8). ``bluffs``: how often a team calls with a hopeless hand.
    """

    bold: float
    doubt: float
    bluffs: float


_MANNERS: Final = {2: Manner(bold=1.0, doubt=6.0, bluffs=0.2), 4: Manner(bold=2.0, doubt=2.0, bluffs=0.0)}
HOPELESS_BELOW: Final = 0.2
"""The chance to win below which a hand is hopeless."""


class Manners(NamedTuple):
    """The manners of a house bot: where calls are about one trick (BT-4.1), and where they are about the
    whole hand, by the number of seats. ``keep_from``: the value of a hand below which it is burnt.
    """

    trick: Manner
    whole_hand: Mapping[int, Manner]
    keep_from: int


REGULAR: Final = Manners(Manner(bold=5.0, doubt=1.0, bluffs=0.0), _MANNERS, keep_from=14)
BARFLY: Final = Manners(
    Manner(bold=6.0, doubt=1.0, bluffs=0.1),
    {2: Manner(bold=0.85, doubt=4.0, bluffs=0.1), 4: Manner(bold=2.0, doubt=2.5, bluffs=0.1)},
    keep_from=12,
)


def manner(seats: int) -> Manner:
    """Return the manner of ``regular`` for a number of seats, where calls are about the whole hand.

    Between two players, a call says less about the cards: there is no partner whose cards could be better,
    and a player who assumed as much strength as in games for four would run from most calls, so that calling
    with any hand would pay.
    """
    return _MANNERS[seats]
