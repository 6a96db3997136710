"""The archive: a public and a private collection of records, and the database rows that belong to them.

A collection is one long, append-only file. It is split into segments, each named after the offset of its
first byte. A segment is written once, and only if none with that name exists. So if several writers have read
the same end of the collection, only one succeeds. If a process finds a segment at the end that is unknown to
the database, it adopts the segment, using the keys in it, instead of writing another one. Small segments are
joined later, without moving the bytes within the collection.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from arena.errors import ArenaError
from arena.inputs.reading import json_value
from arena.records.archive.objects import ArchiveUnavailable, ObjectStore
from arena.records.archive.segments import ArchiveEntry, DamagedArchive
from arena.text import printable

FORMAT: Final = 2
PUBLIC: Final = "public"
"""The collection of records that anyone can download."""
PRIVATE: Final = "private"
"""The collection of released records of private games, which only people who can see the game can read."""
ROWS: Final = "rows"
"""The collection of other data in the database (the last headers of live games, and annulments), for
restoring a database that is older than the archive. It is as secret as the database. A key can occur several
times; the last occurrence counts.
"""
COLLECTIONS: Final = (PUBLIC, PRIVATE, ROWS)

_ABOUT: Final = "archive.json"
_MOST_ABOUT: Final = 1 << 16
_DIGITS: Final = 15
_END: Final = ".jsonl.gz"


class ArchiveMismatch(ArenaError):
    """The archive belongs to another service, or was written by a newer version."""

    code = "archive_mismatch"


class ArchivePlace(NamedTuple):
    """The location of an entry: the bytes of a member in its collection."""

    collection: str
    offset: int
    length: int

    @classmethod
    def loads(cls, data: bytes) -> ArchivePlace:
        """Parse the stored form of a place. Raises :class:`ValueError`."""
        collection, offset, length = data.decode().split(":")
        return cls(collection, int(offset), int(length))

    def with_one(self, other: ArchivePlace) -> ArchivePlace:
        """Return the smallest place that contains both; they must be in the same collection."""
        start = min(self.offset, other.offset)
        end = max(self.offset + self.length, other.offset + other.length)
        return ArchivePlace(self.collection, start, end - start)

    def dumps(self) -> bytes:
        """Return the form that is stored in database rows."""
        return f"{self.collection}:{self.offset}:{self.length}".encode()


class Segment(NamedTuple):
    """A segment: its collection, the offset of its first byte, and its size."""

    collection: str
    start: int
    size: int

    @property
    def name(self) -> str:
        """The name of the segment's object."""
        return segment_name(self.collection, self.start)

    @property
    def end(self) -> int:
        """The offset after the segment's last byte."""
        return self.start + self.size


class Archive:
    """An archive opened without the database that indexes its contents. It can be used by any number of
    threads.

    Every method can raise :class:`~arena.records.archive.objects.ArchiveUnavailable`.
    """

    def __init__(self, objects: ObjectStore) -> None:
        self.objects = objects

    def claim(self, service: str) -> None:
        """Check that the archive belongs to ``service``; a new archive is assigned to it. Raises
        :class:`ArchiveMismatch`.
        """
        if not self.is_of(service):
            self.objects.put(_ABOUT, json.dumps({"format": FORMAT, "service": service}).encode() + b"\n")
            self.is_of(service)

    def is_of(self, service: str) -> bool:
        """Return whether the archive belongs to ``service``, or False if there is none yet. Writes nothing.

        Raises :class:`ArchiveMismatch` if it belongs to another service.
        """
        owner = self.service()
        if owner not in (None, service):
            raise ArchiveMismatch(
                f"{self.objects.where()} holds the archive of the service {owner}, but this "
                f"database belongs to {service}",
                expected="the archive of this database, or an empty location",
            )
        return owner is not None

    def service(self) -> str | None:
        """Return the id of the service to which the archive belongs, or None if there is none yet.

        Raises :class:`ArchiveMismatch` if it has a newer format, and
        :class:`~arena.records.archive.segments.DamagedArchive` if it cannot be read.
        """
        data = self.objects.get(_ABOUT, 0, _MOST_ABOUT)
        if data is None:
            return None
        where = f"{_ABOUT} in {self.objects.where()}"

        def refuse(message: str, field: str, expected: str) -> DamagedArchive:
            return DamagedArchive(f"{where} cannot be read: {message}", expected=expected)

        about = json_value(data, "its text", "format", refuse)
        number, service = (about.get("format"), about.get("service")) if isinstance(about, dict) else (0, 0)
        if type(number) is not int or not isinstance(service, str):
            raise refuse("a value is missing", "format", "a number as format and a text as service")
        if number > FORMAT:
            raise ArchiveMismatch(
                f"{self.objects.where()} has format {number}",
                expected=f"format {FORMAT}, or a newer version of this program",
            )
        return service

    def read(self, place: ArchivePlace, start: int) -> bytes | None:
        """Return the bytes at a place in the segment that begins at ``start``, or None if missing."""
        name = segment_name(place.collection, start)
        data = self.objects.get(name, place.offset - start, place.length)
        return data if data is not None and len(data) == place.length else None

    def add(self, collection: str, start: int, entries: Sequence[ArchiveEntry]) -> bytes | None:
        """Write a segment with ``entries`` at the end of a collection, and return its data, or None if the
        segment already exists.
        """
        data = b"".join(entry.dumps() for entry in entries)
        return data if self.objects.put(segment_name(collection, start), data) else None

    def segments(self, collection: str) -> list[Segment]:
        """Return the segments of a collection in order, leaving out those that were joined to others."""
        return self._listed(collection)[0]

    def joined(self, collection: str) -> list[str]:
        """Return the names of objects that were joined to others but still exist."""
        return self._listed(collection)[1]

    def _listed(self, collection: str) -> tuple[list[Segment], list[str]]:
        found: list[Segment] = []
        joined: list[str] = []
        for name, size in self.objects.list(collection).items():
            start = _start_of(name)
            if found and start < found[-1].end:
                joined.append(name)
            else:
                found.append(Segment(collection, start, size))
        return found, joined

    def copy(self, target: ObjectStore) -> int:
        """Copy everything that ``target`` lacks from this archive, as a backup or to move it, and return the
        number of segments copied. Can be repeated. Expired segments of this archive are kept in ``target``.

        Raises :class:`ArchiveMismatch` if ``target`` contains another archive.
        """
        service = self.service()
        if service is None:
            raise DamagedArchive(f"{self.objects.where()} does not contain an archive", expected=_ABOUT)
        copied = Archive(target)
        copied.claim(service)
        return sum(self._copy(collection, copied) for collection in COLLECTIONS)

    def _copy(self, collection: str, target: Archive) -> int:
        own, there = self.segments(collection), set(target.segments(collection))
        end = max((segment.end for segment in own), default=0)
        count = 0
        for segment in own:
            if segment in there:
                continue
            data = self.objects.get(segment.name)
            if data is None or len(data) < segment.size:
                raise ArchiveUnavailable(f"{segment.name} was joined or expired during the copy; try again")
            # The target's segment must be a prefix of this one, unless another process wrote it.
            if not data.startswith(target.objects.get(segment.name) or b""):
                end = -1
            if any(segment.end > end for segment in there) or end < 0:
                raise ArchiveMismatch(
                    f"{target.objects.where()} was changed by something other than copying",
                    expected="a copy that no service has written to",
                )
            target.objects.replace(segment.name, data)
            count += 1
        for name in target.joined(collection):
            target.objects.delete(name)
        return count


def _start_of(name: str) -> int:
    """Return the offset at which a segment begins. Raises
    :class:`~arena.records.archive.segments.DamagedArchive`.
    """
    digits = name.rpartition("/")[2].removesuffix(_END)
    if not re.fullmatch(rf"[0-9]{{{_DIGITS},{_DIGITS + 4}}}", digits):
        raise DamagedArchive(
            f"{printable(name, 80)} is not a segment of an archive", expected="only files that an archive has"
        )
    return int(digits)


def segment_name(collection: str, start: int) -> str:
    """Return the name of the segment that begins at ``start``."""
    return f"{collection}/{start:0{_DIGITS}d}{_END}"
