"""What a bot has played in tournaments, in Redis: its most recent tournaments and its most recent groups that
the arena played. Games played over HTTP are in :mod:`arena.store.game_index`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple

from arena.store.connection import Command, Repository
from arena.store.paging import Cursor, newest_first

KEPT_GROUPS: Final = 100
"""Maximum groups kept per bot, for public and for private tournaments separately."""

KEPT_TOURNAMENTS: Final = 200
"""Maximum tournaments kept per bot."""


class BotGroup(NamedTuple):
    """A finished group, for the lists of its ``bots``. ``row`` is the same each time it is built."""

    bots: tuple[str, ...]
    at_ms: int
    row: bytes


class BotGameStore(Repository):
    """Stores the lists of each bot. Additions can be repeated."""

    @property
    def most_groups(self) -> int:
        """Maximum groups kept per bot, for public and for private tournaments separately."""
        return KEPT_GROUPS

    def add(self, groups: Iterable[BotGroup], *, private: bool) -> None:
        """Add groups to the lists of their bots; if ``private``, to the lists that only some can read."""
        members: dict[str, list[bytes | int]] = {}
        for bots, at_ms, row in groups:
            for bot in bots:
                members.setdefault(_groups(bot, private), []).extend((at_ms, row))
        commands: list[Command] = [("ZADD", key, *own) for key, own in members.items()]
        commands += (("ZREMRANGEBYRANK", key, 0, -KEPT_GROUPS - 1) for key in members)
        if commands:
            self._connection.run(commands)

    def groups(self, bot: str, *, private: bool) -> list[bytes]:
        """Return the rows of a bot's most recent groups, newest first."""
        rows = self._one("ZREVRANGE", _groups(bot, private), 0, -1)
        return list(rows)

    def add_tournament(self, event: str, created_ms: int, bots: Collection[str]) -> None:
        """Add a tournament to the lists of the bots that play in it."""
        commands: list[Command] = [("ZADD", _tournaments(bot), created_ms, event) for bot in bots]
        commands += (("ZREMRANGEBYRANK", _tournaments(bot), 0, -KEPT_TOURNAMENTS - 1) for bot in bots)
        if commands:
            self._connection.run(commands)

    def tournaments(self, bot: str, before: Cursor | None, count: int) -> Sequence[Cursor]:
        """Return up to ``count`` tournaments of a bot that follow ``before``, newest first."""
        return newest_first(self._connection, _tournaments(bot), before, count)

    def forget(self, bot: str) -> None:
        """Delete the lists of a bot."""
        keys = (_groups(bot, False), _groups(bot, True), _tournaments(bot))
        self._connection.run([("DEL", key) for key in keys])


def _groups(bot: str, private: bool) -> str:
    return f"{{b:{bot}}}:groups{':private' if private else ''}"


def _tournaments(bot: str) -> str:
    return f"{{b:{bot}}}:tournaments"


__all__ = ["KEPT_GROUPS", "KEPT_TOURNAMENTS", "BotGameStore", "BotGroup"]
