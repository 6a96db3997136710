"""Entries of an archive with records of games that were really played."""

from __future__ import annotations

import json
from functools import cache

from arena.records.archive.segments import ArchiveEntry
from arena.records.record import dumps
from tests.ratings.real_records import RULES, group_records

START_MS = 1_700_000_000_000


@cache
def group_entry(number: int) -> ArchiveEntry:
    """Group ``number`` (from 0) of tournament ``cup``, Truco and Toepen in turns."""
    kind = sorted(RULES)[number % 2]
    group = f"cup-r1-p{number + 1}-g1"
    players = "a b a b" if kind == "truco" else "a b c"
    lines = [dumps(record).encode() for record in group_records(kind, players, group)]
    return ArchiveEntry(group, 10 * (number + 1), kind, START_MS + number, lines)


def games_of(entry: ArchiveEntry) -> list[str]:
    """The ids of the games of an entry."""
    return [json.loads(line)["canonical"]["game"] for line in entry.lines]
