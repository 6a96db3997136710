"""How ``regular`` and ``barfly`` call and answer. They are the same bot with different numbers."""

from __future__ import annotations

from typing import Final, NamedTuple


class Manner(NamedTuple):
    """What a team assumes about the other one's calls and answers, and how often it bluffs.

    ``bold``: a seat that calls is assumed to hold the best of this many hands. ``bold_uneven``: the same if
    one team has won more tricks than the other, because then both call with more hands. ``doubt``: the factor
    by which the odds of the hand shrink if the other team stays or raises, where calls are about the whole
    hand (TV-6.8). ``bluffs``: how often a team calls with a hopeless hand.
    """

    bold: float
    bold_uneven: float
    doubt: float
    bluffs: float

    def bold_of(self, lead: int) -> float:
        """Return how bold a caller is if a team has won ``lead`` more tricks than the other one."""
        return self.bold_uneven if lead else self.bold


HOPELESS_BELOW: Final = 0.2
"""The chance to win below which a hand is hopeless."""


class Manners(NamedTuple):
    """The manners of a house bot: where calls are about one trick (BT-4.1), and where they are about the
    whole hand. ``keep_from``: the value of a hand below which it is burnt. ``sharpness``: see
    :func:`~arena.games.truco.bots.solved.solved_action`.
    """

    trick: Manner
    whole_hand: Manner
    keep_from: int
    sharpness: float


REGULAR: Final = Manners(
    trick=Manner(bold=5.0, bold_uneven=2.0, doubt=1.0, bluffs=0.0),
    whole_hand=Manner(bold=2.0, bold_uneven=1.0, doubt=2.0, bluffs=0.0),
    keep_from=14,
    sharpness=1.0,
)
BARFLY: Final = Manners(
    trick=Manner(bold=6.0, bold_uneven=2.0, doubt=1.0, bluffs=0.1),
    whole_hand=Manner(bold=2.0, bold_uneven=1.0, doubt=2.5, bluffs=0.1),
    keep_from=12,
    sharpness=0.6,
)
