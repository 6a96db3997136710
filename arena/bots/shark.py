"""The house bot ``shark``: search over re-deals of what it cannot see."""

from __future__ import annotations

from arena.bots.house import HouseBot


class SharkBot(HouseBot):
    """Plays by search over re-deals of what it cannot see."""

    level = "shark"
