"""Token buckets in the store: rate limits over all processes."""

from __future__ import annotations

from typing import Final, NamedTuple

from arena.store.connection import RedisConnection, Script

_TAKE: Final = Script("take")
LIMIT_SCRIPTS: Final = (_TAKE,)
"""The scripts that the connection of a :class:`LimitStore` must load."""


class TakenTokens(NamedTuple):
    """The tokens taken from a bucket; if there were none, the milliseconds after which to retry."""

    given: int
    retry_ms: int


class LimitStore:
    """Token buckets by key, each with a rate (tokens per second) and a size."""

    def __init__(self, connection: RedisConnection) -> None:
        self._connection = connection

    def take(self, key: str, rate: float, size: int, wanted: int = 1) -> TakenTokens:
        """Take up to ``wanted`` tokens from the bucket ``key``."""
        ((given, retry_ms),) = self._connection.run([_TAKE.call([f"limit:{key}"], rate, size, wanted)])
        return TakenTokens(int(given), int(retry_ms))
