"""Quotas and budgets: how much each owner can store, and how much computation each account can start per UTC
day. There are also storage quotas for the whole service.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from arena.accounts.default_limits import GUESTS_PER_ADDRESS, Quotas
from arena.accounts.payers import ADDRESS, ARENA, GUESTS, Payers, is_visitor
from arena.errors import ArenaError
from arena.store.accounts import AccountStore
from arena.store.amounts import DAY_MS, Compute, Stored
from arena.store.counters import DayUsage
from arena.store.repositories import Store
from arena.store.tournament_lists import TournamentLists


class QuotaExceeded(ArenaError):
    """A quota would be exceeded. ``extra`` contains ``quota`` (its name), ``most``, ``used`` and ``left``."""

    code = "quota_exceeded"


class BudgetExceeded(ArenaError):
    """The account's budget for the day is used up. ``extra`` contains ``budget`` (``groups`` or ``fuel_ms``,
    the processor time), ``most``, ``used``, ``left``, ``renews_ms`` (Unix time in milliseconds) and
    ``retry_after`` (seconds).
    """

    code = "budget_exceeded"


class Reservation:
    """A reservation of storage. Amounts not claimed with :meth:`keep` are released."""

    def __init__(self, wanted: Stored) -> None:
        self.unused = wanted

    def keep(self, stored: Stored) -> None:
        """Record the amounts that were actually stored."""
        self.unused = Stored.sum([self.unused, -stored])


class StorageQuotas:
    """Checks the quotas before anything is stored."""

    def __init__(self, store: AccountStore, quotas: Quotas) -> None:
        self._store = store
        self._quotas = quotas

    @contextmanager
    def reserve(self, owners: Sequence[str], wanted: Stored) -> Iterator[Reservation]:
        """Reserve ``wanted`` in the quotas of all ``owners`` of a bot, and release the unused part after the
        block.

        Raises :class:`QuotaExceeded`.
        """
        reservation = Reservation(wanted)
        taken: list[str] = []
        try:
            for owner in owners:
                try:
                    self.take_room(owner, wanted)
                except QuotaExceeded as error:
                    raise (error if len(owners) == 1 else _full(owner, error)) from None
                taken.append(owner)
            self._take("service", None, wanted, self._quotas.service)
        except BaseException:
            for owner in taken:
                self._store.take(owner, -wanted, self._quotas.owner)
            raise
        try:
            yield reservation
        finally:
            # If the database is unavailable now, the next recount corrects the totals.
            with suppress(ArenaError):
                self.give_back(owners, reservation.unused)

    def give_back(self, owners: Sequence[str], stored: Stored) -> None:
        """Record that ``stored``, part of a bot of these owners, is no longer stored."""
        if any(stored):
            for owner in owners:
                self.leave_room(owner, stored)
            self._store.take(None, -stored, self._quotas.service)

    def take_room(self, owner: str, stored: Stored) -> None:
        """Count ``stored`` towards the quotas of an owner. Raises :class:`QuotaExceeded`."""
        self._take("owner", owner, stored, self._quotas.owner)

    def leave_room(self, owner: str, stored: Stored) -> None:
        """Stop counting ``stored`` towards the quotas of an owner."""
        self._store.take(owner, -stored, self._quotas.owner)

    def of_owner(self, owner: str) -> dict[str, Any]:
        """Recount what an owner stores, and return ``used``, ``most`` and ``left`` for each quota."""
        return _shares(self._store.stored(owner), self._quotas.owner)

    def _take(self, of: str, owner: str | None, wanted: Stored, most: Stored) -> None:
        verdict, stored = self._store.take(owner, wanted, most)
        if verdict == "taken":
            return
        used, allowed = getattr(stored, verdict), getattr(most, verdict)
        left = max(0, allowed - used)
        who, needed = "an owner" if of == "owner" else "this service", getattr(wanted, verdict)
        raise QuotaExceeded(
            f"{who} can store at most {allowed} {verdict}; {left} are left, but this needs {needed}",
            field={"bots": "name", "versions": "label", "bytes": "source"}[verdict],
            expected=f"at most {left} {verdict}",
            extra={"quota": f"{of}_{verdict}", "most": allowed, "used": used, "left": left},
        )


class AnnouncedTournaments:
    """Checks how many tournaments that are not over an owner has announced. Admins and the arena itself may
    announce any number.
    """

    def __init__(self, lists: TournamentLists, is_admin: Callable[[str], bool], most: int) -> None:
        self._lists = lists
        self._is_admin = is_admin
        self._most = most

    def reserve(
        self, owner: str, event: str, created_ms: int, is_over: Callable[[Sequence[str]], Sequence[str]]
    ) -> None:
        """Count a tournament that is about to be stored. ``is_over`` returns those of the given tournaments
        that are over or were never stored. Can be repeated.

        Raises :class:`QuotaExceeded`.
        """
        most = sys.maxsize if owner in ("", ARENA) or self._is_admin(owner) else self._most
        if self._lists.reserve(owner, event, created_ms, most):
            return
        # A process can have been killed before it stored what it had reserved.
        self._lists.leave(owner, is_over(self._lists.announced_by(owner, most)))
        if not self._lists.reserve(owner, event, created_ms, most):
            extra = {"quota": "owner_tournaments", "most": most, "used": most, "left": 0}
            raise QuotaExceeded(
                f"an owner can have announced at most {most} tournaments that are not over",
                field="tournament",
                expected="to cancel one of them, or to wait until one is over",
                extra=extra,
            )

    def of_owner(self, owner: str) -> dict[str, int]:
        """Return ``used``, ``most`` and ``left`` of an owner."""
        used = self._lists.count_of(owner)
        return {"used": used, "most": self._most, "left": max(0, self._most - used)}


class Budgets:
    """The budgets of all accounts. Admins and the arena itself have none."""

    def __init__(
        self, store: Store, payers: Payers, is_admin: Callable[[str], bool], most: Compute, guest_ms: int
    ) -> None:
        """Set up the budgets. ``is_admin`` returns whether an owner is an admin, including for unknown names.
        ``most`` is the daily budget of an owner, and ``guest_ms`` the processor time of a guest.
        """
        self._store = store.budgets
        self._usage = store.usage
        self._now_ms: Callable[[], int] = lambda: store.clock().now_ms
        self._payers = payers
        self._is_admin = is_admin
        self._most = most
        self._guest_ms = guest_ms
        self._rest = 0.0

    def check(self, payer: str, groups: int = 0) -> None:
        """Check that ``groups`` groups, or anything else that needs processor time, could be started now.
        Raises :class:`BudgetExceeded`.
        """
        for account in self._payers.all_of(payer):
            if self._has_budget(account):
                used = self._store.used(account, self._day())
                if used.groups + groups > self._most.groups:
                    raise self._exceeded(account, "groups", used, groups)
                if used.fuel_ms >= self._most_ms(account):
                    raise self._exceeded(account, "fuel_ms", used, groups)

    def start(self, owner: str, what: str, groups: int) -> None:
        """Count the groups of ``what`` (an id) once. Nothing is counted if this raises
        :class:`BudgetExceeded`.
        """
        if not self._has_budget(owner):
            return
        verdict, used = self._store.start(owner, self._day(), what, groups, self._most)
        if verdict != "taken":
            raise self._exceeded(owner, verdict, used, groups)

    def charge(self, payer: str, used_ms: float, charged_ms: float = 0.0) -> None:
        """Charge a job for its processor time, or for ``charged_ms`` if that is more. What is less than a
        millisecond is added to the next charge.
        """
        self._rest, whole = math.modf(self._rest + max(used_ms, charged_ms))
        accounts = self._payers.all_of(payer)
        for account in accounts:
            self._store.add(account, self._day(), Compute(0, int(whole)))
        is_guest = is_visitor(accounts[0])
        name = GUESTS if is_guest else accounts[0]
        self._usage.add(name, self._day(), used_ms, accounts[0] if is_guest else "")

    def has_time(self, owner: str) -> bool:
        """Return whether groups that the owner started can use processor time now."""
        used = self._store.used(owner, self._day()) if owner else Compute()
        return used.fuel_ms < self._most.fuel_ms or not self._has_budget(owner)

    def of_owner(self, owner: str) -> dict[str, Any]:
        """Return ``used``, ``most`` and ``left`` for each budget, and ``renews_ms``."""
        used = self._store.used(owner, self._day())
        return {**_shares(used, self._most), "renews_ms": self._renews_ms()}

    def left(self, owner: str) -> int | None:
        """Return how many groups the owner can still start today, or None for an owner without a budget."""
        if not self._has_budget(owner):
            return None
        return max(0, self._most.groups - self._store.used(owner, self._day()).groups)

    def usage(self, most: int) -> DayUsage:
        """Return the accounts that have used the most processor time today. All guests are one account."""
        return self._usage.top(self._day(), most)

    def _has_budget(self, account: str) -> bool:
        return account not in ("", ARENA) and not self._is_admin(account)

    def _most_ms(self, account: str) -> int:
        if not is_visitor(account):
            return self._most.fuel_ms
        return self._guest_ms * (GUESTS_PER_ADDRESS if account.startswith(ADDRESS) else 1)

    def _day(self) -> int:
        return self._now_ms() // DAY_MS

    def _renews_ms(self) -> int:
        return (self._day() + 1) * DAY_MS

    def _exceeded(self, account: str, missing: str, used: Compute, groups: int) -> BudgetExceeded:
        most = self._most.groups if missing == "groups" else self._most_ms(account)
        spent = getattr(used, missing)
        left = max(0, most - spent)
        seconds = max(1, -(-(self._renews_ms() - self._now_ms()) // 1000))
        wait = f"to wait {seconds} s until the budget renews at 00:00 UTC"
        if missing == "groups":
            text = (
                f"an owner can start at most {most} groups per day; {left} are left, but this needs {groups}"
            )
            wait = f"fewer groups, or {wait}"
        else:
            text = (
                f"{_who(account)} can use at most {most / 1000:g} s of processor time per day; "
                f"{left / 1000:g} s are left"
            )
        if is_visitor(account):
            wait = f"to sign in, or {wait}"
        return BudgetExceeded(
            text,
            expected=wait,
            extra={
                "budget": missing,
                "most": most,
                "used": spent,
                "left": left,
                "renews_ms": self._renews_ms(),
                "retry_after": seconds,
            },
        )


def _who(account: str) -> str:
    if account.startswith(ADDRESS):
        return "all guests of one address together"
    return "a guest" if is_visitor(account) else "an account"


def _full(owner: str, error: QuotaExceeded) -> QuotaExceeded:
    """Return the error for one owner's quota in a form that all owners of the bot may see, without revealing
    how much that owner stores.
    """
    quota = {name: error.extra[name] for name in ("quota", "most")}
    return QuotaExceeded(
        f"the quota of {owner}, an owner of the bot, is used up",
        field=error.field,
        expected=f"{owner} to free some space, or to stop sharing the bot",
        extra=quota,
    )


def _shares(used: Stored | Compute, most: Stored | Compute) -> dict[str, Any]:
    """Return ``used``, ``most`` and ``left`` for each amount."""
    return {
        name: {"used": spent, "most": allowed, "left": max(0, allowed - spent)}
        for name, spent, allowed in zip(used._fields, used, most, strict=True)
    }
