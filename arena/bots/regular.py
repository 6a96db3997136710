"""The house bot ``regular``: hand strength, card counting and odds."""

from __future__ import annotations

from arena.bots.house import HouseBot


class RegularBot(HouseBot):
    """Plays by hand strength, card counting and odds."""

    level = "regular"
