"""The check of a whole archive: segments, keys, doubles, and the hashes of the records."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

from arena.play.game_ids import tournament_of
from arena.records.archive.archive import COLLECTIONS, PUBLIC, ROWS, Archive, Segment
from arena.records.archive.segments import DamagedArchive, Member, members
from arena.records.record import canonical_hash


@dataclass
class ArchiveCheck:
    """What was read: segments, records and bytes; and what is wrong, each in one line."""

    segments: int = 0
    records: int = 0
    size: int = 0
    problems: list[str] = field(default_factory=list)


def check_archive(archive: Archive) -> ArchiveCheck:
    """Read the whole archive and check it. Raises the errors of :class:`Archive`."""
    if archive.service() is None:
        raise DamagedArchive(f"{archive.objects.where()} holds no archive", expected="archive.json")
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
                        found.problems.append(f"{segment.name}: {member.key} is not in its order")
                    newest = member.number
                    count += 1
                    problems = _problems(collection, member, count, games)
                    found.records += 0 if collection == ROWS else len(member.lines())
                    found.problems += [f"{segment.name}: {member.key}: {problem}" for problem in problems]
            except DamagedArchive as error:
                found.problems.append(error.message)
    return found


def segment_members(archive: Archive, segment: Segment) -> Iterator[Member]:
    """Yield the members of a segment. Raises :class:`DamagedArchive`."""
    data = archive.objects.get(segment.name)
    if data is None:
        raise DamagedArchive(f"{segment.name} in {archive.objects.where()} is missing")
    yield from members(data, segment.name)


def _problems(collection: str, member: Member, place: int, games: dict[str, int]) -> Iterator[str]:
    """What is wrong with a member, which is number ``place``. ``games``: in which member the others are, by
    their ids; its own are added.
    """
    lines = member.lines()
    if collection == ROWS:
        return
    for line in lines:
        try:
            record = json.loads(line)
            canonical = record["canonical"]
            game, group = canonical["game"], canonical["group"]
            if record["hash"] != canonical_hash(canonical):
                yield "a record does not have its hash"
            if canonical["kind"] != member.kind:
                yield f"a record is not of the kind {member.kind}"
            if member.key != (game if tournament_of(member.key) is None else group["id"]):
                yield f"it has the record of {game}"
        except (ValueError, TypeError, KeyError) as error:
            yield f"a record cannot be read: {error!r}"
            continue
        if games.setdefault(game, place) != place:
            yield f"game {game} is there twice"
