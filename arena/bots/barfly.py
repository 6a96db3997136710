"""The house bot ``barfly``: ``regular`` with other habits."""

from __future__ import annotations

from arena.bots.house import HouseBot


class BarflyBot(HouseBot):
    """Plays like ``regular``, but calls, bluffs and exchanges at other rates."""

    level = "barfly"
