"""The archive: a public and a private collection of records, and rows of the database that belong to them.

A collection is one long file that only grows, cut into segments, each of which has the offset of its first
byte as its name. A segment is written once, and only if there is none of that name: so of several writers
that have read the same end of the collection one goes on, and whoever finds a segment at the end that the
database does not know yet takes it over, with the keys in it, instead of writing another one. Small segments
are joined later: the bytes of a collection stay where they are.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final, NamedTuple

from arena.errors import ArenaError
from arena.records.archive.objects import ArchiveUnavailable, ObjectStore
from arena.records.archive.segments import ArchiveEntry, DamagedArchive

FORMAT: Final = 2
PUBLIC: Final = "public"
"""The collection of the records that anybody may download."""
PRIVATE: Final = "private"
"""The collection of released records of private games, which only those may read who may see the game."""
ROWS: Final = "rows"
"""The collection of what the database has besides records, for databases that are older than the archive: the
last headers of live games, and annulments. It is as secret as the database. A key may come again; the last
one counts.
"""
COLLECTIONS: Final = (PUBLIC, PRIVATE, ROWS)

_ABOUT: Final = "archive.json"
_DIGITS: Final = 15
_END: Final = ".jsonl.gz"


class ArchiveMismatch(ArenaError):
    """The archive belongs to another service, or a newer version wrote it."""

    code = "archive_mismatch"


class ArchivePlace(NamedTuple):
    """Where an entry is: the bytes of a member in its collection."""

    collection: str
    offset: int
    length: int

    @classmethod
    def loads(cls, data: bytes) -> ArchivePlace:
        """Return the inverse of :meth:`dumps`. Raises :class:`ValueError`."""
        collection, offset, length = data.decode().split(":")
        return cls(collection, int(offset), int(length))

    def with_one(self, other: ArchivePlace) -> ArchivePlace:
        """Return the smallest place with both of them, which are in the same collection."""
        start = min(self.offset, other.offset)
        end = max(self.offset + self.length, other.offset + other.length)
        return ArchivePlace(self.collection, start, end - start)

    def dumps(self) -> bytes:
        """Return the place as rows of the database have it."""
        return f"{self.collection}:{self.offset}:{self.length}".encode()


class Segment(NamedTuple):
    """A segment: its collection, the offset of its first byte, and its size."""

    collection: str
    start: int
    size: int

    @property
    def name(self) -> str:
        """The object."""
        return segment_name(self.collection, self.start)

    @property
    def end(self) -> int:
        """The offset after its last byte."""
        return self.start + self.size


class Archive:
    """An archive without the database that knows what is where. For any number of threads.

    Every method may raise :class:`~arena.records.archive.objects.ArchiveUnavailable`.
    """

    def __init__(self, objects: ObjectStore) -> None:
        self.objects = objects

    def claim(self, service: str) -> None:
        """Check that the archive is that of ``service``; a new one becomes it. Raises
        :class:`ArchiveMismatch`.
        """
        if not self.is_of(service):
            self.objects.put(_ABOUT, json.dumps({"format": FORMAT, "service": service}).encode() + b"\n")
            self.is_of(service)

    def is_of(self, service: str) -> bool:
        """Return whether the archive is that of ``service``, and False if there is none yet. Writes nothing.

        Raises :class:`ArchiveMismatch` if it is that of another one.
        """
        owner = self.service()
        if owner not in (None, service):
            raise ArchiveMismatch(
                f"{self.objects.where()} holds the archive of the service {owner}, and this "
                f"database is that of {service}",
                expected="the archive that belongs to the database, or an empty place",
            )
        return owner is not None

    def service(self) -> str | None:
        """Return the id of the service whose archive it is, or None if there is none yet.

        Raises :class:`ArchiveMismatch` for one of a newer format, and
        :class:`~arena.records.archive.segments.DamagedArchive`.
        """
        data = self.objects.get(_ABOUT)
        if data is None:
            return None
        try:
            about = json.loads(data)
            number, service = int(about["format"]), str(about["service"])
        except (ValueError, TypeError, KeyError) as error:
            where = f"{_ABOUT} in {self.objects.where()}"
            raise DamagedArchive(f"{where} cannot be read: {error!r}") from None
        if number > FORMAT:
            raise ArchiveMismatch(
                f"{self.objects.where()} has format {number}",
                expected=f"format {FORMAT}, or a newer version of this program",
            )
        return service

    def read(self, place: ArchivePlace, start: int) -> bytes | None:
        """Return the bytes at a place in the segment that begins at ``start``, or None if it is not there."""
        name = segment_name(place.collection, start)
        data = self.objects.get(name, place.offset - start, place.length)
        return data if data is not None and len(data) == place.length else None

    def add(self, collection: str, start: int, entries: Sequence[ArchiveEntry]) -> bytes | None:
        """Write a segment with ``entries`` at the end of a collection, and return it; None if there is one
        already.
        """
        data = b"".join(entry.dumps() for entry in entries)
        return data if self.objects.put(segment_name(collection, start), data) else None

    def segments(self, collection: str) -> list[Segment]:
        """Return the segments of a collection in their order, without those that were joined to others."""
        return self._listed(collection)[0]

    def joined(self, collection: str) -> list[str]:
        """Return the objects that were joined to others and are still there."""
        return self._listed(collection)[1]

    def _listed(self, collection: str) -> tuple[list[Segment], list[str]]:
        found: list[Segment] = []
        joined: list[str] = []
        for name, size in self.objects.list(collection).items():
            start = int(name.removeprefix(f"{collection}/").removesuffix(_END))
            if found and start < found[-1].end:
                joined.append(name)
            else:
                found.append(Segment(collection, start, size))
        return found, joined

    def copy(self, target: ObjectStore) -> int:
        """Copy what ``target`` lacks of this archive, for a backup or to move it, and return the number of
        segments that were copied. May be repeated. Segments that have expired here stay there.

        Raises :class:`ArchiveMismatch` if there is another archive.
        """
        service = self.service()
        if service is None:
            raise DamagedArchive(f"{self.objects.where()} holds no archive", expected=_ABOUT)
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
                raise ArchiveUnavailable(f"{segment.name} was joined or has expired meanwhile; copy again")
            # What is there is the beginning, unless somebody else wrote it.
            if not data.startswith(target.objects.get(segment.name) or b""):
                end = -1
            if any(segment.end > end for segment in there) or end < 0:
                raise ArchiveMismatch(
                    f"{target.objects.where()} was written to by itself",
                    expected="a copy that no service has used",
                )
            target.objects.replace(segment.name, data)
            count += 1
        for name in target.joined(collection):
            target.objects.delete(name)
        return count


def segment_name(collection: str, start: int) -> str:
    """Return the object of the segment that begins at ``start``."""
    return f"{collection}/{start:0{_DIGITS}d}{_END}"
