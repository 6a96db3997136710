"""Time that passes when a test says so."""

from __future__ import annotations

from typing import Literal

from arena.live.service import LiveGames


def skip(games: LiveGames, ms: int) -> None:
    """Put the service's clock forward by ``ms``, as ``games`` reads it; it is no outage."""
    store = games.store
    read = store._read_clock

    def ahead(beat: Literal["0", "1"]) -> None:
        read(beat)
        store._offset_us += 1000 * ms
        store._last_beat_ms += ms

    store._read_clock = ahead  # type: ignore[method-assign]
    ahead("0")


def expire(games: LiveGames, after_ms: int, *keys: str) -> None:
    """Let ``after_ms`` pass, by which the database forgets ``keys``, and not before."""
    left = games.store._connection.run([("PTTL", key) for key in keys])
    assert all(after_ms - 120_000 < ms <= after_ms for ms in left), left
    games.store._connection.run([("DEL", key) for key in keys])
    skip(games, after_ms)
