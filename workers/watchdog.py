"""The watchdog outside a worker: a small parent process that ends a hung worker and starts it again.

It imports nothing that the worker needs, so what happens to the worker cannot happen to it.
"""

from __future__ import annotations

import ctypes
import logging
import os
import signal
import sys
import time
from contextlib import suppress
from types import FrameType
from typing import Final

from arena.ops.die_with_parent import set_death_signal
from arena.sandbox.progress import BEAT, CALL, JOB, PROGRESS, GroupAttempt, StepLimit

PERIOD: Final = 0.2
"""Seconds between two looks at the worker."""

LONGEST_GAP: Final = 1.0
"""Seconds that count, at most, between two looks: time in which the watchdog itself could not run is not held
against the worker.
"""

STOP_SECONDS: Final = 20.0
"""Seconds that a worker without a job has to end after SIGTERM or SIGINT. RQ ends its loop by an exception in
the handler of the signal, which may be caught by whatever it interrupts.
"""

PAUSE: Final = 1.0
"""Seconds until a worker that was ended is started again."""

CRASHES: Final = (
    *(signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGABRT, signal.SIGTRAP),
    *(signal.SIGSYS, signal.SIGXCPU),
)
"""The signals by which a process ends for what it does itself."""

_STOPS: Final = (signal.SIGTERM, signal.SIGINT)
_NAMES: Final = {BEAT: "none of its threads ran", JOB: "a job did not end", CALL: "a call did not return"}

log = logging.getLogger("botequim.watchdog")


def watch() -> GroupAttempt | None:
    """Fork a worker and return in it, with what its predecessor played when it hung or crashed, or None for
    the first worker and if there is nothing to report.

    The parent never returns. It passes SIGTERM and SIGINT on, starts the worker again when a signal has ended
    it, and otherwise exits with its status. The worker ends when the parent does.
    """
    watchdog = _Watchdog()
    for number in _STOPS:
        signal.signal(number, watchdog.stop)
    ended: GroupAttempt | None = None
    while not watchdog.stopping:
        PROGRESS.clear()
        if watchdog.fork():
            return ended
        why, status = watchdog.wait()
        if status >= 0:
            sys.exit(status)
        if watchdog.stopping and -status in _STOPS:
            sys.exit(0)
        if why or -status in CRASHES:
            ended = PROGRESS.attempt()
            log.critical("worker process %d %s%s", watchdog.child, why or _ended_by(status), _place(ended))
        else:
            log.error("worker process %d %s", watchdog.child, _ended_by(status))
        if watchdog.stopping:
            sys.exit(1)
        time.sleep(PAUSE)
    sys.exit(0)


class _Watched:
    """The steps of one kind, as the watchdog sees them."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._limit = StepLimit(-1, 0.0, 0.0)
        self._waited = self._used = 0.0

    def look(self, limit: StepLimit, gap: float, used: float) -> str:
        """Return why the running step hangs, or an empty text if it does not. ``gap`` is the number of
        seconds since the last look; ``used`` is the number of processor seconds that the process has used.
        """
        if limit != self._limit:
            self._limit, self._waited, self._used = limit, 0.0, used
            return ""
        self._waited += gap
        burned = used - self._used
        if self._waited > limit.seconds > 0 or burned > limit.processor_seconds > 0:
            return f"{self._name} within {self._waited:.0f} s ({burned:.1f} s of processor time)"
        return ""


class _Watchdog:
    """The parent of a succession of workers."""

    def __init__(self) -> None:
        self.stopping = False
        self.child = 0
        self._is_running = False

    def stop(self, number: int, frame: FrameType | None) -> None:
        """Pass a signal on to the worker, which is not started again."""
        self.stopping = True
        if self._is_running:
            with suppress(ProcessLookupError):
                os.kill(self.child, number)

    def fork(self) -> bool:
        """Start a worker. Return True in the worker."""
        parent = os.getpid()
        # A signal in between must reach exactly one of the two handlers.
        signal.pthread_sigmask(signal.SIG_BLOCK, _STOPS)
        self.child = os.fork()
        self._is_running = True
        if not self.child:
            for number in _STOPS:
                signal.signal(number, signal.SIG_DFL)
            # A worker that hangs handles no other signal.
            set_death_signal(parent, signal.SIGKILL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPS)
        return not self.child

    def _stop_limit(self) -> StepLimit:
        """Return the limit on stopping, or none while a job is running."""
        waits = self.stopping and not PROGRESS.step(JOB).seconds
        return StepLimit(0, STOP_SECONDS if waits else 0.0, 0.0)

    def wait(self) -> tuple[str, int]:
        """Wait until the worker has ended, ending it if it hangs. Return why it was ended, and its exit
        status, negative for a signal.
        """
        clock = _processor_clock(self.child)
        watched = {step: _Watched(name) for step, name in _NAMES.items()}
        stop = _Watched("it did not stop")
        last = time.monotonic()
        while True:
            ended, status = os.waitpid(self.child, os.WNOHANG)
            if ended:
                break
            time.sleep(PERIOD)
            now = time.monotonic()
            gap, last = min(now - last, LONGEST_GAP), now
            used = _read(clock)
            looks = [watched[step].look(PROGRESS.step(step), gap, used) for step in watched]
            looks.append(stop.look(self._stop_limit(), gap, used))
            if why := next(filter(None, looks), ""):
                os.kill(self.child, signal.SIGKILL)
                _, status = os.waitpid(self.child, 0)
                self._is_running = False
                return f"was killed: {why}", os.waitstatus_to_exitcode(status)
        self._is_running = False
        return "", os.waitstatus_to_exitcode(status)


def _ended_by(status: int) -> str:
    return f"was ended by signal {-status} ({signal.strsignal(-status)})"


def _place(attempt: GroupAttempt | None) -> str:
    if attempt is None:
        return ""
    call = f"the call of bot {attempt.calling!r}" if attempt.calling else "no call of an uploaded bot"
    return f"; running were group {attempt.group} of tournament {attempt.tournament} and {call}"


def _processor_clock(pid: int) -> int | None:
    """Return the clock of the processor time of another process, or None where there is none."""
    clock = ctypes.c_int()
    try:
        error = ctypes.CDLL(None).clock_getcpuclockid(pid, ctypes.byref(clock))
    except AttributeError:
        return None
    return None if error else clock.value


def _read(clock: int | None) -> float:
    try:
        return 0.0 if clock is None else time.clock_gettime(clock)
    except OSError:
        # It has just ended.
        return 0.0
