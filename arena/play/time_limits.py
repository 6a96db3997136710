"""Wall-clock time limits, and calls that they must not interrupt."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_RING_AGAIN: Final = 0.1
"""The number of seconds between alarms, which repeat in case a bot catches the exception from the first one.
"""


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
"""A context manager that defers alarms in this thread. On exit it raises :class:`OutOfTime` if an alarm rang.

Use it around C code that calls back into Python, because an unexpected exception there corrupts memory. Such
calls must be guaranteed to return.
"""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise :class:`OutOfTime` inside the block if it takes longer than ``seconds``. The exception is raised
    repeatedly until the block ends.

    The limit requires POSIX timers and the main thread. Otherwise, or if ``seconds`` is None, there is no
    limit.
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
        # Alarms are handled only at calls and jumps, so none can interrupt between the block and this line.
        over = True
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
        deferred_alarms.rang = False
