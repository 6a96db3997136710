"""The faults of seats: every type, what the table does about it, and how many a seat may have."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

FAULTS: Final[Mapping[str, str | None]] = MappingProxyType(
    {
        "late": "clock",
        "illegal": None,
        "malformed": None,
        "unreachable": "clock",
        "crashed": "crashed",
    }
)
"""The mark in the log of the default action that replaces the answer of an awaited seat, by type of fault.
None: no action replaces it; the turn stays open.
"""

FAULT_LIMIT: Final = 3
"""Faults in one game after which the table plays the seat to the end."""
