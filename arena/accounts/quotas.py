"""Quotas: how much an owner, and the whole service, may store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from arena.accounts.maxima import Quotas
from arena.errors import ArenaError
from arena.store.accounts import AccountStore
from arena.store.amounts import Stored


class QuotaExceeded(ArenaError):
    """A quota is too small. ``extra``: ``quota`` (its name), ``most``, ``used`` and ``left``."""

    code = "quota_exceeded"


class Reservation:
    """Reserved room. :meth:`keep` gives back the part that was not needed."""

    def __init__(self, wanted: Stored) -> None:
        self.unused = wanted

    def keep(self, stored: Stored) -> None:
        """Record what was actually stored."""
        self.unused = Stored.sum([self.unused, -stored])


class StorageQuotas:
    """Checks the quotas before something is stored."""

    def __init__(self, store: AccountStore, quotas: Quotas) -> None:
        self._store = store
        self._quotas = quotas

    @contextmanager
    def reserve(self, owners: Sequence[str], wanted: Stored) -> Iterator[Reservation]:
        """Reserve room for ``wanted`` with all ``owners`` of a bot, and release what was not kept after the
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
            # If the database is gone now, the next count corrects the sums.
            with suppress(ArenaError):
                self.give_back(owners, reservation.unused)

    def give_back(self, owners: Sequence[str], stored: Stored) -> None:
        """Record that ``stored``, of a bot of these owners, is no longer stored."""
        if any(stored):
            for owner in owners:
                self.leave_room(owner, stored)
            self._store.take(None, -stored, self._quotas.service)

    def take_room(self, owner: str, stored: Stored) -> None:
        """Count ``stored`` in the quotas of an owner. Raises :class:`QuotaExceeded`."""
        self._take("owner", owner, stored, self._quotas.owner)

    def leave_room(self, owner: str, stored: Stored) -> None:
        """Stop counting ``stored`` in the quotas of an owner."""
        self._store.take(owner, -stored, self._quotas.owner)

    def of_owner(self, owner: str) -> dict[str, object]:
        """Count what an owner stores now, and return ``used``, ``most`` and ``left`` for each quota."""
        return {
            name: {"used": used, "most": most, "left": max(0, most - used)}
            for name, used, most in zip(
                Stored._fields, self._store.stored(owner), self._quotas.owner, strict=True
            )
        }

    def _take(self, of: str, owner: str | None, wanted: Stored, most: Stored) -> None:
        verdict, stored = self._store.take(owner, wanted, most)
        if verdict == "taken":
            return
        used, allowed = getattr(stored, verdict), getattr(most, verdict)
        left = max(0, allowed - used)
        who, needed = "an owner" if of == "owner" else "this service", getattr(wanted, verdict)
        raise QuotaExceeded(
            f"{who} may store {allowed} {verdict}; {left} are left, and this needs {needed}",
            field={"bots": "name", "versions": "label", "bytes": "source"}[verdict],
            expected=f"at most {left} {verdict}",
            extra={"quota": f"{of}_{verdict}", "most": allowed, "used": used, "left": left},
        )


def _full(owner: str, error: QuotaExceeded) -> QuotaExceeded:
    """The error for one owner's quota that all who share the bot may see: without what that owner stores."""
    quota = {name: error.extra[name] for name in ("quota", "most")}
    return QuotaExceeded(
        f"the quota of {owner}, one of the owners of the bot, is used up",
        field=error.field,
        expected=f"{owner} to make room, or to leave the bot",
        extra=quota,
    )
