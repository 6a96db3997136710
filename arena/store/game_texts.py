"""Notes and logs of bots by game, which expire, and count in the quotas of owners."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from arena.store.connection import Command, RedisConnection, Repository
from arena.store.documents import by_name

_UNLIMITED: Final = 2**50


class GameTexts(Repository):
    """The texts of bots by game. A hash for each bot has the bytes of its texts by game.

    ``left`` returns for how many more bytes of a bot there is room, and ``count`` records by how many bytes
    its texts grew. If there is no room, the oldest texts are deleted.
    """

    def __init__(self, connection: RedisConnection, kind: str) -> None:
        super().__init__(connection)
        self._kind = kind
        self.left: Callable[[str], int] = lambda bot: _UNLIMITED
        self.count: Callable[[str, int], None] = lambda bot, growth: None

    def forget(self, bot: str) -> None:
        """Delete all texts of a bot."""
        rows = self._rows(bot)
        keys = [self._key(bot, game) for game in rows]
        self._connection.run([("DEL", key) for key in (*keys, texts_key(self._kind, bot))])
        if rows:
            self.count(bot, -sum(size for _, size in rows.values()))

    def _store(self, bot: str, calls: Sequence[Command]) -> None:
        """Run scripts that return by how many bytes the texts of the bot grew, and games to be deleted."""
        growth = 0
        for grown, *dropped in self._connection.run(calls):
            growth += grown
            if dropped:
                self._connection.run([("DEL", self._key(bot, game.decode())) for game in dropped])
        if growth:
            self.count(bot, growth)

    def _rows(self, bot: str) -> dict[str, tuple[int, int]]:
        """Return the time of the first text and the bytes of the bot's texts, by game."""
        rows = by_name(self._one("HGETALL", texts_key(self._kind, bot)))
        return {game: (int(row.split()[0]), int(row.split()[1])) for game, row in rows.items()}

    def _keys(self, bot: str, game: str) -> list[str]:
        return [texts_key(self._kind, bot), self._key(bot, game)]

    def _key(self, bot: str, game: str) -> str:
        return f"{{b:{bot}}}:{self._kind}:{game}"


def texts_key(kind: str, bot: str) -> str:
    """Return the key of the hash from games to the time of the first text and the bytes of a bot's texts."""
    return f"{{b:{bot}}}:{kind}"
