"""The house bot ``rookie``: rules of thumb."""

from __future__ import annotations

from arena.bots.house import HouseBot


class RookieBot(HouseBot):
    """Plays by rules of thumb."""

    level = "rookie"
