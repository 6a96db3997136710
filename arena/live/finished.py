"""Finished games and their records, wherever they are: in the database, or in the archive.

A record is written to the archive, then the change of the archive is noted in the database, then the record
is removed from the database. So who misses a record in the database, and reads the note after that, finds
it in the archive.
"""

from __future__ import annotations

import gzip
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Final, NamedTuple

import orjson

from arena.records.archive.archive import GAMES, PRIVATE, PUBLIC, Archive
from arena.records.archive.objects import ArchiveUnavailable
from arena.store.game_index import EndedGame, GameIndex
from arena.store.repositories import Store
from arena.store.rows import shown_or_left_out

_NO_END: Final = 2**63
_NOTHING: Final = -1
"""No number of changes: this process has not looked at the archive yet."""


class FinishedGame(NamedTuple):
    """A game that is over: its header, its version, and its record if it was played to the end."""

    header: bytes
    version: int
    record: bytes | None


class FinishedGames:
    """What the service reads of finished games. ``archive``: None if this process uses none.

    Every method may raise :class:`~arena.records.archive.objects.ArchiveUnavailable`.
    """

    def __init__(self, store: Store, archive: Archive | None) -> None:
        self.index: GameIndex = store.game_index
        self._packs = store.tournaments.packs
        self._archiving = store.archiving
        self._identity = store.identity
        self.archive = archive
        self._known = _NOTHING

    def claim(self) -> None:
        """Check that the archive is that of the database, and register it there: for the archiver, which
        writes to it.

        Raises :class:`~arena.records.archive.archive.ArchiveMismatch`.
        """
        if self.archive is not None:
            self.archive.claim(self._identity.id())
            self.check()

    def check(self) -> None:
        """Check that the archive, if there is one, is that of the database, and register it there. Writes
        nothing to the archive.

        Raises :class:`~arena.records.archive.archive.ArchiveMismatch`.
        """
        is_there = self.archive is not None and self.archive.is_of(self._identity.id())
        # It is not registered in a database that is older than the archive.
        if is_there and not self._archiving.changes():
            self._archiving.note_change()

    # Games outside groups that are packed

    def headers(self, games: Sequence[str]) -> list[bytes | None]:
        """The headers of the games, None for one that is not stored."""
        found = self.index.headers(games)
        archive = self.current() if None in found else None
        if archive is not None:
            for at, game in enumerate(games):
                if found[at] is None:
                    archived = _archived_game(archive, game)
                    found[at] = None if archived is None else archived.header
        return found

    def game(self, game: str) -> FinishedGame | None:
        """A game that is over."""
        ended = self.index.ended(game)
        if ended is not None:
            return _finished(game, ended)
        archive = self.current()
        archived = None if archive is None else _archived_game(archive, game)
        if archive is None or archived is None:
            return None
        lines = archive.find(PUBLIC, game) or archive.find(PRIVATE, game)
        return archived._replace(record=lines[0] if lines else None)

    # Records

    def packed_record(self, event: str, group: str, number: int) -> bytes | None:
        """Record ``number`` (from 0) of a local group of a tournament; None if there is none."""
        (lines,) = self.packs(event, [group])
        return lines[number] if lines is not None and number < len(lines) else None

    def packs(self, event: str, groups: Sequence[str]) -> list[list[bytes] | None]:
        """The records of local groups of a tournament; None for a group that has none, or is live."""
        names = [group_key(event, group) for group in groups]
        packs = [_lines(name, pack) for name, pack in zip(names, self._packs(event, groups), strict=True)]
        archive = self.current() if None in packs else None
        if archive is not None:
            for at, group in enumerate(groups):
                key = group_key(event, group)
                packs[at] = packs[at] or archive.find(PUBLIC, key) or archive.find(PRIVATE, key)
        return packs

    def released(self, kind: str | None, after: int, count: int) -> list[tuple[int, list[bytes]]]:
        """Released public records after number ``after``, oldest first; none if there are no more. Each item
        is the number of the last and all the records of an entry. There are up to ``2 * count`` items.
        """
        while True:
            members = self.index.released(kind, after, count)
            # After the list: what has left the list is in the archive then.
            archive = self.current()
            archived = [] if archive is None else list(islice(archive.after(PUBLIC, after, kind), count))
            ends = [rows[-1][0] for rows in (members, archived) if len(rows) == count]
            last = min(ends, default=_NO_END)
            found = dict(archived)
            wanted = [member for member in members if member.score <= last and member.score not in found]
            if archive is not None:
                # A restored database may hold what is archived at another place of the list.
                wanted = [member for member in wanted if not archive.has(PUBLIC, archive_key(member.name))]
            for member, pack in zip(wanted, self.index.released_records(wanted), strict=True):
                lines = _lines(archive_key(member.name), pack)
                if pack is None:
                    # Removed; perhaps it was archived after the list was read.
                    archive = self.current()
                    lines = None if archive is None else archive.find(PUBLIC, archive_key(member.name))
                if lines is not None:
                    found[member.score] = lines
            rows = sorted((number, lines) for number, lines in found.items() if number <= last)
            if rows or not ends:
                return rows
            after = last

    # Changes

    def change(self, keys: Sequence[str], group: str, info: Mapping[str, object]) -> None:
        """Change values in the part ``info`` of the archived records of a group, of which ``keys`` are the
        possible entries: at once for all readers; the archiver writes it to the archive.
        """
        archive = self.current()
        if archive is not None and any(archive.has(PUBLIC, key) for key in keys):
            self._archiving.request_change(group, info)
            self._archiving.note_change()

    def current(self) -> Archive | None:
        """The archive as it is now; None if no archiver has written to it yet."""
        changes = self._archiving.changes()
        if self.archive is None:
            if changes:
                raise ArchiveUnavailable(
                    "the archive of this service is not configured in this process",
                    field="BOTEQUIM_ARCHIVE",
                    expected="the archive that other processes use",
                )
            return None
        if changes != self._known:
            self.check()
            changes = changes or self._archiving.changes()
            if changes:
                # Before the manifest: an archiver removes a request after it has written it there.
                self.archive.requested = self._archiving.requested()
                self.archive.refresh()
            self._known = changes
        return self.archive if changes else None


def archive_key(member: str) -> str:
    """The key in the archive of a member of the list of released records."""
    event, separator, group = member.removeprefix("@").partition("/")
    return group_key(event, group) if separator else member


def group_key(event: str, group: str) -> str:
    """The key of a local group in the archive, which is its id in records."""
    return f"{event}-{group}"


def archived_header(header: bytes, version: int) -> bytes:
    """The line of a game in the collection of headers."""
    return b'{"version":%d,"header":%b}' % (version, header)


def _archived_game(archive: Archive, game: str) -> FinishedGame | None:
    lines = archive.find(GAMES, game)
    if not lines:
        return None
    row = orjson.loads(lines[0])
    return FinishedGame(orjson.dumps(row["header"]), row["version"], None)


def _finished(game: str, ended: EndedGame) -> FinishedGame:
    lines = _lines(game, ended.record)
    return FinishedGame(ended.header, ended.version, None if lines is None else lines[0])


def _lines(name: str, pack: bytes | None) -> list[bytes] | None:
    """The records of a game or group; None if there are none or they cannot be read."""
    if pack is None:
        return None

    def read() -> list[bytes]:
        data = gzip.decompress(pack)
        if not data:
            raise EOFError
        return data.split(b"\n")

    return shown_or_left_out(f"records of {name}", read)
