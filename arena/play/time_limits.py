"""Limits on wall-clock and processor time, and calls that they must not interrupt."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
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


def time_limit(seconds: float | None) -> AbstractContextManager[None]:
    """Raise :class:`OutOfTime` inside the block if it takes longer than ``seconds``. The exception is raised
    repeatedly until the block ends.

    The limit requires POSIX timers and the main thread. Otherwise, or if ``seconds`` is None, there is no
    limit.
    """
    return _limit(seconds, signal.ITIMER_REAL, signal.SIGALRM)


def processor_time_limit(seconds: float) -> AbstractContextManager[None]:
    """Limit the block like :func:`time_limit`, to ``seconds`` of processor time of the process. Time in which
    the process is stopped or other processes keep it waiting does not count.
    """
    return _limit(seconds, signal.ITIMER_PROF, signal.SIGPROF)


@contextmanager
def _limit(seconds: float | None, timer: int, alarm: signal.Signals) -> Iterator[None]:
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

    previous = signal.signal(alarm, ring)
    try:
        signal.setitimer(timer, seconds, _RING_AGAIN)
        yield
    finally:
        # Alarms are handled only at calls and jumps, so none can interrupt between the block and this line.
        over = True
        signal.setitimer(timer, 0)
        signal.signal(alarm, previous)
        deferred_alarms.rang = False
