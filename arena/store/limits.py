"""Token buckets in the store: rate limits over all processes."""

from __future__ import annotations

from typing import Final, NamedTuple

from arena.store.connection import RedisConnection, Script

_TAKE: Final = Script("take")
LIMIT_SCRIPTS: Final = (_TAKE,)
"""The scripts that the connection of a :class:`LimitStore` must load."""


class TakenTokens(NamedTuple):
    """The tokens taken from a bucket, those left, and if there were none, milliseconds until there is one."""

    given: int
    retry_ms: int
    left: int


class LimitStore:
    """Token buckets by key, each with a rate (tokens per second) and a size."""

    def __init__(self, connection: RedisConnection) -> None:
        self._connection = connection

    def take(self, key: str, rate: float, size: int, wanted: int = 1) -> TakenTokens:
        """Take up to ``wanted`` tokens from the bucket ``key``."""
        (taken,) = self._connection.run([_TAKE.call([f"limit:{key}"], rate, size, wanted)])
        return TakenTokens(*map(int, taken))
