"""Lists of games, and the last header and the record of each finished game."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple

from arena.store.connection import Command, RedisConnection, Repository
from arena.store.game_lists import LIST_SCRIPTS, GameLists
from arena.store.games import (
    ALL_GAMES,
    DUE,
    UNFINISHED,
    bot_games_key,
    creator_key,
    events_key,
    game_key,
    kind_key,
    log_key,
    outbox_key,
    public_key,
    record_key,
    state_key,
)
from arena.store.paging import Cursor

INDEX_SCRIPTS: Final = LIST_SCRIPTS
"""The scripts that the connection of a game index must load."""


class GameList(NamedTuple):
    """A list of games: the unfinished ones of a creator if given, else those of a bot, else those in a state
    (only public ones, for the states of unfinished games), else those of a kind, else all.
    """

    bot: str | None = None
    state: str | None = None
    kind: str | None = None
    creator: str | None = None
    public: bool = False


class ListedGame(NamedTuple):
    """A finished game, with the values that determine its lists."""

    game: str
    created_ms: int
    kind: str
    state: str
    bots: Collection[str]


class EndedGame(NamedTuple):
    """A finished game: its header, its version, and its record if it was played to the end."""

    header: bytes
    version: int
    record: bytes | None


class GameIndex(Repository):
    """Stores the lists and the records in one Redis or Redis Cluster."""

    def __init__(self, connection: RedisConnection) -> None:
        super().__init__(connection)
        self._lists = GameLists(connection)

    # Lists

    def page(self, games: GameList, before: Cursor | None, count: int) -> Sequence[Cursor]:
        """Return up to ``count`` games of a list that follow ``before``, newest first."""
        return self._lists.page(_list_key(games), before, count)

    def headers(self, games: Sequence[str]) -> list[bytes | None]:
        """Return the headers of the games, with None for those that are no longer stored."""
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

    def unlist(self, game: str, kind: str, state: str) -> None:
        """Remove a finished game of house bots from all lists."""
        keys = (ALL_GAMES, kind_key(kind), state_key(state))
        self._connection.run([("ZREM", key, game) for key in keys])

    def settle(self, game: str, state: str, created_ms: int, creator: str) -> None:
        """Remove a finished game from the lists of unfinished games, and add it to the list of its state."""
        keys = [*map(state_key, UNFINISHED), *map(public_key, UNFINISHED), creator_key(creator)]
        commands: list[Command] = [("ZREM", key, game) for key in keys]
        self._connection.run([*commands, ("ZADD", state_key(state), created_ms, game)])

    def enlist(self, game: str, kind: str, created_ms: int, bots: Iterable[str]) -> None:
        """Add a game to the lists of all games, of its kind and of its bots."""
        keys = [ALL_GAMES, kind_key(kind), *map(bot_games_key, bots)]
        self._connection.run([("ZADD", key, created_ms, game) for key in keys])

    def note_public(self, state: str, game: str, created_ms: int) -> None:
        """Add an unfinished public game to the list of those in its state."""
        self._one("ZADD", public_key(state), created_ms, game)

    def note_creator(self, game: str, creator: str, created_ms: int) -> None:
        """Add an unfinished game to the list of its creator."""
        self._one("ZADD", creator_key(creator), created_ms, game)

    def is_running(self, game: str) -> bool:
        """Return whether the game is listed as running."""
        score = self._one("ZSCORE", state_key("running"), game)
        return score is not None

    # Finished games

    def ended(self, game: str) -> EndedGame | None:
        """Return the stored header and record of the game."""
        header, version, record = self._one("HMGET", record_key(game), "m", "v", "z")
        return None if header is None else EndedGame(header, int(version or 0), record)

    def keep(
        self,
        game: str,
        version: int,
        record: bytes | None,
        *,
        size: int,
        bots: Iterable[str],
        live_ms: int,
        record_ms: int | None,
        oldest_ms: int,
    ) -> bool:
        """Store the record, unless it is already stored, beside the header that the last step wrote. It is
        kept for ``record_ms`` (None: forever), and the live keys expire after ``live_ms``. Returns whether
        the ``size`` of the game in bytes was not stored before.

        Games created before ``oldest_ms`` are removed from the lists of ``bots``. Can be repeated.
        """
        key = record_key(game)
        commands: list[Command] = [("HSETNX", key, "b", size), ("HSET", key, "v", version)]
        if record is not None:
            commands.append(("HSETNX", key, "z", record))
        commands.append(("PERSIST", key) if record_ms is None else ("PEXPIRE", key, record_ms))
        commands += (("PEXPIRE", name(game), live_ms) for name in (game_key, log_key, events_key, outbox_key))
        if oldest_ms:
            commands += (
                command for bot in bots for command in self._lists.trim(bot_games_key(bot), oldest_ms)
            )
        is_new, *_ = self._connection.run(commands)
        return bool(is_new)

    def replace_header(self, game: str, header: bytes) -> None:
        """Replace the header of a finished game, for which no more steps are possible."""
        self._one("HSET", record_key(game), "m", header)

    def archive(self, games: Sequence[ListedGame]) -> None:
        """Move archived games into the chunks of their lists."""
        members: dict[str, list[Cursor]] = defaultdict(list)
        for game, created_ms, kind, state, bots in games:
            for key in (ALL_GAMES, kind_key(kind), state_key(state), *map(bot_games_key, bots)):
                members[key].append(Cursor(created_ms, game))
        for key, own in members.items():
            self._lists.archive(key, own)

    def close(self, game: str) -> None:
        """Remove the game from the due-list."""
        self._one("ZREM", DUE, game)

    def trim(self, kinds: Collection[str], states: Iterable[str], oldest_ms: int) -> None:
        """Remove games older than ``oldest_ms`` from the lists."""
        lists = [ALL_GAMES, *map(kind_key, kinds), *map(state_key, states)]
        self._connection.run([command for key in lists for command in self._lists.trim(key, oldest_ms)])


def _list_key(games: GameList) -> str:
    if games.creator is not None:
        return creator_key(games.creator)
    if games.bot is not None:
        return bot_games_key(games.bot)
    if games.state is not None:
        only_public = games.public and games.state in UNFINISHED
        return public_key(games.state) if only_public else state_key(games.state)
    return ALL_GAMES if games.kind is None else kind_key(games.kind)


__all__ = ["INDEX_SCRIPTS", "EndedGame", "GameIndex", "GameList", "ListedGame"]
