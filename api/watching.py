"""Games in progress as seen by spectators: pictures of the table, made once per process and game.

Regardless of how many people watch a game, one thread reads its events and makes the messages that all of
them receive. It sends at most four messages a second; each contains all changes since the previous one. A
spectator that missed messages gets the changes in them with the next one, or the whole table if there are
too many.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from api.spectators import Spectators
from arena.errors import ArenaError
from arena.live.header import Viewer
from arena.live.service import LiveGames
from arena.replays.live_table import LiveTable
from arena.store.waits import Sleep

MIN_INTERVAL: Final = 0.25
"""The minimum number of seconds between two messages about a game."""

MOST_MISSED: Final = 300
"""The most changes that a spectator who has missed them still gets."""

_EVENTS_AT_ONCE: Final = 500

_ANYBODY: Final = Viewer()


class Message(NamedTuple):
    """A server-sent event for spectators: ``table``, the current picture with the log of the hand, or
    ``moves``, their changes (:class:`~arena.replays.live_table.LiveTable`). ``next`` is the number of the
    first event after it. Both say whether the game is ``over``, and how many ``watch`` it, and have
    ``clocks``: the seats whose clocks are running, each with the milliseconds left, including the bank.
    """

    kind: str
    data: dict[str, Any]
    next: int


class WatchedGame:
    """One game and its spectators in this process."""

    def __init__(self, live: LiveGames, counts: Spectators, game_id: str) -> None:
        self._live = live
        self._counts = counts
        self._game_id = game_id
        self._table = LiveTable(live.summary(game_id))
        self._lock = threading.Lock()
        self._sleeping: set[Sleep] = set()
        self._next = 0
        self._number = 0
        self._changes: deque[dict[str, Any]] = deque(maxlen=MOST_MISSED)
        """The last changes."""
        self._complete_from = 0
        """The number of the event from which all changes are in ``_changes``."""
        self._clocks: list[tuple[int, int]] = []
        """Seats, each with the time on the service's clock when its thinking time runs out."""
        self._failed: ArenaError | None = None
        self.spectators = 0
        self.ended = False

    def read(self, wait: float) -> bool:
        """Wait for events and send them to the spectators. Return whether there can be more already."""
        page = self._live.events(self._game_id, _ANYBODY, start=self._next, limit=_EVENTS_AT_ONCE, wait=wait)
        view = self._live.view(self._game_id, _ANYBODY) if page["events"] else None
        with self._lock:
            is_full = page["next"] - self._next >= _EVENTS_AT_ONCE
            self._next = page["next"]
            changes = []
            if view is not None:
                changes = self._table.take(page["events"], view["awaiting"])
                ends = ((clock["seat"], clock["runs_out_at_ms"]) for clock in view["clocks"])
                self._clocks = [(seat, end_ms) for seat, end_ms in ends if end_ms is not None]
            self.ended = page["over"]
            if changes or self.ended:
                self._number += 1
                self._keep(changes)
                self._wake()
        return is_full

    def _keep(self, changes: list[dict[str, Any]]) -> None:
        lost = [*self._changes, *changes][:-MOST_MISSED]
        if lost:
            self._complete_from = lost[-1]["n"] + 1
        self._changes.extend(changes)

    def _state(self) -> Mapping[str, object]:
        now_ms = self._live.store.clock().now_ms
        clocks = [(seat, max(0, end_ms - now_ms)) for seat, end_ms in self._clocks]
        return {"over": self.ended, "watch": self._counts.of(self._game_id), "clocks": clocks}

    def _table_message(self) -> Message:
        data = {"picture": self._table.shown, "log": list(self._table.log), **self._state()}
        return Message("table", data, self._next)

    def _message_after(self, start: int) -> Message:
        """Return what a spectator needs who has everything before the event with this number."""
        if start < self._complete_from:
            return self._table_message()
        changes = [change for change in self._changes if change["n"] >= start]
        return Message("moves", {"changes": changes, **self._state()}, max(start, self._next))

    def end(self, error: ArenaError | None) -> None:
        """End the streams of the remaining spectators, with the error if there is one."""
        with self._lock:
            self._failed = error
            self.ended = True
            self._wake()

    def _wake(self) -> None:
        for sleep in self._sleeping:
            sleep.wake()

    def messages(self, pause: float, start: int | None = None) -> Iterator[Message | None]:
        """Yield the current table, or for a spectator who has everything before event ``start`` what has
        changed since. Then yield every message, and None after ``pause`` seconds without a message.
        """
        with self._lock:
            number = self._number
            message = self._table_message() if start is None else self._message_after(start)
        yield message
        sleep = Sleep()
        while True:
            with self._lock:
                is_due = self._number != number or self.ended
                self._sleeping.add(sleep)
            if not is_due:
                sleep.wait(pause)
            with self._lock:
                self._sleeping.discard(sleep)
                if self._failed is not None:
                    raise self._failed
                is_news = self._number != number
                if is_news:
                    message = self._message_after(message.next)
                number = self._number
                ended = self.ended
            yield message if is_news else None
            if ended:
                return


class Watching:
    """The watched games of this process, whose spectators ``counts`` counts. ``pause`` is how many seconds a
    thread waits for events at a time.
    """

    def __init__(self, live: LiveGames, counts: Spectators, pause: float = 5) -> None:
        self._live = live
        self.counts = counts
        self._pause = pause
        self._lock = threading.Lock()
        self._games: dict[str, WatchedGame] = {}

    def messages(
        self, game_id: str, pause: float, start: int | None = None, *, is_counted: bool = True
    ) -> Iterator[Message | None]:
        """See :meth:`WatchedGame.messages`. ``is_counted``: whether it is for a single spectator.

        Raises :class:`~arena.errors.ArenaError` for a game that is not public, and ``no_picture``.
        """
        watched = self._join(game_id)
        counted = [game_id] if is_counted else []
        self.counts.add(counted)
        try:
            yield from watched.messages(pause, start)
        finally:
            self.counts.add(counted, -1)
            with self._lock:
                watched.spectators -= 1

    def _join(self, game_id: str) -> WatchedGame:
        with self._lock:
            watched = self._games.get(game_id)
            if watched is None:
                watched = WatchedGame(self._live, self.counts, game_id)
                while watched.read(0):
                    pass
                if not watched.ended:
                    self._games[game_id] = watched
                    threading.Thread(
                        target=self._follow, args=(game_id, watched), name="watching", daemon=True
                    ).start()
            watched.spectators += 1
            return watched

    def _follow(self, game_id: str, watched: WatchedGame) -> None:
        """Read events until the game is over or nobody watches it."""
        failed = None
        try:
            while not watched.ended:
                with self._lock:
                    if not watched.spectators:
                        return
                watched.read(self._pause)
                time.sleep(MIN_INTERVAL)
        except ArenaError as error:
            failed = error
        finally:
            with self._lock:
                # A spectator that arrived in the meantime reopens its stream and gets another thread.
                watched.end(failed)
                self._games.pop(game_id, None)
