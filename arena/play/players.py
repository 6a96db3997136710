"""Players, and the divisions in which they play."""

from __future__ import annotations

from typing import Final, NamedTuple

SEALED: Final = "sealed"
"""The division of groups among bots that the arena itself runs; these groups are mirrored."""

OPEN: Final = "open"
"""The division of all groups that are of no other."""

MODELS: Final = "models"
"""The division of the groups of tournaments for bots that say they are language models, except for groups
among house bots.
"""

DIVISION_BOTS: Final = {
    SEALED: "bots that the arena runs",
    OPEN: "bots that run elsewhere",
    MODELS: "language models, as their owners say",
}
"""Whom the divisions are for."""

DIVISIONS: Final = tuple(DIVISION_BOTS)

DIVISION_TEXT: Final = (
    " ".join(f"`{division}`: {bots}." for division, bots in DIVISION_BOTS.items())
    + " House bots play in all divisions."
)
"""What the API, commands and pages say about divisions."""


def division_of(mirrored: bool, models: bool) -> str:
    """Return the division of a group. ``models`` says whether its tournament is for language models."""
    if mirrored:
        return SEALED
    return MODELS if models else OPEN


class PlayerId(NamedTuple):
    """One version of one bot, as records name it."""

    name: str
    version: str
