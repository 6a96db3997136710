"""The watchdog of a worker: a small parent process that kills a hung worker and restarts it.

It imports none of the worker's dependencies, so that it cannot hang or crash for the same reason.
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
from arena.sandbox.progress import BEAT, CALL, JOB, PROGRESS, EndedJob, GroupAttempt, StepLimit

PERIOD: Final = 0.2
"""Seconds between two checks of the worker."""

LONGEST_GAP: Final = 1.0
"""The most seconds that count between two checks, so that time in which the watchdog itself could not run is
not held against the worker.
"""

STOP_SECONDS: Final = 20.0
"""Seconds for which a worker without a job can sleep after SIGTERM or SIGINT. RQ stops its loop by raising an
exception in the signal handler, which the interrupted code may catch.
"""

PAUSE: Final = 1.0
"""Seconds before a worker that died is restarted."""

CRASHES: Final = (
    *(signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGABRT, signal.SIGTRAP),
    *(signal.SIGSYS, signal.SIGXCPU),
)
"""The signals that a process dies of through its own fault."""

_STOPS: Final = (signal.SIGTERM, signal.SIGINT)
_NAMES: Final = {BEAT: "none of its threads ran", JOB: "a job did not end", CALL: "a call did not return"}

log = logging.getLogger("botequim.watchdog")


def watch() -> EndedJob | None:
    """Fork a worker, and return in the child process. The result is the job that the previous worker ran when
    it hung or crashed, or None if there is nothing to report.

    The parent never returns. It forwards SIGTERM and SIGINT, restarts the worker if a signal killed it, and
    otherwise exits with the worker's status. The worker ends when the parent does.
    """
    watchdog = _Watchdog()
    for number in _STOPS:
        signal.signal(number, watchdog.stop)
    ended: EndedJob | None = None
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
            ended = PROGRESS.ended_job(watchdog.used_ms)
            place = _place(PROGRESS.attempt())
            log.critical("worker process %d %s%s", watchdog.child, why or _ended_by(status), place)
        else:
            log.error("worker process %d %s", watchdog.child, _ended_by(status))
        if watchdog.stopping:
            sys.exit(1)
        time.sleep(PAUSE)
    sys.exit(0)


class _Watched:
    """Measures the running step of one kind."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._limit = StepLimit(-1, 0.0, 0.0)
        self._waited = self._slept = self._used = 0.0

    def look(self, limit: StepLimit, gap: float, slept: float, used: float) -> str:
        """Return why the running step counts as hung, or an empty text if it does not. ``gap`` is the number
        of seconds since the last check, ``slept`` those of them in which the process slept, and ``used`` is
        the processor time that the process has used, in seconds.
        """
        if limit != self._limit:
            self._limit, self._waited, self._slept, self._used = limit, 0.0, 0.0, used
            return ""
        self._waited += gap
        self._slept += slept
        burned = used - self._used
        if self._slept > limit.seconds > 0 or burned > limit.processor_seconds > 0:
            return (
                f"{self._name} within {self._waited:.0f} s "
                f"({burned:.1f} s of processor time, {self._slept:.0f} s asleep)"
            )
        return ""


class _Watchdog:
    """The parent process of one worker after another."""

    def __init__(self) -> None:
        self.stopping = False
        self.child = 0
        self.used_ms = 0.0
        """The processor time that the last worker has used, with its children."""
        self._is_running = False

    def stop(self, number: int, frame: FrameType | None) -> None:
        """Forward a signal to the worker, which will not be restarted."""
        self.stopping = True
        if self._is_running:
            with suppress(ProcessLookupError):
                os.kill(self.child, number)

    def fork(self) -> bool:
        """Start a worker. Return True in the worker."""
        parent = os.getpid()
        # A signal that arrives in between must be handled exactly once.
        signal.pthread_sigmask(signal.SIG_BLOCK, _STOPS)
        self.child = os.fork()
        self._is_running = True
        if not self.child:
            for number in _STOPS:
                signal.signal(number, signal.SIG_DFL)
            # A hung worker handles no other signal.
            set_death_signal(parent, signal.SIGKILL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPS)
        return not self.child

    def _stop_limit(self) -> StepLimit:
        """Return the time limit for stopping, which is zero while a job is running."""
        waits = self.stopping and not PROGRESS.step(JOB).seconds
        return StepLimit(0, STOP_SECONDS if waits else 0.0, 0.0)

    def wait(self) -> tuple[str, int]:
        """Wait for the worker to end, killing it if it hangs. Return why it was killed, or an empty text, and
        its exit status, which is negative for a signal.
        """
        clock = _processor_clock(self.child)
        watched = {step: _Watched(name) for step, name in _NAMES.items()}
        stop = _Watched("it did not stop")
        last = time.monotonic()
        why = ""
        while True:
            ended, status, usage = os.wait4(self.child, os.WNOHANG)
            if ended:
                break
            time.sleep(PERIOD)
            now = time.monotonic()
            gap, last = min(now - last, LONGEST_GAP), now
            used, slept = _read(clock), gap if _is_asleep(self.child) else 0.0
            looks = [watched[step].look(PROGRESS.step(step), gap, slept, used) for step in watched]
            looks.append(stop.look(self._stop_limit(), gap, slept, used))
            if why := next(filter(None, looks), ""):
                os.kill(self.child, signal.SIGKILL)
                _, status, usage = os.wait4(self.child, 0)
                break
        self._is_running = False
        self.used_ms = 1000 * (usage.ru_utime + usage.ru_stime)
        return f"was killed: {why}" * bool(why), os.waitstatus_to_exitcode(status)


def _ended_by(status: int) -> str:
    return f"was killed by signal {-status} ({signal.strsignal(-status)})"


def _place(attempt: GroupAttempt | None) -> str:
    if attempt is None:
        return ""
    call = f"in a call to bot {attempt.calling!r}" if attempt.calling else "outside any call to a bot"
    return f" while it played group {attempt.group} of tournament {attempt.tournament}, {call}"


def _is_asleep(pid: int) -> bool:
    """Return whether all threads of a process sleep: none of them runs, waits for a processor or a disk, or
    is stopped. On systems without ``/proc``, all processes count as asleep.
    """
    try:
        tasks = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return True
    for task in tasks:
        try:
            with open(f"/proc/{pid}/task/{task}/stat", "rb") as file:
                # The name of the thread comes before this in parentheses, and can contain anything.
                state = file.read().rpartition(b") ")[2][:1]
        except OSError:
            # The thread has just ended.
            return False
        if state != b"S":
            return False
    return True


def _processor_clock(pid: int) -> int | None:
    """Return the clock that measures the processor time of another process, or None if it has none."""
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
        # The process has just ended.
        return 0.0
