"""Statistics for the operator of the service."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from arena.store.connection import RedisConnection
from arena.store.flush import UNFLUSHED
from arena.store.game_lists import chunked_key
from arena.store.games import CLOCK, DUE, state_key

COUNTED_STATES: Final = ("waiting", "running", "finished", "cancelled", "void")

TICKED: Final = "{arena}:ticked"
"""When a worker last ran a scheduler tick, in milliseconds."""


class LiveStats(NamedTuple):
    """The number of listed games by state, and the number waiting for a decision or a player. The times, in
    milliseconds or None, are those when clocks were last served, when the earliest game is due, and when the
    last tick ran.
    """

    games: dict[str, int]
    due: int
    beat_ms: int | None
    due_ms: int | None
    tick_ms: int | None


class DatabaseStats(NamedTuple):
    """Bytes of memory used, the limit (0: none), and bytes of the append-only file; whether writing it works;
    for how many seconds the files of an embedded database could not be flushed to disk; and how many flushes
    of any other database were late.
    """

    memory: int
    memory_limit: int
    file: int
    is_writing: bool
    unflushed_s: float
    late_flushes: int


def live_stats(connection: RedisConnection) -> LiveStats:
    """Count the games by state, in one round trip."""
    count = len(COUNTED_STATES)
    *games, due, beat, first, tick = connection.run(
        [
            *(("ZCARD", state_key(state)) for state in COUNTED_STATES),
            *(("GET", chunked_key(state_key(state))) for state in COUNTED_STATES),
            ("ZCARD", DUE),
            ("HGET", CLOCK, "at"),
            ("ZRANGE", DUE, 0, 0, "WITHSCORES"),
            ("GET", TICKED),
        ]
    )
    return LiveStats(
        {
            state: int(recent) + int(archived or 0)
            for state, recent, archived in zip(COUNTED_STATES, games[:count], games[count:], strict=True)
        },
        int(due),
        None if beat is None else int(beat),
        int(float(first[1])) if first else None,
        None if tick is None else int(tick),
    )


def database_stats(connection: RedisConnection, now_ms: int) -> DatabaseStats | None:
    """Return the figures of a single server, or None for a cluster, whose nodes are monitored separately."""
    if connection.is_cluster:
        return None
    *texts, since_ms = connection.run([("INFO", "memory"), ("INFO", "persistence"), ("GET", UNFLUSHED)])
    values = dict(re.findall(r"^(\w+):(.*?)\r?$", "\n".join(map(bytes.decode, texts)), re.MULTILINE))
    states = (values.get("aof_last_write_status", "ok"), values.get("aof_last_bgrewrite_status", "ok"))
    return DatabaseStats(
        int(values["used_memory"]),
        int(values.get("maxmemory", 0)),
        int(values.get("aof_current_size", 0)),
        states == ("ok", "ok"),
        0.0 if since_ms is None else max(0, now_ms - int(since_ms)) / 1000,
        int(values.get("aof_delayed_fsync", 0)),
    )
