"""Entries of an archive with records of games that were really played, and archives of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache

from arena.records.archive.archive import Archive
from arena.records.archive.checking import segment_members
from arena.records.archive.segments import ArchiveEntry, Member
from arena.records.record import dumps
from tests.ratings.real_records import RULES, group_records


@cache
def group_entry(number: int) -> ArchiveEntry:
    """Group ``number`` (from 0) of tournament ``cup``, Truco and Toepen in turns."""
    kind = sorted(RULES)[number % 2]
    group = f"cup-r1-p{number + 1}-g1"
    players = "a b a b" if kind == "truco" else "a b c"
    lines = [dumps(record).encode() for record in group_records(kind, players, group)]
    return ArchiveEntry(group, 10 * (number + 1), kind, lines)


def games_of(entry: ArchiveEntry) -> list[str]:
    """The ids of the games of an entry."""
    return [json.loads(line)["canonical"]["game"] for line in entry.lines]


def end_of(archive: Archive, collection: str) -> int:
    """The offset at which a collection ends."""
    segments = archive.segments(collection)
    return segments[-1].end if segments else 0


def add(archive: Archive, collection: str, *entries: ArchiveEntry) -> None:
    """Add a segment at the end of a collection."""
    assert archive.add(collection, end_of(archive, collection), entries) is not None


def members_of(archive: Archive, collection: str) -> Sequence[Member]:
    """All members of a collection."""
    return [
        member for segment in archive.segments(collection) for member in segment_members(archive, segment)
    ]
