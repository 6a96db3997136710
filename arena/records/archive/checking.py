"""The check of a whole archive: digests, indexes, duplicates, and the hashes of the records."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256

from arena.records.archive.archive import GAMES, PRIVATE, PUBLIC, Archive
from arena.records.archive.segments import (
    ArchiveEntry,
    DamagedArchive,
    Located,
    SegmentInfo,
    frame_lines,
    located,
    read_index,
)
from arena.records.record import canonical_hash


@dataclass
class ArchiveCheck:
    """What was read: segments, their entries, lines and bytes; and what is wrong, each in one line."""

    segments: int = 0
    entries: int = 0
    records: int = 0
    size: int = 0
    problems: list[str] = field(default_factory=list)


def check_archive(archive: Archive) -> ArchiveCheck:
    """Read the whole archive and check it. Raises the errors of :class:`Archive`."""
    found = ArchiveCheck()
    keys: dict[tuple[str, str], str] = {}
    games: dict[str, str] = {}
    for info in archive.refresh().segments:
        found.segments += 1
        found.size += info.size
        try:
            entries = list(segment_entries(archive, info))
        except DamagedArchive as error:
            found.problems.append(error.message)
            continue
        found.entries += len(entries)
        expected = (info.entries, info.lines, info.first, info.last)
        lines = sum(len(entry.lines) for entry in entries)
        if expected != (len(entries), lines, entries[0].number, entries[-1].number):
            found.problems.append(f"{info.data}: the manifest says something else than the index")
        numbers = [entry.number for entry in entries]
        if numbers != sorted(set(numbers)):
            found.problems.append(f"{info.data}: the entries are not in their order")
        for entry in entries:
            other = keys.setdefault((info.collection, entry.key), info.data)
            if other != info.data:
                found.problems.append(f"{info.data}: {entry.key} is in {other} too")
            if info.collection == GAMES:
                continue
            for line in entry.lines:
                found.records += 1
                problem = _record_problem(line, entry)
                if problem is None and info.collection in (PUBLIC, PRIVATE):
                    game = json.loads(line)["canonical"]["game"]
                    if games.setdefault(game, entry.key) != entry.key:
                        problem = f"game {game} is in {games[game]} too"
                if problem is not None:
                    found.problems.append(f"{info.data}: {entry.key}: {problem}")
    return found


def segment_entries(archive: Archive, info: SegmentInfo) -> Iterator[ArchiveEntry]:
    """The entries of a segment, after a check of its digests. Raises :class:`DamagedArchive`."""
    index = read_index(info, _whole(archive, info.index))
    data = _whole(archive, info.data)
    if sha256(data).hexdigest() != info.sha256:
        raise DamagedArchive(f"{info.data} is not what was written")
    rows = located(index)
    start = 0
    for length, count in index["frames"]:
        lines = iter(frame_lines(data[start : start + length], info.data))
        start += length
        for _ in range(count):
            yield _entry(next(rows), lines)


def _entry(row: Located, lines: Iterator[bytes]) -> ArchiveEntry:
    return ArchiveEntry(row.key, row.number, row.kind, row.at_ms, [next(lines) for _ in range(row.lines)])


def _whole(archive: Archive, name: str) -> bytes:
    data = archive.objects.get(name)
    if data is None:
        raise DamagedArchive(f"{name} in {archive.objects.where()} is missing")
    return data


def _record_problem(line: bytes, entry: ArchiveEntry) -> str | None:
    try:
        record = json.loads(line)
        if record["hash"] != canonical_hash(record["canonical"]):
            return "a record does not have its hash"
        if record["canonical"]["kind"] != entry.kind:
            return f"a record is not of the kind {entry.kind}"
    except (ValueError, TypeError, KeyError) as error:
        return f"a record cannot be read: {error!r}"
    return None


__all__ = ["ArchiveCheck", "check_archive", "segment_entries"]
