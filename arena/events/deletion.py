"""Deletion of a bot and all data stored about it; its row is deleted last."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, ParamSpec

from arena.accounts.accounts import Accounts, Principal
from arena.accounts.rights import check_owns
from arena.accounts.versions import BotAccount
from arena.errors import ArenaError
from arena.events.boards import Boards
from arena.events.qualification import disciplines
from arena.events.service import Tournaments
from arena.events.tournament import OVER
from arena.live.header import Viewer
from arena.live.service import LiveGames
from arena.store.connection import StoreUnavailable
from arena.store.repositories import Store

P = ParamSpec("P")

_EVERYBODY: Final = Viewer(None, None, True)


class BotDeletion:
    """Deletes bots. Every step is safe to repeat: if the process is killed, the next call completes the
    deletion.
    """

    def __init__(
        self, store: Store, accounts: Accounts, tournaments: Tournaments, live: LiveGames, boards: Boards
    ) -> None:
        self._store = store
        self._accounts = accounts
        self._tournaments = tournaments
        self._live = live
        self._boards = boards

    def delete(self, bot: str, by: Principal) -> BotAccount | None:
        """Delete a bot that belongs to ``by``, or any bot if ``by`` is an admin. Deletions by admins are
        audited. A bot that has played a rated group stays listed with its results, permanently withdrawn, and
        is returned.

        Raises :class:`~arena.accounts.accounts.BotNotFound` or :class:`~arena.accounts.accounts.Forbidden`.
        """
        known = self._accounts.bot(bot)
        if not by.admin:
            check_owns(by, known)
        listed = self._boards.has_played(bot)
        if by.name != known.owner:
            self._accounts.audit(by, "withdraw bot" if listed else "delete bot", f"bot {bot}")
        self._erase(known, listed=listed)
        return self._accounts.bot(bot) if listed else None

    def remove(self, bot: str) -> None:
        """Delete a bot and its account, even if it has played rated groups."""
        self._erase(self._accounts.bot(bot), listed=False)

    def _erase(self, bot: BotAccount, *, listed: bool) -> None:
        name = bot.name
        if not bot.deleted:
            self._accounts.change_bot(name, "withdrawn")
            self._accounts.revoke_bot_token(name)
        self._store.presence.end(name)
        self._leave_tournaments(name)
        self._leave_games(name)
        for discipline in disciplines():
            for version in bot.versions:
                self._store.qualifications.delete(discipline.row(name, version.label))
        self._tournaments.journals.forget(name)
        self._live.notes.forget(name)
        self._live.readings.forget(name)
        self._store.webhooks.forget(name)
        if not listed:
            self._store.bot_games.forget(name, self._store.clock().now_ms)
        self._accounts.delete_bot(name, listed=listed)

    def _leave_tournaments(self, bot: str) -> None:
        for tournament in self._tournaments.each(list(self._tournaments.store.active())):
            entry = tournament.find(bot)
            if entry is not None and entry.status != "withdrawn" and tournament.state not in OVER:
                tried(self._tournaments.leave, tournament.id, bot)

    def _leave_games(self, bot: str) -> None:
        for state in ("waiting", "running"):
            cursor = None
            while True:
                page = self._live.list(bot=bot, state=state, cursor=cursor, viewer=_EVERYBODY)
                for game in page.items:
                    if state == "running":
                        tried(self._live.resign, game["game"], bot)
                    else:
                        tried(self._live.cancel, game["game"])
                cursor = page.cursor
                if cursor is None:
                    break


def tried(act: Callable[P, object], *args: P.args, **options: P.kwargs) -> None:
    """Call ``act``, ignoring its errors except an unavailable store: something that is already over need not
    be ended.
    """
    try:
        act(*args, **options)
    except StoreUnavailable:
        raise
    except ArenaError:
        return
