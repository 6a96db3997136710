"""``python -m tests.workers.hanging HOW SILENT ASLEEP``: a worker in which calls of modules do not return.

They are ``holding`` the lock of Python, so that no other thread runs, ``sleeping``, ``burning`` processor
time, or ``crashing`` the process; a ``deaf`` worker ignores signals while it waits for jobs. With
``playing``, calls return, and with ``computing``, the worker computes outside of calls and holds the lock.
``SILENT``: the seconds without a beat after which the watchdog ends it, and ``ASLEEP`` those of sleep in a
call.
"""

from __future__ import annotations

import ctypes
import os
import re
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

FOREVER = 100_000


def hold() -> None:
    ctypes.PyDLL(None).sleep(FOREVER)


def burn() -> None:
    while True:
        pass


def compute() -> None:
    # A match is one step of the interpreter, and this one takes years.
    re.match("(a+)+$", "a" * 60 + "b")


def crash() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


HOW: dict[str, Callable[[], object]] = {
    "holding": hold,
    "sleeping": lambda: time.sleep(FOREVER),
    "burning": burn,
    "computing": compute,
    "crashing": crash,
}


def main(how: str, silent: float, asleep: float) -> None:
    from workers import watchdog
    from workers.watchdog import watch

    if how == "deaf":
        watchdog.STOP_SECONDS = 0.5  # type: ignore[misc]
    ended = watch()
    from arena.events import local_groups
    from arena.sandbox import program
    from arena.sandbox.module_thread import ModuleThread
    from queues.rq_jobs import QUEUES
    from workers import worker

    def hang(*arguments: Any) -> Any:
        HOW[how]()

    if how == "computing":
        local_groups.play_local_group = hang  # type: ignore[attr-defined]
    elif how != "playing":
        ModuleThread.call = hang  # type: ignore[method-assign]
    if how == "deaf":
        worker.Worker.request_stop = lambda *_: None  # type: ignore[method-assign]
    worker.SILENT_FOR = silent  # type: ignore[misc]
    program.ASLEEP_SECONDS = asleep  # type: ignore[attr-defined]
    program.PROCESSOR_MARGIN = 0.5  # type: ignore[attr-defined]
    # The attempt of a worker that ended is due again soon.
    local_groups.LEASE_MS = 1_000  # type: ignore[misc]
    local_groups.RENEW_SECONDS = 0.2  # type: ignore[misc]
    worker.work(QUEUES, ended)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), float(sys.argv[3]))
