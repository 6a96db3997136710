"""Bots: the base class, the house bots, and how bots are found by name."""

from __future__ import annotations

from arena.bots.base import Bot, Turn
from arena.bots.loader import HOUSE_BOTS, BotSpec, InvalidBot, UnknownBot, bot_spec

__all__ = ["HOUSE_BOTS", "Bot", "BotSpec", "InvalidBot", "Turn", "UnknownBot", "bot_spec"]
