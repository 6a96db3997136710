"""Token buckets in the store: how often somebody may do something, counted over all processes."""

from __future__ import annotations

from typing import Final, NamedTuple

from arena.live.store_wire import Script, Wire

_TAKE: Final = Script("take")
LIMIT_SCRIPTS: Final = (_TAKE,)
"""What the wire of a :class:`LimitStore` must know."""


class Taken(NamedTuple):
    """What a bucket gave: how many, and if none, after how many milliseconds to ask again."""

    given: int
    retry_ms: int


class LimitStore:
    """Token buckets by key, each with a rate (tokens per second) and a size."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def take(self, key: str, rate: float, size: int, wanted: int = 1) -> Taken:
        """Take up to ``wanted`` tokens from the bucket ``key``."""
        ((given, retry_ms),) = self._wire.run([_TAKE.call([f"limit:{key}"], rate, size, wanted)])
        return Taken(int(given), int(retry_ms))
