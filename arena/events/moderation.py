"""Hiding texts that owners wrote."""

from __future__ import annotations

from arena.accounts.accounts import Accounts
from arena.accounts.names import Of, Text
from arena.accounts.shown import HiddenText, ShownTexts
from arena.errors import ArenaError
from arena.events.service import Tournaments


class NoSuchText(ArenaError):
    """Owners have a name and no description."""

    code = "text_not_found"


class Moderation:
    """Hides texts of owners, bots and tournaments, and shows them again."""

    def __init__(self, accounts: Accounts, tournaments: Tournaments, shown: ShownTexts) -> None:
        self._accounts = accounts
        self._tournaments = tournaments
        self._shown = shown

    def hide(self, of: Of, id: str, text: Text, *, by: str, reason: str) -> HiddenText:
        """Replace a name by another text, or a description by nothing. Hiding it again changes the reason.

        Raises :class:`NoSuchText`, :class:`~arena.accounts.accounts.OwnerNotFound`,
        :class:`~arena.accounts.accounts.BotNotFound` or :class:`~arena.events.tournament.TournamentNotFound`.
        """
        if of == "owner":
            if text == "description":
                raise NoSuchText("owners have no description", field="text", expected="name")
            self._accounts.owner(id)
        elif of == "bot":
            self._accounts.bot(id)
        else:
            self._tournaments.view(id)
        hidden = self._shown.hide(of, id, text, by=by, reason=reason)
        if of == "bot" and text == "description":
            self._accounts.hide_description(id, True)
        return hidden

    def show(self, of: Of, id: str, text: Text) -> None:
        """Show a text again. Raises :class:`~arena.accounts.shown.TextNotHidden`."""
        if of == "bot" and text == "description":
            self._accounts.hide_description(id, False)
        self._shown.show(of, id, text)
