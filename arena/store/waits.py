"""Waiting in requests: who waits, whether there is room for it, and what ends a wait early."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import ClassVar, Final

from arena.errors import ArenaError


class MayNotWait(ArenaError):
    """Too many others are waiting. What the request did before it had to wait is not undone."""

    code: ClassVar[str] = "busy"


class Waiter:
    """Whoever waits in a ``with`` block of this object, in this thread or greenlet. ``begin`` is called
    before each wait, and raises :class:`MayNotWait` if there is no room to wait. ``when_left`` is called
    after whoever waits has left.
    """

    def __init__(self, begin: Callable[[], object]) -> None:
        self.begin = begin
        self.when_left: Callable[[], object] = lambda: None
        self.has_left = False
        """Whether nobody waits for the result any more."""
        self.sleep: Sleep | None = None
        """The current wait."""
        self._before: Waiter | None = None

    def __enter__(self) -> Waiter:
        self._before, _here.waiter = Waiter.current(), self
        return self

    def __exit__(self, *_: object) -> None:
        _here.waiter = self._before

    @staticmethod
    def current() -> Waiter | None:
        """Return who waits in this thread or greenlet, if that is known."""
        found: Waiter | None = getattr(_here, "waiter", None)
        return found

    def leave(self) -> None:
        """End the current wait and all later ones. Can be called from any thread."""
        self.has_left = True
        sleep = self.sleep
        if sleep is not None:
            sleep.wake()
        self.when_left()


_here: Final = threading.local()


class Sleep:
    """Waits for a call of :meth:`wake`. It is used by only one thread or greenlet."""

    __slots__ = ("_event", "_woken")

    def __init__(self) -> None:
        self._woken = False
        self._event: threading.Event | None = None

    @property
    def is_over(self) -> bool:
        """Whether further waiting is pointless, because whoever waits has left."""
        who = Waiter.current()
        return who is not None and who.has_left

    def wait(self, seconds: float) -> None:
        """Wait at most ``seconds`` for a call of :meth:`wake`. Raises :class:`MayNotWait`."""
        if self._event is None:
            # Created lazily: most requests never wait, and creating an event is expensive.
            self._event = threading.Event()
        if not self._woken and seconds > 0:
            self._wait(self._event, seconds)
        self._event.clear()
        self._woken = False

    def _wait(self, event: threading.Event, seconds: float) -> None:
        who = Waiter.current()
        if who is None:
            event.wait(seconds)
            return
        who.begin()
        who.sleep = self
        try:
            if not who.has_left:
                event.wait(seconds)
        finally:
            who.sleep = None

    def wake(self) -> None:
        """End the current or the next wait."""
        self._woken = True
        event = self._event
        if event is not None:
            event.set()
