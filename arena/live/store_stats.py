"""How much is going on, for whoever runs the service."""

from __future__ import annotations

from typing import Final, NamedTuple

from arena.live.store import DUE
from arena.live.store_index import state_key
from arena.live.store_wire import Wire

COUNTED_STATES: Final = ("waiting", "running", "finished", "cancelled", "void")


class LiveStats(NamedTuple):
    """Games by state, as far as they are still listed, and how many wait for a decision or a player."""

    games: dict[str, int]
    due: int


def live_stats(wire: Wire) -> LiveStats:
    """Count, in one round trip."""
    *games, due = wire.run([*(("ZCARD", state_key(state)) for state in COUNTED_STATES), ("ZCARD", DUE)])
    return LiveStats(dict(zip(COUNTED_STATES, map(int, games), strict=True)), int(due))
