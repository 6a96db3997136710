"""Counters shared by all processes: token buckets for rate limits, and what each owner has started today."""

from __future__ import annotations

from typing import Final, NamedTuple

from arena.store.amounts import Compute
from arena.store.connection import Repository, Script

_TAKE: Final = Script("take")
_START: Final = Script("budget_take")
COUNTER_SCRIPTS: Final = (_TAKE, _START)
"""The scripts that the connection of a counter store must load."""

_KEPT_SECONDS: Final = 2 * 86_400


class TakenTokens(NamedTuple):
    """The tokens taken from a bucket, milliseconds until the next one if there were none, and tokens left."""

    given: int
    retry_ms: int
    left: int


class LimitStore(Repository):
    """Stores token buckets by key, each with a rate (tokens per second) and a capacity."""

    def take(self, key: str, rate: float, size: int, wanted: int = 1) -> TakenTokens:
        """Take up to ``wanted`` tokens from the bucket ``key``."""
        taken = self._one(*_TAKE.call([f"limit:{key}"], rate, size, wanted))
        return TakenTokens(*map(int, taken))


class BudgetStore(Repository):
    """Counters for each owner and day (a day number)."""

    def used(self, owner: str, day: int) -> Compute:
        """Return the amounts counted so far."""
        values = self._one("HMGET", _day_key(owner, day), "groups", "fuel_ms")
        return Compute(*(int(value or 0) for value in values))

    def start(self, owner: str, day: int, what: str, groups: int, most: Compute) -> tuple[str, Compute]:
        """Count ``groups`` of ``what`` once, if enough groups and some fuel are left.

        Returns ``taken`` or the budget that is used up (``groups`` or ``fuel``), and the amounts used so far.
        """
        return self._take(owner, day, what, Compute(groups), most)

    def add(self, owner: str, day: int, used: Compute) -> None:
        """Count an amount that was used."""
        self._take(owner, day, "", used, Compute())

    def forget(self, owner: str, now_ms: int) -> None:
        """Remove all counts of an owner that are still stored."""
        today = now_ms // 86_400_000
        self._connection.run([("DEL", _day_key(owner, day)) for day in range(today - 3, today + 2)])

    def _take(self, owner: str, day: int, what: str, used: Compute, most: Compute) -> tuple[str, Compute]:
        verdict, groups, fuel_ms = self._one(
            *_START.call([_day_key(owner, day)], what, *used, *most, _KEPT_SECONDS)
        )
        return verdict.decode(), Compute(groups, fuel_ms)


def _day_key(owner: str, day: int) -> str:
    return f"{{o:{owner}}}:day:{day}"
