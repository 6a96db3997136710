"""Who plays, and in which division."""

from __future__ import annotations

from typing import Final, NamedTuple

SEALED: Final = "sealed"
"""The division of groups among bots that the arena itself runs; these groups are mirrored."""

OPEN: Final = "open"
"""The division of all other groups."""

DIVISIONS: Final = (SEALED, OPEN)


class PlayerId(NamedTuple):
    """One version of one bot, as records name it."""

    name: str
    version: str
