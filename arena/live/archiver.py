"""The archiver: writes released records to the archive within a minute of their release.

It can be killed at any step, and several archivers can run concurrently. First a segment is written at the
end of its collection, then its location is stored in the rows of its records. Finally the segment is added to
the directory, and its records are removed from the list of waiting records. If a process is killed, or the
database is older than the archive, a segment at the end can be missing from the directory. It is then
adopted, using the keys of its members.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, Protocol

from arena.errors import ArenaError, CorruptState
from arena.live.finished import FinishedGames, kind_of, unpacked
from arena.live.header import GameHeader
from arena.live.retention import Retention
from arena.play.game_ids import place_of, tournament_of
from arena.records.archive.archive import (
    COLLECTIONS,
    PRIVATE,
    PUBLIC,
    ROWS,
    Archive,
    ArchivePlace,
    segment_name,
)
from arena.records.archive.objects import ArchiveUnavailable
from arena.records.archive.segments import ArchiveEntry, Member, members
from arena.store.connection import StoreUnavailable
from arena.store.game_index import EndedGame, ListedGame
from arena.store.paging import Cursor
from arena.store.records import RecordStore, SegmentRow
from arena.store.repositories import Store

log = logging.getLogger(__name__)

PAUSE_MS: Final = 30_000
"""The time from the start of one run to the start of the next, across all processes."""

SEGMENT_ENTRIES: Final = 500
"""The maximum number of entries that are written at once: about 1 MB."""

_SMALL_BYTES: Final = 1_000_000
_DAY_US: Final = 86_400_000_000
_TIDY_MS: Final = 3_600_000
_LOOK_SECONDS: Final = 1.0
"""The pause between two checks by :meth:`Archiver.serve` whether a run is due."""

_RUN_SECONDS: Final = 20.0
"""The time after which a run starts no more segments, so that its process can stop."""

_SLACK_MS: Final = 600_000
"""The time after which no step of a finished game can still be in progress."""


class ArchiveBusy(ArchiveUnavailable):
    """Another process wrote to the archive at the same time; the next run continues after it."""


class Adopted(NamedTuple):
    """The numbers of games, rated groups and lost tournaments that were adopted into an older database."""

    games: int
    groups: int
    lost: int


class Adoption(Protocol):
    """Adopts entries that are in the archive but not in an older database."""

    def add(self, collection: str, member: Member) -> None:
        """Adopt an entry. Entries that are already in the database stay unchanged."""

    def finish(self) -> Adopted:
        """Complete the adoption after the last entry."""


class Archiver:
    """The archiver of one service. ``adoption`` creates the object that adopts entries missing from an older
    database. ``before`` is called before each run, once the archive is available.
    """

    def __init__(
        self,
        store: Store,
        finished: FinishedGames,
        retention: Retention,
        adoption: Callable[[], Adoption],
        before: Callable[[], None] | None = None,
    ) -> None:
        self._records = store.records
        self._tournaments = store.tournaments
        self._annulments = store.annulments
        self._identity = store.identity
        self._clock = store.clock
        self._flags = store.flags
        self._signs = store.signs
        self._finished = finished
        self._retention = retention
        self._adoption = adoption
        self._before = before
        self._knows_segments = False

    def serve(self, stop: threading.Event, pause_ms: int = PAUSE_MS) -> None:
        """Run every ``pause_ms`` until ``stop`` is set. If several processes serve, only one of them performs
        each run. Errors are logged, recorded in the database, and retried.
        """
        while not stop.wait(_LOOK_SECONDS):
            try:
                self._signs.give("archiver")
                if self._flags.first("archive", pause_ms):
                    self.run()
            except ArenaError as error:
                log.error("records remain in the database until they can be archived: %s", error)

    def run(self) -> int:
        """Archive all waiting records, and return the number of entries written.

        Raises :class:`~arena.records.archive.objects.ArchiveUnavailable` and the other errors of archives.
        """
        try:
            archive = self._finished.opened()
            archive.claim(self._identity.id())
            self.adopt()
            if self._before is not None:
                self._before()
            count = 0
            try:
                self._write_annulments(archive)
                count = sum(self._archive(archive, public) for public in (True, False))
                if self._retention.record_s is not None:
                    self._expire(
                        archive, 1000 * (self._clock().now_ms - int(1000 * self._retention.record_s))
                    )
                if self._flags.first("tidy-archive", _TIDY_MS):
                    self._tidy(archive)
            except ArchiveBusy:
                log.info("another process is writing to the archive; the next run continues")
        except StoreUnavailable:
            raise
        except ArenaError as error:
            self._records.note(failed_ms=self._clock().now_ms, failure=error.message)
            raise
        found = [self._records.collection(name) for name in COLLECTIONS]
        sizes = [one.end - one.segments[0].start for one in found if one.segments]
        self._records.note(
            at_ms=self._clock().now_ms, segments=sum(len(one.segments) for one in found), bytes=sum(sizes)
        )
        return count

    # Writing

    def _archive(self, archive: Archive, public: bool) -> int:
        """Write the records on one list to the archive, and return the number of entries written."""
        collection, until = PUBLIC, None
        if not public:
            # While live data are kept, people can still agree to make a game public, and workers read the
            # records of a finished qualification.
            settle_ms = int(1000 * self._retention.live_s) + _SLACK_MS
            collection, until = PRIVATE, 1000 * (self._clock().now_ms - settle_ms)
        stop = time.monotonic() + _RUN_SECONDS
        count = after = 0
        while time.monotonic() < stop:
            # The end is read before the list, so that a segment written by another process in between starts
            # at this end.
            end = self._records.collection(collection).end
            members = self._records.pending(public, after, SEGMENT_ENTRIES, until)
            if not members:
                break
            if not public:
                after = members[-1].score
                members = self._of_ended_tournaments(members)
            count += self._write(archive, public, end, members)
        return count

    def _of_ended_tournaments(self, members: Sequence[Cursor]) -> list[Cursor]:
        names = {member: _tournament(member.name) for member in members}
        playing = self._tournaments.being_played(sorted({name for name in names.values() if name}))
        return [member for member in members if names[member] not in playing]

    def _write(self, archive: Archive, public: bool, end: int, members: Sequence[Cursor]) -> int:
        """Write records to the archive, and return the number of entries written."""
        keys = [member.name for member in members]
        entries: list[ArchiveEntry] = []
        gone: list[str] = []
        for (number, key), row in zip(members, self._records.rows(keys), strict=True):
            # Archived records were released again; other missing records have expired or are unreadable.
            lines = None if row is None or RecordStore.is_archived(row) else unpacked(key, row)
            if lines is None:
                gone.append(key)
            else:
                entries.append(ArchiveEntry(key, number, kind_of(lines), lines))
        games = self._games(keys)
        rows = [
            ArchiveEntry(entry.key, entry.number, entry.kind, [_row(games[entry.key])])
            for entry in entries
            if entry.key in games
        ]
        self._add(archive, ROWS, self._records.collection(ROWS).end, rows)
        self._add(archive, PUBLIC if public else PRIVATE, end, entries)
        self._records.forget(public, gone)
        self._finished.index.archive(_listed(games))
        return len(entries)

    def _games(self, keys: Sequence[str]) -> dict[str, EndedGame]:
        """Return those of the keys that belong to live games, with the games."""
        found = {key: self._finished.index.ended(key) for key in keys if tournament_of(key) is None}
        return {key: game for key, game in found.items() if game is not None}

    def _write_annulments(self, archive: Archive) -> None:
        groups = self._records.annulled()
        rows = []
        for group, annulment in zip(groups, self._annulments.many(groups), strict=True):
            if annulment is not None:
                line = json.dumps({"annulled": annulment}).encode()
                rows.append(ArchiveEntry(group, 1000 * annulment["at_ms"], "annulment", [line]))
        self._add(archive, ROWS, self._records.collection(ROWS).end, rows)
        self._records.forget_annulled(groups)

    def _add(self, archive: Archive, collection: str, end: int, entries: Sequence[ArchiveEntry]) -> None:
        """Add entries at the end of a collection; ``end`` was read before the entries were."""
        if entries:
            data = archive.add(collection, end, entries)
            if data is None:
                raise ArchiveBusy(f"segment {segment_name(collection, end)} already exists")
            self._take(collection, end, data)

    def _take(self, collection: str, start: int, data: bytes) -> list[Member]:
        """Register a stored segment in rows and directory, and return its members."""
        found = list(members(data, segment_name(collection, start)))
        places: dict[str, bytes] = {}
        end = start
        for member in found:
            places[member.key] = ArchivePlace(collection, end, len(member.data)).dumps()
            end += len(member.data)
        if collection != ROWS:
            self._records.set_places(places)
        public = None if collection == ROWS else collection == PUBLIC
        self._records.add_segment(collection, _segment_row(start, found), end, list(places), public)
        return found

    # Adopting segments

    def adopt(self) -> Adopted | None:
        """Adopt segments that are in the archive but unknown to the database, because it was restored from an
        older backup or a process was killed. Returns the numbers of adopted items, or None if there was
        nothing to adopt.
        """
        adoption: Adoption | None = None
        archive = self._finished.opened()
        for collection in COLLECTIONS:
            for found in self._unknown(archive, collection):
                adoption = adoption or self._adoption()
                for member in found:
                    adoption.add(collection, member)
        self._knows_segments = True
        return None if adoption is None else adoption.finish()

    def _unknown(self, archive: Archive, collection: str) -> Iterator[list[Member]]:
        """Register segments that are at the end of a collection but not in the directory, and yield their
        members.
        """
        known = self._records.collection(collection)
        end = known.end
        if not self._knows_segments:
            # Segments may have been joined since the directory was backed up, or have expired.
            segments = archive.segments(collection)
            for segment in segments:
                start = max(end, segment.start)
                if start < segment.end and (data := archive.objects.get(segment.name, start - segment.start)):
                    if start > end:
                        self._records.move_end(collection, start)
                    yield self._take(collection, start, data)
                    end = segment.end
            self._correct(archive, collection, [segment.start for segment in segments])
            for name in archive.joined(collection):
                archive.objects.delete(name)
        while data := archive.objects.get(segment_name(collection, end)):
            yield self._take(collection, end, data)
            end += len(data)

    def _correct(self, archive: Archive, collection: str, starts: Sequence[int]) -> None:
        """Correct the directory to list exactly the existing segments."""
        known = self._records.collection(collection).segments
        listed = {row.start for row in known}
        added = []
        for start in starts:
            data = None if start in listed else archive.objects.get(segment_name(collection, start))
            if data:
                added.append(_segment_row(start, list(members(data, segment_name(collection, start)))))
        self._records.replace_segments(collection, [row for row in known if row.start not in starts], added)

    # Joining segments, and removing expired ones

    def _tidy(self, archive: Archive) -> None:
        today = 1000 * self._clock().now_ms // _DAY_US
        for collection in COLLECTIONS:
            self._join(archive, collection, today)
        archive.objects.tidy()

    def _expire(self, archive: Archive, oldest: int) -> None:
        """Remove the segments whose records all have numbers below ``oldest``."""
        for collection in COLLECTIONS:
            for row in self._records.collection(collection).segments:
                if row.newest >= oldest:
                    break
                self._records.replace_segments(collection, [row])
                archive.objects.delete(segment_name(collection, row.start))

    def _join(self, archive: Archive, collection: str, today: int) -> None:
        """Join the small segments of each day before ``today`` (a day number). The result is always the same,
        so this can be repeated, and several processes can do it at once.
        """
        found = self._records.collection(collection)
        ends = [*(row.start for row in found.segments), found.end][1:]
        run: list[tuple[SegmentRow, int]] = []
        for row, end in zip(found.segments, ends, strict=True):
            if run and (_day(row) != _day(run[0][0]) or run[-1][1] - run[0][0].start >= _SMALL_BYTES):
                self._join_run(archive, collection, run)
                run = []
            if _day(row) >= today:
                break
            run.append((row, end))
        self._join_run(archive, collection, run)

    def _join_run(self, archive: Archive, collection: str, run: Sequence[tuple[SegmentRow, int]]) -> None:
        if len(run) < 2:
            return
        rows = [row for row, _ in run]
        parts = [
            archive.read(ArchivePlace(collection, row.start, end - row.start), row.start) for row, end in run
        ]
        if None in parts:
            # Another process has already joined the segments.
            return
        archive.objects.replace(
            segment_name(collection, rows[0].start), b"".join(part for part in parts if part is not None)
        )
        joined = rows[0]._replace(newest=max(row.newest for row in rows))
        self._records.replace_segments(collection, [row for row in rows if row != joined], [joined])
        for row in rows[1:]:
            archive.objects.delete(segment_name(collection, row.start))


def _segment_row(start: int, found: Sequence[Member]) -> SegmentRow:
    return SegmentRow(start, found[0].number, max(member.number for member in found))


def _day(row: SegmentRow) -> int:
    return row.first // _DAY_US


def _row(game: EndedGame) -> bytes:
    """Return a live game as a line for the archive's collection of rows."""
    return b'{"version":%d,"header":%b}' % (game.version, game.header)


def _listed(games: dict[str, EndedGame]) -> list[ListedGame]:
    """Return the list entries of archived games, leaving out games whose headers cannot be read."""
    found = []
    for game, ended in games.items():
        try:
            header = GameHeader.loads(ended.header)
        except CorruptState:
            continue
        found.append(ListedGame(game, header.created_ms, header.kind, header.state, header.bots()))
    return found


def _tournament(key: str) -> str | None:
    place = place_of(key)
    return tournament_of(key) if place is None else place.tournament
