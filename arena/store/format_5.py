"""Database access to what format 5 does not count, for the step to format 6."""

from __future__ import annotations

from arena.store.connection import Repository
from arena.store.game_texts import texts_key
from arena.store.journals import LOGS, LOGS_KEPT_MS, ROW_BYTES


class FormerLogs(Repository):
    """The lists of the games of which a bot has logs, newest first, and who has made invitations."""

    def inviting(self) -> list[str]:
        """Return the owners who have made invitations."""
        keys = (key.decode() for key in self._connection.keys("{invited-by:*}"))
        return [key.removeprefix("{invited-by:").removesuffix("}") for key in keys]

    def convert(self, bot: str, now_ms: int) -> None:
        """Replace the list by the hash from games to the times and bytes of logs. Can be repeated."""
        key, rows = f"{{b:{bot}}}:journals", texts_key(LOGS, bot)
        games = [game.decode() for game in self._one("LRANGE", key, 0, -1)]
        if not games:
            return
        logs = [f"{rows}:{game}" for game in games]
        sizes = self._connection.run([("STRLEN", log) for log in logs])
        left = self._connection.run([("PTTL", log) for log in logs])
        for game, size, left_ms in reversed(list(zip(games, sizes, left, strict=True))):
            if size:
                row = f"{now_ms - (LOGS_KEPT_MS - left_ms)} {size + ROW_BYTES}"
                self._connection.run([("HSET", rows, game, row)])
        self._connection.run([("PEXPIRE", rows, LOGS_KEPT_MS), ("DEL", key)])
