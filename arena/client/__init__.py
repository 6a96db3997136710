"""The client side of the service: :class:`Client` for its addresses, :func:`run` for a bot to play.

Standard library only, and no event loop: one bot is one request in a loop, for any number of games.
"""

from __future__ import annotations

from arena.client.http import ApiError, Client, Unreachable
from arena.client.player import Player, run

__all__ = ["ApiError", "Client", "Player", "Unreachable", "run"]
