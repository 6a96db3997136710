"""All operations of the service in one class."""

from __future__ import annotations

from arena.client.bots import BotsCalls
from arena.client.games import GamesCalls
from arena.client.leaderboards import LeaderboardsCalls
from arena.client.tournaments import TournamentsCalls


class Client(BotsCalls, GamesCalls, TournamentsCalls, LeaderboardsCalls):
    """The service at ``url``; see :class:`~arena.client.http.HttpClient` for the arguments.

    Most methods are generated from the table of operations (``arena/operations``): they take its fields by
    name, those in the path and a few others also by position, and return what the API returns, or all
    elements of a list, from all its pages. A field of a body that is None is left out, except in a change.
    ``arena.client.types`` has the types.

    A refused request raises :class:`~arena.client.ApiError`. Methods named ``create_...``, ``register_...``
    and the like are carried out once, however often they are retried.
    """
