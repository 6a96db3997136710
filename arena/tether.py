"""``python -m arena.tether PARENT PROGRAM ...``: becomes PROGRAM, which is told to stop when PARENT dies.

On Linux; elsewhere it only becomes the program.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Sequence
from typing import Final

_PR_SET_PDEATHSIG: Final = 1


def tethered(command: Sequence[str]) -> list[str]:
    """The command that runs ``command`` (with an absolute path) as a child that dies with this process."""
    return [sys.executable, "-m", "arena.tether", str(os.getpid()), *command]


def main(arguments: Sequence[str]) -> None:
    """Become the program."""
    parent, *command = arguments
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != int(parent):
            # It died before it could be watched.
            sys.exit(1)
    os.execv(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])
