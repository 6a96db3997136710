"""Journals of uploaded bots in Redis: logs of what they did in their games, for their owners."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import orjson

from arena.store.connection import Repository
from arena.store.rows import shown_or_left_out

KEPT_SECONDS: Final = 7 * 86_400
"""How long a journal is kept."""

KEPT_GAMES: Final = 500
"""The approximate number of journals kept per bot, for its most recent games."""


class GameJournal(NamedTuple):
    """The journal of one bot in one game, with a JSON-serializable value for each of its seats."""

    bot: str
    game: str
    seats: list[dict[str, Any]]


class JournalStore(Repository):
    """Stores the journals by bot and game."""

    def keep(self, journals: Iterable[GameJournal]) -> None:
        """Store journals. Can be repeated."""
        by_bot: dict[str, list[GameJournal]] = {}
        for journal in journals:
            by_bot.setdefault(journal.bot, []).append(journal)
        for bot, own in by_bot.items():
            commands: list[tuple[Any, ...]] = []
            for journal in own:
                data = gzip.compress(orjson.dumps(journal.seats), 3, mtime=0)
                commands.append(("SET", _key(bot, journal.game), data, "EX", KEPT_SECONDS))
                commands += [("LREM", _list(bot), 0, journal.game), ("LPUSH", _list(bot), journal.game)]
            *_, old = self._connection.run([*commands, ("LRANGE", _list(bot), KEPT_GAMES, -1)])
            commands = [("DEL", _key(bot, game.decode())) for game in old]
            commands.append(("EXPIRE", _list(bot), KEPT_SECONDS))
            self._connection.run([*commands, ("LTRIM", _list(bot), 0, KEPT_GAMES - 1)])

    def find(self, bot: str, game: str) -> list[dict[str, Any]] | None:
        """Return the journal of a bot's seats in a game, or None if it is missing, expired or unreadable."""
        data = self._one("GET", _key(bot, game))
        if data is None:
            return None
        found: list[dict[str, Any]] | None = shown_or_left_out(
            f"log of {bot} for {game}", lambda: orjson.loads(gzip.decompress(data))
        )
        return found

    def games(self, bot: str) -> list[str]:
        """Return the bot's most recent games of which a journal is stored, newest first."""
        games = self._names("LRANGE", _list(bot), 0, KEPT_GAMES - 1)
        there = self._connection.run([("EXISTS", _key(bot, game)) for game in games]) if games else []
        return [game for game, stored in zip(games, there, strict=True) if stored]

    def latest(self, bot: str, limit: int) -> list[GameJournal]:
        """Return the journals of the bot's most recent games, newest first, leaving out those that have
        expired or cannot be read.
        """
        games = self._one("LRANGE", _list(bot), 0, limit - 1)
        found = [(game.decode(), self.find(bot, game.decode())) for game in games]
        return [GameJournal(bot, game, seats) for game, seats in found if seats is not None]

    def forget(self, bot: str) -> None:
        """Delete all journals of a bot."""
        games = self._one("LRANGE", _list(bot), 0, -1)
        self._connection.run([*(("DEL", _key(bot, game.decode())) for game in games), ("DEL", _list(bot))])


def _list(bot: str) -> str:
    return f"{{b:{bot}}}:journals"


def _key(bot: str, game: str) -> str:
    return f"{{b:{bot}}}:journal:{game}"
