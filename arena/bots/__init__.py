"""Bots: the base class, the house bots, and the lookup of bots by name."""

from __future__ import annotations

from arena.bots.base import Bot, BotFailure, HostFailure, Turn
from arena.bots.games import GameNotPlayed
from arena.bots.loader import HOUSE_BOTS, POOL, POOL_BOTS, BotSpec, InvalidBot, bot_spec
from arena.errors import UnknownBot

__all__ = [
    "HOUSE_BOTS",
    "POOL",
    "POOL_BOTS",
    "Bot",
    "BotFailure",
    "BotSpec",
    "GameNotPlayed",
    "HostFailure",
    "InvalidBot",
    "Turn",
    "UnknownBot",
    "bot_spec",
]
