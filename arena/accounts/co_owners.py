"""Co-owners: owners who share a bot with its owner."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import Final, TypedDict

from arena.accounts.accounts import Accounts, BotNotFound, Principal
from arena.accounts.allowances import QuotaExceeded
from arena.accounts.rights import check_owner
from arena.errors import ArenaError
from arena.store.accounts import AccountStore, Sharing
from arena.store.rows import reading, shown_or_left_out
from arena.text import printable

MOST_OF_BOT: Final = 8
"""The maximum number of co-owners of a bot, including pending invitations."""


class NotCoOwner(ArenaError):
    """The owner is not a co-owner of the bot and has no pending invitation."""

    code = "not_co_owner"


class BotOwners(TypedDict):
    """The owner of a bot, its co-owners, and the owners with pending invitations."""

    owner: str
    co_owners: Sequence[str]
    invited: Sequence[str]


class CoOwners:
    """Invitations to share a bot. An owner becomes a co-owner only by accepting an invitation.

    For methods without a principal, callers must check permissions. A bot counts towards the quotas of all
    its owners. Methods raise :class:`~arena.errors.ArenaError` with the codes ``bot_not_found``,
    ``owner_not_found``, ``not_co_owner``, ``quota_exceeded`` and ``forbidden``.
    """

    def __init__(self, store: AccountStore, accounts: Accounts) -> None:
        self._store = store
        self._accounts = accounts

    def invited(self, bot: str) -> tuple[str, ...]:
        """Return the owners with pending invitations to share a bot, in the order of the invitations."""
        fields = self._store.bot(self._accounts.bot(bot).name) or {}
        with reading(f"bot {bot}"):
            return Sharing.of(fields).invited

    def of(self, bot: str) -> BotOwners:
        """Return the owner and the co-owners of a bot, and the owners with pending invitations."""
        known = self._accounts.bot(bot)
        return {"owner": known.owner, "co_owners": known.co_owners, "invited": self.invited(bot)}

    def add(self, who: Principal, bot: str, owner: str) -> None:
        """Invite an owner to share a bot of ``who``, or, if ``owner`` is ``who``, accept the invitation."""
        if who.scope == "owner" and who.name == owner:
            if self.accept(bot, owner):
                self._accounts.audit(who, "accept bot", f"bot {bot}")
            return
        check_owner(self._accounts, who, bot)
        if self.invite(bot, owner):
            self._accounts.audit(who, "invite co-owner", f"bot {bot}", owner)

    def invitations(self, owner: str) -> list[str]:
        """Return the names of the bots that an owner has been invited to share, in order."""
        names = self._store.invited_to(owner)
        rows = zip(names, self._store.bots(names), strict=True)
        found = [
            (name, shown_or_left_out(f"bot {name}", partial(Sharing.of, fields or {})))
            for name, fields in rows
        ]
        return [name for name, sharing in found if sharing is not None and owner in sharing.invited]

    def shared(self, owner: str) -> list[str]:
        """Return the names of the bots that an owner co-owns, in order."""
        names = self._store.bot_names(owner, "", -1)
        return [bot.name for bot in self._accounts.listed(names) if owner in bot.co_owners]

    def check(self, bot: str, owner: str) -> None:
        """Check that an owner co-owns a bot or has been invited to. Raises :class:`NotCoOwner`."""
        known = self._accounts.bot(bot)
        if owner in known.co_owners or owner in self.invited(bot):
            return
        what = f"not a co-owner of {bot} and has no pending invitation"
        if owner == known.owner:
            what = f"the owner of {bot}, not a co-owner"
        raise NotCoOwner(
            f"{printable(owner, 40)!r} is {what}",
            field="owner",
            expected="a co-owner or an invited owner",
        )

    def invite(self, bot: str, owner: str) -> bool:
        """Invite an owner to share a bot. Returns False if nothing changed. Can be repeated."""
        known = self._accounts.bot(bot)
        self._accounts.check_exists(owner, "owner")
        invited = self.invited(bot)
        if owner in known.owners or owner in invited:
            return False
        self._accounts.check_invitable(owner, "owner")
        used = len(known.co_owners) + len(invited)
        if used >= MOST_OF_BOT:
            raise QuotaExceeded(
                f"a bot can have at most {MOST_OF_BOT} co-owners, including pending invitations",
                field="owner",
                expected="to remove a co-owner or an invitation first",
                extra={"quota": "co_owners", "most": MOST_OF_BOT, "used": used, "left": 0},
            )
        self._store.invite_owner(bot, owner, _now_ms())
        return True

    def accept(self, bot: str, owner: str) -> bool:
        """Make an invited owner a co-owner. Returns False if nothing changed. Can be repeated."""
        self.check(bot, owner)
        known = self._accounts.bot(bot)
        if owner in known.co_owners:
            return False
        if not known.version:
            # Until it has a version, only its owner's quotas and lists include the bot.
            raise BotNotFound(
                f"{bot} has no version yet",
                field="bot",
                expected="to try again when its first upload has been checked",
            )
        (stored,) = self._store.stored_by([bot])
        self._accounts.quotas.take_room(owner, stored)
        if not self._store.add_co_owner(bot, owner, _now_ms()):
            # The invitation was withdrawn, or the same request was served in the meantime.
            self._accounts.quotas.leave_room(owner, stored)
            try:
                self.check(bot, owner)
            except NotCoOwner:
                self._store.remove_co_owner(bot, owner)
                raise
            return False
        self._store.note_state_change()
        return True

    def remove(self, who: Principal, bot: str, owner: str) -> None:
        """Remove a co-owner, or withdraw an invitation. ``who`` must be the bot's owner, the co-owner or
        invited owner concerned, or an admin.
        """
        known = self._accounts.bot(bot)
        if not who.admin and not (who.scope == "owner" and who.name in (owner, known.owner)):
            check_owner(self._accounts, who, bot)
        self.check(bot, owner)
        self._accounts.audit(who, "remove co-owner", f"bot {bot}", owner)
        shares = owner in known.co_owners
        self._store.remove_co_owner(bot, owner)
        if shares:
            self._store.note_state_change()
            (stored,) = self._store.stored_by([bot])
            self._accounts.quotas.leave_room(owner, stored)

    def forget(self, owner: str) -> None:
        """Remove an owner from all bots that it co-owns or has been invited to share. Can be repeated."""
        for bot in {*self.shared(owner), *self._store.invited_to(owner)}:
            self._store.remove_co_owner(bot, owner)
        self._store.note_state_change()


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
