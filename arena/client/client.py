"""The client class with all operations of the service."""

from __future__ import annotations

from arena.client.bots import BotsCalls
from arena.client.games import GamesCalls
from arena.client.leaderboards import LeaderboardsCalls
from arena.client.owners import OwnersCalls
from arena.client.tournaments import TournamentsCalls


class Client(BotsCalls, GamesCalls, TournamentsCalls, LeaderboardsCalls, OwnersCalls):
    """The service at ``url``; see :class:`~arena.client.http.HttpClient` for the arguments.

    Most methods are generated from the table of operations (``arena/operations``). They take the fields of
    the operation by name; those in the path and a few others can also be passed by position. They return the
    API's response or, for a list, all elements from all pages. Body fields that are None are omitted, except
    in updates. ``arena.client.types`` has the types.

    A refused request raises :class:`~arena.client.ApiError`. Methods named ``create_...``, ``register_...``
    and so on are executed only once, however often they are retried.
    """
