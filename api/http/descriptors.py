"""File descriptors: the number of connections that the operating system allows a process."""

from __future__ import annotations

import resource
from typing import Final

RESERVED: Final = 64
"""The connections of a process beyond the configured number: for health checks, and for bots with turns
pending.
"""

KEPT: Final = 32
"""The maximum number of reserved connections on which requests of bots are handled at the same time."""

_OTHER: Final = 128
"""Descriptors for everything except client and database connections: files, libraries, pipes."""


def raise_limit() -> int:
    """Raise this process's limit on open files to the maximum, and return the new limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    except (ValueError, OSError):
        # Some systems have a lower maximum than they report.
        return soft
    return hard


def connections_within(descriptors: int, wanted: int, pool: int) -> int:
    """Return how many of the ``wanted`` client connections fit in ``descriptors``, in addition to ``pool``
    database connections.
    """
    if descriptors == resource.RLIM_INFINITY:
        return wanted
    return max(1, min(wanted, descriptors - RESERVED - pool - _OTHER))
