"""All operations of the service in one class."""

from __future__ import annotations

from arena.client.admin import AdminCalls
from arena.client.bots import BotsCalls
from arena.client.comparisons import ComparisonsCalls
from arena.client.games import GamesCalls
from arena.client.leaderboards import LeaderboardsCalls
from arena.client.owners import OwnersCalls
from arena.client.tournaments import TournamentsCalls
from arena.client.turns import TurnsCalls


class Client(
    OwnersCalls,
    BotsCalls,
    GamesCalls,
    TurnsCalls,
    TournamentsCalls,
    ComparisonsCalls,
    LeaderboardsCalls,
    AdminCalls,
):
    """The service at ``url``; see :class:`~arena.client.http.HttpClient` for the arguments.

    A refused request raises :class:`~arena.client.ApiError`. Methods named ``create_...``, ``register_...``
    and the like are carried out once, however often they are retried.
    """
