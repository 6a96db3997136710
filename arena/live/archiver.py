"""The archiver: moves released records of finished games from the database to the archive.

Its steps may be repeated, and it may be killed between any two: write a batch to the archive, note the
change, remove from the database what is still the same, take it off the lists. A record that is in both
is only removed; one that has changed since it was archived leaves the change there.
"""

from __future__ import annotations

import gzip
import json
import logging
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from arena.errors import ArenaError, CorruptState
from arena.games import GAMES as KINDS
from arena.live.finished import FinishedGames, archive_key, archived_header
from arena.live.header import GameHeader
from arena.live.retention import Retention
from arena.play.game_ids import place_of
from arena.records.archive.archive import CONFLICTS, GAMES, PRIVATE, PUBLIC, Archive, ArchiveBusy
from arena.records.archive.segments import ArchiveEntry
from arena.store.archiving import ArchiveRun, StoredRecord
from arena.store.connection import StoreUnavailable
from arena.store.game_index import ListedGame
from arena.store.paging import Cursor
from arena.store.repositories import Store

log = logging.getLogger(__name__)

PAUSE_MS: Final = 60_000
"""The time from the start of a run to that of the next one, over all processes."""

_TIDY_MS: Final = 3_600_000
_LOOK_SECONDS: Final = 1.0
"""The pause after which :meth:`Archiver.serve` looks whether a run is due."""

_RUN_SECONDS: Final = 20.0
"""Time after which a run begins no other batch, so that its process can stop."""

_AT_ONCE: Final = 500
_SLACK_MS: Final = 600_000
"""Time after which no step of a game that is over is under way any more."""


@dataclass(frozen=True, slots=True)
class Batches:
    """When records are archived: if there are ``entries`` (games, or groups of a tournament), or the oldest
    has been released ``most_ms`` ago; and none within ``settle_ms`` of its release.
    """

    entries: int = 2_000
    most_ms: int = 86_400_000
    settle_ms: int | None = None


class Archiver:
    """Archives the records of one service. Runs of several processes at the same time do no harm: only one of
    them can write the manifest that follows the one that both have read, and what the other one wrote is in
    no manifest. ``before`` is called before each run, when the archive is there.
    """

    def __init__(
        self,
        store: Store,
        finished: FinishedGames,
        retention: Retention,
        batches: Batches | None = None,
        before: Callable[[], None] | None = None,
    ) -> None:
        self._archiving = store.archiving
        self._clock = store.clock
        self._flags = store.flags
        self._signs = store.signs
        self._finished = finished
        self._retention = retention
        self._batches = batches or Batches()
        self._before = before

    def serve(self, stop: threading.Event, pause_ms: int = PAUSE_MS) -> None:
        """Run every ``pause_ms`` until ``stop`` is set: of several processes one, while it is alive. What
        fails is logged, noted in the database, and tried again.
        """
        while not stop.wait(_LOOK_SECONDS):
            try:
                self._signs.give("archiver")
                if self._flags.first("archive", pause_ms):
                    self.run()
            except ArenaError as error:
                log.error("records stay in the database: %s", error)

    def run(self) -> int:
        """Archive what is due; returns how many entries.

        Raises :class:`~arena.records.archive.objects.ArchiveUnavailable`, and the other errors of an archive.
        """
        try:
            self._finished.claim()
            archive = self._finished.current()
            if archive is None:
                return 0
            count = 0
            left: list[Cursor] = []
            try:
                archive.refresh()
                if self._before is not None:
                    self._before()
                self._change(archive)
                for public in (True, False):
                    done, rest = self._archive(archive, public)
                    count += done
                    left += rest
                self._expire(archive)
            except ArchiveBusy:
                log.info("another process writes to the archive; the next run continues", exc_info=True)
            segments = archive.refresh().segments
        except StoreUnavailable:
            raise
        except ArenaError as error:
            self._archiving.note_failure(self._clock().now_ms, error.message)
            raise
        oldest = min((member.score for member in left), default=0)
        self._archiving.note_run(
            ArchiveRun(
                at_ms=self._clock().now_ms,
                waiting=len(left),
                oldest_ms=oldest // 1000,
                segments=len(segments),
                bytes=sum(info.size for info in segments),
            )
        )
        return count

    def _change(self, archive: Archive) -> None:
        """Make the requested changes of archived records."""
        for group, info in self._archiving.requested().items():
            archive.change(group, info)
            self._archiving.note_change()
            self._archiving.settle_change(group, info)

    def _archive(self, archive: Archive, public: bool) -> tuple[int, list[Cursor]]:
        """Archive one list in batches; returns how many entries were archived, and what was left."""
        now_ms = self._clock().now_ms
        settle_ms = self._batches.settle_ms
        if settle_ms is None:
            settle_ms = int(1000 * self._retention.live_s) + _SLACK_MS
        collection = PUBLIC if public else PRIVATE
        stop = time.monotonic() + _RUN_SECONDS
        batch: list[Cursor] = []
        again: list[Cursor] = []
        count = 0
        for member in self._due(public, 1000 * (now_ms - settle_ms)):
            known = archive.has(collection, archive_key(member.name))
            # Known: a process was killed, or the database is older than the archive.
            (again if known else batch).append(member)
            if len(batch) == self._batches.entries:
                self._store(archive, public, batch)
                count += len(batch)
                batch = []
                if time.monotonic() > stop:
                    break
        for start in range(0, len(again), _AT_ONCE):
            self._store(archive, public, again[start : start + _AT_ONCE])
        if batch and batch[0].score < 1000 * (now_ms - self._batches.most_ms):
            self._store(archive, public, batch)
            count += len(batch)
            batch = []
        return count, batch

    def _due(self, public: bool, until: int) -> Iterator[Cursor]:
        """The members of a list of released records whose tournament, if any, is over."""
        after: Cursor | None = None
        while members := self._archiving.released(public, after, until, _AT_ONCE):
            after = members[-1]
            names = {member: _tournament(member.name) for member in members}
            playing = self._archiving.being_played(sorted({name for name in names.values() if name}))
            yield from (member for member in members if names[member] not in playing)

    def _store(self, archive: Archive, public: bool, members: Sequence[Cursor]) -> None:
        """Archive records that are not in the archive, and remove all of them from the database."""
        collection = PUBLIC if public else PRIVATE
        entries: dict[str, list[ArchiveEntry]] = defaultdict(list)
        stored = self._archiving.load(members)
        gone: list[str] = []
        for record in stored:
            key = archive_key(record.member)
            if record.record is None:
                # It has expired, or it was removed by a process that was killed before it took it off.
                gone.append(record.member)
                continue
            lines = gzip.decompress(record.record).split(b"\n")
            kind = json.loads(lines[0])["canonical"]["kind"]
            entry = ArchiveEntry(key, record.number, kind, record.number // 1000, lines)
            archived = archive.find(collection, key)
            if archived is None:
                entries[collection].append(entry)
                if record.header is not None:
                    header = archived_header(record.header, int(record.version or 0))
                    entries[GAMES].append(entry._replace(lines=[header]))
            elif archived != lines and not self._is_same(archive, archived, lines):
                log.error("%s is in the archive with other records, which stand; these are kept too", key)
                other = f"{key} {record.number}"
                if not archive.has(CONFLICTS, other):
                    entries[CONFLICTS].append(entry._replace(key=other))
        if entries:
            archive.add(entries)
        # Before anything is removed: see arena.live.finished.
        self._archiving.note_change()
        self._finished.index.archive(_listed(stored))
        changed = {record.member for record in self._archiving.remove([r for r in stored if r.record])}
        gone += [record.member for record in stored if record.record and record.member not in changed]
        self._archiving.unlist(public, KINDS, gone)
        if changed:
            # They changed meanwhile, which the archive must have before anybody downloads them.
            self._store(archive, public, [member for member in members if member.name in changed])

    def _is_same(self, archive: Archive, archived: Sequence[bytes], lines: Sequence[bytes]) -> bool:
        """Whether these are the same records as those in the archive, which then gets an annulment since
        then. Their times may differ: a group of a restored database was played again.
        """
        before, after = ([json.loads(line) for line in texts] for texts in (archived, lines))
        if [record["hash"] for record in before] != [record["hash"] for record in after]:
            return False
        annulled = after[0]["info"].get("annulled")
        if annulled not in (None, before[0]["info"].get("annulled")):
            archive.change(after[0]["canonical"]["group"]["id"], {"annulled": annulled})
        return True

    def _expire(self, archive: Archive) -> None:
        record_s = self._retention.record_s
        if record_s is not None:
            oldest_ms = self._clock().now_ms - int(1000 * record_s)
            if archive.expire(oldest_ms, (PUBLIC, PRIVATE, GAMES, CONFLICTS)):
                self._archiving.note_change()
        if self._flags.first("tidy-archive", _TIDY_MS):
            archive.tidy()


def _listed(stored: Sequence[StoredRecord]) -> list[ListedGame]:
    """The lists of archived games, without those whose headers cannot be read."""
    found = []
    for record in stored:
        if record.header is None:
            continue
        try:
            header = GameHeader.loads(record.header)
        except CorruptState:
            continue
        found.append(ListedGame(record.member, header.created_ms, header.kind, header.state, header.bots()))
    return found


def _tournament(member: str) -> str | None:
    event, separator, _ = member.removeprefix("@").partition("/")
    if separator:
        return event
    place = place_of(member)
    return None if place is None else place.tournament


__all__ = ["PAUSE_MS", "Archiver", "Batches"]
