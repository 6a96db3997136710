"""Budgets: how much computation an owner may start per day (UTC)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from arena.accounts.accounts import Accounts, OwnerNotFound
from arena.errors import ArenaError
from arena.store.amounts import Compute
from arena.store.budgets import BudgetStore

DAY_MS: Final = 86_400_000


class BudgetExceeded(ArenaError):
    """The owner's budget of this day is used up. ``extra``: ``budget`` (``groups`` or ``fuel_ms``), ``most``,
    ``used``, ``left``, ``renews_ms`` (Unix time in milliseconds) and ``retry_after`` (seconds).
    """

    code = "budget_exceeded"


class Budgets:
    """The budgets of all owners. Admins and the service itself have none. ``now_ms``: the service's clock."""

    def __init__(
        self, store: BudgetStore, now_ms: Callable[[], int], accounts: Accounts, most: Compute
    ) -> None:
        self._store = store
        self._now_ms = now_ms
        self._accounts = accounts
        self._most = most

    def check(self, owner: str, groups: int) -> None:
        """Check that ``groups`` could be started now. Raises :class:`BudgetExceeded`."""
        if not self._has_budget(owner):
            return
        used = self._store.used(owner, self._day())
        if used.groups + groups > self._most.groups:
            raise self._exceeded("groups", used, groups)
        if used.fuel_ms >= self._most.fuel_ms:
            raise self._exceeded("fuel", used, groups)

    def start(self, owner: str, what: str, groups: int) -> None:
        """Count the groups of ``what`` (an id), once. Raises :class:`BudgetExceeded`, counting nothing."""
        if not self._has_budget(owner):
            return
        verdict, used = self._store.start(owner, self._day(), what, groups, self._most)
        if verdict != "taken":
            raise self._exceeded(verdict, used, groups)

    def burn(self, owner: str, fuel_ms: int) -> None:
        """Count fuel used by tournaments and comparisons that the owner started."""
        if owner and fuel_ms:
            self._store.add(owner, self._day(), Compute(0, fuel_ms))

    def has_fuel(self, owner: str) -> bool:
        """Return whether tournaments and comparisons of the owner may use fuel now."""
        used = self._store.used(owner, self._day()) if owner else Compute()
        return used.fuel_ms < self._most.fuel_ms or not self._has_budget(owner)

    def of_owner(self, owner: str) -> dict[str, object]:
        """Return ``used``, ``most`` and ``left`` for each budget, and ``renews_ms``."""
        used = self._store.used(owner, self._day())
        found: dict[str, Any] = {
            name: {"used": spent, "most": most, "left": max(0, most - spent)}
            for name, spent, most in zip(Compute._fields, used, self._most, strict=True)
        }
        return {**found, "renews_ms": self._renews_ms()}

    def left(self, owner: str) -> int | None:
        """Return how many groups the owner may still start today, or None for an owner without a budget."""
        if not self._has_budget(owner):
            return None
        return max(0, self._most.groups - self._store.used(owner, self._day()).groups)

    def _has_budget(self, owner: str) -> bool:
        try:
            return bool(owner) and not self._accounts.owner(owner).admin
        except OwnerNotFound:
            return bool(owner)

    def _day(self) -> int:
        return self._now_ms() // DAY_MS

    def _renews_ms(self) -> int:
        return (self._day() + 1) * DAY_MS

    def _exceeded(self, missing: str, used: Compute, groups: int) -> BudgetExceeded:
        name = "fuel_ms" if missing == "fuel" else missing
        most, spent = getattr(self._most, name), getattr(used, name)
        left = max(0, most - spent)
        seconds = max(1, -(-(self._renews_ms() - self._now_ms()) // 1000))
        needed = f", and this needs {groups}" if missing == "groups" else ""
        return BudgetExceeded(
            f"an owner may start {most} {name} per day; {left} are left{needed}",
            expected=f"fewer groups, or to wait {seconds} s until the budget renews at 00:00 UTC",
            extra={
                "budget": name,
                "most": most,
                "used": spent,
                "left": left,
                "renews_ms": self._renews_ms(),
                "retry_after": seconds,
            },
        )
