"""Free TCP ports that stay free until the test listens at them.

A port that the kernel chose and that was closed again may be given to anybody's next connection. These are
outside the range of such ports, and locked against the other processes of the tests.
"""

from __future__ import annotations

import fcntl
import os
import random
import socket
import tempfile
from pathlib import Path

BUS = 10_000
"""How far above its port a node of a cluster has its bus."""

_PORTS = range(12_000, 22_000)
_locks: list[int] = []
"""The locks of this process, open until it ends."""


def free_port() -> int:
    """A port of 127.0.0.1 at which nobody listens, nor at the one :data:`BUS` above."""
    folder = Path(tempfile.gettempdir()) / f"botequim-test-ports-{os.getuid()}"
    folder.mkdir(exist_ok=True)
    for port in random.SystemRandom().sample(_PORTS, len(_PORTS)):
        lock = os.open(folder / str(port), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
            continue
        _locks.append(lock)
        if _is_free(port) and _is_free(port + BUS):
            return port
    raise AssertionError("no port is free")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
