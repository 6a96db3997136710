"""Rate limits: token buckets in the store, from which each process takes small lots."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Final

from arena.errors import ArenaError
from arena.ops.settings import Limit
from arena.store.limits import LimitStore

LOT_SECONDS_WORTH: Final = 0.1
"""A lot is what a bucket gains in this time, so that few requests need the store."""

LOT_SECONDS: Final = 2.0
"""How long a lot may be used."""

_KEPT_LOTS: Final = 20_000


class RateLimited(ArenaError):
    """Too many requests. ``extra``: ``limit`` (its name), ``allowed`` (``<count>/<seconds>``) and
    ``retry_after`` (seconds).
    """

    code = "rate_limited"


class Limits:
    """The configured limits by name (None: no limit)."""

    def __init__(self, store: LimitStore, limits: Mapping[str, Limit | None]) -> None:
        self._store = store
        self._limits = limits
        self._lots: dict[str, tuple[int, float]] = {}

    def spend(self, name: str, who: str) -> None:
        """Count one use of the limit ``name`` by ``who``. Raises :class:`RateLimited`."""
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
