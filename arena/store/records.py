"""Released records: the rows that are waiting for the archive, and the archive locations of the others.

The records of a game, or of a group that the arena played, form a row of that game or tournament; its key is
the id of the game or group. The row holds the gzipped records until the archiver has written them to the
archive, and from then on their location there. The tag ``{live:records}`` has these keys: the lists of
waiting records by number, one for public records and ``:-private``; ``:last``, the last number assigned;
``:segments:<collection>``, the segments of the archive by the offset of their first byte (the numbers of the
first and the newest record, and that offset); ``:archived``, the end offset of each collection; and
``:annulled``, groups whose annulment is not yet in the archive.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from arena.play.game_ids import tournament_of
from arena.store.connection import Command, Repository, Script
from arena.store.documents import by_name
from arena.store.games import record_key
from arena.store.paging import Cursor, cursors

_ARCHIVED: Final = Script("archived")
_PLACE: Final = Script("place")
_PUBLISH: Final = Script("publish")

RECORD_SCRIPTS: Final = (_ARCHIVED, _PLACE, _PUBLISH)
"""The scripts that the connection of a :class:`RecordStore` must load."""

PENDING: Final = "{live:records}"
PENDING_PRIVATE: Final = "{live:records}:-private"
LAST: Final = "{live:records}:last"
ENDS: Final = "{live:records}:archived"
_ANNULLED: Final = "{live:records}:annulled"

_STATUS: Final = "{arena}:archive"
"""A hash with the fields of :class:`ArchiveStatus`."""

ROWS_KEY: Final = "{live:records}:segments:rows"

_GZIPPED: Final = b"\x1f\x8b"


class ArchiveStatus(NamedTuple):
    """The status of the archive: when the archiver's last run ended (0: never), the number of segments and
    bytes at that time, and when a run last failed (0: never) and why.
    """

    at_ms: int
    segments: int
    bytes: int
    failed_ms: int
    failure: str


class SegmentRow(NamedTuple):
    """A segment in the directory: the offset of its first byte in its collection, and the numbers of its
    first and its newest record.
    """

    start: int
    first: int
    newest: int


class Collection(NamedTuple):
    """A collection of the archive: its segments in order, and its end offset."""

    segments: Sequence[SegmentRow]
    end: int


class RecordStore(Repository):
    """Stores the rows and the archive's directory in one Redis or Redis Cluster."""

    # Rows

    def rows(self, keys: Sequence[str]) -> list[bytes | None]:
        """Return the rows by key, with None for those that are missing. Rows of groups of finished
        tournaments can be in chunks; see :meth:`~arena.store.tournaments.TournamentStore.records`.
        """
        return list(self._connection.run([("HGET", *_row(key)) for key in keys])) if keys else []

    @staticmethod
    def is_archived(row: bytes | None) -> bool:
        """Return whether a row holds the archive location of its records."""
        return row is not None and not row.startswith(_GZIPPED)

    def set_places(self, places: Mapping[str, bytes]) -> None:
        """Store archive locations in rows, leaving rows that already have one unchanged."""
        calls = []
        for key, place in places.items():
            row, field = _row(key)
            calls.append(_PLACE.call([row], field, place))
        if calls:
            self._connection.run(calls)

    # Records waiting for the archive

    def publish(self, game: str) -> None:
        """Add the record of a game to the public list, and remove it from the private one."""
        self._connection.run([_PUBLISH.call([PENDING, LAST], game), ("ZREM", PENDING_PRIVATE, game)])

    def publish_private(self, game: str) -> None:
        """Add the record of a game to the list of private records, unless it has become public."""
        self._one(*_PUBLISH.call([PENDING_PRIVATE, LAST, PENDING], game))

    def pending(self, public: bool, after: int, count: int, until: int | None = None) -> list[Cursor]:
        """Return up to ``count`` waiting records numbered above ``after``, up to ``until``, oldest first."""
        highest = "+inf" if until is None else until
        command = ("ZRANGEBYSCORE", _list(public), f"({after}", highest, "WITHSCORES", "LIMIT", 0, count)
        reply = self._one(*command)
        return cursors(reply)

    def forget(self, public: bool, keys: Sequence[str]) -> None:
        """Remove records that are already archived, or no longer exist, from a list."""
        if keys:
            self._one("ZREM", _list(public), *keys)

    def last_number(self) -> int:
        """Return the number of the last released record."""
        return int(self._one("GET", LAST) or 0)

    # The directory of the archive

    def collection(self, name: str) -> Collection:
        """Return a collection of the archive by name."""
        # The end is read first, so that segments written in the meantime are left out.
        stored, rows = self._connection.run([("HGET", ENDS, name), ("ZRANGE", _segments(name), 0, -1)])
        end = int(stored or 0)
        segments = []
        for row in rows:
            first, newest, start = map(int, row.split(b":"))
            if start < end:
                segments.append(SegmentRow(start, first, newest))
        return Collection(segments, end)

    def segments_of(self, places: Sequence[tuple[str, int]]) -> list[int | None]:
        """Return where the segments that contain these offsets begin, with None if there is none."""
        commands: list[Command] = []
        for name, offset in places:
            commands.append(
                ("ZREVRANGEBYSCORE", _segments(name), offset, "-inf", "WITHSCORES", "LIMIT", 0, 1)
            )
            commands.append(("HGET", ENDS, name))
        replies = self._connection.run(commands) if commands else []
        found: list[int | None] = []
        for (_, offset), reply, stored in zip(places, replies[::2], replies[1::2], strict=True):
            end = int(stored or 0)
            # Rows can refer to a segment before the directory does.
            found.append(end if offset >= end else int(float(reply[1])) if reply else None)
        return found

    def add_segment(
        self, name: str, segment: SegmentRow, end: int, keys: Sequence[str], public: bool | None
    ) -> bool:
        """Add a segment that was written at the end of a collection, whose new end is ``end``, and remove the
        records ``keys`` from their list (``public``, or None if they are on none). Returns False if the
        collection ended elsewhere, because another process has already added a segment.
        """
        lists = [] if public is None else [_list(public)]
        numbers = (segment.start, end, segment.first, segment.newest)
        call = _ARCHIVED.call([_segments(name), ENDS, LAST, *lists], name, *numbers, *keys)
        return bool(self._connection.run([call])[0])

    def move_end(self, name: str, end: int) -> None:
        """Move the end of a collection forward, because segments before it have expired."""
        self._one("HSET", ENDS, name, end)

    def replace_segments(
        self, name: str, removed: Iterable[SegmentRow], added: Iterable[SegmentRow] = ()
    ) -> None:
        """Remove segments from the directory, and add others."""
        key = _segments(name)
        commands: list[Command] = [("ZADD", key, one.start, _member(one)) for one in added]
        # Added first, so that merged records are always in at least one segment.
        commands += (("ZREM", key, _member(one)) for one in removed)
        if commands:
            self._connection.run(commands)

    # Annulments that are not yet in the archive

    def note_annulled(self, group: str) -> None:
        """Record that a group was annulled."""
        self._one("SADD", _ANNULLED, group)

    def annulled(self) -> list[str]:
        """Return the groups that were annulled since the last call of :meth:`forget_annulled`."""
        return sorted(self._names("SMEMBERS", _ANNULLED))

    def forget_annulled(self, groups: Sequence[str]) -> None:
        """Forget groups whose annulment is now in the archive."""
        if groups:
            self._one("SREM", _ANNULLED, *groups)

    # The archiver

    def status(self) -> ArchiveStatus:
        """Return the status of the archive."""
        reply = self._one("HGETALL", _STATUS)
        found = by_name(reply)
        at_ms, segments, size, failed_ms = (
            int(found.get(name, 0)) for name in ("at_ms", "segments", "bytes", "failed_ms")
        )
        return ArchiveStatus(at_ms, segments, size, failed_ms, found.get("failure", b"").decode())

    def note(self, **values: Any) -> None:
        """Store some of the values of :class:`ArchiveStatus`."""
        self._connection.run([("HSET", _STATUS, *(part for item in values.items() for part in item))])


def _row(key: str) -> tuple[str, str]:
    """Return the hash and the field of the row with this key."""
    event = tournament_of(key)
    return (record_key(key), "z") if event is None else (f"{{t:{event}}}:records", key[len(event) + 1 :])


def _list(public: bool) -> str:
    return PENDING if public else PENDING_PRIVATE


def _segments(collection: str) -> str:
    return f"{{live:records}}:segments:{collection}"


def _member(segment: SegmentRow) -> str:
    return f"{segment.first}:{segment.newest}:{segment.start}"


__all__ = [
    "RECORD_SCRIPTS",
    "ArchiveStatus",
    "Collection",
    "RecordStore",
    "SegmentRow",
]
