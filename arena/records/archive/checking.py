"""Checks a whole archive: its segments, keys and duplicates, and the hashes of the records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from arena.play.game_ids import tournament_of
from arena.records.archive.archive import COLLECTIONS, PUBLIC, ROWS, Archive, Segment
from arena.records.archive.segments import DamagedArchive, Member, members
from arena.records.record import InvalidRecord, UnreadableRecord, canonical_hash, parse_record
from arena.text import printable

_MOST_OF_SEGMENT: Final = 1 << 30


@dataclass
class ArchiveCheck:
    """The result of a check: the number of segments, records and bytes read, and the problems, each on one
    line.
    """

    segments: int = 0
    records: int = 0
    size: int = 0
    problems: list[str] = field(default_factory=list)


def check_archive(archive: Archive) -> ArchiveCheck:
    """Read the whole archive and check it. Raises the errors of :class:`Archive`."""
    if archive.service() is None:
        raise DamagedArchive(
            f"{archive.objects.where()} does not contain an archive", expected="archive.json"
        )
    found = ArchiveCheck()
    games: dict[str, int] = {}
    count = 0
    for collection in COLLECTIONS:
        newest = end = 0
        for segment in archive.segments(collection):
            if end and segment.start > end:
                found.problems.append(f"{collection}: bytes {end} to {segment.start} are missing")
            end = segment.end
            found.segments += 1
            found.size += segment.size
            try:
                for member in segment_members(archive, segment):
                    if collection == PUBLIC and member.number <= newest:
                        found.problems.append(f"{segment.name}: {printable(member.key, 80)} is out of order")
                    newest = member.number
                    count += 1
                    problems = _problems(collection, member, count, games)
                    found.records += 0 if collection == ROWS else len(member.lines())
                    where = f"{segment.name}: {printable(member.key, 80)}"
                    found.problems += [f"{where}: {problem}" for problem in problems]
            except DamagedArchive as error:
                found.problems.append(printable(error.message))
    return found


def segment_members(archive: Archive, segment: Segment) -> Iterator[Member]:
    """Yield the members of a segment. Raises :class:`DamagedArchive`."""
    if segment.size > _MOST_OF_SEGMENT:
        raise DamagedArchive(
            f"{segment.name} in {archive.objects.where()} is too large",
            expected=f"at most {_MOST_OF_SEGMENT >> 20} MiB",
        )
    data = archive.objects.get(segment.name)
    if data is None:
        raise DamagedArchive(f"{segment.name} in {archive.objects.where()} is missing")
    yield from members(data, segment.name)


def _problems(collection: str, member: Member, place: int, games: dict[str, int]) -> Iterator[str]:
    """Yield the problems of member number ``place``. ``games`` maps ids of games to the numbers
    of their members; the games of this member are added.
    """
    lines = member.lines()
    if collection == ROWS:
        return
    for line in lines:
        try:
            record = parse_record(line)
        except (InvalidRecord, UnreadableRecord) as error:
            yield f"a record cannot be read: {error}"
            continue
        canonical = record["canonical"]
        game, group = canonical["game"], canonical["group"]
        if record["hash"] != canonical_hash(canonical):
            yield "the hash of a record is wrong"
        if canonical["kind"] != member.kind:
            yield f"the kind of a record is not {printable(member.kind, 40)}"
        if member.key != (game if tournament_of(member.key) is None else group and group["id"]):
            yield f"it contains the record of another game, {game}"
        if games.setdefault(game, place) != place:
            yield f"game {game} occurs twice"
