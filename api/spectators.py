"""The numbers of spectators of this process, and those of all processes together."""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping

from arena.errors import ArenaError
from arena.events.exhibition import Exhibition
from arena.store.repositories import Store
from arena.store.watchers import REPORT_MS

log = logging.getLogger(__name__)


class Spectators:
    """Counts the spectators of each game. While there are any, a thread reports them every ten seconds."""

    def __init__(self, store: Store, exhibition: Exhibition) -> None:
        self._store = store
        self._exhibition = exhibition
        self._lock = threading.Lock()
        self._own: Counter[str] = Counter()
        self._all: Mapping[str, int] = {}
        self._is_reporting = False

    def add(self, games: Iterable[str], number: int = 1) -> None:
        """Count spectators of these games, or with a negative number remove them."""
        with self._lock:
            for game in games:
                self._own[game] += number
                if not self._own[game]:
                    del self._own[game]
            if self._own and not self._is_reporting:
                self._is_reporting = True
                threading.Thread(target=self._report, name="spectators", daemon=True).start()

    def of(self, game: str) -> int:
        """Return the number of spectators of a game, as of the last report."""
        return max(self._own[game], self._all.get(game, 0))

    def look(self) -> None:
        """Record that somebody looks at the exhibition games."""
        self._store.watchers.look()

    def _report(self) -> None:
        process = process_name()
        while True:
            with self._lock:
                own = dict(self._own)
                if not own:
                    self._is_reporting = False
                    self._all = {}
            try:
                if not own:
                    self._store.watchers.withdraw(process)
                    return
                now_ms = self._store.clock().now_ms
                self._all = self._store.watchers.report(process, own, now_ms)
                if own.keys() & set(self._exhibition.games().values()):
                    self.look()
            except ArenaError as error:
                log.warning("spectators: %s", error)
                if not own:
                    return
            time.sleep(REPORT_MS / 1000)


def process_name() -> str:
    """Return the name under which this process reports."""
    return f"{socket.gethostname()} {os.getpid()}"
