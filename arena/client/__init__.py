"""The client side of the service: :class:`Client` for its operations, :func:`run` for a bot to play.

Standard library only, and no event loop: one bot is one request in a loop, for any number of games.
"""

from __future__ import annotations

from arena.client.client import Client
from arena.client.http import ApiError, ServerEvent, Unreachable
from arena.client.player import OnlinePlayer, run

__all__ = ["ApiError", "Client", "OnlinePlayer", "ServerEvent", "Unreachable", "run"]
