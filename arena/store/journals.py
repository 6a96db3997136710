"""Journals of uploaded bots in Redis: logs of what they did in their games, for their owners."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import orjson

from arena.store.connection import RedisConnection, Script
from arena.store.game_texts import GameTexts
from arena.store.rows import shown_or_left_out

LOGS_KEPT_MS: Final = 7 * 86_400_000
"""How long a journal is kept."""

KEPT_GAMES: Final = 500
"""The maximum number of journals kept per bot, for its most recent games."""

LOGS_OF_BOT: Final = 2 << 20
"""The maximum bytes of a bot's journals; those of the oldest games are deleted."""

LOGS: Final = "journal"

ROW_BYTES: Final = 100
"""The approximate number of bytes that a journal takes in the database besides its text."""

_KEEP: Final = Script("journal_keep", "game_texts")
JOURNAL_SCRIPTS: Final = (_KEEP,)
"""The scripts that the connection of a :class:`JournalStore` must load."""


class GameJournal(NamedTuple):
    """The journal of one bot in one game, with a JSON-serializable value for each of its seats."""

    bot: str
    game: str
    seats: list[dict[str, Any]]


class JournalStore(GameTexts):
    """Stores the journals by bot and game."""

    def __init__(self, connection: RedisConnection) -> None:
        super().__init__(connection, LOGS)

    def keep(self, journals: Iterable[GameJournal]) -> None:
        """Store journals. Can be repeated."""
        by_bot: dict[str, list[GameJournal]] = {}
        for journal in journals:
            by_bot.setdefault(journal.bot, []).append(journal)
        for bot, own in by_bot.items():
            for journal in own:
                data = gzip.compress(orjson.dumps(journal.seats), 3, mtime=0)
                limits = (LOGS_KEPT_MS, LOGS_OF_BOT, self.left(bot), KEPT_GAMES, ROW_BYTES)
                self._store(bot, [_KEEP.call(self._keys(bot, journal.game), journal.game, *limits, data)])

    def find(self, bot: str, game: str) -> list[dict[str, Any]] | None:
        """Return the journal of a bot's seats in a game, or None if it is missing, expired or unreadable."""
        data = self._one("GET", self._key(bot, game))
        if data is None:
            return None
        found: list[dict[str, Any]] | None = shown_or_left_out(
            f"log of {bot} for {game}", lambda: orjson.loads(gzip.decompress(data))
        )
        return found

    def games(self, bot: str) -> list[str]:
        """Return the bot's most recent games of which a journal is stored, newest first."""
        rows = self._rows(bot)
        return sorted(rows, key=lambda game: rows[game][0])[::-1]

    def latest(self, bot: str, limit: int) -> list[GameJournal]:
        """Return the journals of the bot's most recent games, newest first, leaving out those that have
        expired or cannot be read.
        """
        found = [(game, self.find(bot, game)) for game in self.games(bot)[:limit]]
        return [GameJournal(bot, game, seats) for game, seats in found if seats is not None]
