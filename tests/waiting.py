"""Waiting for a condition: the limit only ends a test that would hang, however busy the machine is."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 600.0
"""Seconds after which a condition is taken to never come true."""


def wait_until(condition: Callable[[], object], seconds: float = PATIENCE, pause: float = 0.02) -> None:
    """Return as soon as ``condition`` holds; fail after ``seconds``."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not true after {seconds:.0f} s"
        time.sleep(pause)
