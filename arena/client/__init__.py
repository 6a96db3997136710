"""The client side of the service: :class:`Client` for its operations, and :func:`run` to let a bot play.

It uses only the standard library, and no event loop: a bot sends one request after another, for any number of
games.
"""

from __future__ import annotations

from arena.client.client import Client
from arena.client.http import ApiError, ServerEvent, Unreachable
from arena.client.player import OnlinePlayer, run

__all__ = ["ApiError", "Client", "OnlinePlayer", "ServerEvent", "Unreachable", "run"]
