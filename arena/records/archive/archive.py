"""The archive: collections of segments under one manifest.

Every generation of the manifest is an object of its own, written once and only if it is new: whoever
writes generation n has seen everything up to n - 1. A segment exists from the generation that lists it.
So a process may be killed at any moment, and several may write at once; what a killed one left behind is
not listed, and removed later.
"""

from __future__ import annotations

import json
import logging
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import merge
from typing import Final, NamedTuple, TypedDict

from arena.errors import ArenaError
from arena.records.archive.objects import ArchiveUnavailable, ObjectStore
from arena.records.archive.segments import (
    ArchiveEntry,
    DamagedArchive,
    SegmentIndex,
    SegmentInfo,
    frame_lines,
    key_hash,
    write_segment,
)
from arena.records.record import dumps

log = logging.getLogger(__name__)

FORMAT: Final = 1
PUBLIC: Final = "public"
"""The collection of the records that anybody may download."""
PRIVATE: Final = "private"
"""The collection of released records of private games, which only those may read who may see the game."""
GAMES: Final = "games"
"""The collection of the last headers of live games whose records are in the other two."""
CONFLICTS: Final = "conflicts"
"""The collection of records that came after another one of the same game: kept, and read by nobody."""

_MANIFESTS: Final = "manifest"
_SEGMENTS: Final = "segments"
_GENERATIONS_KEPT: Final = 5
_FRAMES_KEPT: Final = 64
_TRIES: Final = 20


class ArchiveMismatch(ArenaError):
    """The archive belongs to another service, or a newer version wrote it."""

    code = "archive_mismatch"


class ArchiveBusy(ArchiveUnavailable):
    """Other processes wrote at the same time, again and again; nothing was changed."""


class Change(TypedDict):
    """New values in the part ``info`` of every record of a group."""

    group: str
    info: Mapping[str, object]


@dataclass(frozen=True)
class Manifest:
    """One generation. ``service``: the id of the service whose archive this is. ``changes``: what changed in
    records after they were archived: ``{"group": id, "info": {...}}``, the new values in the part ``info``
    of every record of a group.
    """

    generation: int
    service: str
    segments: tuple[SegmentInfo, ...] = ()
    changes: tuple[Change, ...] = ()

    @property
    def name(self) -> str:
        """The object."""
        return f"{_MANIFESTS}/{self.generation:010d}.json"

    def dumps(self) -> bytes:
        """The manifest as an object: one line of JSON for the head, one per segment, one per change."""
        head = {
            "format": FORMAT,
            "generation": self.generation,
            "service": self.service,
            "segments": len(self.segments),
            "changes": len(self.changes),
        }
        rows = [head, *(info.as_json() for info in self.segments), *self.changes]
        return b"".join(json.dumps(row).encode() + b"\n" for row in rows)

    @classmethod
    def loads(cls, data: bytes, where: str) -> Manifest:
        """The inverse of :meth:`dumps`. Raises :class:`DamagedArchive` or :class:`ArchiveMismatch`."""
        try:
            head, *rows = map(json.loads, data.splitlines())
            if head["format"] > FORMAT:
                raise ArchiveMismatch(
                    f"{where} has format {head['format']}",
                    expected=f"format {FORMAT}, or a newer version of this program",
                )
            count = head["segments"]
            if len(rows) != count + head["changes"]:
                raise ValueError("lines are missing")
            segments = tuple(SegmentInfo(**row) for row in rows[:count])
            return cls(head["generation"], head["service"], segments, tuple(rows[count:]))
        except (ValueError, TypeError, KeyError) as error:
            raise DamagedArchive(f"{where} cannot be read: {error!r}") from None


class _View(NamedTuple):
    """A manifest with what reading needs: the indexes by collection, and the changes by group."""

    manifest: Manifest
    indexes: Mapping[str, SegmentIndex]
    changes: Mapping[str, Mapping[str, object]]

    def of(self, collection: str) -> list[SegmentIndex]:
        return [index for index in self.indexes.values() if index.info.collection == collection]


class Archive:
    """An archive as one process sees it; for any number of threads.

    Every method may raise :class:`~arena.records.archive.objects.ArchiveUnavailable` and
    :class:`DamagedArchive`.
    """

    def __init__(self, objects: ObjectStore) -> None:
        self.objects = objects
        self.requested: Mapping[str, Mapping[str, object]] = {}
        """Changes by group that readers see as if the manifest listed them."""
        self._lock = threading.Lock()
        self._view: _View | None = None
        self._frames: OrderedDict[tuple[str, int], list[bytes]] = OrderedDict()

    # Opening

    def claim(self, service: str) -> None:
        """Check that the archive is that of ``service``; a new one becomes it.

        Raises :class:`ArchiveMismatch`.
        """
        if not self.is_of(service):
            first = Manifest(1, service)
            if not self.objects.put(first.name, first.dumps()):
                self.is_of(service)

    def is_of(self, service: str) -> bool:
        """Whether the archive is that of ``service``; False if there is none yet. Writes nothing.

        Raises :class:`ArchiveMismatch` if it is that of another one.
        """
        manifest = self._newest()
        if manifest is not None and manifest.service != service:
            raise ArchiveMismatch(
                f"{self.objects.where()} holds the archive of the service {manifest.service}, and this "
                f"database is that of {service}",
                expected="the archive that belongs to the database, or an empty place",
            )
        return manifest is not None

    def refresh(self) -> Manifest:
        """Read what other processes have written since; returns the newest manifest."""
        with self._lock:
            manifest = self._newest()
            if manifest is None:
                raise DamagedArchive(f"{self.objects.where()} holds no archive", expected="a manifest")
            view = self._view
            if view is None or view.manifest != manifest:
                known = {} if view is None else view.indexes
                indexes = {info.name: known.get(info.name) or self._index(info) for info in manifest.segments}
                changes: dict[str, dict[str, object]] = {}
                for change in manifest.changes:
                    changes.setdefault(change["group"], {}).update(change["info"])
                self._view = _View(manifest, indexes, changes)
            return manifest

    # Reading

    def find(self, collection: str, key: str) -> list[bytes] | None:
        """The lines of an entry; None if there is none."""
        hashed = key_hash(key)
        for index in self._now().of(collection):
            position = index.position(hashed)
            if position is not None:
                return self._lines(index, position)
        return None

    def has(self, collection: str, key: str) -> bool:
        """Whether there is such an entry."""
        hashed = key_hash(key)
        return any(index.position(hashed) is not None for index in self._now().of(collection))

    def after(
        self, collection: str, number: int, kind: str | None = None
    ) -> Iterator[tuple[int, list[bytes]]]:
        """``(number, lines)`` of the entries after ``number`` in their order, of all kinds or of one."""
        indexes = [index for index in self._now().of(collection) if index.info.last > number]

        def rows(at: int) -> Iterator[tuple[int, int, int]]:
            for found, position in indexes[at].after(number, kind):
                yield found, position, at

        for found, position, at in merge(*map(rows, range(len(indexes)))):
            lines = self._lines(indexes[at], position)
            if lines is not None:
                yield found, lines

    def current(self, line: bytes) -> bytes:
        """An archived record with what has changed in it since."""
        changes = (self._now().changes, self.requested)
        if not any(changes):
            return line
        record = json.loads(line)
        group = record["canonical"]["group"]
        info = [] if group is None else [some[group["id"]] for some in changes if group["id"] in some]
        if not info:
            return line
        for values in info:
            record["info"].update(values)
        return dumps(record).encode()

    def _lines(self, index: SegmentIndex, position: int) -> list[bytes] | None:
        frame, start, length, line = index.frame(position)
        lines = self._frame(index.info, frame, start, length)
        if lines is None:
            return None
        own = lines[line : line + index.line_count(position)]
        return own if index.info.collection == GAMES else list(map(self.current, own))

    def _frame(self, info: SegmentInfo, frame: int, start: int, length: int) -> list[bytes] | None:
        """The lines of a frame; None if the segment has been removed."""
        kept = self._frames.get((info.name, frame))
        if kept is not None:
            return kept
        data = self.objects.get(info.data, start, length)
        if data is None or len(data) != length:
            if info not in self.refresh().segments:
                return None
            raise DamagedArchive(f"{info.data} in {self.objects.where()} is missing or cut off")
        lines = frame_lines(data, info.data)
        with self._lock:
            self._frames[info.name, frame] = lines
            if len(self._frames) > _FRAMES_KEPT:
                self._frames.popitem(last=False)
        return lines

    # Writing

    def add(self, collections: Mapping[str, Sequence[ArchiveEntry]]) -> None:
        """Add new entries to collections, all or none. Raises :class:`ArchiveBusy` if another process wrote,
        or has added one of them since the caller looked.
        """
        base = self.refresh()
        if any(self.has(name, entry.key) for name, entries in collections.items() for entry in entries):
            raise ArchiveBusy("another process has added some of these entries")
        written = [write_segment(name, entries) for name, entries in collections.items() if entries]
        for segment in written:
            self.objects.put(segment.info.data, segment.data)
            self.objects.put(segment.info.index, segment.packed_index)
        infos = (*base.segments, *(segment.info for segment in written))
        if not self._commit(base, infos, base.changes):
            raise ArchiveBusy("another process wrote to the archive at the same time")

    def change(self, group: str, info: Mapping[str, object]) -> None:
        """Change values in the part ``info`` of the records of a group, for all readers."""
        for _ in range(_TRIES):
            base = self.refresh()
            if info.items() <= self._now().changes.get(group, {}).items():
                return
            if self._commit(base, base.segments, (*base.changes, {"group": group, "info": dict(info)})):
                return
        raise ArchiveBusy("other processes write to the archive; try again")

    def expire(self, oldest_ms: int, collections: Iterable[str]) -> int:
        """Remove the segments of ``collections`` whose entries are all older than ``oldest_ms``; returns how
        many. Raises :class:`ArchiveBusy`.
        """
        base = self.refresh()
        wanted = set(collections)
        kept = tuple(
            info for info in base.segments if info.collection not in wanted or info.until_ms >= oldest_ms
        )
        if len(kept) < len(base.segments) and not self._commit(base, kept, base.changes):
            raise ArchiveBusy("another process wrote to the archive at the same time")
        return len(base.segments) - len(kept)

    def tidy(self) -> list[str]:
        """Remove objects that no manifest lists: those of killed writers, and of expired segments; returns
        their names.
        """
        self.objects.tidy()
        base = self.refresh()
        listed = {name for info in base.segments for name in (info.data, info.index)}
        lost = [name for name in self.objects.list(_SEGMENTS) if name not in listed]
        # A writer that has put its objects, but not its manifest, must begin again: it has seen ``base`` at
        # most. What begins after this generation has other names.
        if not lost or not self._commit(base, base.segments, base.changes):
            return []
        for name in lost:
            self.objects.delete(name)
        return lost

    def copy(self, target: ObjectStore) -> int:
        """Copy what ``target`` lacks of this archive, for a backup or to move it; returns the number of new
        segments. May be repeated. Segments that have expired here stay there, unlisted.

        Raises :class:`ArchiveMismatch` if there is another archive.
        """
        base = self.refresh()
        copied = Archive(target)
        copied.claim(base.service)
        for info in copied.refresh().segments:
            rest = [own.until_ms for own in base.segments if own.collection == info.collection]
            if info not in base.segments and rest and info.until_ms >= min(rest):
                # It has not expired here.
                raise ArchiveMismatch(
                    f"{target.where()} was written to by itself", expected="a copy that no service has used"
                )
        present = set(target.list(_SEGMENTS))
        count = 0
        for info in base.segments:
            for name in (info.data, info.index):
                if name in present:
                    continue
                data = self.objects.get(name)
                if data is None:
                    if info in self.refresh().segments:
                        raise DamagedArchive(f"{name} in {self.objects.where()} is missing")
                    raise ArchiveBusy("segments expired meanwhile; copy again")
                target.put(name, data)
                count += name == info.data
        target.put(base.name, base.dumps())
        return count

    def _commit(self, base: Manifest, segments: tuple[SegmentInfo, ...], changes: tuple[Change, ...]) -> bool:
        """Write the generation after ``base``; False if there is one already."""
        manifest = Manifest(base.generation + 1, base.service, segments, changes)
        if not self.objects.put(manifest.name, manifest.dumps()):
            return False
        names = self.objects.list(_MANIFESTS)
        # Old generations are removed in their order. While the base is there, its successor was none of them.
        if base.name not in names:
            return False
        for name in names[:-_GENERATIONS_KEPT]:
            self.objects.delete(name)
        self.refresh()
        return True

    def _now(self) -> _View:
        if self._view is None:
            self.refresh()
        assert self._view is not None
        return self._view

    def _index(self, info: SegmentInfo) -> SegmentIndex:
        packed = self.objects.get(info.index)
        if packed is None:
            raise DamagedArchive(f"{info.index} in {self.objects.where()} is missing")
        return SegmentIndex(info, packed)

    def _newest(self) -> Manifest | None:
        for _ in range(_TRIES):
            names = self.objects.list(_MANIFESTS)
            if not names:
                return None
            data = self.objects.get(names[-1])
            if data is not None:
                return Manifest.loads(data, f"{names[-1]} in {self.objects.where()}")
        raise ArchiveBusy("other processes write to the archive; try again")


__all__ = ["CONFLICTS", "GAMES", "PRIVATE", "PUBLIC", "Archive", "ArchiveBusy", "ArchiveMismatch", "Manifest"]
