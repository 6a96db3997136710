"""The house bot ``regular``: a solved table at Truco; card counting and odds at Toepen."""

from __future__ import annotations

from arena.bots.house import HouseBot


class RegularBot(HouseBot):
    """Plays by a solved table at Truco, and by card counting, odds and the value of the stakes at Toepen."""

    level = "regular"
