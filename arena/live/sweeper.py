"""The sweeper, which handles clocks. Any number can run, in any process, and each can be killed."""

from __future__ import annotations

import logging
import threading
import time
from typing import Final

from arena.errors import ArenaError
from arena.live.finalizer import GameFinalizer
from arena.store.games import GameStore

log = logging.getLogger(__name__)

PAUSE: Final = 0.1
"""Seconds between two passes if nothing is due."""

STALL: Final = 0.25
"""If a pause lasts this many seconds too long, the process counts as suspended."""

BEAT: Final = 1.0
LEASE_MS: Final = 5_000
_BATCH: Final = 50
_TRIM: Final = 3600.0


class Sweeper:
    """Checks games when they are due, and records beats, which distinguish outages from slow players."""

    def __init__(self, store: GameStore, finalizer: GameFinalizer) -> None:
        self._store = store
        self._finalizer = finalizer
        self._next_beat = 0.0
        self._next_trim = time.monotonic() + _TRIM

    def sweep(self) -> int:
        """Run one pass, and return the number of games checked."""
        if time.monotonic() >= self._next_beat:
            self._store.beat()
            self._next_beat = time.monotonic() + BEAT
        if time.monotonic() >= self._next_trim:
            self._finalizer.trim()
            self._next_trim = time.monotonic() + _TRIM
        now_ms = self._store.clock().now_ms
        lease_ms = now_ms + LEASE_MS
        games = self._store.claim(now_ms, lease_ms, _BATCH)
        for game in games:
            try:
                self._store.settle(game, lease_ms, self._finalizer.check(game))
            except ArenaError:
                log.warning(
                    "could not check game %s; retrying later", game, exc_info=True, extra={"game": game}
                )
            except Exception:
                log.exception("could not check game %s; retrying later", game, extra={"game": game})
        return len(games)

    def run(self, stop: threading.Event) -> None:
        """Sweep until ``stop`` is set, and retry while the database is unavailable."""
        while not stop.is_set():
            try:
                if self.sweep() < _BATCH:
                    self._pause(stop)
            except ArenaError as error:
                log.warning("sweeper: %s", error)
                stop.wait(1.0)

    def _pause(self, stop: threading.Event) -> None:
        """Wait, and report for how long this process was suspended, since it served no clocks meanwhile."""
        start = time.monotonic()
        stop.wait(PAUSE)
        stood_still = time.monotonic() - start - PAUSE
        if stood_still > STALL:
            self._store.beat(int(1000 * stood_still))
