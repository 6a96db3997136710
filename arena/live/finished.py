"""Finished games and their records, whether these are waiting in the database or archived.

A record is first written to the archive, then its location is stored in its row, and then it is removed from
the list of waiting records. So a reader that reads first the list and then the archive misses no record, and
recognizes a record that it finds twice by its number.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice, pairwise
from typing import Final, NamedTuple

from arena.play.game_ids import group_of
from arena.records.annulled import annulled
from arena.records.archive.archive import PUBLIC, Archive, ArchivePlace, segment_name
from arena.records.archive.objects import ArchiveUnavailable
from arena.records.archive.segments import DamagedArchive, Member, members
from arena.store.game_index import GameIndex
from arena.store.records import RecordStore
from arena.store.repositories import Store
from arena.store.rows import shown_or_left_out

_TRIES: Final = 3
"""The maximum number of lookups of a segment that was joined to another one in the meantime."""


class FinishedGame(NamedTuple):
    """A finished game: its header, its version, and its record if it was played to the end."""

    header: bytes
    version: int
    record: bytes | None


class Released(NamedTuple):
    """A released entry: the number of its last record, its key, its kind of game, and its records."""

    number: int
    key: str
    kind: str
    lines: Sequence[bytes]


class FinishedGames:
    """Reads finished games for the service. ``archive`` is None if this process has no access to the archive.

    Every method that returns records can raise :class:`~arena.records.archive.objects.ArchiveUnavailable` and
    :class:`~arena.records.archive.segments.DamagedArchive`.
    """

    def __init__(self, store: Store, archive: Archive | None) -> None:
        self.index: GameIndex = store.game_index
        self.archive = archive
        self._tournaments = store.tournaments
        self._records = store.records
        self._annulments = store.annulments
        self._identity = store.identity
        self._is_checked = False

    def opened(self) -> Archive:
        """Return the archive after checking that it belongs to the database.

        Raises :class:`~arena.records.archive.archive.ArchiveMismatch`.
        """
        if self.archive is None:
            raise ArchiveUnavailable(
                "this process is not configured to use the service's archive",
                field="BOTEQUIM_ARCHIVE",
                expected="the archive that the service's other processes use",
            )
        if not self._is_checked:
            self.archive.is_of(self._identity.id())
            self._is_checked = True
        return self.archive

    def game(self, game: str) -> FinishedGame | None:
        """Return a finished game, or None if it does not exist."""
        ended = self.index.ended(game)
        if ended is None:
            return None
        (lines,) = self._read({game: ended.record})
        return FinishedGame(ended.header, ended.version, lines[0] if lines else None)

    def has_game(self, game: str) -> bool:
        """Return whether there is a record of the game, without reading it from the archive."""
        ended = self.index.ended(game)
        return ended is not None and self._is_kept(game, ended.record)

    def has_group(self, event: str, group: str) -> bool:
        """Return whether there are records of a tournament's local group, without reading them from the
        archive.
        """
        (row,) = self._tournaments.records(event, [group])
        return self._is_kept(f"{event}-{group}", row)

    def groups(self, event: str, groups: Sequence[str]) -> list[list[bytes] | None]:
        """Return the records of a tournament's local groups, with None for groups without records and for
        live groups.
        """
        rows = self._tournaments.records(event, groups)
        return self._read({f"{event}-{group}": row for group, row in zip(groups, rows, strict=True)})

    def released(self, kind: str | None, after: int, count: int) -> list[Released]:
        """Return public records released after number ``after``, oldest first, as entries of one kind of game
        or of all. At most ``2 * count`` entries are returned; an empty list means that there are no more.
        """
        while True:
            waiting = self._records.pending(True, after, count)
            rows = self._records.rows([name for _, name in waiting])
            # Read after the list, because an entry that has left the list is archived by then.
            found = list(islice(self._archived(kind, after), count))
            entries = {member.number: _released(member) for member in found}
            if len(found) < count:
                for (number, name), row in zip(waiting, rows, strict=True):
                    entry = None if number in entries else self._waiting(number, name, row)
                    if entry is not None and kind in (None, entry.kind):
                        entries[number] = entry
            if entries or not waiting:
                shown = [entries[number] for number in sorted(entries)]
                lines = self._current([(entry.key, entry.lines) for entry in shown])
                return [entry._replace(lines=own) for entry, own in zip(shown, lines, strict=True)]
            after = waiting[-1].score

    # Rows and the archive

    def _is_kept(self, key: str, row: bytes | None) -> bool:
        if row is None or not RecordStore.is_archived(row):
            return row is not None
        place = _place(key, row)
        return place is not None and self._records.segments_of([(place.collection, place.offset)]) != [None]

    def _read(self, rows: dict[str, bytes | None]) -> list[list[bytes] | None]:
        """Return the records in rows by key, with None where there are none or they cannot be read."""
        places = {key: place for key, row in rows.items() if (place := _place(key, row)) is not None}
        archived = dict(zip(places, self._members(list(places.values())), strict=True))
        found: dict[str, list[bytes]] = {}
        for key, row in rows.items():
            member = archived.get(key)
            if member is not None:
                found[key] = member.lines()
            elif (
                row is not None
                and not RecordStore.is_archived(row)
                and (lines := unpacked(key, row)) is not None
            ):
                found[key] = lines
        current = dict(zip(found, self._current(list(found.items())), strict=True))
        return [current.get(key) for key in rows]

    def _waiting(self, number: int, key: str, row: bytes | None) -> Released | None:
        """Return a record on the list of waiting records."""
        if row is None:
            return None
        if RecordStore.is_archived(row):
            place = _place(key, row)
            (member,) = [None] if place is None else self._members([place])
            # A different number means that it was released again; the archiver removes it from the list.
            return None if member is None or member.number != number else _released(member)
        lines = unpacked(key, row)
        return None if lines is None else Released(number, key, kind_of(lines), lines)

    def _members(self, places: Sequence[ArchivePlace]) -> list[Member | None]:
        """Return the members at these places, with None for expired ones. One range is read from each
        segment.
        """
        starts = self._records.segments_of([(place.collection, place.offset) for place in places])
        found: list[Member | None] = []
        parts: dict[tuple[str, int], ArchivePlace] = {}
        for place, start in zip(places, starts, strict=True):
            if start is not None:
                known = parts.get((place.collection, start), place)
                parts[place.collection, start] = known.with_one(place)
        read = {name: self.opened().read(part, name[1]) for name, part in parts.items()}
        for place, start in zip(places, starts, strict=True):
            data = None
            if start is not None:
                part, whole = parts[place.collection, start], read[place.collection, start]
                first = place.offset - part.offset
                data = whole[first : first + place.length] if whole is not None else self._again(place, start)
            found.append(None if data is None else next(members(data, segment_name(*place[:2]))))
        return found

    def _again(self, place: ArchivePlace, start: int | None) -> bytes | None:
        """Return the data at a place whose segment was joined to another one, or has expired, in the
        meantime.
        """
        while start is not None:
            tried, (start,) = start, self._records.segments_of([(place.collection, place.offset)])
            if start is not None and (data := self.opened().read(place, start)) is not None:
                return data
            if start == tried:
                raise self._damaged(place.collection, tried)
        return None

    def _archived(self, kind: str | None, after: int) -> Iterator[Member]:
        """Yield the public members after a number, in order."""
        tries = 0
        while True:
            found = self._records.collection(PUBLIC)
            starts = [segment.start for segment in found.segments if segment.newest > after]
            for start, end in pairwise([*starts, found.end]):
                data = self.opened().read(ArchivePlace(PUBLIC, start, end - start), start)
                if data is None:
                    break
                tries = 0
                for member in members(data, segment_name(PUBLIC, start)):
                    if member.number > after:
                        after = member.number
                        if kind in (None, member.kind):
                            yield member
            else:
                return
            # The segment was joined to another one in the meantime, or has expired.
            tries += 1
            if tries == _TRIES:
                raise self._damaged(PUBLIC, start)

    def _damaged(self, collection: str, start: int) -> DamagedArchive:
        name = segment_name(collection, start)
        return DamagedArchive(f"{name} in {self.opened().objects.where()} is missing or truncated")

    def _current(self, entries: Sequence[tuple[str, Sequence[bytes]]]) -> list[list[bytes]]:
        """Return the records of entries, updated with annulments made since they were written."""
        groups = [group_of(key) for key, _ in entries]
        known = sorted({group for group in groups if group is not None})
        annulments = dict(zip(known, self._annulments.many(known), strict=True))
        found = []
        for group, (_, lines) in zip(groups, entries, strict=True):
            annulment = None if group is None else annulments[group]
            own = list(lines)
            found.append(own if annulment is None else [annulled(line, annulment) for line in own])
        return found


def kind_of(lines: Sequence[bytes]) -> str:
    """Return the kind of game of the records in one entry."""
    kind: str = json.loads(lines[0])["canonical"]["kind"]
    return kind


def unpacked(key: str, row: bytes) -> list[bytes] | None:
    """Return the records in a row that is waiting for the archive, or None if they cannot be read."""

    def read() -> list[bytes]:
        lines = gzip.decompress(row).split(b"\n")
        # Checked here because the archive needs it too.
        kind_of(lines)
        return lines

    return shown_or_left_out(f"records of {key}", partial(read))


def _place(key: str, row: bytes | None) -> ArchivePlace | None:
    """Return the archive location in a row, or None if it has none or cannot be read."""
    if row is None or not RecordStore.is_archived(row):
        return None
    return shown_or_left_out(f"records of {key}", partial(ArchivePlace.loads, row))


def _released(member: Member) -> Released:
    return Released(member.number, member.key, member.kind, member.lines())
