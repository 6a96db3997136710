"""Players, and the divisions in which they play."""

from __future__ import annotations

from typing import Final, NamedTuple

SEALED: Final = "sealed"
"""The division of groups between bots that the arena itself runs. These groups are mirrored."""

OPEN: Final = "open"
"""The division of all groups that belong to no other division."""

MODELS: Final = "models"
"""The division of groups in tournaments for bots declared to be language models, except for groups between
house bots.
"""

DIVISION_BOTS: Final = {
    SEALED: "bots that the arena runs",
    OPEN: "bots that run elsewhere",
    MODELS: "language models, as their owners say",
}
"""The kind of bots that each division is for."""

DIVISIONS: Final = tuple(DIVISION_BOTS)

DIVISION_TEXT: Final = (
    " ".join(f"`{division}`: {bots}." for division, bots in DIVISION_BOTS.items())
    + " House bots play in all divisions."
)
"""The description of the divisions in the API, commands and pages."""


COPY_MARK: Final = "+"
"""What separates the name of a house bot from the number of its copy, as in ``rookie+2``."""


def division_of(mirrored: bool, models: bool) -> str:
    """Return the division of a group. ``models`` is true if its tournament is for language models."""
    if mirrored:
        return SEALED
    return MODELS if models else OPEN


class PlayerId(NamedTuple):
    """One version of a bot, in the format of records."""

    name: str
    version: str
