"""Recovery codes, with which owners get a new token without an admin."""

from __future__ import annotations

import re
import secrets
import time
from base64 import b32encode
from collections.abc import Callable
from typing import Final, NamedTuple

from arena.accounts.accounts import Accounts, OwnerNotFound
from arena.accounts.audit import Principal
from arena.accounts.links import digest_of, is_code
from arena.accounts.owners import Owner
from arena.errors import ArenaError
from arena.inputs.names import NAME_PATTERN
from arena.store.accounts import AccountStore

_SECRET_CHARACTERS: Final = 26
_CODE: Final = re.compile(
    rf"btq_r_(?P<owner>{NAME_PATTERN.strip('^$')})_[a-z2-7]{{{_SECRET_CHARACTERS}}}"
).fullmatch
"""Matches codes: ``btq_r_<owner>_<130 random bits>``. They are case-insensitive, since people copy them from
paper.
"""


class InvalidRecoveryCode(ArenaError):
    """The recovery code is unknown, or was used or replaced."""

    code = "invalid_recovery_code"


class OwnerKeys(NamedTuple):
    """An owner with its new token and recovery code, which are shown only once."""

    owner: Owner
    token: str
    recovery_code: str


class Recovery:
    """The recovery codes of owners. Each owner has at most one, which ends with the owner's token: whoever
    read or made it with a stolen token loses it when the token is replaced. ``forget_identity`` removes the
    identity that is linked to an owner.
    """

    def __init__(
        self, store: AccountStore, accounts: Accounts, forget_identity: Callable[[str], None]
    ) -> None:
        self._store = store
        self._forget_identity = forget_identity
        self._accounts = accounts

    def new_code(self, owner: str) -> str:
        """Replace the recovery code of an owner, and return the new one. Raises
        :class:`~arena.accounts.owners.OwnerNotFound`.
        """
        secret = b32encode(secrets.token_bytes(17)).decode()[:_SECRET_CHARACTERS].lower()
        code = f"btq_r_{owner}_{secret}"
        row = f"{time.time_ns() // 1_000_000} {digest_of(code)}"
        if not self._store.change_owner(owner, {"recovery": row}):
            raise OwnerNotFound(f"there is no owner {owner[:64]!r}", field="owner")
        return code

    def replace_keys(self, owner: str) -> OwnerKeys:
        """Replace the token and the recovery code of an owner. Raises
        :class:`~arena.accounts.owners.OwnerNotFound`.
        """
        return self._keys(owner, self._accounts.new_owner_token(owner))

    def recover(self, code: str) -> OwnerKeys:
        """Replace the token of the owner of ``code``, which ends the owner's sessions, and the code. A linked
        identity is removed, since whoever has stolen the old token can have linked it. Of several concurrent
        calls with the same code only one succeeds. The call is written to the audit log.

        Raises :class:`InvalidRecoveryCode`, which is the same for an owner who does not exist, or
        :class:`~arena.accounts.owners.OwnerSuspended`, which only the holder of a valid code sees.
        """
        text = re.sub(r"\s", "", code).lower()
        found = _CODE(text)
        if found is None:
            raise _invalid()
        owner = found["owner"]
        row = (self._store.owner(owner) or {}).get("recovery", "")
        if not is_code(text, row.partition(" ")[2]):
            raise _invalid()
        self._accounts.check_not_suspended(owner)
        self._accounts.audit(Principal("owner", owner, owner), "recover owner", f"owner {owner}")
        token = self._accounts.recovered_token(owner, row)
        if token is None:
            raise _invalid()
        self._forget_identity(owner)
        return self._keys(owner, token)

    def _keys(self, owner: str, token: str) -> OwnerKeys:
        code = self.new_code(owner)
        return OwnerKeys(self._accounts.owner(owner), token, code)


def _invalid() -> InvalidRecoveryCode:
    return InvalidRecoveryCode(
        "the recovery code is not valid, or it was used or replaced",
        field="recovery_code",
        expected="the newest recovery code of the owner, which can be used once",
    )
