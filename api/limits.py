"""Rate limits: token buckets in the store, taken in small lots by each process."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Final

from api.config import Limit
from arena.errors import ArenaError
from arena.live.store_limits import LimitStore

LOT_SECONDS_WORTH: Final = 0.1
"""A process takes what a bucket gains in this time at once, so that few requests ask the store."""

LOT_SECONDS: Final = 2.0
"""How long a lot that was taken may be used."""

_KEPT_LOTS: Final = 20_000


class RateLimited(ArenaError):
    """Too often. ``extra``: ``limit`` (its name), ``allowed`` (``<count>/<seconds>``) and
    ``retry_after`` (seconds).
    """

    code = "rate_limited"


class Limits:
    """The limits that are set, by name (None: no limit)."""

    def __init__(self, store: LimitStore, limits: Mapping[str, Limit | None]) -> None:
        self._store = store
        self._limits = limits
        self._lots: dict[str, tuple[int, float]] = {}

    def spend(self, name: str, who: str) -> None:
        """Count one ``name`` by ``who``. Raises :class:`RateLimited`."""
        limit = self._limits[name]
        if limit is None:
            return
        key = f"{name}:{who}"
        left, until = self._lots.get(key, (0, 0.0))
        now = time.monotonic()
        if left > 0 and now < until:
            self._lots[key] = (left - 1, until)
            return
        taken = self._store.take(key, limit.rate, limit.most, max(1, int(limit.rate * LOT_SECONDS_WORTH)))
        if not taken.given:
            seconds = max(1, -(-taken.retry_ms // 1000))
            raise RateLimited(
                f"too many requests: the limit {name} allows {limit.most} in {limit.seconds:g} s",
                expected=f"to wait {seconds} s",
                extra={
                    "limit": name,
                    "allowed": f"{limit.most}/{limit.seconds:g}",
                    "retry_after": seconds,
                },
            )
        if taken.given > 1:
            if len(self._lots) >= _KEPT_LOTS:
                self._lots.clear()
            self._lots[key] = (taken.given - 1, now + LOT_SECONDS)
