"""What many tests begin with is played once in each process, and restored in the database after that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from arena.store.games import CLOCK
from tests.live.arenas import Arena
from tests.live.clock import skip

Keys = list[tuple[bytes, bytes, int]]
"""Keys with their values as the database writes them, and how long they live (milliseconds; 0: for ever)."""


def dump(connection: Any) -> Keys:
    """All keys of a server."""
    (names,) = connection.run([("KEYS", "*")])
    keys = [(name, *connection.run([("DUMP", name), ("PTTL", name)])) for name in names]
    return [(name, data, max(left_ms, 0)) for name, data, left_ms in keys if data is not None]


def restore(connection: Any, keys: Keys) -> None:
    """Write ``keys`` again, over what has their names."""
    connection.run([("RESTORE", name, left_ms, data, "REPLACE") for name, data, left_ms in keys])


class _Snapshot(NamedTuple):
    keys: Keys
    skipped_ms: int


_SNAPSHOTS: dict[Callable[[Arena], None], _Snapshot] = {}


def play_once(arena: Arena, play: Callable[[Arena], None]) -> None:
    """Let an arena on an empty database be what ``play`` makes of it. In a cluster it is played each time."""
    connection: Any = arena.store._connection
    snapshot = None if connection.is_cluster else _SNAPSHOTS.get(play)
    if snapshot is None:
        play(arena)
        if not connection.is_cluster:
            # With its clock, the service would stand still since then.
            keys = [key for key in dump(connection) if key[0] != CLOCK.encode()]
            _SNAPSHOTS[play] = _Snapshot(keys, getattr(arena.live.store, "skipped_ms", 0))
        return
    restore(connection, snapshot.keys)
    arena.store.identity.check()
    skip(arena.live, snapshot.skipped_ms)
