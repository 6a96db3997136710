"""Handles signals that stop a process."""

from __future__ import annotations

import _thread
import signal
from collections.abc import Callable


def stop_on_signals(stop: Callable[[], object]) -> None:
    """Call ``stop`` in a separate thread when SIGTERM, SIGINT or SIGHUP arrives.

    A signal handler can interrupt the main thread anywhere. If it waited for a lock that the main thread
    holds at that moment, such as the lock of a :class:`threading.Event`, it would deadlock.
    """
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        # Starting a threading.Thread would also acquire locks.
        signal.signal(number, lambda *_: _thread.start_new_thread(stop, ()))
