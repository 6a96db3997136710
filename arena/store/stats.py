"""Statistics for the operator of the service."""

from __future__ import annotations

from typing import Final, NamedTuple

from arena.store.connection import RedisConnection
from arena.store.games import DUE, state_key

COUNTED_STATES: Final = ("waiting", "running", "finished", "cancelled", "void")


class LiveStats(NamedTuple):
    """The number of listed games by state, and of games that wait for a decision or a player."""

    games: dict[str, int]
    due: int


def live_stats(connection: RedisConnection) -> LiveStats:
    """Count games, in one round trip."""
    *games, due = connection.run([*(("ZCARD", state_key(state)) for state in COUNTED_STATES), ("ZCARD", DUE)])
    return LiveStats(dict(zip(COUNTED_STATES, map(int, games), strict=True)), int(due))
