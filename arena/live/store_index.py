"""Lists of games, and what stays of a game that is over: its last sheet and its record."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from arena.live.store import DUE, bot_games_key, events_key, game_key, log_key, outbox_key, record_key
from arena.live.store_wire import Command, Script, Wire

ALL_GAMES: Final = "live:games"

_PUBLISH: Final = Script("publish")

INDEX_SCRIPTS: Final = (_PUBLISH,)
"""The scripts that the wire of a game index has to know."""


class Place(NamedTuple):
    """Where a list stands: a score, and the game there."""

    score: int
    game: str


class Ended(NamedTuple):
    """What is kept of a game: its sheet, its version, and its record if it was played to the end."""

    sheet: bytes
    version: int
    record: bytes | None


class GameIndex:
    """The lists and the records in one Redis or Redis Cluster."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    # Lists

    def page(self, key: str, before: Place | None, count: int) -> list[Place]:
        """Up to ``count`` places of a list, the newest first, or those that come after ``before``."""
        highest = "+inf" if before is None else before.score
        found: list[Place] = []
        offset = 0
        while True:
            (reply,) = self._wire.run(
                [("ZREVRANGEBYSCORE", key, highest, "-inf", "WITHSCORES", "LIMIT", offset, count)]
            )
            places = [Place(int(reply[i + 1]), reply[i].decode()) for i in range(0, len(reply), 2)]
            found += (place for place in places if before is None or place < before)
            if len(places) < count or len(found) >= count:
                return found[:count]
            offset += count

    def sheets(self, games: Sequence[str]) -> list[bytes | None]:
        """The sheets of the games, None for one of which nothing is left."""
        commands: list[Command] = []
        for game in games:
            commands += (("HGET", game_key(game), "m"), ("HGET", record_key(game), "m"))
        replies = self._wire.run(commands) if commands else []
        return [replies[i] or replies[i + 1] for i in range(0, len(replies), 2)]

    def forget(self, key: str, games: Iterable[str]) -> None:
        """Take games of which nothing is left off a list."""
        commands: list[Command] = [("ZREM", key, game) for game in games]
        if commands:
            self._wire.run(commands)

    def move(self, game: str, key: str, score: int, others: Iterable[str]) -> None:
        """Put a game on a list, and take it off others."""
        commands: list[Command] = [("ZREM", other, game) for other in others]
        self._wire.run([*commands, ("ZADD", key, score, game)])

    def holds(self, key: str, game: str) -> bool:
        """Whether the game is on the list."""
        (score,) = self._wire.run([("ZSCORE", key, game)])
        return score is not None

    # Games that are over

    def ended(self, game: str) -> Ended | None:
        """What is kept of the game."""
        ((sheet, version, record),) = self._wire.run([("HMGET", record_key(game), "m", "v", "z")])
        return None if sheet is None else Ended(sheet, int(version or 0), record)

    def keep(
        self,
        game: str,
        ended: Ended,
        *,
        bots: Iterable[str],
        live_ms: int,
        record_ms: int | None,
        oldest_ms: int,
    ) -> None:
        """Keep the record, for ``record_ms`` (None: for good); the live keys go after ``live_ms``.

        Games that were made before ``oldest_ms`` leave the lists of ``bots``. May be done again.
        """
        key = record_key(game)
        fields: list[str | bytes | int] = ["m", ended.sheet, "v", ended.version]
        if ended.record is not None:
            fields += ("z", ended.record)
        commands: list[Command] = [("HSET", key, *fields)]
        commands.append(("PERSIST", key) if record_ms is None else ("PEXPIRE", key, record_ms))
        commands += (("PEXPIRE", name(game), live_ms) for name in (game_key, log_key, events_key, outbox_key))
        commands += (("ZREMRANGEBYSCORE", bot_games_key(bot), "-inf", oldest_ms) for bot in bots)
        self._wire.run(commands)

    def packed_record(self, event: str, group: str, number: int) -> bytes | None:
        """Record ``number`` (from 0) of a tournament's group that was played in one go; None if it is not
        there.
        """
        (pack,) = self._wire.run([_record_at(pack_member(event, group))])
        lines = [] if pack is None else gzip.decompress(pack).split(b"\n")
        return lines[number] if number < len(lines) else None

    def replace_record(self, game: str, record: bytes) -> None:
        """Put another record in the place of a kept one; what is hashed of it must be the same."""
        self._wire.run([("HSET", record_key(game), "z", record)])

    def publish(self, game: str, kind: str) -> None:
        """Put the record on the lists of released records."""
        self._wire.run([_PUBLISH.call([_RECORDS, records_key(kind), RECORDS_LAST], game)])

    def settled(self, game: str) -> None:
        """Nobody has to look at the game any more."""
        self._wire.run([("ZREM", DUE, game)])

    def records(self, kind: str | None, after: int, count: int) -> list[tuple[Place, bytes | None]]:
        """Released records after a place, oldest first: gzipped, None for one that was removed; a pack
        holds several, one per line, and has the place of the last.
        """
        (reply,) = self._wire.run(
            [
                (
                    "ZRANGEBYSCORE",
                    records_key(kind),
                    f"({after}",
                    "+inf",
                    "WITHSCORES",
                    "LIMIT",
                    0,
                    count,
                )
            ]
        )
        places = [Place(int(reply[i + 1]), reply[i].decode()) for i in range(0, len(reply), 2)]
        if not places:
            return []
        texts = self._wire.run([_record_at(place.game) for place in places])
        return list(zip(places, texts, strict=True))

    def trim(self, keys: Iterable[str], kinds: Iterable[str], oldest_ms: int) -> None:
        """Take what is older than ``oldest_ms`` off the lists of games and of records."""
        commands: list[Command] = [("ZREMRANGEBYSCORE", key, "-inf", oldest_ms) for key in keys]
        commands += (
            ("ZREMRANGEBYSCORE", records_key(kind), "-inf", oldest_ms * 1000) for kind in (None, *kinds)
        )
        self._wire.run(commands)


_RECORDS: Final = "{live:records}"
RECORDS_LAST: Final = "{live:records}:last"


def records_key(kind: str | None) -> str:
    """The sorted set of the released records, all or of a kind."""
    return _RECORDS if kind is None else f"{_RECORDS}:{kind}"


def pack_member(event: str, group: str) -> str:
    """A group of a tournament on the list of released records: all its records stand at one place."""
    return f"@{event}/{group}"


def _record_at(member: str) -> Command:
    """The command that fetches what a member of the list of released records stands for, gzipped: the
    record of a game, or the pack of records of a group (see :mod:`arena.live.store_tournaments`).
    """
    if not member.startswith("@"):
        return ("HGET", record_key(member), "z")
    event, _, group = member[1:].partition("/")
    return ("HGET", f"{{t:{event}}}:packs", group)


def kind_key(kind: str) -> str:
    """The sorted set of all games of a kind."""
    return f"live:games:kind:{kind}"


def state_key(state: str) -> str:
    """The sorted set of all games in a state."""
    return f"live:games:state:{state}"


__all__ = [
    "ALL_GAMES",
    "INDEX_SCRIPTS",
    "RECORDS_LAST",
    "Ended",
    "GameIndex",
    "Place",
    "kind_key",
    "pack_member",
    "records_key",
    "state_key",
]
