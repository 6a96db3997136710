"""Signals that stop a process."""

from __future__ import annotations

import _thread
import signal
from collections.abc import Callable


def stop_on_signals(stop: Callable[[], object]) -> None:
    """Call ``stop`` in a separate thread when SIGTERM, SIGINT or SIGHUP arrives.

    A handler interrupts the main thread anywhere. If it waited for a lock that this thread holds at that
    moment, such as that of an :class:`threading.Event`, both would wait forever.
    """
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        # threading.Thread takes locks when it starts.
        signal.signal(number, lambda *_: _thread.start_new_thread(stop, ()))
