"""The tables of the page /watch, as this process follows them for all who look at the page.

One thread per table follows its game like a single spectator, at reading speed. Another one collects what has
changed and makes a message, at most one a second, that everybody receives, so that a browser needs a single
stream for all tables. A spectator that missed messages gets those, or all tables if there are too many. The
threads end soon after the last one has left.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import orjson
from markupsafe import Markup

from api.pages.felts import Felt, FeltDrawings
from api.watching import Watching
from arena.errors import ArenaError
from arena.events.exhibition import Exhibition
from arena.live.header import GameNotFound
from arena.live.service import LiveGames
from arena.store.waits import Sleep

log = logging.getLogger(__name__)

MOST_TABLES: Final = 6
"""The maximum number of tables beside those of the exhibition."""

INTERVAL: Final = 1.0
"""The minimum number of seconds between two messages."""

CHOICE_SECONDS: Final = 2.0
"""How often the tables are chosen."""

OVER_SECONDS: Final = 6.0
"""How long a table is shown after its game is over."""

LINGER: Final = 20.0
"""How many seconds the tables are followed after the last request."""

_KEPT: Final = 60
"""The number of messages that are kept for spectators that missed them."""

_LOOKED_AT: Final = 40
_PAUSE: Final = 5.0

_STEP_SECONDS: Final = 0.8
_ENDED_SECONDS: Final = 2.0
"""How long the end of a hand is shown."""

_BEHIND: Final = 8
"""The number of changes from which a table jumps to the latest ones."""


class FollowedFelt:
    """A table and the game that it follows."""

    def __init__(self, felt: Felt) -> None:
        self.felt = felt
        self.parts: dict[str, str] = {}
        """Its drawing as of the last message."""
        self.whole = ""
        self.lines: list[str] = []
        """The lines of the log since the last message."""
        self.is_new_hand = False
        self.is_changed = False
        self.over_at: float | None = None
        self.is_dropped = False


class WatchedTables:
    """The tables that this process shows."""

    def __init__(
        self, live: LiveGames, exhibition: Exhibition, watching: Watching, drawings: FeltDrawings
    ) -> None:
        self._live = live
        self._exhibition = exhibition
        self._watching = watching
        self._drawings = drawings
        self._lock = threading.Lock()
        self._starting = threading.Lock()
        self._sleeping: set[Sleep] = set()
        self._tables: dict[str, FollowedFelt] = {}
        self._messages: deque[tuple[str, bytes]] = deque(maxlen=_KEPT)
        self._number = 0
        self._epoch = secrets.token_hex(4)
        self._spectators = 0
        self._used = 0.0
        self._is_followed = False

    # Reading

    def shown(self) -> tuple[str, list[tuple[Felt, Markup]]]:
        """Return the present tables as HTML, and the id of the last message that they contain."""
        self._watching.counts.look()
        self._follow()
        with self._lock:
            tables = [(one.felt, Markup(one.whole)) for one in self._tables.values()]
            return self._id(self._number), tables

    def messages(self, pause: float, after: str) -> Iterator[tuple[str, bytes] | None]:
        """Yield messages with their ids, beginning after the id ``after``, or with all tables if that is
        unknown; and None after ``pause`` seconds without one.
        """
        sleep = Sleep()
        counted: list[str] = []
        with self._lock:
            self._spectators += 1
        try:
            while True:
                self._follow()
                with self._lock:
                    missed = self._missed(after)
                    after = self._id(self._number)
                    shown = list(self._tables)
                    if not missed:
                        self._sleeping.add(sleep)
                if shown != counted:
                    self._watching.counts.add(shown)
                    self._watching.counts.add(counted, -1)
                    counted = shown
                if missed:
                    yield from missed
                    continue
                sleep.wait(pause)
                with self._lock:
                    self._sleeping.discard(sleep)
                    is_news = after != self._id(self._number)
                if not is_news:
                    yield None
        finally:
            self._watching.counts.add(counted, -1)
            with self._lock:
                self._sleeping.discard(sleep)
                self._spectators -= 1
                self._used = time.monotonic()

    def _id(self, number: int) -> str:
        return f"{self._epoch}-{number}"

    def _missed(self, after: str) -> list[tuple[str, bytes]]:
        """Return the messages after the one with this id, or one with all tables if that is unknown."""
        if after == self._id(self._number):
            return []
        ids = [found for found, _ in self._messages]
        if after in ids:
            return list(self._messages)[ids.index(after) + 1 :]
        if after == self._id(0) and len(ids) == self._number:
            return list(self._messages)
        whole = {game: one.whole for game, one in self._tables.items()}
        return [(self._id(self._number), orjson.dumps({"order": list(whole), "tables": whole}))]

    # Following

    def _follow(self) -> None:
        """Begin to follow the tables, unless that is already done."""
        with self._starting:
            with self._lock:
                self._used = time.monotonic()
                if self._is_followed:
                    return
                self._messages.clear()
                self._epoch, self._number = secrets.token_hex(4), 0
            self._choose()
            with self._lock:
                for one in self._tables.values():
                    self._draw(one)
                self._is_followed = True
            threading.Thread(target=self._run, name="watched tables", daemon=True).start()

    def _run(self) -> None:
        next_choice = time.monotonic() + CHOICE_SECONDS
        try:
            while True:
                time.sleep(INTERVAL)
                now = time.monotonic()
                with self._lock:
                    if not self._spectators and now - self._used > LINGER:
                        return
                before = list(self._tables)
                if now >= next_choice:
                    next_choice = now + CHOICE_SECONDS
                    self._choose()
                self._send(before)
        except ArenaError as error:
            log.warning("the tables of /watch: %s", error)
        finally:
            with self._lock:
                for one in self._tables.values():
                    one.is_dropped = True
                self._tables = {}
                self._is_followed = False
                self._wake()

    def _wake(self) -> None:
        for sleep in self._sleeping:
            sleep.wake()

    def _send(self, before: Sequence[str]) -> None:
        """Make the message about what has changed since the last one."""
        with self._lock:
            message: dict[str, Any] = {}
            order = list(self._tables)
            if order != before:
                message["order"] = order
            changed = {}
            for game, one in self._tables.items():
                drawn, lines, is_new_hand = one.parts, one.lines, one.is_new_hand
                if self._draw(one) and game in before:
                    changed[game] = {
                        "parts": {name: html for name, html in one.parts.items() if drawn.get(name) != html},
                        **({"lines": self._drawings.lines(lines)} if one.felt.is_large and lines else {}),
                        **({"clear": True} if one.felt.is_large and is_new_hand else {}),
                    }
            if order != before:
                message["tables"] = {
                    game: one.whole for game, one in self._tables.items() if game not in before
                }
            if changed:
                message["changed"] = changed
            if message:
                self._number += 1
                self._messages.append((self._id(self._number), orjson.dumps(message)))
                self._wake()

    def _draw(self, one: FollowedFelt) -> bool:
        """Draw a table again if necessary, and return whether something has changed."""
        watch = self._watching.counts.of(one.felt.game)
        if one.whole and not one.is_changed and watch == one.felt.watch:
            return False
        one.felt.watch = watch
        one.parts, one.whole = self._drawings.parts(one.felt), self._drawings.whole(one.felt)
        one.lines, one.is_new_hand, one.is_changed = [], False, False
        return True

    def _choose(self) -> None:
        """Choose the tables: the exhibition, then the newest of the other games that anybody may watch; those
        that are shown stay until they are over.
        """
        now = time.monotonic()
        running = self._live.list(state="running", limit=_LOOKED_AT).items
        # Read afterwards: an exhibition game is known before it begins.
        own = self._exhibition.games()
        tables: dict[str, FollowedFelt] = {}
        for kind, game in own.items():
            # The last game stays until the next one has begun.
            known = next((one for one in self._tables.values() if one.felt.is_large_of(kind)), None)
            one = known if known is not None and known.felt.game == game else self._exhibited(game) or known
            if one is not None:
                tables[one.felt.game] = one
        others = {
            game: one
            for game, one in self._tables.items()
            if not one.felt.is_large and (one.over_at is None or now - one.over_at < OVER_SECONDS)
        }
        for summary in running:
            game = summary["game"]
            if len(others) < MOST_TABLES and game not in others and game not in own.values():
                joined = self._joined(summary, is_large=False)
                if joined is not None:
                    others[game] = joined
        tables |= others
        with self._lock:
            for game, one in self._tables.items():
                one.is_dropped = game not in tables
            self._tables = tables

    def _exhibited(self, game: str) -> FollowedFelt | None:
        """Begin to follow an exhibition game, unless it has not begun or is over."""
        try:
            summary = self._live.summary(game)
        except GameNotFound:
            return None
        return self._joined(summary, is_large=True) if summary["state"] == "running" else None

    def _joined(self, summary: Mapping[str, Any], is_large: bool) -> FollowedFelt | None:
        """Begin to follow a game, and return its table; None if it cannot be shown."""
        one = FollowedFelt(Felt.of(summary, is_large))
        messages = self._watching.messages(summary["game"], _PAUSE, is_counted=False)
        try:
            first = next(messages)
        except ArenaError as error:
            if error.code == "store_unavailable":
                raise
            return None
        assert first is not None
        self._take(one, first.kind, first.data)
        threading.Thread(target=self._read, args=(one, messages), name="watched table", daemon=True).start()
        return one

    def _read(self, one: FollowedFelt, messages: Iterator[Any]) -> None:
        try:
            for message in messages:
                if one.is_dropped:
                    return
                if message is not None:
                    self._take(one, message.kind, message.data)
        except ArenaError as error:
            log.info("game %s is not followed any more: %s", one.felt.game, error)
        finally:
            messages.close()  # type: ignore[attr-defined]
            with self._lock:
                one.over_at = one.over_at or time.monotonic()

    def _take(self, one: FollowedFelt, kind: str, data: Mapping[str, Any]) -> None:
        """Show what a message says about a game, step by step."""
        if kind == "table":
            with self._lock:
                one.felt.table.picture = data["picture"]
                one.felt.log = list(data["log"])
                one.lines, one.is_new_hand, one.is_changed = list(one.felt.log), True, True
        else:
            changes = data["changes"]
            for number, change in enumerate(changes, start=1):
                self._step(one, change)
                behind = len(changes) - number
                if behind and behind < _BEHIND and not one.is_dropped:
                    ended = one.felt.table.picture["ended"]
                    time.sleep(_ENDED_SECONDS if ended else _STEP_SECONDS)
        if data["over"]:
            with self._lock:
                one.felt.over = one.is_changed = True
                one.over_at = time.monotonic()

    def _step(self, one: FollowedFelt, change: Mapping[str, Any]) -> None:
        with self._lock:
            picture = one.felt.table.picture
            if change.get("hand") and picture["hand"]:
                one.felt.log, one.lines, one.is_new_hand = [], [], True
            one.felt.table.picture = {**picture, **{name: change[name] for name in change if name in picture}}
            one.felt.log += change["lines"]
            one.lines += change["lines"]
            one.is_changed = True
