"""Who pays for people at tables: a signed-in owner, or a guest under a limit for the guest's address.

The accounts of guests and addresses are hashes that begin with a digit, which names of owners never do. The
address of a guest, or the owner of a signed-in person, is kept for a day.
"""

from __future__ import annotations

import hmac
import secrets
from typing import Final

from arena.live.header import GUEST, person_account
from arena.store.repositories import Store

ARENA: Final = "the arena itself"
"""The account that pays for what belongs to nobody, and is never refused. The names of owners have no spaces.
"""

GUESTS: Final = "all guests"
"""The account of all guests together in the usage of a day."""

ADDRESS: Final = "1"
"""The first character of the accounts of addresses."""

_KEPT_MS: Final = 86_400_000
_DIGITS: Final = 24


class Payers:
    """The accounts of people and addresses."""

    def __init__(self, store: Store) -> None:
        self._identity = store.identity
        self._rows = store.payers

    def of_person(self, person: str, owner: str, address: str) -> str:
        """Return the account of a person, and record who answers for it: the person's ``owner`` account, or
        if that is empty the address.
        """
        account = person_account(person)
        other = owner or self.of_address(address)
        self._rows.put(account, other.encode(), _KEPT_MS, owner)
        return account

    def of_address(self, address: str) -> str:
        """Return the account of an address."""
        key = self._identity.web_key(secrets.token_hex(32))
        return ADDRESS + hmac.digest(key.encode(), address.encode(), "sha256").hex()[:_DIGITS]

    def all_of(self, payer: str) -> tuple[str, ...]:
        """Return the accounts that are charged if ``payer`` pays: a guest and its address, or one account."""
        if not payer.startswith(GUEST):
            return (payer or ARENA,)
        found = self._rows.find(payer)
        if found is None:
            return (payer,)
        other = found.decode()
        return (payer, other) if other.startswith(ADDRESS) else (other,)


def is_visitor(account: str) -> bool:
    """Return whether an account is that of a guest or an address."""
    return account.startswith((GUEST, ADDRESS))
