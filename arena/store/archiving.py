"""What the database knows of the archive, and the records that wait for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import orjson

from arena.store.connection import Command, RedisConnection, Script
from arena.store.documents import by_name
from arena.store.game_index import PRIVATE_RECORDS, RECORDS_LAST, place_in_pack, records_key
from arena.store.games import record_key
from arena.store.paging import Cursor, cursors
from arena.store.tournaments import event_key, is_active

_REMOVE_SAME: Final = Script("remove_same")

ARCHIVING_SCRIPTS: Final = (_REMOVE_SAME,)
"""The scripts that the connection of archiving must load."""

ARCHIVE_KEY: Final = "{arena}:archive"
"""A hash: ``changes`` counts the changes of the archive; the rest is an :class:`ArchiveStatus`."""

_REQUESTED: Final = "{arena}:archive:requested"
"""A hash: changes that are requested in archived records, by group. The archiver makes them."""


class StoredRecord(NamedTuple):
    """A released record in the database: that of a game, with its header and version, or the pack of the
    records of a group of a tournament; gzipped. ``number``: its place in its list.
    """

    member: str
    number: int
    record: bytes | None
    header: bytes | None
    version: bytes | None


class ArchiveRun(NamedTuple):
    """What a run of the archiver found: ``at_ms``, when it was; ``waiting``, the due records that it left in
    the database until there are more, and the release of the oldest of them (``oldest_ms``, 0 for none);
    ``segments`` and ``bytes`` of the archive.
    """

    at_ms: int
    waiting: int
    oldest_ms: int
    segments: int
    bytes: int


class ArchiveStatus(NamedTuple):
    """How the archive is: the records in the database, due or not; the last run that ended (None: there was
    none), and the last one that failed: when (0: none did), and why.
    """

    stored: int
    run: ArchiveRun | None
    failed_ms: int
    failure: str


class Archiving:
    """The archive's state and the lists of released records."""

    def __init__(self, connection: RedisConnection) -> None:
        self._connection = connection

    def status(self) -> ArchiveStatus:
        """How the archive is."""
        (failed_ms, failure, *run), public, private = self._connection.run(
            [
                ("HMGET", ARCHIVE_KEY, "failed_ms", "failure", *ArchiveRun._fields),
                ("ZCARD", records_key(None)),
                ("ZCARD", PRIVATE_RECORDS),
            ]
        )
        last = None if run[0] is None else ArchiveRun(*(int(value or 0) for value in run))
        return ArchiveStatus(int(public) + int(private), last, int(failed_ms or 0), (failure or b"").decode())

    def changes(self) -> int:
        """Return a number that differs after each change of the archive, or 0 if the service has no
        archive.
        """
        (reply,) = self._connection.run([("HGET", ARCHIVE_KEY, "changes")])
        return int(reply or 0)

    def note_change(self) -> None:
        """Make all processes reread the archive's manifest before they report something as missing."""
        self._connection.run([("HINCRBY", ARCHIVE_KEY, "changes", 1)])

    def last_number(self) -> int:
        """Return the number of the record that was released last."""
        (reply,) = self._connection.run([("GET", RECORDS_LAST)])
        return int(reply or 0)

    def renew(self, now_ms: int) -> None:
        """Make all processes reread the manifest, even if they knew a newer database."""
        self._connection.run([("HSET", ARCHIVE_KEY, "changes", now_ms)])

    def note_run(self, run: ArchiveRun) -> None:
        """Record a run that ended."""
        values = [part for item in run._asdict().items() for part in item]
        self._connection.run([("HSET", ARCHIVE_KEY, *values)])

    def note_failure(self, now_ms: int, reason: str) -> None:
        """Record a run that failed."""
        self._connection.run([("HSET", ARCHIVE_KEY, "failed_ms", now_ms, "failure", reason)])

    def request_change(self, group: str, info: Mapping[str, object]) -> None:
        """Request a change of values in the part ``info`` of the archived records of a group."""
        self._connection.run([("HSET", _REQUESTED, group, orjson.dumps(info))])

    def requested(self) -> dict[str, dict[str, object]]:
        """Return the requested changes by group."""
        (reply,) = self._connection.run([("HGETALL", _REQUESTED)])
        return {group: orjson.loads(data) for group, data in by_name(reply).items()}

    def settle_change(self, group: str, info: Mapping[str, object]) -> None:
        """Remove a requested change that was made, unless another one was requested meanwhile."""
        self._connection.run([_REMOVE_SAME.call([_REQUESTED], group, orjson.dumps(info))])

    def released(self, public: bool, after: Cursor | None, until: int, count: int) -> Sequence[Cursor]:
        """Return up to ``count`` released records with numbers up to ``until``, after ``after``, oldest
        first.
        """
        key = records_key(None) if public else PRIVATE_RECORDS
        lowest = "-inf" if after is None else f"({after.score}"
        (reply,) = self._connection.run(
            [("ZRANGEBYSCORE", key, lowest, until, "WITHSCORES", "LIMIT", 0, count)]
        )
        return cursors(reply)

    def being_played(self, tournaments: Sequence[str]) -> set[str]:
        """Return those of the tournaments that are not over."""
        replies = self._connection.run([is_active(name) for name in tournaments]) if tournaments else []
        return {name for name, score in zip(tournaments, replies, strict=True) if score is not None}

    def load(self, members: Sequence[Cursor]) -> list[StoredRecord]:
        """Return the records of members of a list."""
        commands: list[Command] = []
        for _, member in members:
            place = place_in_pack(member)
            if place is None:
                commands.append(("HMGET", record_key(member), "z", "m", "v"))
            else:
                commands.append(("HMGET", f"{event_key(place[0])}:packs", place[1], "", ""))
        replies = self._connection.run(commands) if commands else []
        return [
            StoredRecord(member, number, *reply)
            for (number, member), reply in zip(members, replies, strict=True)
        ]

    def remove(self, records: Sequence[StoredRecord]) -> list[StoredRecord]:
        """Remove archived records that are unchanged, and return those that are not. A removed record stays
        on its list until :meth:`unlist`.

        A record stays on its list until :meth:`unlist`.
        """
        commands: list[Command] = []
        for stored in records:
            place = place_in_pack(stored.member)
            fields: list[Any]
            if place is None:
                key = record_key(stored.member)
                fields = ["z", stored.record, "m", stored.header, "v", stored.version]
            else:
                key, fields = f"{event_key(place[0])}:packs", [place[1], stored.record]
            pairs = zip(fields[::2], fields[1::2], strict=True)
            present = [part for name, value in pairs if value is not None for part in (name, value)]
            commands.append(_REMOVE_SAME.call([key], *present))
        replies = self._connection.run(commands) if commands else []
        return [stored for stored, removed in zip(records, replies, strict=True) if removed != 1]

    def unlist(self, public: bool, kinds: Iterable[str], members: Sequence[str]) -> None:
        """Remove members from the lists of released records."""
        keys = [records_key(None), *map(records_key, kinds)] if public else [PRIVATE_RECORDS]
        if members:
            self._connection.run([("ZREM", key, *members) for key in keys])


__all__ = ["ARCHIVING_SCRIPTS", "ArchiveRun", "ArchiveStatus", "Archiving", "StoredRecord"]
