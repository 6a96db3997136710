"""Suspended bots, which are not seated until an admin has reviewed them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Final

from arena.accounts.accounts import (
    Accounts,
    BotNotFound,
    BotWithdrawn,
    Owner,
    OwnerNotFound,
    OwnerSuspended,
    OwnerSuspension,
)
from arena.accounts.versions import OF_OWNER, BotAccount, Suspension, pack_suspension
from arena.errors import ArenaError
from arena.store.accounts import AccountStore
from arena.text import printable

OWNER_SUSPENDED: Final = "its creator was suspended"
"""The reason given when a game is cancelled."""

log = logging.getLogger(__name__)


class BotSuspended(ArenaError):
    """The bot is suspended."""

    code = "bot_suspended"


class SuspensionNotFound(ArenaError):
    """The bot is not suspended."""

    code = "suspension_not_found"


def check_plays(bot: BotAccount, field: str | None = None) -> None:
    """Check that a bot can be seated in new games. ``field`` is the request field to report in the error.

    Raises :class:`BotSuspended`, :class:`~arena.accounts.accounts.OwnerSuspended` or
    :class:`~arena.accounts.accounts.BotWithdrawn`.
    """
    if bot.suspended is not None and bot.owner_suspended:
        raise OwnerSuspended(
            f"the owner of {bot.name} is suspended: {bot.suspended.reason}",
            field=field,
            expected="a bot of an owner that is not suspended",
        )
    if bot.suspended is not None:
        raise BotSuspended(
            f"{bot.name} is suspended: {bot.suspended.reason}",
            field=field,
            expected="a bot that is not suspended; only an admin can lift the suspension",
        )
    if bot.state == "withdrawn":
        raise BotWithdrawn(f"{bot.name} is withdrawn from new games", field=field, expected="an active bot")


class Suspensions:
    """Suspends the bots of ``accounts`` and lifts suspensions. ``end_games(owner, why)`` ends the games that
    only concern the owner.
    """

    def __init__(
        self, store: AccountStore, accounts: Accounts, end_games: Callable[[str, str], None]
    ) -> None:
        self._store = store
        self._accounts = accounts
        self._end_games = end_games

    def suspend(self, bot: str, suspension: Suspension) -> None:
        """Suspend a bot. An earlier suspension is kept, and a deleted bot is ignored."""
        try:
            if self._accounts.bot(bot).suspended is not None:
                return
        except BotNotFound:
            return
        self._store.note_suspended(bot)
        self._store.change_bot(bot, {"suspended": pack_suspension(suspension)})
        fields = {"bot": bot, "tournament": suspension.tournament, "group": suspension.group}
        log.warning("suspended bot %s: %s", bot, printable(suspension.reason, 200), extra=fields)

    def lift(self, bot: str) -> BotAccount:
        """Lift the suspension of a bot.

        Raises :class:`~arena.accounts.accounts.BotNotFound` or :class:`SuspensionNotFound`.
        """
        known = self._accounts.bot(bot)
        if known.suspended is None or known.owner_suspended:
            raise SuspensionNotFound(f"{bot} is not suspended", field="bot", expected="a suspended bot")
        self._store.change_bot(bot, {}, remove=("suspended",))
        log.info("lifted the suspension of bot %s", bot, extra={"bot": bot})
        return self._accounts.bot(bot)

    def suspend_owner(self, owner: str, reason: str, by: str, at_ms: int) -> Owner:
        """Suspend an owner and all its bots, and end the games that the owner created and in which nobody
        else's bots sit. If the owner is already suspended, this changes the reason, and completes what was
        interrupted.

        Raises :class:`~arena.accounts.accounts.OwnerNotFound`.
        """
        self._accounts.set_suspended(owner, OwnerSuspension(reason, by, at_ms))
        fields = {"owner": owner, "by": by}
        log.warning("suspended owner %s by order of %s: %s", owner, by, printable(reason, 200), extra=fields)
        for bot in self._bots_of(owner):
            self._store.note_suspended(bot)
            self._store.change_bot(bot, {OF_OWNER: pack_suspension(Suspension(reason, at_ms, "", ""))})
        self._end_games(owner, OWNER_SUSPENDED)
        return self._accounts.owner(owner)

    def lift_of_owner(self, owner: str) -> Owner:
        """Lift the suspension of an owner, and the resulting suspensions of its bots.

        Raises :class:`~arena.accounts.accounts.OwnerNotFound` or :class:`SuspensionNotFound`.
        """
        if self._accounts.owner(owner).suspended is None:
            raise SuspensionNotFound(f"{owner} is not suspended", field="owner", expected="a suspended owner")
        for bot in self._bots_of(owner):
            self._store.change_bot(bot, {}, remove=(OF_OWNER,))
        self._accounts.set_suspended(owner, None)
        log.info("lifted the suspension of owner %s", owner, extra={"owner": owner})
        return self._accounts.owner(owner)

    def owners(self) -> list[Owner]:
        """Return the suspended owners, ordered by name."""
        found = []
        for name in self._store.suspended_owners():
            with suppress(OwnerNotFound):
                found.append(self._accounts.owner(name))
        return [owner for owner in found if owner.suspended is not None]

    def _bots_of(self, owner: str) -> list[str]:
        names = self._store.bot_names(owner, "", -1)
        return [bot.name for bot in self._accounts.listed(names) if bot.owner == owner]

    def bots(self) -> list[BotAccount]:
        """Return the suspended bots, ordered by name, without their versions."""
        return [bot for bot in self._accounts.listed(self._store.suspended_names()) if bot.suspended]

    def among(self, names: Collection[str]) -> frozenset[str]:
        """Return those of the named bots that are suspended."""
        return frozenset(bot.name for bot in self._accounts.listed(sorted(names)) if bot.suspended)
