"""Progress: a bar on a terminal, else one line per event, with realistic remaining times."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn

from arena.cli.terminal import console

WINDOW: Final = 60.0
"""The number of past seconds from which the remaining time is computed."""

LINE_EVERY: Final = 10.0
"""The number of seconds between two lines about the same work."""

_FEWEST_SECONDS: Final = 5.0


class Pace:
    """The speed of some work, measured over the last minute or, if shorter, the second half of the time so
    far, because an initial burst says nothing about the rest.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: deque[tuple[float, int]] = deque()
        self._began: float | None = None

    def add(self, done: int) -> None:
        """Record the amount done so far."""
        now = self._clock()
        if self._began is None:
            self._began = now
        self._seen.append((now, done))
        self._begin(now)

    def _begin(self, now: float) -> float:
        """Drop all measurements before the window except the last one, and return the beginning of the
        window.
        """
        begins = now - min(WINDOW, (now - (self._began or 0.0)) / 2)
        while len(self._seen) > 1 and self._seen[1][0] <= begins:
            self._seen.popleft()
        return begins

    def rate(self) -> float | None:
        """Return the amount of work per second, or None while there are too few measurements."""
        now = self._clock()
        if self._began is None or now - self._began < _FEWEST_SECONDS:
            return None
        begins = self._begin(now)
        done = self._seen[-1][1] - self._seen[0][1]
        return done / (now - begins) if done > 0 else None

    def left(self, rest: int) -> float | None:
        """Return the seconds until ``rest`` more work is done, or None while unknown."""
        rate = self.rate()
        return None if rate is None else rest / rate


def duration(seconds: float) -> str:
    """Return a duration for people, such as ``3 min``."""
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    if seconds < 5400:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"


def left_text(seconds: float | None) -> str:
    """Return a text such as ``about 3 min left``, or an empty text if the time is unknown."""
    return "" if seconds is None else f"about {duration(seconds)} left"


def bar_columns() -> tuple[ProgressColumn, ...]:
    """Return the columns of a progress bar. The last column shows the field ``more``."""
    return (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[more]}", markup=False),
    )


@contextmanager
def progress_bar(what: str, total: int | None, unit: str) -> Iterator[Callable[[int], None]]:
    """Show a progress bar if stderr is a terminal.

    Yields a function to call with the amount done. ``total`` is None if unknown; it grows if more than that
    is done. ``unit`` is a word such as ``groups``.
    """
    screen = console()
    if not screen.is_terminal:
        yield lambda done: None
        return
    pace = Pace()
    # Standard output is not redirected.
    with Progress(*bar_columns(), console=screen, transient=True, redirect_stdout=False) as bar:
        task = bar.add_task(what, total=total, more=unit)

        def show(done: int) -> None:
            pace.add(done)
            most = None if total is None else max(total, done)
            left = None if most is None else pace.left(most - done)
            bar.update(task, completed=done, total=most, more=f"{unit} {left_text(left)}".rstrip())

        yield show


class Lines:
    """Writes progress lines to stderr: one at each event, and otherwise one every ten seconds."""

    def __init__(self, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._say = say
        self._clock = clock
        self._last: tuple[object, float] | None = None

    def show(self, event: object, line: Callable[[], str]) -> None:
        """Write the line if the event has changed, or if the last line is ten seconds old."""
        now = self._clock()
        if self._last is None or self._last[0] != event or now - self._last[1] >= LINE_EVERY:
            self._last = (event, now)
            self._say(line())
