"""Rate limits. Token buckets are in the store, and each process takes small lots of tokens from them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, TypeVar

from arena.errors import ArenaError
from arena.ops.settings import Limit
from arena.store.counters import LimitStore

LOT_SECONDS_WORTH: Final = 0.1
"""A lot is what a bucket gains in this many seconds. Processes take whole lots, so that few requests need the
store.
"""

LOT_SECONDS: Final = 2.0
"""The number of seconds for which a lot can be used."""

_KEPT_LOTS: Final = 20_000


Made = TypeVar("Made")


class Allowance(NamedTuple):
    """The remaining allowance under a limit of ``most`` requests in ``seconds``. ``left`` requests are
    available now, and all ``most`` again after ``full_s`` seconds.
    """

    name: str
    most: int
    seconds: float
    left: int
    full_s: int


class RateLimited(ArenaError):
    """The client made too many requests. ``extra`` holds ``limit`` (its name), ``allowed``
    (``<count>/<seconds>``) and ``retry_after`` (seconds).
    """

    code = "rate_limited"

    def __init__(self, name: str, limit: Limit, seconds: int) -> None:
        super().__init__(
            f"too many requests: the limit {name} allows {limit.most} in {limit.seconds:g} s",
            expected=f"to wait {seconds} s",
            extra={
                "limit": name,
                "allowed": f"{limit.most}/{limit.seconds:g}",
                "retry_after": seconds,
            },
        )
        self.allowance = _allowance(name, limit, 0)


def _allowance(name: str, limit: Limit, left: int) -> Allowance:
    return Allowance(name, limit.most, limit.seconds, left, math.ceil((limit.most - left) / limit.rate))


class Limits:
    """The configured limits by name, with None for no limit."""

    def __init__(self, store: LimitStore, limits: Mapping[str, Limit | None]) -> None:
        self._store = store
        self._limits = limits
        self._lots: dict[str, tuple[int, float]] = {}

    def allowance(self, name: str, who: str) -> Allowance | None:
        """Count one use like :meth:`spend`, and return what is left, or None without a limit."""
        limit = self._limits[name]
        if limit is None:
            return None
        taken = self._store.take(f"{name}:{who}", limit.rate, limit.most)
        if not taken.given:
            raise RateLimited(name, limit, max(1, -(-taken.retry_ms // 1000)))
        return _allowance(name, limit, taken.left)

    def sign_up(self, address: str, invited: bool, create: Callable[[], Made]) -> Made:
        """Call ``create`` to create an owner. The call counts against the limit of the address, but if
        ``invited`` only when it fails.
        """
        if not invited:
            self.spend("sign_ups_per_address", address)
            return create()
        try:
            return create()
        except ArenaError:
            self.spend("sign_ups_per_address", address)
            raise

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
            raise RateLimited(name, limit, max(1, -(-taken.retry_ms // 1000)))
        if taken.given > 1:
            if len(self._lots) >= _KEPT_LOTS:
                self._lots.clear()
            self._lots[key] = (taken.given - 1, now + LOT_SECONDS)
