"""Invitations: sign-up codes that an organiser creates, exempt from the sign-up limit per address."""

from __future__ import annotations

import re
import secrets
from base64 import b32encode
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from arena.accounts.accounts import Accounts, InvalidName, NameTaken, Owner
from arena.accounts.allowances import QuotaExceeded
from arena.accounts.default_limits import Quotas
from arena.accounts.links import digest_of, is_code
from arena.errors import ArenaError
from arena.inputs.names import NAME_PATTERN
from arena.inputs.roster import Person, check_people
from arena.inputs.times import times_between
from arena.store.amounts import DAY_MS
from arena.store.documents import OwnedDocuments
from arena.store.repositories import Store
from arena.store.rows import read_row, row_values, shown_or_left_out
from arena.text import printable

CODE_PREFIX: Final = "btq_i_"
"""The prefix of codes: ``btq_i_<organiser>_<130 random bits>``. Codes are case-insensitive."""

DEFAULT_KEPT_MS: Final = 30 * DAY_MS
MAX_KEPT_MS: Final = 366 * DAY_MS
"""The default and maximum time for which an invitation can be used, in milliseconds."""

FORGOTTEN_MS: Final = 366 * DAY_MS
"""How long an invitation is listed after it has expired, in milliseconds."""

MOST_OF_OWNER: Final = 10_000
"""The maximum number of invitations that an admin can allow an owner."""

_SECRET_CHARACTERS: Final = 26
_ID_CHARACTERS: Final = 12
_CLAIM_MS: Final = 60_000
"""How long after it began a sign-up counts as failed if the owner still does not exist."""

_ISSUED: Final = "#"
"""The key of the counter that is stored among an owner's invitations."""

_CODE: Final = re.compile(
    rf"btq_i_(?P<by>{NAME_PATTERN.strip('^$')})_[a-z2-7]{{{_SECRET_CHARACTERS}}}"
).fullmatch


class InvalidInvitation(ArenaError):
    """The invitation is invalid or can no longer be used."""

    code = "invalid_invitation"


class InvitationNotFound(ArenaError):
    """The organiser has no invitation with this id."""

    code = "invitation_not_found"


@dataclass(frozen=True)
class Invitation:
    """An invitation. ``digest`` is the SHA-256 of its code. ``number`` is its position among the invitations
    created together, whose common name is ``roster``. ``person``, ``handle`` and ``email`` describe the
    invited person, as in :class:`~arena.inputs.roster.Person`. ``used_by`` is the owner who signed up with
    it, set from ``claimed_ms`` on; ``used_ms`` is set once that owner exists. Times are in Unix milliseconds,
    with 0 for never.
    """

    id: str
    digest: str
    created_ms: int
    expires_ms: int
    number: int = 0
    roster: str = ""
    person: str = ""
    handle: str = ""
    email: str = ""
    used_by: str = ""
    claimed_ms: int = 0
    used_ms: int = 0
    revoked_ms: int = 0
    format: int = 1
    unknown: dict[str, Any] = field(default_factory=dict)

    def state(self, now_ms: int) -> str:
        """Return ``used``, ``revoked``, ``expired`` or ``open``."""
        if self.used_ms:
            return "used"
        if self.revoked_ms:
            return "revoked"
        return "expired" if now_ms >= self.expires_ms else "open"


@dataclass(frozen=True)
class NewInvitation:
    """An invitation with its code, which is shown only once."""

    invitation: Invitation
    code: str


class Invitations:
    """The invitations of all organisers.

    Owners can create invitations if an admin has allowed it. Owners who were not invited themselves can also
    do so within the quota ``invitations``.
    """

    def __init__(self, store: Store, accounts: Accounts, quotas: Quotas) -> None:
        self._store = store
        self._accounts = accounts
        self._quota = quotas.invitations

    def create(
        self,
        organiser: str,
        people: Sequence[Person] | int,
        *,
        roster: str = "",
        expires_ms: int | None = None,
    ) -> list[NewInvitation]:
        """Create an invitation for each of ``people`` or, if ``people`` is a number, that many for anyone. By
        default they expire after :data:`DEFAULT_KEPT_MS`.

        Raises :class:`InvalidInvitation`, :class:`~arena.accounts.allowances.QuotaExceeded` or
        :class:`~arena.inputs.roster.InvalidRoster`, in which case no invitations are created.
        """
        now_ms = self._store.clock().now_ms
        until_ms = now_ms + DEFAULT_KEPT_MS if expires_ms is None else expires_ms
        if not now_ms < until_ms <= now_ms + MAX_KEPT_MS:
            raise InvalidInvitation(
                f"invitations cannot expire in the past or more than {MAX_KEPT_MS // DAY_MS} days from now",
                field="expires_ms",
                expected=times_between(now_ms, now_ms + MAX_KEPT_MS),
            )
        invited = [Person()] * people if isinstance(people, int) else list(people)
        check_people(invited)
        made = []
        rows = self._of(organiser)
        self._forget_old(rows, now_ms)
        for number, person in enumerate(invited, 1):
            secret = b32encode(secrets.token_bytes(17)).decode()[:_SECRET_CHARACTERS].lower()
            code = f"{CODE_PREFIX}{organiser}_{secret}"
            digest = digest_of(code)
            name, handle, email = person
            row = Invitation(
                digest[:_ID_CHARACTERS], digest, now_ms, until_ms, number, roster, name, handle, email
            )
            made.append(NewInvitation(row, code))
        values = {one.invitation.id: row_values(one.invitation) for one in made}
        rows.check(organiser, sum(map(rows.size, values.values())))
        self._take(organiser, len(invited))
        for name, row_of_one in values.items():
            rows.add(name, row_of_one)
        return made

    def _forget_old(self, rows: OwnedDocuments, now_ms: int) -> None:
        """Delete invitations that expired long ago."""
        for name, row in rows.all().items():
            if name != _ISSUED and _read(row).expires_ms + FORGOTTEN_MS < now_ms:
                rows.delete(name)

    def find(self, code: str) -> Invitation:
        """Return the usable invitation of a code. Raises :class:`InvalidInvitation`."""
        organiser, text = _organiser(code)
        return self._usable(self._of(organiser).find(digest_of(text)[:_ID_CHARACTERS]), text)

    def sign_up(self, name: str, code: str) -> tuple[Owner, str]:
        """Create an owner, and return it with its token. A code creates only one owner; if the sign-up fails,
        it can be used again.

        Raises :class:`InvalidInvitation`, or the errors of :meth:`~arena.accounts.accounts.Accounts.sign_up`.
        """
        organiser, text = _organiser(code)
        rows, invitation_id = self._of(organiser), digest_of(text)[:_ID_CHARACTERS]

        def claim(row: object) -> dict[str, object]:
            found = self._usable(row, text)
            return row_values(replace(found, used_by=name, claimed_ms=self._store.clock().now_ms))

        claimed = rows.change(invitation_id, claim)
        try:
            made = self._accounts.sign_up(name, {"invited_by": organiser, "invitation": invitation_id})
        except (InvalidName, NameTaken):
            rows.change(
                invitation_id,
                lambda row: _changed(row, used_by="", claimed_ms=0) if row == claimed else row,
            )
            raise
        self._settle(organiser, invitation_id, name)
        return made

    def allow(self, owner: str, most: int) -> None:
        """Set how many invitations an owner can create in total.

        Raises :class:`~arena.accounts.accounts.OwnerNotFound`.
        """
        self._accounts.owner(owner)
        self._store.accounts.change_owner(owner, {"invitations": str(most)})

    def allowance(self, owner: str) -> dict[str, int]:
        """Return how many invitations an owner has created, not counting revoked ones, as ``used``, ``most``
        and ``left``.
        """
        most, used = self._most(owner), int(self._of(owner).find(_ISSUED) or 0)
        return {"used": used, "most": most, "left": max(0, most - used)}

    def list(self, organiser: str, roster: str | None = None) -> list[dict[str, str | int | None]]:
        """Return the invitations of an organiser without their codes: most recent first, and those created
        together in their original order.
        """
        now_ms = self._store.clock().now_ms
        rows = {name: row for name, row in self._of(organiser).all().items() if name != _ISSUED}
        found = [
            shown
            for name, row in rows.items()
            if (shown := shown_or_left_out(f"invitation {name}", partial(_read, row)))
            and roster in (None, shown.roster)
        ]
        found.sort(key=lambda one: (-one.created_ms, one.number))
        return [as_json(one, now_ms) for one in found]

    def revoke(self, organiser: str, invitation: str) -> dict[str, str | int | None]:
        """Revoke an unused invitation; used ones are unchanged. Raises :class:`InvitationNotFound`."""
        now_ms = self._store.clock().now_ms
        missing = InvitationNotFound(
            f"you have no invitation {printable(invitation, 40)!r}", field="invitation"
        )
        if invitation == _ISSUED or self._of(organiser).find(invitation) is None:
            raise missing
        revoked: list[bool] = []

        def act(row: dict[str, object]) -> dict[str, object]:
            found = _read(row)
            is_taken = found.used_ms or (found.used_by and self._is_claimed(found, now_ms))
            revoked[:] = [not is_taken and not found.revoked_ms]
            return row_values(replace(found, revoked_ms=now_ms)) if revoked[0] else row

        after = self._of(organiser).change(invitation, act)
        if revoked[0]:
            self._of(organiser).change(_ISSUED, lambda count: max(0, (count or 0) - 1))
        return as_json(_read(after), now_ms)

    def forget(self, owner: str) -> None:
        """Remove the personal data of a deleted owner: the invitations that it created, including the people
        on its rosters, and the details of the person in the invitation with which it signed up.
        """
        own = self._of(owner)
        for name in own.all():
            own.delete(name)
        fields = self._store.accounts.owner(owner) or {}
        if "invited_by" in fields and "invitation" in fields:

            def act(row: dict[str, object] | None) -> dict[str, object] | None:
                return None if row is None else _changed(row, person="", handle="", email="")

            self._of(fields["invited_by"]).change(fields["invitation"], act)

    def _take(self, organiser: str, count: int) -> None:
        most = self._most(organiser)

        def act(issued: int | None) -> int:
            used = int(issued or 0)
            left = max(0, most - used)
            if count > left:
                raise QuotaExceeded(
                    f"you can create at most {most} invitations; {left} are left, but this needs {count}",
                    field="roster",
                    expected=f"at most {left} invitations, or an admin's permission to create more",
                    extra={"quota": "owner_invitations", "most": most, "used": used, "left": left},
                )
            return used + count

        self._of(organiser).change(_ISSUED, act)

    def _most(self, owner: str) -> int:
        fields = self._store.accounts.owner(owner) or {}
        if "invitations" in fields:
            return int(fields["invitations"])
        if "admin" in fields:
            return MOST_OF_OWNER
        # Otherwise, a few sign-ups could lead to an unlimited number of invitations.
        return 0 if "invited_by" in fields else self._quota

    def _usable(self, row: object, code: str) -> Invitation:
        """Return the invitation stored in a row if it can be used. Raises :class:`InvalidInvitation`."""
        found = None if not isinstance(row, dict) else _read(row)
        if found is None or not is_code(code, found.digest):
            raise _invalid("does not exist")
        now_ms = self._store.clock().now_ms
        state = found.state(now_ms)
        if state == "open" and self._is_suspended(code):
            state = "revoked"
        if state == "open" and found.used_by and self._is_claimed(found, now_ms):
            state = "used"
        if state != "open":
            raise _invalid(
                {"used": "has already been used", "revoked": "was revoked", "expired": "has expired"}[state]
            )
        return found

    def _is_suspended(self, code: str) -> bool:
        """Return whether the organiser named in the code is suspended."""
        return "suspended" in (self._store.accounts.owner(_organiser(code)[0]) or {})

    def _is_claimed(self, found: Invitation, now_ms: int) -> bool:
        """Return whether the sign-up that claimed an invitation is in progress, or created the owner before
        its process died.
        """
        owner = self._store.accounts.owner(found.used_by) or {}
        return owner.get("invitation") == found.id or now_ms < found.claimed_ms + _CLAIM_MS

    def _settle(self, organiser: str, invitation: str, name: str) -> None:
        """Record that the owner exists."""
        now_ms = self._store.clock().now_ms
        self._of(organiser).change(invitation, lambda row: _changed(row, used_by=name, used_ms=now_ms))

    def _of(self, organiser: str) -> OwnedDocuments:
        return self._store.invited_by(organiser)


def as_json(one: Invitation, now_ms: int) -> dict[str, str | int | None]:
    """Return an invitation as shown to its organiser."""
    return {
        "id": one.id,
        "roster": one.roster,
        "number": one.number,
        "name": one.person or None,
        "handle": one.handle or None,
        "email": one.email or None,
        "state": one.state(now_ms),
        "owner": one.used_by if one.used_ms else None,
        "created_ms": one.created_ms,
        "expires_ms": one.expires_ms,
        "used_ms": one.used_ms or None,
    }


def _read(row: dict[str, object]) -> Invitation:
    return read_row(Invitation, row)


def _changed(row: dict[str, object], **fields: Any) -> dict[str, object]:
    return row_values(replace(_read(row), **fields))


def _organiser(code: str) -> tuple[str, str]:
    """Return the organiser named in a code, and the normalized code. Raises :class:`InvalidInvitation`."""
    text = re.sub(r"\s", "", code).lower()
    found = _CODE(text)
    if found is None:
        raise _invalid("is not a valid code")
    return found["by"], text


def _invalid(why: str) -> InvalidInvitation:
    return InvalidInvitation(
        f"the invitation {why}",
        field="invitation",
        expected="a new invitation from the person who invited you",
    )
