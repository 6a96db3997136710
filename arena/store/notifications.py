"""Notifications wake waiting requests: one Redis subscription per process serves any number of requests.

Losing a message is harmless: a request that is woken, or has waited long enough, reads the store again.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from typing import Final

import orjson
from redis import RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError

from arena.errors import ArenaError
from arena.store.connection import RedisConnection, ServerConnection
from arena.store.games import WAKE_CHANNEL
from arena.store.waits import Sleep

_BLIND_WAIT: Final = 1.0
"""Seconds between reads of the store while the process is not subscribed."""

_RETRY: Final = 0.25


class Subscription(Sleep):
    """A wait for notifications, subscribed inside its ``with`` block."""

    __slots__ = ("_notifier", "_topics")

    def __init__(self, notifier: Notifier, keys: Sequence[str]) -> None:
        super().__init__()
        self._topics = keys
        self._notifier = notifier

    def __enter__(self) -> Subscription:
        self._notifier.add(self, self._topics)
        return self

    def __exit__(self, *_: object) -> None:
        self._notifier.remove(self, self._topics)

    @property
    def is_over(self) -> bool:
        """Whether further waiting is pointless, because whoever waits has left, or the process stops."""
        return super().is_over or self._notifier.is_stopped

    def wait(self, seconds: float) -> None:
        """Wait at most ``seconds`` for a notification. Raises :class:`MayNotWait`."""
        super().wait(seconds if self._notifier.is_subscribed else min(seconds, _BLIND_WAIT))


class Notifier:
    """Receives notifications for this process. Calls ``on_change(game, version)`` for every step.

    The first subscription starts the notifier in a daemon thread (a greenlet under gevent).
    """

    def __init__(self, connection: RedisConnection, on_change: Callable[[str, int], None]) -> None:
        self._connection = connection
        self._on_change = on_change
        self._subscriptions: dict[str, set[Subscription]] = {}
        self._lock = threading.Lock()
        self._pid = 0
        self._stopped = False
        self._subscribed: ServerConnection | None = None
        self.is_subscribed = False

    def waiting(self, *keys: str) -> Subscription:
        """Return a subscription to the turns of a bot (:func:`turn_topic`, :func:`right_topic`) or to a game
        (:func:`game_topic`). Enter it, read the store, and then wait.
        """
        if self._pid != os.getpid():
            self.start()
        return Subscription(self, keys)

    def add(self, subscription: Subscription, keys: Sequence[str]) -> None:
        """Start waking ``subscription``."""
        with self._lock:
            for key in keys:
                self._subscriptions.setdefault(key, set()).add(subscription)

    def remove(self, subscription: Subscription, keys: Sequence[str]) -> None:
        """Stop waking ``subscription``."""
        with self._lock:
            for key in keys:
                others = self._subscriptions[key]
                others.discard(subscription)
                if not others:
                    del self._subscriptions[key]

    def start(self) -> None:
        """Start listening, once per process."""
        with self._lock:
            if self._pid == os.getpid() or self._stopped:
                return
            self._pid = os.getpid()
            self.is_subscribed = False
        threading.Thread(target=self._listen, name="notifier", daemon=True).start()

    def stop(self) -> None:
        """Permanently stop listening, and wake all subscriptions."""
        self._stopped = True
        connection = self._subscribed
        if connection is not None:
            connection.disconnect()
        self.wake_all()

    @property
    def is_stopped(self) -> bool:
        """Whether :meth:`stop` was called, after which waiting is pointless."""
        return self._stopped

    def wake_all(self) -> None:
        """Wake all subscriptions, because notifications may have been missed."""
        with self._lock:
            subscriptions = [subscription for group in self._subscriptions.values() for subscription in group]
        for subscription in subscriptions:
            subscription.wake()

    def count(self) -> int:
        """Return the number of subscriptions."""
        with self._lock:
            return len({subscription for group in self._subscriptions.values() for subscription in group})

    def _listen(self) -> None:
        while not self._stopped:
            try:
                connection = self._subscribed = self._connection.subscription()
                connection.connect()
                connection.send_command("SUBSCRIBE", WAKE_CHANNEL)
                connection.read_response()
                self._connection.check_incarnation()
                self.is_subscribed = True
                self.wake_all()
                self._receive(connection)
            except (RedisError, OSError, ArenaError, ValueError, AttributeError):
                # A connection closed by stop() raises errors, depending on what it was doing.
                self.is_subscribed = False
                self.wake_all()
                if not self._stopped:
                    time.sleep(_RETRY)
        self.is_subscribed = False

    def _receive(self, connection: ServerConnection) -> None:
        pinged = False
        while not self._stopped:
            try:
                message = connection.read_response(disconnect_on_error=False)
            except RedisTimeoutError:
                if pinged:
                    raise
                connection.send_command("PING", check_health=False)
                pinged = True
                continue
            pinged = False
            if message[0] == b"message":
                for game, version, must, may, *_ in orjson.loads(message[2]):
                    self._on_change(game, version)
                    self._wake(game_topic(game))
                    for bot in must:
                        self._wake(turn_topic(bot))
                    for bot in may:
                        self._wake(right_topic(bot))

    def _wake(self, key: str) -> None:
        subscriptions = self._subscriptions.get(key)
        if subscriptions:
            with self._lock:
                subscriptions = set(subscriptions)
            for subscription in subscriptions:
                subscription.wake()


def game_topic(game: str) -> str:
    """Return the topic for every step of the game."""
    return "g" + game


def turn_topic(bot: str) -> str:
    """Return the topic for turns that the bot must answer."""
    return "t" + bot


def right_topic(bot: str) -> str:
    """Return the topic for new or changed turns that the bot may answer."""
    return "r" + bot


def tournament_topic(tournament: str) -> str:
    """Return the topic for every change of the tournament, published like a step of a game ``@<id>``."""
    return game_topic(f"@{tournament}")


def upload_topic(upload: str) -> str:
    """Return the topic for the outcome of an upload, published like a step of a game ``@<id>``."""
    return game_topic(f"@{upload}")


def page_topic(page: str) -> str:
    """Return the topic for the end of a page's preparation, published like a step of a game ``@<name>``."""
    return game_topic(f"@{page}")


__all__ = [
    "Notifier",
    "Subscription",
    "game_topic",
    "page_topic",
    "right_topic",
    "tournament_topic",
    "turn_topic",
    "upload_topic",
]
