"""Identities of owners at the OpenID Connect provider that the operator has set."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

import orjson

from arena.accounts.accounts import Accounts
from arena.accounts.audit import Principal
from arena.accounts.links import LinkExpired, new_code
from arena.accounts.proof import BY_PROVIDER
from arena.errors import ArenaError
from arena.inputs.names import NAME_PATTERN
from arena.store.repositories import Store

PROOF_MS: Final = 600_000
"""How long a person can use a proven identity after the provider has confirmed it, in milliseconds."""


class IdentityInUse(ArenaError):
    """The identity is linked to another owner, or the owner to another identity."""

    code = "identity_in_use"


@dataclass(frozen=True)
class ProviderIdentity:
    """A person at a provider. ``issuer`` and ``subject`` identify the person forever; ``name`` is what the
    provider calls the person, or empty.
    """

    issuer: str
    subject: str
    name: str = ""

    @property
    def id(self) -> str:
        """The key under which the identity is stored."""
        return sha256(orjson.dumps([self.issuer, self.subject])).hexdigest()

    @property
    def handle(self) -> str:
        """The name of an owner that is proposed to the person, or empty if none follows from ``name``."""
        text = re.sub(r"[^a-z0-9]+", "-", self.name.partition("@")[0].lower()).lstrip("-0123456789")[:32]
        text = text.rstrip("-")
        return text if re.fullmatch(NAME_PATTERN, text) else ""


class Identities:
    """The identities with which owners sign in. Each owner has at most one, and each identity one owner.

    A row by identity names the owner, and the owner's field ``identity`` the row. A link counts only while
    both agree. ``persons`` is the issuer of a provider that proves persons, or empty.
    """

    def __init__(self, store: Store, accounts: Accounts, persons: str = "") -> None:
        self._persons = persons
        self._rows = store.identities
        self._proofs = store.proven_identities
        self._owners = store.accounts
        self._accounts = accounts

    def prove(self, identity: ProviderIdentity) -> str:
        """Return a code that stands for an identity that the provider has just confirmed. It can be used for
        :data:`PROOF_MS`.
        """
        code = new_code()
        self._proofs.put(code, orjson.dumps([identity.issuer, identity.subject, identity.name]), PROOF_MS)
        return code

    def proven(self, code: str) -> ProviderIdentity:
        """Return the identity for which a code stands. Raises
        :class:`~arena.accounts.links.LinkExpired`.
        """
        row = self._proofs.find(code)
        if row is None:
            raise LinkExpired("to sign in at the provider again")
        return ProviderIdentity(*orjson.loads(row))

    def owner_of(self, identity: ProviderIdentity) -> str | None:
        """Return the owner to whom an identity is linked, or None."""
        row = self._rows.find(identity.id)
        return None if row is None or not self._is_linked(row["owner"], identity.id) else str(row["owner"])

    def of(self, owner: str) -> dict[str, Any] | None:
        """Return the identity of an owner as ``issuer``, ``subject``, ``name`` and ``linked_ms``, or None."""
        found = (self._owners.owner(owner) or {}).get("identity", "")
        row = self._rows.find(found) if found else None
        if row is None or row["owner"] != owner:
            return None
        return {name: row[name] for name in ("issuer", "subject", "name", "linked_ms")}

    def link(self, owner: str, identity: ProviderIdentity, now_ms: int) -> None:
        """Let an owner sign in with an identity. Can be repeated. The call is written to the audit log.

        Raises :class:`IdentityInUse`.
        """
        mine = self.of(owner)
        if mine is not None and (mine["issuer"], mine["subject"]) != (identity.issuer, identity.subject):
            raise IdentityInUse(
                f"{owner} is linked to another identity", expected="to unlink it on the account page first"
            )
        self._accounts.audit(Principal("owner", owner, owner), "link identity", f"owner {owner}")

        def claim(row: Any) -> dict[str, Any]:
            if row is not None and row["owner"] != owner and self._is_linked(row["owner"], identity.id):
                raise IdentityInUse(
                    "this identity is linked to another owner",
                    expected="another identity",
                )
            return {"owner": owner, "linked_ms": now_ms, **vars(identity)}

        self._rows.change(identity.id, claim)
        self._owners.change_owner(owner, {"identity": identity.id})
        self.note_sign_in(owner, identity)

    def note_sign_in(self, owner: str, identity: ProviderIdentity) -> None:
        """Store whether an owner has just signed in at a provider that proves persons."""
        proves = bool(self._persons) and identity.issuer == self._persons
        if proves != (BY_PROVIDER in (self._owners.owner(owner) or {})):
            self._owners.change_owner(
                owner, {BY_PROVIDER: "1"} if proves else {}, () if proves else (BY_PROVIDER,)
            )
            self._owners.note_state_change()

    def unlink(self, owner: str) -> None:
        """Remove the identity of an owner, if there is one. The call is written to the audit log."""
        if self.of(owner) is not None:
            self._accounts.audit(Principal("owner", owner, owner), "unlink identity", f"owner {owner}")
        self.forget(owner)

    def forget(self, owner: str) -> None:
        """Erase the identity of an owner, if there is one."""
        found = (self._owners.owner(owner) or {}).get("identity", "")
        if found:
            # The row is deleted first, because only the owner's field leads to it.
            self._rows.change(found, lambda row: None if row is None or row["owner"] == owner else row)
            self._owners.change_owner(owner, {}, ("identity", BY_PROVIDER))
            self._owners.note_state_change()

    def _is_linked(self, owner: str, identity: str) -> bool:
        return (self._owners.owner(owner) or {}).get("identity") == identity
