"""What many tests begin with is played once in each process, and restored in the database after that."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple, TypeVar, cast

from arena.ops.service import Service
from arena.store.games import CLOCK
from arena.store.identity import STORE_KEY
from tests.live.arenas import Arena
from tests.live.clock import skip

Result = TypeVar("Result")

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
    result: Any


_SNAPSHOTS: dict[Hashable, _Snapshot] = {}


def play_once(arena: Arena, play: Callable[[Arena], None]) -> None:
    """Let an arena on an empty database be what ``play`` makes of it."""
    made_once(arena.service, play, lambda: play(arena))
    arena.store.identity.check()


def made_once(service: Service, name: Hashable, make: Callable[[], Result]) -> Result:
    """Let the database of ``service`` be what ``make`` makes of it under this name, and return what it
    returned. In a cluster it is made each time.
    """
    connection: Any = service.store._connection
    snapshot = None if connection.is_cluster else _SNAPSHOTS.get(name)
    if snapshot is None:
        result = make()
        if not connection.is_cluster:
            # With its clock, the service would stand still since then; and it is still the same database.
            keys = [key for key in dump(connection) if key[0].decode() not in (CLOCK, STORE_KEY)]
            _SNAPSHOTS[name] = _Snapshot(keys, getattr(service.live.store, "skipped_ms", 0), result)
        return result
    restore(connection, snapshot.keys)
    skip(service.live, snapshot.skipped_ms)
    return cast(Result, snapshot.result)
