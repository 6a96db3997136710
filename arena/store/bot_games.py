"""What a bot has played in tournaments, in Redis: its most recent tournaments, and the groups that the arena
played, the most recent ones and those of each day. Games played over HTTP are in
:mod:`arena.store.game_index`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from typing import Final, NamedTuple

from arena.store.amounts import DAY_MS
from arena.store.connection import Command, Repository
from arena.store.paging import Cursor, cursors, newest_first, newest_of

KEPT_GROUPS: Final = 100
"""Maximum groups kept per bot, for public and for private tournaments separately."""

KEPT_DAYS: Final = 30
"""How many days before today have lists of a bot's groups."""

KEPT_OF_DAY: Final = 500
"""Maximum groups kept per bot and day, for public and for private tournaments separately."""

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

    @property
    def most_of_day(self) -> int:
        """Maximum groups kept per bot and day, for public and for private tournaments separately."""
        return KEPT_OF_DAY

    def oldest_ms(self, now_ms: int) -> int:
        """Return the beginning of the first day that is kept."""
        return (now_ms // DAY_MS - KEPT_DAYS) * DAY_MS

    def add(self, groups: Iterable[BotGroup], *, private: bool) -> None:
        """Add groups to the lists of their bots; if ``private``, to the lists that only some can read."""
        groups = list(groups)
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
        self.add_to_days(groups, private=private)

    def add_to_days(self, groups: Iterable[BotGroup], *, private: bool) -> None:
        """Add groups to the lists of the days of their bots only. Lists of days that are too long ago expire
        at once.
        """
        days: dict[tuple[str, int], list[tuple[int, str]]] = {}
        for group, at_ms, bots in groups:
            for bot in bots:
                days.setdefault((bot, at_ms // DAY_MS), []).append((at_ms, group))
        commands: list[Command] = []
        for (bot, day), own in days.items():
            key = _day(bot, day, private)
            commands += (
                ("ZADD", key, *chain(*own)),
                ("ZREMRANGEBYRANK", key, 0, -KEPT_OF_DAY - 1),
                ("PEXPIREAT", key, (day + 1 + KEPT_DAYS) * DAY_MS),
            )
        if commands:
            self._connection.run(commands)

    def groups(self, bot: str, *, private: bool, most: int = KEPT_GROUPS) -> list[Cursor]:
        """Return the ids of a bot's ``most`` recent groups, and when they ended, newest first."""
        reply = self._one("ZREVRANGE", _groups(bot, private), 0, most - 1, "WITHSCORES")
        return cursors(reply)

    def groups_of_day(self, bot: str, day: int, *, private: bool) -> list[Cursor]:
        """Return the ids of a bot's groups of a day (since 1970), and when they ended, newest first."""
        return cursors(self._one("ZREVRANGE", _day(bot, day, private), 0, -1, "WITHSCORES"))

    def days(self, bot: str, now_ms: int) -> dict[int, int]:
        """Return the days with public groups of a bot and how many of them are kept, newest first."""
        today = now_ms // DAY_MS
        days = range(today, today - KEPT_DAYS - 1, -1)
        counts = self._connection.run([("ZCARD", _day(bot, day, False)) for day in days])
        return {day: count for day, count in zip(days, counts, strict=True) if count}

    def add_tournament(self, event: str, created_ms: int, bots: Collection[str]) -> None:
        """Add a tournament to the lists of the bots that play in it."""
        commands: list[Command] = [("ZADD", _tournaments(bot), created_ms, event) for bot in bots]
        commands += (("ZREMRANGEBYRANK", _tournaments(bot), 0, -KEPT_TOURNAMENTS - 1) for bot in bots)
        if commands:
            self._connection.run(commands)

    def tournaments(self, bot: str, before: Cursor | None, count: int) -> Sequence[Cursor]:
        """Return up to ``count`` tournaments of a bot that follow ``before``, newest first."""
        return newest_first(self._connection, _tournaments(bot), before, count)

    def tournaments_of(self, bots: Iterable[str], count: int) -> Sequence[Cursor]:
        """Return the newest ``count`` tournaments of several bots together, newest first."""
        return newest_of(self._connection, [_tournaments(bot) for bot in bots], None, count)

    def forget(self, bot: str, now_ms: int) -> None:
        """Delete the lists of a bot."""
        today = now_ms // DAY_MS
        days = [
            _day(bot, day, private)
            for day in range(today - KEPT_DAYS - 1, today + 2)
            for private in (False, True)
        ]
        self._connection.run([("DEL", key) for key in (*group_lists(bot), *days, _tournaments(bot))])


def group_lists(bot: str) -> tuple[str, str]:
    """Return the keys of a bot's lists of groups: of public and of private tournaments."""
    return _groups(bot, False), _groups(bot, True)


def _groups(bot: str, private: bool) -> str:
    return f"{{b:{bot}}}:groups{':private' if private else ''}"


def _day(bot: str, day: int, private: bool) -> str:
    return f"{{b:{bot}}}:day{':private' if private else ''}:{day}"


def _tournaments(bot: str) -> str:
    return f"{{b:{bot}}}:tournaments"


__all__ = [
    "KEPT_DAYS",
    "KEPT_GROUPS",
    "KEPT_OF_DAY",
    "KEPT_TOURNAMENTS",
    "BotGameStore",
    "BotGroup",
    "group_lists",
]
