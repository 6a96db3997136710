"""Limits of time, by the wall's clock and of the processor."""

from __future__ import annotations

import signal
import time
from contextlib import suppress

import pytest

from arena.play.time_limits import OutOfTime, processor_time_limit, time_limit


def test_an_alarm_at_the_very_end_leaves_nothing_behind() -> None:
    """Limits about as long as the block itself, so that the alarm rings at every point of its end."""
    before = signal.getsignal(signal.SIGALRM)
    for number in range(5000):
        with suppress(OutOfTime), time_limit(1e-6 + number % 200 * 1e-7):
            pass
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
        assert signal.getsignal(signal.SIGALRM) is before


def burn() -> None:
    while True:
        pass


def test_time_without_the_processor_does_not_count() -> None:
    with processor_time_limit(0.2):
        time.sleep(0.5)
    # The timer counts in ticks of the kernel, so that it can ring before 0.2 s of `time.process_time`.
    with pytest.raises(OutOfTime), processor_time_limit(0.2):
        burn()
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
