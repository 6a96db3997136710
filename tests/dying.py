"""Child processes that are killed at a chosen step."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from typing import Any

KILLED = -signal.SIGKILL
"""The exit status of a process that :func:`counted_to` killed."""


def in_child(act: Callable[[], None]) -> int:
    """Run ``act`` in a forked process; returns its process id."""
    child = os.fork()
    if child == 0:
        try:
            act()
            os._exit(0)
        except BaseException:
            os._exit(1)
    return child


def status_of(child: int) -> int:
    """Wait for a child; returns its exit status, negative for a signal."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def counted_to(step: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator; right before call number ``step`` of all that it decorates, the process is killed."""
    done = 0

    def counted(original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            nonlocal done
            done += 1
            if done == step:
                os.kill(os.getpid(), signal.SIGKILL)
            return original(*arguments, **options)

        return call

    return counted


def kills_at_each_step(act: Callable[[int], None]) -> Iterator[int]:
    """Run ``act(1)``, ``act(2)`` and so on in child processes, each killed at the step that it gets, until
    one comes to its end, which must be a success. Yields each step after its process has ended.
    """
    for step in count(1):
        status = status_of(in_child(partial(act, step)))
        yield step
        if status != KILLED:
            assert status == 0
            return
