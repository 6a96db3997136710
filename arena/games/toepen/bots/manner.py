"""How ``regular`` and ``barfly`` bluff. They are the same bot with different numbers."""

from __future__ import annotations

from typing import Final, NamedTuple


class ToepenManner(NamedTuple):
    """How often a seat bluffs and how soon it knocks.

    ``bluffs``: the probability of knocking with a hopeless hand if this is profitable. ``patience``: the
    value of postponing a knock until more is known, as a winning chance for each trick. ``exchanges``: the
    factor for the share of clean hands that it lays away. ``challenges``: what is added to the log-odds of a
    challenge.
    """

    bluffs: float
    patience: tuple[float, float, float, float]
    exchanges: float
    challenges: float


REGULAR: Final = ToepenManner(bluffs=0.3, patience=(0.12, 0.05, 0.0, 0.0), exchanges=1.0, challenges=0.0)
"""At about these bluffs, staying breaks even."""
BARFLY: Final = ToepenManner(bluffs=0.45, patience=(0.09, 0.03, 0.0, 0.0), exchanges=1.2, challenges=0.15)
