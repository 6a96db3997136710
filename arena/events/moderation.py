"""Replacements for texts that an admin has hidden and for the names of deleted accounts.

Records keep the names of bots in the hashed part, so that they remain verifiable. Everything else that the
service shows goes through :class:`Moderation`.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, TypeVar

from arena.accounts.accounts import Accounts
from arena.accounts.versions import BotAccount
from arena.errors import ArenaError
from arena.events.tournament import TournamentNotFound, check_tournament_id
from arena.inputs.names import TEXTS, Of, Text
from arena.live.header import Viewer
from arena.store.repositories import Store
from arena.store.rows import read_row, row_values

DELETED: Final = "deleted-"
"""The prefix of the names shown for deleted accounts; the rest is random."""

HIDDEN: Final = "hidden-"

REMEMBERED_SECONDS: Final = 5.0
"""How long a process caches the list of hidden texts."""

_ID_BYTES: Final = 4

_OF_BOTS: Final = frozenset(
    {
        *("bot", "bots", "opponent", "worst", "holders", "players", "invited", "forfeits", "house"),
        *("baseline", "winners"),
    }
)
"""Fields that contain the name of a bot or a list of bot names."""

_OF_OWNERS: Final = frozenset({"owner", "co_owners", "created_by", "by", "organisers", "invited_owners"})

_BY_BOT: Final = frozenset({"score"})
"""Fields that contain an object keyed by bot name."""

T = TypeVar("T")


class NoSuchText(ArenaError):
    """The text does not exist: owners have a name but no description."""

    code = "text_not_found"


class TextNotHidden(ArenaError):
    """The text is not hidden."""

    code = "text_not_hidden"


@dataclass(frozen=True)
class HiddenText:
    """A hidden text. ``shown``: the text that is shown instead. ``at_ms``: when it was hidden (Unix time in
    milliseconds). ``by``: the admin who hid it; empty for the name of a deleted account.
    """

    of: str
    id: str
    text: str
    shown: str
    at_ms: int
    by: str = ""
    reason: str = ""
    format: int = 1
    unknown: dict[str, Any] = field(default_factory=dict)


class Moderation:
    """The hidden texts of one service."""

    def __init__(self, store: Store, accounts: Accounts) -> None:
        self._rows = store.moderation
        self._tournaments = store.tournaments
        self._accounts = accounts
        self._until = 0.0
        self._texts: dict[tuple[str, str, str], HiddenText] = {}
        self._replacements: dict[tuple[str, str], str] = {}

    @property
    def mark(self) -> str:
        """A value that changes whenever the hidden texts do, and is empty while there are none. It is part of
        the versions of published documents.
        """
        texts = self._current()
        return f"-{len(texts)}-{max(text.at_ms for text in texts.values())}" if texts else ""

    def name(self, of: Of, name: str) -> str:
        """Return the displayed name of an owner or a bot."""
        hidden = self._current().get((of, name, "name"))
        return name if hidden is None else hidden.shown

    def is_replacement(self, of: Of, name: str) -> bool:
        """Return whether the displayed name of an owner or a bot replaces a hidden name, or that of a deleted
        account.
        """
        self._current()
        return (of, name) in self._replacements

    def real_name(self, of: Of, shown: str) -> str:
        """Return the name of an owner or a bot from its displayed name."""
        self._current()
        return self._replacements.get((of, shown), shown)

    def account(self, bot: BotAccount, viewer: Viewer) -> BotAccount:
        """Return a bot as the viewer sees it. Its owners and admins see the real names, which they need to
        change it, and so does the bot itself.
        """
        if viewer.admin or viewer.owner in bot.owners or viewer.bot == bot.name or not self._current():
            return bot
        co_owners = tuple(self.name("owner", owner) for owner in bot.co_owners)
        return replace(
            bot, name=self.name("bot", bot.name), owner=self.name("owner", bot.owner), co_owners=co_owners
        )

    def all(self) -> list[HiddenText]:
        """Return the texts that admins have hidden, by kind and id."""
        found = self._current()
        return [found[name] for name in sorted(found) if found[name].by]

    def hide(self, of: Of, id: str, text: Text, *, by: str, reason: str) -> HiddenText:
        """Hide a name behind a random one, or a description altogether. Hiding the text again changes the
        reason.

        Raises :class:`NoSuchText`, :class:`~arena.accounts.accounts.OwnerNotFound`,
        :class:`~arena.accounts.accounts.BotNotFound` or :class:`~arena.events.tournament.TournamentNotFound`.
        """
        self._check_exists(of, id, text)
        known = self._current().get((of, id, text))
        shown = "" if text == "description" else HIDDEN + secrets.token_hex(_ID_BYTES)
        hidden = HiddenText(of, id, text, shown if known is None else known.shown, _now(), by, reason)
        self._put(hidden)
        if of == "bot" and text == "description":
            self._accounts.hide_description(id, True)
        return hidden

    def show(self, of: Of, id: str, text: Text) -> None:
        """Show a text again. Raises :class:`TextNotHidden`."""
        if of == "bot" and text == "description":
            self._accounts.hide_description(id, False)
        known = self._current().get((of, id, text))
        if known is None or not known.by:
            raise TextNotHidden(f"the {text} of {of} {id} is not hidden", field="id")
        self._rows.delete(_field(of, id, text))
        self.forget()

    def delete_name(self, of: Of, name: str) -> str:
        """Return the name to be shown from now on for an account that is being deleted. Safe to repeat."""
        known = self._current().get((of, name, "name"))
        if known is None or known.by:
            shown = DELETED + secrets.token_hex(_ID_BYTES)
            self._put(HiddenText(of, name, "name", shown, _now()))
        return self.name(of, name)

    def forget(self) -> None:
        """Discard the cached texts, so that the next use reads them from the database."""
        self._until = 0.0

    def apply(self, value: T, /) -> T:
        """Return a JSON-ready value with hidden texts replaced."""
        return self._replaced(value) if self._current() else value

    def apply_to_record(self, record: T) -> T:
        """Return a copy of a record with the displayed names, for pages. The copy cannot be verified."""
        if not self._current():
            return record
        assert isinstance(record, Mapping)
        canonical = record["canonical"]
        players = [{**one, "name": self.name("bot", one["name"])} for one in canonical["players"]]
        return {**record, "canonical": {**canonical, "players": players}}  # type: ignore[return-value]

    def _check_exists(self, of: Of, id: str, text: Text) -> None:
        if of == "owner":
            if text == "description":
                raise NoSuchText("owners have no description", field="text", expected="name")
            self._accounts.owner(id)
        elif of == "bot":
            self._accounts.bot(id)
        elif self._tournaments.load([check_tournament_id(id)]) == [None]:
            raise TournamentNotFound(f"there is no tournament {id!r}", field="tournament")

    def _replaced(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._replaced(one) for one in value]
        if isinstance(value, Mapping):
            return self._replaced_object(value)
        return value

    def _replaced_object(self, value: Mapping[str, object]) -> dict[str, object]:
        found: dict[str, object] = {}
        for key, item in value.items():
            if key in _OF_BOTS:
                found[key] = self._names("bot", item)
            elif key in _OF_OWNERS:
                found[key] = self._names("owner", item)
            elif key in _BY_BOT and isinstance(item, Mapping):
                found[key] = {self.name("bot", name): one for name, one in item.items()}
            else:
                found[key] = self._replaced(item)
        name = value.get("name")
        if isinstance(name, str):
            if isinstance(value.get("version"), str):
                found["name"] = self.name("bot", name)
            elif "format" in value and isinstance(id := value.get("id"), str):
                found.update(self._texts_of_tournament(id))
        return found

    def _texts_of_tournament(self, id: str) -> dict[str, str]:
        found = ((text, self._texts.get(("tournament", id, text))) for text in TEXTS)
        return {text: hidden.shown for text, hidden in found if hidden is not None}

    def _names(self, of: Of, item: object) -> object:
        if isinstance(item, str):
            return self.name(of, item)
        if isinstance(item, list):
            return [self.name(of, one) if isinstance(one, str) else self._replaced(one) for one in item]
        return self._replaced(item)

    def _put(self, hidden: HiddenText) -> None:
        self._rows.change(_field(hidden.of, hidden.id, hidden.text), lambda row: row_values(hidden))
        self.forget()

    def _current(self) -> dict[tuple[str, str, str], HiddenText]:
        if time.monotonic() >= self._until:
            texts = self._rows.all(partial(read_row, HiddenText)).values()
            self._texts = {(one.of, one.id, one.text): one for one in texts}
            self._replacements = {(one.of, one.shown): one.id for one in texts if one.text == "name"}
            self._until = time.monotonic() + REMEMBERED_SECONDS
        return self._texts


def _field(of: str, id: str, text: str) -> str:
    return f"{of}/{id}/{text}"


def _now() -> int:
    return time.time_ns() // 1_000_000
