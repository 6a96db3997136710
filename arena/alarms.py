"""Limits of time by the wall's clock, and calls that no such limit may break off."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_RING_AGAIN: Final = 0.1
"""Seconds until the next alarm, for a bot that swallowed the first."""


class OutOfTime(BaseException):
    """The time is over. Not an ``Exception``, so that bots let it pass."""


class _Held(threading.local):
    depth = 0
    rang = False

    def __enter__(self) -> None:
        self.depth += 1

    def __exit__(self, *_: object) -> None:
        self.depth -= 1
        if self.rang and not self.depth:
            self.rang = False
            raise OutOfTime


held: Final = _Held()
"""``with held:`` lets no alarm ring in this thread. Its end raises :class:`OutOfTime` if one rang meanwhile.

For calls of C that call back into Python, where an exception out of nowhere leaves memory in disorder. They
must end by themselves.
"""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise :class:`OutOfTime` inside the block when it takes longer, again and again.

    It needs POSIX timers and the main thread; elsewhere, and with None, there is no limit.
    """
    if seconds is None or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        if held.depth:
            held.rang = True
        else:
            raise OutOfTime

    previous = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, _RING_AGAIN)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
        held.rang = False
