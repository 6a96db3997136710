"""Signals that stop a process."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator

import pytest

from arena.ops.signals import stop_on_signals
from tests.waiting import wait_until

STOPS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """Put the handlers of this process back."""
    former = {number: signal.getsignal(number) for number in STOPS}
    yield
    for number, handler in former.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", STOPS)
def test_a_signal_may_arrive_while_a_lock_is_held_that_the_stop_needs(number: signal.Signals) -> None:
    lock = threading.Lock()
    acquired: list[bool] = []
    stop_on_signals(lambda: acquired.append(lock.acquire(timeout=30)))
    with lock:
        signal.raise_signal(number)
        # In the main thread the stop would have given up by now.
        assert not acquired
    wait_until(lambda: acquired)
    assert acquired == [True]
