"""What a bot has played in tournaments, in Redis: its most recent tournaments and its most recent groups that
the arena played. Games played over HTTP are in :mod:`arena.store.game_index`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from typing import Final, NamedTuple

from arena.store.connection import Command, Repository
from arena.store.paging import Cursor, cursors, newest_first

KEPT_GROUPS: Final = 100
"""Maximum groups kept per bot, for public and for private tournaments separately."""

KEPT_TOURNAMENTS: Final = 200
"""Maximum tournaments kept per bot."""

_AT_ONCE: Final = 28
"""Maximum groups added at once: Redis stores a sorted set compactly only if it never had more than 128
members, each of up to 64 bytes.
"""


class BotGroup(NamedTuple):
    """A finished group, for the lists of its ``bots``: its id in records, and when it ended."""

    id: str
    at_ms: int
    bots: frozenset[str]


class BotGameStore(Repository):
    """Stores the lists of each bot. Additions can be repeated."""

    @property
    def most_groups(self) -> int:
        """Maximum groups kept per bot, for public and for private tournaments separately."""
        return KEPT_GROUPS

    def add(self, groups: Iterable[BotGroup], *, private: bool) -> None:
        """Add groups to the lists of their bots; if ``private``, to the lists that only some can read."""
        members: dict[str, list[tuple[int, str]]] = {}
        for group, at_ms, bots in groups:
            for bot in bots:
                members.setdefault(_groups(bot, private), []).append((at_ms, group))
        commands: list[Command] = []
        for key, own in members.items():
            for start in range(0, len(own), _AT_ONCE):
                commands.append(("ZADD", key, *chain(*own[start : start + _AT_ONCE])))
                commands.append(("ZREMRANGEBYRANK", key, 0, -KEPT_GROUPS - 1))
        if commands:
            self._connection.run(commands)

    def groups(self, bot: str, *, private: bool) -> list[Cursor]:
        """Return the ids of a bot's most recent groups, and when they ended, newest first."""
        reply = self._one("ZREVRANGE", _groups(bot, private), 0, -1, "WITHSCORES")
        return cursors(reply)

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
        self._connection.run([("DEL", key) for key in (*group_lists(bot), _tournaments(bot))])


def group_lists(bot: str) -> tuple[str, str]:
    """Return the keys of a bot's lists of groups: of public and of private tournaments."""
    return _groups(bot, False), _groups(bot, True)


def _groups(bot: str, private: bool) -> str:
    return f"{{b:{bot}}}:groups{':private' if private else ''}"


def _tournaments(bot: str) -> str:
    return f"{{b:{bot}}}:tournaments"


__all__ = ["KEPT_GROUPS", "KEPT_TOURNAMENTS", "BotGameStore", "BotGroup", "group_lists"]
