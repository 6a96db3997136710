"""Limits on wall-clock time, and calls that such limits must not interrupt."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_RING_AGAIN: Final = 0.1
"""Seconds between alarms, for a bot that caught the first."""


class OutOfTime(BaseException):
    """Raised when the time limit expires. It is not an ``Exception``, so that bots do not catch it by
    accident.
    """


class _DeferredAlarms(threading.local):
    depth = 0
    rang = False

    def __enter__(self) -> None:
        self.depth += 1

    def __exit__(self, *_: object) -> None:
        self.depth -= 1
        if self.rang and not self.depth:
            self.rang = False
            raise OutOfTime


deferred_alarms: Final = _DeferredAlarms()
"""``with deferred_alarms:`` defers alarms in this thread. Its end raises :class:`OutOfTime` if one rang.

For C code that calls back into Python, where an unexpected exception corrupts memory. Such calls must end
on their own.
"""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise :class:`OutOfTime` inside the block, repeatedly, if it takes longer than ``seconds``.

    It needs POSIX timers and the main thread. Elsewhere, and with None, there is no limit.
    """
    if seconds is None or threading.current_thread() is not threading.main_thread():
        yield
        return

    over = False

    def ring(number: int, frame: FrameType | None) -> None:
        if over:
            return
        if deferred_alarms.depth:
            deferred_alarms.rang = True
        else:
            raise OutOfTime

    previous = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, _RING_AGAIN)
        yield
    finally:
        # Alarms are handled at calls and jumps: none comes between the end of the block and this assignment.
        over = True
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
        deferred_alarms.rang = False
