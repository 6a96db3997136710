"""Everybody meets everybody."""

from __future__ import annotations

from arena.tournaments.formats.tables import rerun, tables_of_all
from arena.tournaments.plan import Field, GroupPlan


def due(field: Field) -> list[GroupPlan]:
    """All groups at once; afterwards those tables again at which somebody forfeited."""
    if field.planned:
        return rerun(field)
    return [
        group
        for round, tables in enumerate(_rounds(field), 1)
        for pairing, table in tables
        for group in field.groups_of(round, pairing, table)
    ]


def expected(field: Field) -> int:
    """All groups, as long as nobody forfeits at a table."""
    if field.planned:
        return len(field.planned)
    return field.spec.groups * sum(len(tables) for tables in _rounds(field))


def _rounds(field: Field) -> list[list[tuple[int, tuple[int, ...]]]]:
    """The tables of each round, with their numbers, which stay as they are when a pairing is left out."""
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
    """The circle method: the first stays, the others go round; an odd one out rests."""
    ring: list[int | None] = [*present, *([None] if len(present) % 2 else [])]
    rounds = []
    for _ in range(len(ring) - 1):
        pairs = zip(ring[: len(ring) // 2], reversed(ring[len(ring) // 2 :]), strict=True)
        rounds.append([(one, other) for one, other in pairs if one is not None and other is not None])
        ring = [ring[0], ring[-1], *ring[1:-1]]
    return [list(map(tuple, pairs)) for pairs in rounds]
