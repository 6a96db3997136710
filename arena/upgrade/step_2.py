"""Format 2: the archive is the only home of released records, stored as joined gzip members with keys.

In format 1, the archive consisted of segments, each with an index, and a manifest that got a new generation
with every change. The records of a group that was not archived were stored as a pack in the database. Nothing
of an archived live game was left in the database.
"""

from __future__ import annotations

import gzip
import json
import logging
from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush, merge
from typing import Any, Final, NamedTuple

from arena.errors import ArenaError
from arena.games import GAMES
from arena.play.game_ids import tournament_of
from arena.records.archive.archive import (
    PRIVATE,
    PUBLIC,
    ROWS,
    Archive,
    ArchiveMismatch,
    ArchivePlace,
    segment_name,
)
from arena.records.archive.objects import ObjectStore
from arena.records.archive.segments import ArchiveEntry, DamagedArchive, members
from arena.records.record import dumps
from arena.store.records import RecordStore, SegmentRow
from arena.store.repositories import Store

log = logging.getLogger(__name__)

_AT_ONCE: Final = 500
_MANIFESTS: Final = "manifest"
_SEGMENTS: Final = "segments"
_HEADER: Final = b'"header":'
_KEPT: Final = "segments/conflicts-"
"""The prefix of records that came after another record of the same game; they are never read."""


class ArchiveNeeded(ArenaError):
    """The data cannot be upgraded without their archive."""

    code = "archive_needed"


class _Segment(NamedTuple):
    name: str
    collection: str
    first: int


class FormerArchive:
    """A read-only view of a format 1 archive."""

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects
        self._head: dict[str, Any] = {}
        self._segments: list[_Segment] = []
        self._changes: dict[str, dict[str, object]] = {}
        names = list(objects.list(_MANIFESTS))
        if names:
            self._head, *rows = map(json.loads, self._get(names[-1]).splitlines())
            count = self._head["segments"]
            self._segments = [_Segment(row["name"], row["collection"], row["first"]) for row in rows[:count]]
            for change in rows[count:]:
                self._changes.setdefault(change["group"], {}).update(change["info"])

    @property
    def service(self) -> str | None:
        """The id of the service to which the archive belongs, or None if there is no archive."""
        return self._head.get("service")

    @property
    def annulled(self) -> dict[str, str]:
        """The reasons of annulments, by group."""
        return {group: str(own["annulled"]) for group, own in self._changes.items() if own.get("annulled")}

    def entries(self, collection: str) -> Iterator[ArchiveEntry]:
        """Yield the entries of a collection, ordered by number, with all changes applied."""
        waiting: list[tuple[int, int, ArchiveEntry | None, Iterator[ArchiveEntry]]] = []
        for place, segment in enumerate(self._segments):
            if segment.collection == collection:
                heappush(waiting, (segment.first, place, None, self._of(segment)))
        while waiting:
            _, place, entry, others = heappop(waiting)
            if entry is not None:
                yield self._current(entry) if collection != "games" else entry
            following = next(others, None)
            if following is not None:
                heappush(waiting, (following.number, place, following, others))

    def keys(self, collection: str) -> set[str]:
        """Return the keys of a collection."""
        found: set[str] = set()
        for segment in self._segments:
            if segment.collection == collection:
                found.update(self._index(segment)["keys"])
        return found

    def delete(self) -> None:
        """Delete the archive, beginning with the manifests that indicate that it exists."""
        for name in (*self._objects.list(_MANIFESTS), *self._objects.list(_SEGMENTS)):
            if not name.startswith(_KEPT):
                self._objects.delete(name)

    def _of(self, segment: _Segment) -> Iterator[ArchiveEntry]:
        index = self._index(segment)
        lines = iter(gzip.decompress(self._get(f"{_SEGMENTS}/{segment.name}.jsonl.gz")).split(b"\n"))
        columns = (index[name] for name in ("keys", "numbers", "kinds", "lines"))
        for key, number, kind, count in zip(*columns, strict=True):
            yield ArchiveEntry(key, number, kind, [next(lines) for _ in range(count)])

    def _index(self, segment: _Segment) -> dict[str, list[Any]]:
        found: dict[str, list[Any]] = json.loads(
            gzip.decompress(self._get(f"{_SEGMENTS}/{segment.name}.index.gz"))
        )
        return found

    def _current(self, entry: ArchiveEntry) -> ArchiveEntry:
        if not self._changes:
            return entry
        lines = []
        for line in entry.lines:
            record = json.loads(line)
            group = record["canonical"]["group"]
            info = None if group is None else self._changes.get(group["id"])
            if info is not None:
                record["info"].update(info)
            lines.append(line if info is None else dumps(record).encode())
        return entry._replace(lines=lines)

    def _get(self, name: str) -> bytes:
        data = self._objects.get(name)
        if data is None:
            raise DamagedArchive(f"{name} in {self._objects.where()} is missing")
        return data


def upgrade(store: Store, objects: ObjectStore | None) -> None:
    """Rewrite the archive in format 2, and store the location of records in rows."""
    former = None if objects is None else FormerArchive(objects)
    has_archive = former is not None and former.service is not None
    if store.former_records.has_archive() and not has_archive and not _is_written(store, objects):
        raise ArchiveNeeded(
            "the archive of the service is needed to upgrade its data",
            field="BOTEQUIM_ARCHIVE",
            expected="the folder that the service used, or BOTEQUIM_ARCHIVE_URL",
        )
    if former is not None and former.service not in (None, store.former_records.service()):
        raise ArchiveMismatch(
            f"the archive belongs to the service {former.service}, but this database belongs to "
            f"{store.former_records.service()}",
            expected="the archive that belongs to the database",
        )
    store.former_records.rename()
    if objects is not None and former is not None and has_archive:
        _Conversion(store, objects, former).run()
    store.former_records.chunk()
    store.former_records.finish(GAMES)
    if former is not None:
        former.delete()


def _is_written(store: Store, objects: ObjectStore | None) -> bool:
    """Return whether an earlier attempt has already rewritten the archive."""
    return objects is not None and Archive(objects).is_of(store.former_records.service())


class _Conversion:
    def __init__(self, store: Store, objects: ObjectStore, former: FormerArchive) -> None:
        self._store = store
        self._objects = objects
        self._former = former
        self._archive = Archive(objects)

    def run(self) -> None:
        """Write all collections, continuing after the entries that an interrupted attempt has written."""
        # Waiting records are also in order of their numbers, before anything released later.
        self._write(PUBLIC, merge(self._former.entries(PUBLIC), self._waiting(), key=_number))
        self._write(PRIVATE, self._former.entries(PRIVATE))
        for name in self._objects.list(ROWS):
            self._objects.delete(name)
        self._store.former_records.forget_rows()
        self._write(ROWS, self._rows())
        self._archive.claim(self._store.former_records.service())

    def _waiting(self) -> Iterator[ArchiveEntry]:
        """Yield the public records that are not yet archived."""
        archived = self._former.keys(PUBLIC)
        after = 0
        while found := self._store.records.pending(True, after, _AT_ONCE):
            after = found[-1].score
            keys = [name for _, name in found]
            for (number, key), row in zip(found, self._store.records.rows(keys), strict=True):
                if key not in archived and row is not None and not RecordStore.is_archived(row):
                    lines = gzip.decompress(row).split(b"\n")
                    yield ArchiveEntry(key, number, json.loads(lines[0])["canonical"]["kind"], lines)

    def _rows(self) -> Iterator[ArchiveEntry]:
        for entry in self._former.entries("games"):
            (line,) = entry.lines
            header = line[line.index(_HEADER) + len(_HEADER) : -1]
            self._store.former_records.put_game(entry.key, json.loads(line)["version"], header)
            yield entry
        for group, reason in self._former.annulled.items():
            event = tournament_of(group) or ""
            at_ms = self._store.clock().now_ms
            annulment = {"group": group[len(event) + 1 :], "reason": reason, "by": "upgrade", "at_ms": at_ms}
            # The database already has the annulment if it has the tournament.
            if self._store.annulments.find(group) is None:
                self._store.annulments.add(group, annulment)
        for group, annulment in self._store.annulments.all().items():
            line = json.dumps({"annulled": annulment}).encode()
            yield ArchiveEntry(group, 1000 * annulment["at_ms"], "annulment", [line])

    def _write(self, collection: str, entries: Iterable[ArchiveEntry]) -> None:
        known = self._store.records.collection(collection)
        end, done = known.end, known.segments[-1].newest if known.segments else 0
        for batch in _batches(entry for entry in entries if entry.number > done):
            # An existing segment has the same content.
            data = self._archive.add(collection, end, batch)
            data = data or self._objects.get(segment_name(collection, end)) or b""
            places: dict[str, bytes] = {}
            start = end
            for member in members(data, collection):
                places[member.key] = ArchivePlace(collection, end, len(member.data)).dumps()
                end += len(member.data)
            if collection != ROWS:
                self._store.records.set_places(places)
            row = SegmentRow(start, batch[0].number, max(entry.number for entry in batch))
            public = None if collection == ROWS else collection == PUBLIC
            self._store.records.add_segment(collection, row, end, list(places), public)


def _number(entry: ArchiveEntry) -> int:
    return entry.number


def _batches(entries: Iterable[ArchiveEntry]) -> Iterator[Sequence[ArchiveEntry]]:
    batch: list[ArchiveEntry] = []
    for entry in entries:
        batch.append(entry)
        if len(batch) == _AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch
