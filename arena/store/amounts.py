"""Countable amounts. Imports no database client, because settings are read before gevent patches sockets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

DAY_MS: Final = 86_400_000
"""One day in milliseconds."""


class Stored(NamedTuple):
    """Numbers of bots and of their versions, and the bytes of their sources."""

    bots: int = 0
    versions: int = 0
    bytes: int = 0

    def __neg__(self) -> Stored:
        return Stored(-self.bots, -self.versions, -self.bytes)

    @classmethod
    def sum(cls, parts: Iterable[Stored]) -> Stored:
        """Return the sum of ``parts``."""
        return cls(*map(sum, zip(*parts, cls(), strict=True)))


class Compute(NamedTuple):
    """A number of groups, and processor time in milliseconds (``fuel_ms``, a name that the API publishes)."""

    groups: int = 0
    fuel_ms: int = 0
