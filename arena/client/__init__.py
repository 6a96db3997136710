"""A client of the service: :class:`Client` calls its operations, and :func:`run` plays a bot.

It uses only the standard library and no event loop: a bot sends one request at a time, however many games it
plays.
"""

from __future__ import annotations

from arena.client.client import Client
from arena.client.http import ApiError, ServerEvent, Unreachable
from arena.client.player import OnlinePlayer, run

__all__ = ["ApiError", "Client", "OnlinePlayer", "ServerEvent", "Unreachable", "run"]
