"""Time that passes when a test says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from threading import Lock
from types import SimpleNamespace
from typing import Any, Final, Literal

from arena.events.service import Tournaments
from arena.events.tournament import Tournament
from arena.live.service import LiveGames
from arena.store.games import GameStore
from arena.store.tournaments import NewGroup, TournamentRow

_READING: Final = Lock()


def skip(games: LiveGames, ms: int) -> None:
    """Put the service's clock forward by ``ms``, as ``games`` reads it; it is no outage."""
    store: Any = games.store

    def ahead(beat: Literal["0", "1"], stood_still_ms: int = 0) -> None:
        # Other threads must not see the clock as it is: it is read elsewhere, and the beat is set first. One
        # that read it before a skip must not set it after that.
        with _READING:
            read: Any = SimpleNamespace(_connection=store._connection)
            GameStore._read_clock(read, beat, stood_still_ms)
            store._outage_ms, store._clock_read = read._outage_ms, read._clock_read
            store._last_beat_ms = read._last_beat_ms + store.skipped_ms
            store._offset_us = read._offset_us + 1000 * store.skipped_ms

    with _READING:
        store.skipped_ms = getattr(store, "skipped_ms", 0) + ms
    store._read_clock = ahead
    ahead("0")


def expire(games: LiveGames, after_ms: int, *keys: str) -> None:
    """Let ``after_ms`` pass, by which the database forgets ``keys``, and not before."""
    left = games.store._connection.run([("PTTL", key) for key in keys])
    assert all(after_ms - 120_000 < ms <= after_ms for ms in left), left
    games.store._connection.run([("DEL", key) for key in keys])
    skip(games, after_ms)


def close_entry(tournaments: Tournaments, name: str) -> None:
    """Lock a tournament now, as if its entry had been open until this moment. Other processes play on."""
    lifecycle = tournaments.lifecycle

    def act(tournament: Tournament, row: TournamentRow) -> Sequence[NewGroup]:
        tournament.spec = replace(tournament.spec, locks_ms=lifecycle._clock().now_ms)
        return ()

    lifecycle.change(name, act)
    tournaments.step(name)
