"""Browser sessions of people, and the sign-in links that begin them."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, replace
from typing import Any, Final

import orjson

from arena.accounts.accounts import Accounts, Forbidden, InvalidToken, NameTaken, Principal
from arena.accounts.invitations import InvalidInvitation, Invitations
from arena.accounts.links import LinkExpired, new_code
from arena.accounts.recovery import OwnerKeys, Recovery
from arena.errors import CorruptState
from arena.store.repositories import Store
from arena.store.rows import read_row, write_row

SESSION_MS: Final = 30 * 86_400_000
"""How long a session lasts, in milliseconds."""

LINK_MS: Final = 300_000
"""How long a sign-in link can be used, in milliseconds."""

_LEAST_DRAFT: Final = 16
_PERSON_BYTES: Final = 8

PERSON_PREFIX: Final = "person_"
"""The prefix of the ids of people at tables; bot names contain no underscore."""


@dataclass(frozen=True)
class Session:
    """The session of one browser. ``owner`` is the signed-in owner, or empty for a guest. ``token`` is the
    hash of the owner's token at sign-in; the session ends when that token changes. ``person`` is the person's
    id at tables.
    """

    owner: str = ""
    token: str = ""
    person: str = ""
    format: int = 1
    unknown: dict[str, Any] = field(default_factory=dict)


class Sessions:
    """All sessions. A session is found by its key, which only the browser stores."""

    def __init__(
        self, store: Store, accounts: Accounts, invitations: Invitations, recovery: Recovery
    ) -> None:
        self._sessions = store.sessions
        self._sign_ins = store.sign_ins
        self._sign_ups = store.sign_ups
        self._store = store.accounts
        self._accounts = accounts
        self._invitations = invitations
        self._recovery = recovery

    def find(self, key: str) -> Session | None:
        """Return the session with a key, or None if it has ended."""
        data = self._sessions.find(key)
        try:
            session = None if data is None else read_row(Session, orjson.loads(data))
        except (ValueError, CorruptState):
            return None
        if session is None or not session.owner:
            return session
        return session if session.token and session.token == self._token(session.owner) else None

    def principal(self, session: Session) -> Principal | None:
        """Return the signed-in owner, or None for a guest."""
        if not session.owner:
            return None
        owner = self._accounts.owner(session.owner)
        # Suspended owners see the reason when they sign in.
        if owner.suspended is not None:
            return None
        return Principal("owner", owner.name, owner.name, owner.admin)

    def begin_guest(self) -> tuple[str, Session]:
        """Begin a guest session, and return its key and the session."""
        return self._begin(Session(person=_new_person()))

    def sign_in(self, token: str, before: str | None = None) -> tuple[str, Session]:
        """Begin a session for the owner of ``token``, and return its key and the session. The session with
        the key ``before`` ends, but a guest stays the same person.

        Raises :class:`~arena.accounts.accounts.InvalidToken`, or :class:`~arena.accounts.accounts.Forbidden`
        if it is not the token of an owner.
        """
        holder = self._accounts.check(token)
        if holder.scope != "owner":
            raise Forbidden(
                f"this is the token of {'a bot' if holder.scope == 'bot' else 'the first admin'}",
                field="token",
                expected="the token of an owner",
            )
        return self._signed_in(holder.owner, before)

    def new_link(self, owner: str) -> str:
        """Return a code with which the owner can sign in once, within :data:`LINK_MS`."""
        code = new_code()
        row = {"owner": owner, "token": self._token(owner)}
        self._sign_ins.put(code, orjson.dumps(row), LINK_MS, owner)
        return code

    def linked_owner(self, code: str) -> str:
        """Return the owner whom a code would sign in, without using the code. Raises :class:`LinkExpired`."""
        return self._owner_of(self._sign_ins.find(code))

    def sign_in_by_link(self, code: str, before: str | None = None) -> tuple[str, Session]:
        """Begin a session as :meth:`sign_in` does. The code can be used only once.

        Raises :class:`LinkExpired`.
        """
        owner = self._owner_of(self._sign_ins.take(code))
        self._accounts.check_not_suspended(owner)
        return self._signed_in(owner, before)

    def sign_in_by_identity(self, owner: str, before: str | None = None) -> tuple[str, Session]:
        """Begin a session as :meth:`sign_in` does, for the owner of an identity that the provider has
        confirmed.

        Raises :class:`~arena.accounts.owners.OwnerSuspended`, or
        :class:`~arena.accounts.accounts.InvalidToken` if the owner's token was revoked.
        """
        self._accounts.check_not_suspended(owner)
        if not self._token(owner):
            raise InvalidToken(f"the token of {owner} was revoked", expected="a new token from an admin")
        return self._signed_in(owner, before)

    def replace_token(self, key: str) -> OwnerKeys:
        """Replace the token and the recovery code of the signed-in owner. All other sessions of the owner
        end. If a form is submitted twice, it therefore shows two tokens, of which the second is valid.

        Raises :class:`~arena.accounts.accounts.InvalidToken` if the session has ended.
        """
        session = self.find(key)
        if session is None or not session.owner:
            raise InvalidToken("the session has ended")
        keys = self._recovery.replace_keys(session.owner)
        kept = replace(session, token=self._token(session.owner))
        self._sessions.put(key, write_row(kept), SESSION_MS, kept.owner)
        return keys

    def sign_up(self, name: str, invitation: str = "", draft: str = "") -> OwnerKeys:
        """Create an owner, and return it with its token and recovery code. ``invitation`` is the code of an
        invitation, or empty. ``draft`` is a secret of the form on a page. If the form is submitted again
        soon, new ones are issued, because the first ones may not have arrived.

        Raises the errors of :meth:`~arena.accounts.invitations.Invitations.sign_up`.
        """
        try:
            owner, token = (
                self._invitations.sign_up(name, invitation) if invitation else self._accounts.sign_up(name)
            )
        except (InvalidInvitation, NameTaken):
            row = self._sign_ups.find(draft) if len(draft) >= _LEAST_DRAFT else None
            if row is None or orjson.loads(row) != [name, self._token(name)]:
                raise
            keys = self._recovery.replace_keys(name)
        else:
            keys = OwnerKeys(owner, token, self._recovery.new_code(name))
        if len(draft) >= _LEAST_DRAFT:
            self._sign_ups.put(draft, orjson.dumps([name, self._token(name)]), LINK_MS, name)
        return keys

    def end(self, key: str) -> None:
        """End the session with a key."""
        self._sessions.take(key)

    def _signed_in(self, owner: str, before: str | None) -> tuple[str, Session]:
        former = None if before is None else self.find(before)
        if before is not None:
            self.end(before)
        # The next user of a shared browser counts as another person.
        person = former.person if former is not None and former.owner in ("", owner) else _new_person()
        return self._begin(Session(owner, self._token(owner), person))

    def _begin(self, session: Session) -> tuple[str, Session]:
        key = new_code()
        self._sessions.put(key, write_row(session), SESSION_MS, session.owner)
        return key, session

    def forget(self, owner: str) -> None:
        """End all sessions of an owner, and delete its sessions and links."""
        for rows in (self._sessions, self._sign_ins, self._sign_ups):
            rows.forget(owner)

    def _token(self, owner: str) -> str:
        return (self._store.owner(owner) or {}).get("token", "")

    def _owner_of(self, row: bytes | None) -> str:
        found = None if row is None else orjson.loads(row)
        if found is None or not found["token"] or found["token"] != self._token(found["owner"]):
            raise LinkExpired("a new link from `botequim web`")
        return str(found["owner"])


def _new_person() -> str:
    return PERSON_PREFIX + secrets.token_hex(_PERSON_BYTES)
