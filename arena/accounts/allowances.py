"""Quotas and budgets: how much each owner can store, and how much computation each account can start per UTC
day. There are also storage quotas for the whole service.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

from arena.accounts.default_limits import GUESTS_PER_ADDRESS, DayBytes, Quotas
from arena.accounts.payers import ADDRESS, ARENA, DAILY, GUESTS, Payers, is_visitor
from arena.errors import ArenaError
from arena.live.header import EXHIBITION
from arena.store.accounts import AccountStore
from arena.store.amounts import DAY_MS, Compute, Stored
from arena.store.counters import DayUsage
from arena.store.repositories import Store
from arena.store.tournament_lists import TournamentLists


class QuotaExceeded(ArenaError):
    """A quota would be exceeded. ``extra`` contains ``quota`` (its name), ``most``, ``used`` and ``left``."""

    code = "quota_exceeded"


class BudgetExceeded(ArenaError):
    """The account's budget for the day is used up. ``extra`` contains ``budget`` (``groups``, ``fuel_ms``,
    the processor time, or ``bytes``, those of games and tournaments), ``most``, ``used``, ``left``,
    ``renews_ms`` (Unix time in milliseconds) and ``retry_after`` (seconds).
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
    """Checks the quotas before anything is stored, and shares the service's room among owners.

    An owner can store at most a share of the room that the others leave, which grows with the age of the
    account. The last fifth of the service's room is kept for the first bots of owners who have none, one bot
    per address. An invited owner, or an admin, counts as an old account with an address of its own.
    """

    def __init__(self, store: AccountStore, quotas: Quotas) -> None:
        self._store = store
        self._quotas = quotas

    @contextmanager
    def reserve(
        self, owners: Sequence[str], wanted: Stored, bot: str = "", address: str = ""
    ) -> Iterator[Reservation]:
        """Reserve ``wanted`` in the quotas of all ``owners`` of a bot, and release the unused part after the
        block. ``bot`` is the name of a new bot, and ``address`` the account of the address that registers it.

        Raises :class:`QuotaExceeded`.
        """
        with self._first_bot(owners[0], wanted, bot, address) as is_first:
            reservation = Reservation(wanted)
            self._take_all(owners, wanted, is_first)
            try:
                yield reservation
            finally:
                # If the database is unavailable now, the next recount corrects the totals.
                with suppress(ArenaError):
                    self.give_back(owners, reservation.unused)

    def _take_all(self, owners: Sequence[str], wanted: Stored, is_first: bool) -> None:
        """Count ``wanted`` towards the quotas of all owners and of the service, or of none."""
        taken: list[str] = []
        service = self._quotas.service
        try:
            for owner in owners:
                try:
                    self._take_share(owner, wanted, is_first)
                except QuotaExceeded as error:
                    raise (error if len(owners) == 1 else _full(owner, error)) from None
                taken.append(owner)
            most = service if is_first else open_room(service)
            verdict, used = self._store.take(None, wanted, most)
            if verdict != "taken":
                raise _service_full(verdict, wanted, used, most)
        except BaseException:
            for owner in taken:
                self.leave_room(owner, wanted)
            raise

    def give_back(self, owners: Sequence[str], stored: Stored) -> None:
        """Record that ``stored``, part of a bot of these owners, is no longer stored."""
        if any(stored):
            for owner in owners:
                self.leave_room(owner, stored)
            self._store.take(None, -stored, self._quotas.service)

    def take_room(self, owner: str, stored: Stored) -> None:
        """Count ``stored``, which others already store, towards the quotas of an owner. Raises
        :class:`QuotaExceeded`.
        """
        most = self._quotas.owner
        verdict, used = self._store.take(owner, stored, most)
        if verdict != "taken":
            raise _owner_full(verdict, stored, used, most)

    def leave_room(self, owner: str, stored: Stored) -> None:
        """Stop counting ``stored`` towards the quotas of an owner."""
        self._store.take(owner, -stored, self._quotas.owner)

    def bytes_left(self, owners: Sequence[str]) -> int:
        """Return how many more bytes all these owners can store."""
        left = []
        for owner in owners:
            used = self._store.used(owner)
            left.append(min(self._quotas.owner.bytes, self._share(owner, used).bytes) - used.bytes)
        return max(0, min(left, default=0))

    def check_bytes(self, owner: str, more: int) -> None:
        """Raise :class:`QuotaExceeded` if an owner has no room for more bytes."""
        used = self._store.used(owner)
        share, wanted = self._share(owner, used), Stored(bytes=more)
        error = None
        if _missing(used, wanted, self._quotas.owner):
            error = _owner_full("bytes", wanted, used, self._quotas.owner)
        elif _missing(used, wanted, share):
            error = _service_full("bytes", wanted, used, share)
        if error is not None:
            error.field = None
            raise error

    def count(self, owners: Sequence[str], grown: int) -> None:
        """Count bytes that are already stored for these owners; a negative number if bytes were deleted."""
        for owner in (*owners, None):
            self._store.take(owner, Stored(bytes=grown), _ANYTHING, is_stored=True)

    def of_owner(self, owner: str) -> dict[str, Any]:
        """Recount what an owner stores, and return ``used``, ``most`` and ``left`` for each quota."""
        return _shares(self._store.stored(owner), self._quotas.owner)

    def _take_share(self, owner: str, wanted: Stored, is_first: bool) -> None:
        """Count ``wanted`` towards the quotas of an owner and its share of the service's room."""
        most = self._quotas.owner
        if not is_first:
            most = Stored(*map(min, most, self._share(owner, self._store.used(owner))))
        verdict, used = self._store.take(owner, wanted, most)
        if verdict == "taken":
            return
        if getattr(most, verdict) == getattr(self._quotas.owner, verdict):
            raise _owner_full(verdict, wanted, used, most)
        raise _service_full(verdict, wanted, used, most)

    def _share(self, owner: str, used: Stored) -> Stored:
        """Return how much an owner that stores ``used`` can store of what the others leave."""
        sixteenths = _sixteenths(self._store.owner(owner), time.time())
        of_all = self._store.used(None)
        return Stored(
            *(
                max(own, sixteenths * max(0, most - (all_own - own)) // 16)
                for own, all_own, most in zip(used, of_all, open_room(self._quotas.service), strict=True)
            )
        )

    def _first_share(self, owner: str) -> Stored:
        """Return how much the first bot of an owner can take of the room for first bots."""
        sixteenths = _sixteenths(self._store.owner(owner), time.time())
        used, most = self._store.used(None), self._quotas.service
        left = (
            most_of - max(spent, opened)
            for most_of, spent, opened in zip(most, used, open_room(most), strict=True)
        )
        share = Stored(*(sixteenths * max(0, count) // 16 for count in left))
        return share._replace(bots=max(1, share.bots), versions=max(1, share.versions))

    @contextmanager
    def _first_bot(self, owner: str, wanted: Stored, bot: str, address: str) -> Iterator[bool]:
        """Yield whether a new bot uses the room for first bots. If the block raises, the address can use that
        room again. Raises :class:`QuotaExceeded` if there is too little of it, or if another bot of the
        address uses it.
        """
        used = self._store.used(owner)
        share = self._share(owner, used)
        missing = _missing(used, wanted, share)
        if not missing or not wanted.bots or used.bots:
            yield False
            return
        most = Stored(*map(max, share, self._first_share(owner)))
        if too_much := _missing(Stored(), wanted, most):
            raise _service_full(too_much, wanted, Stored(), most)
        at = owner if _is_known(self._store.owner(owner)) else address
        if not self._store.claim_first(at, bot):
            error = _service_full(missing, wanted, used, share)
            error.expected = "an invitation or another address; at this one, a new account has a bot"
            raise error
        try:
            yield True
        except BaseException:
            if self._store.bot(bot) is None:
                # Otherwise the claim belongs to the bot of this name that another request has stored.
                self._store.unclaim_first(at, bot)
            raise


_STORED_MS: Final = 60_000
"""A tournament that was reserved is stored within this time, or never."""


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
        # A process can have been killed before it stored what it had reserved; another one might still do so.
        old = self._lists.announced_by(owner, most, until_ms=created_ms - _STORED_MS)
        self._lists.leave(owner, is_over(old))
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
        self,
        store: Store,
        payers: Payers,
        is_admin: Callable[[str], bool],
        most: Compute,
        guest_ms: int,
        most_bytes: DayBytes,
        daily: Compute,
        exhibition_ms: int,
    ) -> None:
        """Set up the budgets. ``is_admin`` returns whether an owner is an admin, including for unknown names.
        ``most`` is the daily budget of an owner, and ``guest_ms`` the processor time of a guest.
        ``most_bytes`` are the bytes of both, ``daily`` is the daily budget of daily play, and
        ``exhibition_ms`` the processor time of exhibition games.
        """
        self._store = store.budgets
        self._usage = store.usage
        self._now_ms: Callable[[], int] = lambda: store.clock().now_ms
        self._payers = payers
        self._is_admin = is_admin
        self._most = most
        self._guest_ms = guest_ms
        self._most_bytes = most_bytes
        self._of_arena = {DAILY: daily, EXHIBITION: Compute(fuel_ms=exhibition_ms)}
        self._rest = 0.0

    def check(self, payer: str, groups: int = 0) -> None:
        """Check that ``groups`` groups, or anything else that needs processor time, could be started now.
        Raises :class:`BudgetExceeded`.
        """
        for account in self._payers.all_of(payer):
            if self._has_budget(account):
                used = self._store.used(account, self._day())
                if used.groups + groups > self._compute_of(account).groups:
                    raise self._exceeded(account, "groups", used.groups, groups)
                if used.fuel_ms >= self._most_of(account, "fuel_ms"):
                    raise self._exceeded(account, "fuel_ms", used.fuel_ms, groups)

    def check_bytes(self, payer: str) -> None:
        """Check that a live game or a tournament could be stored now. Raises :class:`BudgetExceeded`."""
        for account in self._payers.all_of(payer):
            if self._has_budget(account):
                used = self._store.used_bytes(account, self._day())
                if used >= self._most_of(account, "bytes"):
                    raise self._exceeded(account, "bytes", used, 0)

    def add_bytes(self, payer: str, size: int) -> None:
        """Count bytes of a live game that was created or ended, or of a tournament that was announced."""
        for account in self._payers.all_of(payer):
            self._store.add_bytes(account, self._day(), size)

    def start(self, owner: str, what: str, groups: int) -> None:
        """Count the groups of ``what`` (an id) once. Nothing is counted if this raises
        :class:`BudgetExceeded`.
        """
        if not self._has_budget(owner):
            return
        verdict, used = self._store.start(owner, self._day(), what, groups, self._compute_of(owner))
        if verdict != "taken":
            raise self._exceeded(owner, verdict, getattr(used, verdict), groups)

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
        return used.fuel_ms < self._most_of(owner, "fuel_ms") or not self._has_budget(owner)

    def of_owner(self, owner: str) -> dict[str, Any]:
        """Return ``used``, ``most`` and ``left`` for each budget, and ``renews_ms``."""
        used, most = self._store.used(owner, self._day()), self._most_bytes.owner
        stored = self._store.used_bytes(owner, self._day())
        return {
            **_shares(used, self._most),
            "bytes": {"used": stored, "most": most, "left": max(0, most - stored)},
            "renews_ms": self._renews_ms(),
        }

    def left(self, owner: str) -> int | None:
        """Return how many groups the account can still start today, or None if it has no budget."""
        if not self._has_budget(owner):
            return None
        return max(0, self._compute_of(owner).groups - self._store.used(owner, self._day()).groups)

    def most_groups(self, owner: str) -> int:
        """Return how many groups an account with a budget can start per day."""
        return self._compute_of(owner).groups

    def usage(self, most: int) -> DayUsage:
        """Return the accounts that have used the most processor time today. All guests are one account."""
        return self._usage.top(self._day(), most)

    def _has_budget(self, account: str) -> bool:
        return account not in ("", ARENA) and not self._is_admin(account)

    def _compute_of(self, account: str) -> Compute:
        """Return the budget of an account that is not a visitor's."""
        return self._of_arena.get(account, self._most)

    def _most_of(self, account: str, budget: str) -> int:
        """Return the maximum of ``fuel_ms`` or ``bytes`` of an account."""
        own, guest = (
            (self._compute_of(account).fuel_ms, self._guest_ms)
            if budget == "fuel_ms"
            else tuple(self._most_bytes)
        )
        if not is_visitor(account):
            return own
        return guest * (GUESTS_PER_ADDRESS if account.startswith(ADDRESS) else 1)

    def _day(self) -> int:
        return self._now_ms() // DAY_MS

    def _renews_ms(self) -> int:
        return (self._day() + 1) * DAY_MS

    def _exceeded(self, account: str, missing: str, spent: int, groups: int) -> BudgetExceeded:
        most = self._compute_of(account).groups if missing == "groups" else self._most_of(account, missing)
        left = max(0, most - spent)
        seconds = max(1, -(-(self._renews_ms() - self._now_ms()) // 1000))
        wait = f"to wait {seconds} s until the budget renews at 00:00 UTC"
        if missing == "groups":
            text = (
                f"{_who(account, 'an owner')} can start at most {most} groups per day; {left} are left, but "
                f"this needs {groups}"
            )
            wait = f"fewer groups, or {wait}"
        elif missing == "bytes":
            text = f"games and tournaments of {_who(account)} can take at most {most} bytes per day"
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


def fair_most(of_owner: int, of_all: int, others: int) -> int:
    """Return how many of the ``of_all`` things of a service an owner can have if others have ``others``: at
    most ``of_owner`` and a sixteenth of what they leave, but one as long as they leave any.
    """
    left = max(0, of_all - others)
    return min(of_owner, max(left // 16, min(1, left)))


def open_room(service: Stored) -> Stored:
    """Return the part of the service's room that is not kept for first bots: four fifths."""
    return Stored(*(4 * most // 5 for most in service))


def _is_known(row: Mapping[str, str] | None) -> bool:
    """Return whether an owner with this row counts as an old account."""
    return row is None or "admin" in row or "invited_by" in row


def _sixteenths(row: Mapping[str, str] | None, now_s: float) -> int:
    """Return how many sixteenths of the room that others leave an owner can use: one, and one more for each
    day since the sign-up, up to eight.
    """
    if row is None or _is_known(row):
        return _MOST_SIXTEENTHS
    days = int((now_s - int(row["created"]) / 1000) / 86_400)
    return max(1, min(1 + days, _MOST_SIXTEENTHS))


_ANYTHING: Final = Stored(2**50, 2**50, 2**50)
_MOST_SIXTEENTHS: Final = 8
_FIELDS: Final = {"bots": "name", "versions": "label", "bytes": "source"}


def _missing(used: Stored, wanted: Stored, most: Stored) -> str:
    """Return the first amount for which there is too little room, or an empty text."""
    amounts = zip(wanted._fields, used, wanted, most, strict=True)
    return next((name for name, own, more, allowed in amounts if more and own + more > allowed), "")


def _owner_full(missing: str, wanted: Stored, used: Stored, most: Stored) -> QuotaExceeded:
    return _no_room("owner", "an owner can store at most", missing, wanted, used, most)


def _service_full(missing: str, wanted: Stored, used: Stored, most: Stored) -> QuotaExceeded:
    who = "the room of this service is scarce, so this account can now store at most"
    return _no_room("service", who, missing, wanted, used, most)


def _no_room(
    of: str, who_can: str, missing: str, wanted: Stored, used: Stored, most: Stored
) -> QuotaExceeded:
    spent, allowed, needed = (getattr(amounts, missing) for amounts in (used, most, wanted))
    left = max(0, allowed - spent)
    return QuotaExceeded(
        f"{who_can} {allowed} {missing}; {left} are left, but this needs {needed}",
        field=_FIELDS[missing],
        expected=f"at most {left} {missing}",
        extra={"quota": f"{of}_{missing}", "most": allowed, "used": spent, "left": left},
    )


def _who(account: str, owner: str = "an account") -> str:
    if account == DAILY:
        return "daily play"
    if account == EXHIBITION:
        return "exhibition games"
    if account.startswith(ADDRESS):
        return "all guests of one address together"
    return "a guest" if is_visitor(account) else owner


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
