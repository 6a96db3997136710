"""Round robin: all entrants meet each other."""

from __future__ import annotations

from math import comb
from typing import Final

from arena.errors import ArenaError
from arena.tournaments.formats.format import TournamentFormat
from arena.tournaments.formats.tables import rerun, tables_of_all
from arena.tournaments.plan import Field, GroupPlan
from arena.tournaments.spec import Spec, invalid

MAX_TABLE_ENTRIES: Final = 64
"""The maximum number of entries of a round robin at tables, because computing the seating of a larger one
takes seconds.
"""


class RoundRobin(TournamentFormat):
    """The round robin format. All groups are planned at once; afterwards, tables with forfeits are
    replayed.
    """

    name = "round_robin"
    doc = "everybody meets everybody"
    has_rounds = True
    default_rounds = 1

    def conflict(self, spec: Spec) -> ArenaError | None:
        if not spec.duels and spec.max_entries > MAX_TABLE_ENTRIES:
            return invalid(
                f"a round robin at tables cannot have {spec.max_entries} entries",
                "max_entries",
                f"at most {MAX_TABLE_ENTRIES}",
            )
        return None

    def most_groups(self, spec: Spec, entrants: int) -> int:
        times = spec.groups * (spec.rounds or 1)
        return times * comb(entrants, 2) if spec.duels else times * 2 * max(70, entrants**2)

    def due(self, field: Field) -> list[GroupPlan]:
        if field.planned:
            return rerun(field)
        return [
            group
            for round, tables in enumerate(_rounds(field), 1)
            for pairing, table in tables
            for group in field.groups_of(round, pairing, table)
        ]

    def expected(self, field: Field) -> int:
        if field.planned:
            return len(field.planned)
        return field.spec.groups * sum(len(tables) for tables in _rounds(field))


def _rounds(field: Field) -> list[list[tuple[int, tuple[int, ...]]]]:
    """Return the tables of each round with their numbers, which stay the same when a pairing is left out."""
    present = field.playing(1)
    once = _circle(present) if field.spec.duels else list(tables_of_all(field, present))
    times = field.spec.rounds or 1
    return [
        [
            (number, table)
            for number, table in enumerate(tables, 1)
            if all(field.may_meet(one, other) for one in table for other in table if one < other)
        ]
        for tables in once * times
    ]


def _circle(present: list[int]) -> list[list[tuple[int, ...]]]:
    """Return the pairs of the circle method: the first entrant stays in place and the others rotate. With an
    odd number of entrants, one rests in each round.
    """
    ring: list[int | None] = [*present, *([None] if len(present) % 2 else [])]
    rounds = []
    for _ in range(len(ring) - 1):
        pairs = zip(ring[: len(ring) // 2], reversed(ring[len(ring) // 2 :]), strict=True)
        rounds.append([(one, other) for one, other in pairs if one is not None and other is not None])
        ring = [ring[0], ring[-1], *ring[1:-1]]
    return [list(map(tuple, pairs)) for pairs in rounds]
