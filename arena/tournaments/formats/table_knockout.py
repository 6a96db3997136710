"""Knockout at tables of three or more: half of the remaining entrants advance from each round, until one
table is left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from arena.tournaments.formats.bracket import SUDDEN_DEATH, Bracket, forfeited, points_of
from arena.tournaments.formats.tables import rerun
from arena.tournaments.plan import Field, GroupPlan


def groups_of_tables(field: Field) -> int:
    """Return the number of tables in all rounds, not counting sudden death."""
    size = field.spec.table
    left = len(field.playing(1))
    tables = 0
    while left > size:
        tables += left // size
        left = _next_count(left, size)
    return field.spec.groups * (tables + (left == size))


def _next_count(left: int, size: int) -> int:
    """Return the number of entrants left after a round: half of them, but at least a full table."""
    return max(size, (left + 1) // 2)


def table_bracket(field: Field) -> Bracket:
    """Return the bracket. Its due groups are replays of tables with forfeits; if there are none, the sudden
    death of tables that are tied at the cut; otherwise the next round.
    """
    again = rerun(field)
    if again:
        return Bracket(again, [])
    size = field.spec.table
    left = field.playing(1)
    out: list[list[int]] = []
    rested: Counter[int] = Counter()
    round = 0
    while True:
        round += 1
        left, out = _present(field, round, left, out, size)
        if len(left) < size:
            return Bracket([], [[index] for index in left] + out[::-1])
        resting = sorted(left, key=lambda index: (rested[index], index))[: len(left) % size]
        rested.update(resting)
        tables = _snake([index for index in left if index not in resting], size)
        final = len(left) == size
        leaving = size - 1 if final else len(left) - _next_count(left=len(left), size=size)
        groups: list[GroupPlan] = []
        going_on = list(resting)
        losers: list[int] = []
        order: list[int] = []
        for pairing, table in enumerate(tables, 1):
            share = (leaving + pairing - 1) // len(tables)
            more, order = _decide(field, round, pairing, table, size - share)
            groups += more
            going_on += order[: size - share]
            losers += order[size - share :]
        if groups:
            return Bracket(groups, [])
        if final:
            return Bracket([], [[index] for index in order] + out[::-1])
        left = sorted(going_on)
        out.append(sorted(losers))


def _present(
    field: Field, round: int, left: Sequence[int], out: Sequence[list[int]], size: int
) -> tuple[list[int], list[list[int]]]:
    """Return the remaining entrants, except those that have withdrawn. If they are too few for a table, the
    most recently eliminated entrants return, in seeding order.
    """
    present = [index for index in left if field.entrants[index].plays(round)]
    before = [list(level) for level in out]
    gone = [index for index in left if index not in present]
    for level in reversed(before):
        for index in list(level):
            if len(present) < size and field.entrants[index].plays(round):
                present.append(index)
                level.remove(index)
    if gone:
        before.append(gone)
    return sorted(present), [level for level in before if level]


def _snake(seated: Sequence[int], size: int) -> list[list[int]]:
    """Return tables of similar strength by distributing the seeds to the tables in snake order."""
    count = len(seated) // size
    tables: list[list[int]] = [[] for _ in range(count)]
    for place, index in enumerate(seated):
        lap, at = divmod(place, count)
        tables[count - 1 - at if lap % 2 else at].append(index)
    return tables


def _decide(
    field: Field, round: int, pairing: int, table: Sequence[int], places: int
) -> tuple[list[GroupPlan], list[int]]:
    """Return the groups that a table still needs, and its members from first to last. ``places`` is the
    number of members that advance.
    """
    groups = field.pairings.get((round, pairing), [])
    if not groups:
        return field.groups_of(round, pairing, table), list(table)
    later = {index for group in field.planned if group.round > round for index in group.members}
    out = forfeited(field, groups)
    gained = {index: points_of(field, groups, index) for index in table}

    def standing(index: int) -> tuple[bool, bool, float]:
        return index not in later, index in out, -gained[index]

    order = sorted(table, key=lambda index: (*standing(index), index))
    played = max(group.number for group in groups)
    tied = 0 < places < len(order) and standing(order[places - 1]) == standing(order[places])
    alive = not {order[places - 1], order[places]} & out if tied else False
    if tied and alive and not later and played < field.spec.groups + SUDDEN_DEATH:
        return field.groups_of(round, pairing, table, played + 1, 1), order
    return [], order
