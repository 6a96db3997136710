"""Waking those who wait: one subscription per process, any number of waiters.

Nothing depends on a message: whoever wakes, or has slept long enough, looks at the store again.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import orjson
from redis import RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError

from arena.errors import ArenaError
from arena.live.store import WAKE_CHANNEL, GameStore

_BLIND_WAIT: Final = 1.0
"""Seconds between looks while there is no subscription."""

_RETRY: Final = 0.25


class Waiter:
    """Somebody who waits, while inside its ``with`` block; used by one thread or greenlet."""

    __slots__ = ("_event", "_keys", "_waker", "_woken")

    def __init__(self, waker: Waker, keys: Sequence[str]) -> None:
        self._keys = keys
        self._waker = waker
        self._woken = False
        self._event: threading.Event | None = None

    def __enter__(self) -> Waiter:
        self._waker.add(self, self._keys)
        return self

    def __exit__(self, *_: object) -> None:
        self._waker.remove(self, self._keys)

    def wait(self, seconds: float) -> None:
        """Return when there may be news, after ``seconds`` at the latest."""
        if self._event is None:
            # Most of those who are ready to wait need not, and an event is not cheap.
            self._event = threading.Event()
        if not self._woken and seconds > 0:
            self._event.wait(seconds if self._waker.is_subscribed else min(seconds, _BLIND_WAIT))
        self._event.clear()
        self._woken = False

    def wake(self) -> None:
        """End the present or the next wait."""
        self._woken = True
        event = self._event
        if event is not None:
            event.set()


class Waker:
    """The process's ear on the store. ``on_change(game, version)`` is told of every step of any game.

    It starts by itself with the first waiter, in a daemon thread (a greenlet under gevent).
    """

    def __init__(self, store: GameStore, on_change: Callable[[str, int], None]) -> None:
        self._store = store
        self._on_change = on_change
        self._waiters: dict[str, set[Waiter]] = {}
        self._lock = threading.Lock()
        self._pid = 0
        self._stopped = False
        self._connection: Any = None
        self.is_subscribed = False

    def waiting(self, *keys: str) -> Waiter:
        """A waiter for the turns of a bot (:func:`turn_key`, :func:`right_key`) or a game (:func:`game_key`).

        Enter it, look at the store, then wait.
        """
        if self._pid != os.getpid():
            self.start()
        return Waiter(self, keys)

    def add(self, waiter: Waiter, keys: Sequence[str]) -> None:
        """Wake ``waiter`` from now on."""
        with self._lock:
            for key in keys:
                self._waiters.setdefault(key, set()).add(waiter)

    def remove(self, waiter: Waiter, keys: Sequence[str]) -> None:
        """Wake ``waiter`` no more."""
        with self._lock:
            for key in keys:
                others = self._waiters[key]
                others.discard(waiter)
                if not others:
                    del self._waiters[key]

    def start(self) -> None:
        """Begin to listen, once per process."""
        with self._lock:
            if self._pid == os.getpid() or self._stopped:
                return
            self._pid = os.getpid()
            self.is_subscribed = False
        threading.Thread(target=self._listen, name="waker", daemon=True).start()

    def stop(self) -> None:
        """Stop listening and wake everybody, for good."""
        self._stopped = True
        connection = self._connection
        if connection is not None:
            connection.disconnect()
        self.wake_all()

    @property
    def is_stopped(self) -> bool:
        """Whether :meth:`stop` was called: waiting is pointless."""
        return self._stopped

    def wake_all(self) -> None:
        """Wake everybody: there may be anything."""
        with self._lock:
            waiters = [waiter for group in self._waiters.values() for waiter in group]
        for waiter in waiters:
            waiter.wake()

    def count(self) -> int:
        """How many are waiting."""
        with self._lock:
            return len({waiter for group in self._waiters.values() for waiter in group})

    def _listen(self) -> None:
        while not self._stopped:
            try:
                connection = self._connection = self._store.wire.subscription()
                connection.connect()
                connection.send_command("SUBSCRIBE", WAKE_CHANNEL)
                connection.read_response()
                self._store.wire.look()
                self.is_subscribed = True
                self.wake_all()
                self._hear(connection)
            except (RedisError, OSError, ArenaError, ValueError, AttributeError):
                # A connection closed by stop() fails in whatever it was doing.
                self.is_subscribed = False
                self.wake_all()
                if not self._stopped:
                    time.sleep(_RETRY)
        self.is_subscribed = False

    def _hear(self, connection: Any) -> None:
        asked = False
        while not self._stopped:
            try:
                message = connection.read_response(disconnect_on_error=False)
            except RedisTimeoutError:
                if asked:
                    raise
                connection.send_command("PING", check_health=False)
                asked = True
                continue
            asked = False
            if message[0] == b"message":
                for game, version, must, may in orjson.loads(message[2]):
                    self._on_change(game, version)
                    self._wake(game_key(game))
                    for bot in must:
                        self._wake(turn_key(bot))
                    for bot in may:
                        self._wake(right_key(bot))

    def _wake(self, key: str) -> None:
        waiters = self._waiters.get(key)
        if waiters:
            with self._lock:
                waiters = set(waiters)
            for waiter in waiters:
                waiter.wake()


def game_key(game: str) -> str:
    """Woken by every step of the game."""
    return "g" + game


def turn_key(bot: str) -> str:
    """Woken when the bot has a turn that it must answer."""
    return "t" + bot


def right_key(bot: str) -> str:
    """Woken when the bot has a turn that it may answer, or has news for one."""
    return "r" + bot


__all__ = ["Waiter", "Waker", "game_key", "right_key", "turn_key"]
