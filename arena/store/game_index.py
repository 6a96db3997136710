"""Lists of games, and the last header and the record of each game that is over."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple

from arena.store.connection import Command, RedisConnection, Script
from arena.store.game_lists import LIST_SCRIPTS, GameLists
from arena.store.games import (
    ALL_GAMES,
    DUE,
    bot_games_key,
    events_key,
    game_key,
    kind_key,
    log_key,
    outbox_key,
    record_key,
    state_key,
)
from arena.store.paging import Cursor, cursors

_PUBLISH: Final = Script("publish")
_REPLACE: Final = Script("replace_record")

INDEX_SCRIPTS: Final = (_PUBLISH, _REPLACE, *LIST_SCRIPTS)
"""The scripts that the connection of a game index must load."""


class GameList(NamedTuple):
    """A list of games: those of a bot, else those in a state, else those of a kind, else all."""

    bot: str | None = None
    state: str | None = None
    kind: str | None = None


class ListedGame(NamedTuple):
    """A game that is over and what its lists follow from."""

    game: str
    created_ms: int
    kind: str
    state: str
    bots: Collection[str]


class EndedGame(NamedTuple):
    """A game that is over: its header, its version, and its record if it was played to the end."""

    header: bytes
    version: int
    record: bytes | None


class GameIndex:
    """The lists and the records in one Redis or Redis Cluster."""

    def __init__(self, connection: RedisConnection) -> None:
        self._connection = connection
        self._lists = GameLists(connection)

    # Lists

    def page(self, games: GameList, before: Cursor | None, count: int) -> Sequence[Cursor]:
        """Return up to ``count`` games of a list after ``before``, newest first."""
        return self._lists.page(_list_key(games), before, count)

    def headers(self, games: Sequence[str]) -> list[bytes | None]:
        """Return the headers of the games, with None for one that is no longer stored."""
        commands: list[Command] = []
        for game in games:
            commands += (("HGET", game_key(game), "m"), ("HGET", record_key(game), "m"))
        replies = self._connection.run(commands) if commands else []
        return [replies[i] or replies[i + 1] for i in range(0, len(replies), 2)]

    def forget(self, listed: GameList, games: Iterable[str]) -> None:
        """Remove games from a list."""
        commands: list[Command] = [("ZREM", _list_key(listed), game) for game in games]
        if commands:
            self._connection.run(commands)

    def settle(self, game: str, state: str, created_ms: int) -> None:
        """Keep a finished game only on the list of its state."""
        commands: list[Command] = [("ZREM", state_key(other), game) for other in ("waiting", "running")]
        self._connection.run([*commands, ("ZADD", state_key(state), created_ms, game)])

    def enlist(self, game: str, kind: str, created_ms: int, bots: Iterable[str]) -> None:
        """Add a game to the lists of all games, of its kind and of its bots."""
        keys = [ALL_GAMES, kind_key(kind), *map(bot_games_key, bots)]
        self._connection.run([("ZADD", key, created_ms, game) for key in keys])

    def is_running(self, game: str) -> bool:
        """Return whether the game is listed as running."""
        (score,) = self._connection.run([("ZSCORE", state_key("running"), game)])
        return score is not None

    # Games that are over

    def ended(self, game: str) -> EndedGame | None:
        """Return the stored header and record of the game."""
        ((header, version, record),) = self._connection.run([("HMGET", record_key(game), "m", "v", "z")])
        return None if header is None else EndedGame(header, int(version or 0), record)

    def keep(
        self,
        game: str,
        version: int,
        record: bytes | None,
        *,
        bots: Iterable[str],
        live_ms: int,
        record_ms: int | None,
        oldest_ms: int,
    ) -> None:
        """Store the record, unless it is there, beside the header that the last step wrote, for ``record_ms``
        (None: forever); the live keys expire after ``live_ms``.

        Games created before ``oldest_ms`` leave the lists of ``bots``. May be repeated.
        """
        key = record_key(game)
        commands: list[Command] = [("HSET", key, "v", version)]
        if record is not None:
            commands.append(("HSETNX", key, "z", record))
        commands.append(("PERSIST", key) if record_ms is None else ("PEXPIRE", key, record_ms))
        commands += (("PEXPIRE", name(game), live_ms) for name in (game_key, log_key, events_key, outbox_key))
        if oldest_ms:
            commands += (
                command for bot in bots for command in self._lists.trim(bot_games_key(bot), oldest_ms)
            )
        self._connection.run(commands)

    def replace_header(self, game: str, header: bytes) -> None:
        """Replace the header of a game that is over and of which no step can be taken any more."""
        self._connection.run([("HSET", record_key(game), "m", header)])

    def archive(self, games: Sequence[ListedGame]) -> None:
        """Move archived games into the chunks of their lists."""
        members: dict[str, list[Cursor]] = defaultdict(list)
        for game, created_ms, kind, state, bots in games:
            for key in (ALL_GAMES, kind_key(kind), state_key(state), *map(bot_games_key, bots)):
                members[key].append(Cursor(created_ms, game))
        for key, own in members.items():
            self._lists.archive(key, own)

    def replace_record(self, game: str, record: bytes) -> None:
        """Replace a record that is still stored by one with the same hash."""
        self._connection.run([_REPLACE.call([record_key(game)], record)])

    def publish(self, game: str, kind: str) -> None:
        """Add the record to the lists of released records, and take it off that of private ones."""
        added = _PUBLISH.call([_RECORDS, records_key(kind), RECORDS_LAST], game)
        self._connection.run([added, ("ZREM", PRIVATE_RECORDS, game)])

    def close(self, game: str) -> None:
        """Remove the game from the due-list."""
        self._connection.run([("ZREM", DUE, game)])

    def publish_private(self, game: str) -> None:
        """Add the record to the list of those that only some may read, which wait for the archive; not one
        that everybody may read meanwhile.
        """
        keys = [PRIVATE_RECORDS, PRIVATE_RECORDS, RECORDS_LAST, _RECORDS]
        self._connection.run([_PUBLISH.call(keys, game)])

    def released(self, kind: str | None, after: int, count: int) -> list[Cursor]:
        """Return up to ``count`` members of the list of released records after number ``after``, oldest
        first.
        """
        command = ("ZRANGEBYSCORE", records_key(kind), f"({after}", "+inf", "WITHSCORES", "LIMIT", 0, count)
        (reply,) = self._connection.run([command])
        return cursors(reply)

    def released_records(self, members: Sequence[Cursor]) -> list[bytes | None]:
        """Return the gzipped records of members of that list, with None for a removed one. A pack holds
        several records, one per line, and has the number of the last.
        """
        return list(self._connection.run([_record_at(name) for _, name in members])) if members else []

    def trim(self, kinds: Collection[str], states: Iterable[str], oldest_ms: int) -> None:
        """Remove games and records older than ``oldest_ms`` from the lists."""
        lists = [ALL_GAMES, *map(kind_key, kinds), *map(state_key, states)]
        commands: list[Command] = [command for key in lists for command in self._lists.trim(key, oldest_ms)]
        commands += (
            ("ZREMRANGEBYSCORE", key, "-inf", oldest_ms * 1000)
            for key in (PRIVATE_RECORDS, *map(records_key, (None, *kinds)))
        )
        self._connection.run(commands)


def _list_key(games: GameList) -> str:
    if games.bot is not None:
        return bot_games_key(games.bot)
    if games.state is not None:
        return state_key(games.state)
    return ALL_GAMES if games.kind is None else kind_key(games.kind)


_RECORDS: Final = "{live:records}"
PRIVATE_RECORDS: Final = "{live:records}:-private"
"""The sorted set of the released records of private games. No kind of game has such a name."""
RECORDS_LAST: Final = "{live:records}:last"


def records_key(kind: str | None) -> str:
    """Return the sorted set of the released records, all or of a kind."""
    return _RECORDS if kind is None else f"{_RECORDS}:{kind}"


def pack_member(event: str, group: str) -> str:
    """Return a group of a tournament as a member of the list of released records: all its records have one
    place.
    """
    return f"@{event}/{group}"


def _record_at(member: str) -> Command:
    """The command that fetches a member of the list of released records, gzipped: the record of a game, or
    the pack of records of a group (see :mod:`arena.store.tournaments`).
    """
    place = place_in_pack(member)
    if place is None:
        return ("HGET", record_key(member), "z")
    return ("HGET", f"{{t:{place[0]}}}:packs", place[1])


def place_in_pack(member: str) -> tuple[str, str] | None:
    """Invert :func:`pack_member`, with None for a game."""
    if not member.startswith("@"):
        return None
    event, _, group = member[1:].partition("/")
    return event, group


__all__ = ["INDEX_SCRIPTS", "EndedGame", "GameIndex", "GameList", "ListedGame"]
