"""Counters shared by all processes: token buckets for rate limits, what each account has used today, and who
uses the machine.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from arena.store.amounts import DAY_MS, Compute
from arena.store.connection import Command, Repository, Script

_TAKE: Final = Script("take")
_START: Final = Script("budget_take")
COUNTER_SCRIPTS: Final = (_TAKE, _START)
"""The scripts that the connection of a counter store must load."""

_KEPT_SECONDS: Final = 2 * DAY_MS // 1000
_DAYS: Final = 7
"""The number of days for which the processor time of accounts is kept."""

_ALL: Final = ""
"""The name of the sum of all accounts."""


class TakenTokens(NamedTuple):
    """The tokens taken from a bucket, milliseconds until the next one if there were none, and tokens left."""

    given: int
    retry_ms: int
    left: int


class DayUsage(NamedTuple):
    """The milliseconds of processor time of accounts, most first, the sum of all accounts, and the number of
    guests among them.
    """

    accounts: dict[str, float]
    all_ms: float
    guests: int


class LimitStore(Repository):
    """Stores token buckets by key, each with a rate (tokens per second) and a capacity."""

    def take(self, key: str, rate: float, size: int, wanted: int = 1) -> TakenTokens:
        """Take up to ``wanted`` tokens from the bucket ``key``."""
        taken = self._one(*_TAKE.call([f"limit:{key}"], rate, size, wanted))
        return TakenTokens(*map(int, taken))


class BudgetStore(Repository):
    """Counters for each account and day (a day number)."""

    def used(self, owner: str, day: int) -> Compute:
        """Return the amounts counted so far."""
        values = self._one("HMGET", _day_key(owner, day), "groups", "fuel_ms")
        return Compute(*(int(value or 0) for value in values))

    def start(self, owner: str, day: int, what: str, groups: int, most: Compute) -> tuple[str, Compute]:
        """Count ``groups`` of ``what`` once, if enough groups and some processor time are left.

        Returns ``taken`` or the budget that is used up (``groups`` or ``fuel_ms``), and the amounts used so
        far.
        """
        return self._take(owner, day, what, Compute(groups), most)

    def add(self, owner: str, day: int, used: Compute) -> None:
        """Count an amount that was used."""
        self._take(owner, day, "", used, Compute())

    def used_bytes(self, owner: str, day: int) -> int:
        """Return the bytes of games and tournaments counted so far."""
        return int(self._one("HGET", _day_key(owner, day), "bytes") or 0)

    def add_bytes(self, owner: str, day: int, size: int) -> None:
        """Count bytes of a game or a tournament."""
        key = _day_key(owner, day)
        self._connection.run([("HINCRBY", key, "bytes", size), ("EXPIRE", key, _KEPT_SECONDS)])

    def forget(self, owner: str, now_ms: int) -> None:
        """Remove all counts of an owner that are still stored."""
        today = now_ms // DAY_MS
        self._connection.run([("DEL", _day_key(owner, day)) for day in range(today - 3, today + 2)])

    def _take(self, owner: str, day: int, what: str, used: Compute, most: Compute) -> tuple[str, Compute]:
        verdict, groups, fuel_ms = self._one(
            *_START.call([_day_key(owner, day)], what, *used, *most, _KEPT_SECONDS)
        )
        return verdict.decode(), Compute(groups, fuel_ms)


class UsageStore(Repository):
    """The processor time of all accounts by day (a day number), in milliseconds."""

    def add(self, account: str, day: int, ms: float, guest: str = "") -> None:
        """Add processor time to an account. ``guest`` is one of the guests that the account stands for."""
        key, guests = _usage_key(day), _guests_key(day)
        commands: list[Command] = [("ZINCRBY", key, ms, name) for name in (account, _ALL)]
        commands.append(("PEXPIRE", key, _DAYS * DAY_MS))
        if guest:
            # Only the number of guests is kept.
            commands += [("PFADD", guests, guest), ("PEXPIRE", guests, _DAYS * DAY_MS)]
        self._connection.run(commands)

    def top(self, day: int, most: int) -> DayUsage:
        """Return the ``most`` accounts that used the most, the sum of all accounts, and the number of
        guests.
        """
        key = _usage_key(day)
        found, whole, guests = self._connection.run(
            [
                ("ZREVRANGE", key, 0, most, "WITHSCORES"),
                ("ZSCORE", key, _ALL),
                ("PFCOUNT", _guests_key(day)),
            ]
        )
        pairs = zip(found[::2], found[1::2], strict=True)
        accounts = {name.decode(): float(ms) for name, ms in pairs if name.decode() != _ALL}
        return DayUsage(accounts, float(whole or 0), int(guests))

    def forget(self, account: str, now_ms: int) -> None:
        """Remove an account from all days; its processor time stays in the sums."""
        today = now_ms // DAY_MS
        days = range(today - _DAYS, today + 2)
        self._connection.run([("ZREM", _usage_key(day), account) for day in days])


def _usage_key(day: int) -> str:
    return f"{{usage:{day}}}"


def _guests_key(day: int) -> str:
    return f"{{usage:{day}}}:guests"


def _day_key(owner: str, day: int) -> str:
    return f"{{o:{owner}}}:day:{day}"
