"""Who pays for people at tables: a signed-in owner, or a guest under a limit for the guest's address.

The accounts of guests and addresses are hashes that begin with a digit, which names of owners never do. The
payer of a person's work is named after the person and the work, so that each table and each review keeps its
own answer to who is in charge: the owner as whom the person had signed in, or the address. It is kept for a
day.
"""

from __future__ import annotations

import hmac
import secrets
from typing import Final

from arena.live.header import GUEST, payer_of_person
from arena.store.amounts import DAY_MS
from arena.store.repositories import Store

ARENA: Final = "the arena itself"
"""The account that pays for what belongs to nobody, and is never refused. The names of owners have no spaces.
"""

DAILY: Final = "Daily-play"
"""The account of the arena that pays for daily play (:mod:`arena.events.daily_play`), and has a budget. The
names of owners have no capitals; ids of jobs allow no spaces.
"""

GUESTS: Final = "all guests"
"""The account of all guests together in the usage of a day."""

ADDRESS: Final = "1"
"""The first character of the accounts of addresses."""

_KEPT_MS: Final = DAY_MS
_DIGITS: Final = 24


class Payers:
    """The accounts of people and addresses."""

    def __init__(self, store: Store) -> None:
        self._identity = store.identity
        self._rows = store.payers

    def of_person(self, person: str, owner: str, address: str, work: str) -> str:
        """Return the payer of a person's ``work`` (an id, for a table that of the game), and record who is in
        charge: the person's ``owner`` account, or if that is empty the address.
        """
        payer = payer_of_person(person, work)
        other = owner or self.of_address(address)
        self._rows.put(payer, other.encode(), _KEPT_MS, owner)
        return payer

    def of_address(self, address: str) -> str:
        """Return the account of an address."""
        key = self._identity.web_key(secrets.token_hex(32))
        return ADDRESS + hmac.digest(key.encode(), address.encode(), "sha256").hex()[:_DIGITS]

    def all_of(self, payer: str) -> tuple[str, ...]:
        """Return the accounts that are charged if ``payer`` pays: a guest and its address, or one account."""
        if not payer.startswith(GUEST):
            return (payer or ARENA,)
        guest = payer.partition("-")[0]
        found = self._rows.find(payer)
        if found is None:
            return (guest,)
        other = found.decode()
        return (guest, other) if other.startswith(ADDRESS) else (other,)

    def in_charge(self, payer: str) -> str:
        """Return the account that is finally responsible for ``payer``, by which jobs take turns: an owner,
        or the address of a guest; empty for the arena itself.
        """
        return self.all_of(payer)[-1] if payer else ""


def is_visitor(account: str) -> bool:
    """Return whether an account is that of a guest or an address."""
    return account.startswith((GUEST, ADDRESS))
