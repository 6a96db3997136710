"""File descriptors: how many connections the operating system allows a process."""

from __future__ import annotations

import resource
from typing import Final

RESERVED: Final = 64
"""Connections of a process beyond the configured ones: only health checks are answered on these."""

_OTHER: Final = 128
"""Descriptors for all else than connections of clients and to the database: files, libraries, pipes."""


def raise_limit() -> int:
    """Raise this process's limit of open files to the maximum, and return it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    except (ValueError, OSError):
        # Some systems have a lower maximum than they report.
        return soft
    return hard


def connections_within(descriptors: int, wanted: int, pool: int) -> int:
    """Return how many of the ``wanted`` client connections fit in ``descriptors``, beside ``pool``
    connections to the database.
    """
    if descriptors == resource.RLIM_INFINITY:
        return wanted
    return max(1, min(wanted, descriptors - RESERVED - pool - _OTHER))
