"""Runs PROGRAM in this process, and stops it when PARENT dies: ``python -m arena.ops.die_with_parent PARENT
PROGRAM ...``.

On systems other than Linux, it only runs the program.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Sequence
from typing import Final

_PR_SET_PDEATHSIG: Final = 1


def die_with_parent(command: Sequence[str]) -> list[str]:
    """Return a command that runs ``command``, which starts with an absolute path, as a child that stops when
    this process dies.
    """
    return [sys.executable, "-m", "arena.ops.die_with_parent", str(os.getpid()), *command]


def set_death_signal(parent: int, number: signal.Signals) -> None:
    """Arrange for this process to receive the signal when its parent, whose process id is ``parent``,
    dies.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number)
        if os.getppid() != parent:
            # The parent died before the signal was set.
            sys.exit(1)


def main(arguments: Sequence[str]) -> None:
    """Set the death signal, and replace this process with the program."""
    parent, *command = arguments
    set_death_signal(int(parent), signal.SIGTERM)
    os.execv(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])
