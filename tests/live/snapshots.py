"""What many tests begin with is played once in each process, and restored in the database after that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from arena.store.games import CLOCK
from tests.live.arenas import Arena
from tests.live.clock import skip


class _Snapshot(NamedTuple):
    """The keys of a database, with their values and how long they live (milliseconds; 0: for ever)."""

    keys: list[tuple[bytes, bytes, int]]
    skipped_ms: int


_SNAPSHOTS: dict[Callable[[Arena], None], _Snapshot] = {}


def play_once(arena: Arena, play: Callable[[Arena], None]) -> None:
    """Let an arena on an empty database be what ``play`` makes of it. In a cluster it is played each time."""
    connection: Any = arena.store._connection
    snapshot = None if connection.is_cluster else _SNAPSHOTS.get(play)
    if snapshot is None:
        play(arena)
        if not connection.is_cluster:
            _SNAPSHOTS[play] = _taken(arena)
        return
    connection.run([("RESTORE", name, left_ms, data, "REPLACE") for name, data, left_ms in snapshot.keys])
    arena.store.identity.check()
    skip(arena.live, snapshot.skipped_ms)


def _taken(arena: Arena) -> _Snapshot:
    """All but the clock, which would stand still since then."""
    connection: Any = arena.store._connection
    (names,) = connection.run([("KEYS", "*")])
    keys = []
    for name in names:
        data, left_ms = connection.run([("DUMP", name), ("PTTL", name)])
        if data is not None and name != CLOCK.encode():
            keys.append((name, data, max(left_ms, 0)))
    return _Snapshot(keys, getattr(arena.live.store, "skipped_ms", 0))
