"""Limits of time by the wall's clock."""

from __future__ import annotations

import signal
from contextlib import suppress

from arena.play.time_limits import OutOfTime, time_limit


def test_an_alarm_at_the_very_end_leaves_nothing_behind() -> None:
    """Limits about as long as the block itself, so that the alarm rings at every point of its end."""
    before = signal.getsignal(signal.SIGALRM)
    for number in range(5000):
        with suppress(OutOfTime), time_limit(1e-6 + number % 200 * 1e-7):
            pass
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
        assert signal.getsignal(signal.SIGALRM) is before
