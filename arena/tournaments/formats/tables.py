"""Balanced seating at tables of more than two entrants, so that all entrants meet equally often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, product
from math import comb
from typing import Final, TypeAlias

from arena.tournaments.entry import lot
from arena.tournaments.plan import Field, GroupPlan, group_plan
from arena.tournaments.settings import MIXED

Table: TypeAlias = tuple[int, ...]
Pair: TypeAlias = tuple[int, int]
Cost: TypeAlias = Callable[[int, int], int]
Swap: TypeAlias = Callable[[int, int], bool]

ALL_TABLES: Final = 126
"""A round robin at tables plays all possible tables if there are no more than this."""

APART: Final = 10**9
"""The cost of seating two bots of one owner at a table, which exceeds that of any number of repeats."""

_ROUNDS_PER_ENTRANT: Final = 4
_STARTS: Final = 3
"""The number of starting arrangements that are tried for a round; the best result is used. In a large field,
only one is tried.
"""

_LARGE: Final = 24


def pair_of(one: int, other: int) -> Pair:
    """Return two entrants in seeding order."""
    return (one, other) if one < other else (other, one)


def pairs_of(table: Iterable[int]) -> list[Pair]:
    """Return all pairs at a table."""
    return list(combinations(sorted(table), 2))


def rerun(field: Field) -> list[GroupPlan]:
    """Return replays of the groups of tables with forfeits, without the forfeiters, if at least two entrants
    are left.

    Of the original group, only the finished games count for the others. Groups are not replayed in duels,
    where only one entrant is left, or with mixed partners, where three entrants cannot play.
    """
    if field.spec.duels or field.spec.partners == MIXED:
        return []
    last = {(group.round, group.pairing, group.number): group for group in field.planned}
    again = []
    for (round, pairing, number), group in last.items():
        out = field.forfeiters(group)
        table = [index for index in group.members if index not in out]
        if out and len(table) >= 2:
            id = f"r{round}-p{pairing}-g{number}-x{group.replay + 1}"
            again.append(group_plan(field.spec, id, round, pairing, table))
    return again


def tables_of_all(field: Field, present: Sequence[int]) -> tuple[tuple[Table, ...], ...]:
    """Return the rounds of a round robin at tables. If there are few possible tables, all are played;
    otherwise there are rounds until all entrants have met each other and, with mixed partners, have partnered
    each other.
    """
    owners = tuple(field.entrants[index].owner for index in present)
    return _design(tuple(present), owners, field.spec.table, field.spec.partners == MIXED, field.seed)


@lru_cache(maxsize=64)
def _design(
    present: Table, owners: tuple[str, ...], size: int, mixed: bool, seed: bytes
) -> tuple[tuple[Table, ...], ...]:
    if len(present) < size:
        return ()
    meetings = Meetings(mixed, dict(zip(present, owners, strict=True)))
    if comb(len(present), size) * (3 if mixed else 1) <= ALL_TABLES:
        tables = [
            table
            for members in combinations(present, size)
            if meetings.allowed(members)
            for table in (_partnerships(members) if mixed else [members])
        ]
        return _in_rounds(tables)
    rounds: list[tuple[Table, ...]] = []
    while len(rounds) < _ROUNDS_PER_ENTRANT * len(present) and not meetings.complete(present):
        rounds.append(_balanced_round(present, size, meetings, seed, len(rounds)))
        meetings.add(rounds[-1])
    return tuple(rounds)


def _in_rounds(tables: Sequence[Table]) -> tuple[tuple[Table, ...], ...]:
    """Put each table in the first round in which all of its members are free."""
    rounds: list[list[Table]] = []
    busy: list[set[int]] = []
    for table in tables:
        free = next((at for at, seated in enumerate(busy) if seated.isdisjoint(table)), len(rounds))
        if free == len(rounds):
            rounds.append([])
            busy.append(set())
        rounds[free].append(table)
        busy[free].update(table)
    return tuple(map(tuple, rounds))


def _partnerships(members: Sequence[int]) -> list[Table]:
    """Return the three ways in which four entrants can form two pairs of partners, who sit opposite each
    other.
    """
    a, b, c, d = members
    return [(a, c, b, d), (a, b, c, d), (a, b, d, c)]


class Meetings:
    """The number of meetings of each pair, and the cost of another meeting: the increase in the sum of the
    squares of all meetings.
    """

    def __init__(self, mixed: bool, owners: Mapping[int, str]) -> None:
        """Start with no meetings. ``owners`` maps each entrant to its owner, which is empty for house
        bots.
        """
        self.mixed = mixed
        self.owners = owners
        self.opposed: Counter[Pair] = Counter()
        self.partnered: Counter[Pair] = Counter()
        self.played: Counter[int] = Counter()

    def add(self, tables: Iterable[Sequence[int]]) -> None:
        """Count the meetings at ``tables``."""
        for table in tables:
            partners = self._partners(table)
            self.partnered.update(partners)
            self.opposed.update(pair for pair in pairs_of(table) if pair not in partners)
            self.played.update(table)

    def complete(self, present: Sequence[int]) -> bool:
        """Return whether all pairs that may meet have met as opponents and, with mixed partners, also as
        partners.
        """
        return all(
            self.opposed[pair] and (self.partnered[pair] or not self.mixed)
            for pair in pairs_of(present)
            if self.allowed(pair)
        )

    def cost(self, one: int, other: int) -> int:
        """Return the cost of seating the two at one table."""
        pair = pair_of(one, other)
        if self.owners[one] and self.owners[one] == self.owners[other]:
            return APART
        # Every entrant has twice as many opponents as partners, so a repeated partner counts double.
        return 1 + 2 * self.opposed[pair] + 4 * self.partnered[pair]

    def arranged(self, table: Sequence[int]) -> Table:
        """Return the table in seeding order or, with mixed partners, with those as partners who have been
        partners least often.
        """
        members = tuple(sorted(table))
        return min(_partnerships(members), key=self._partner_cost) if self.mixed else members

    def allowed(self, table: Sequence[int]) -> bool:
        """Return whether no two bots at the table have the same owner."""
        owned = [self.owners[index] for index in table if self.owners[index]]
        return len(owned) == len(set(owned))

    def seatable(self, order: Sequence[int], size: int) -> list[int]:
        """Return the entrants that fill as many tables as possible, preferring earlier ones in ``order``. No
        owner can have more bots than there are tables.
        """
        owned = Counter(self.owners[index] for index in order)
        free = owned.pop("", 0)
        tables = len(order) // size
        while tables and free + sum(min(tables, count) for count in owned.values()) < tables * size:
            tables -= 1
        seated: list[int] = []
        taken: Counter[str] = Counter()
        for index in order:
            owner = self.owners[index]
            if len(seated) < tables * size and (not owner or taken[owner] < tables):
                seated.append(index)
                taken[owner] += 1
        return seated

    def apart(self, tables: Sequence[Sequence[int]]) -> list[list[int]]:
        """Return the same entrants at the same number of tables, with the bots of each owner at different
        tables.
        """
        by_owner = sorted(
            (index for table in tables for index in table), key=lambda index: self.owners[index]
        )
        return [by_owner[start :: len(tables)] for start in range(len(tables))]

    def _partner_cost(self, table: Sequence[int]) -> int:
        partners = self._partners(table)
        return sum(
            4 * self.partnered[pair] if pair in partners else 2 * self.opposed[pair]
            for pair in pairs_of(table)
        )

    def _partners(self, table: Sequence[int]) -> tuple[Pair, ...]:
        if not self.mixed:
            return ()
        return pair_of(table[0], table[2]), pair_of(table[1], table[3])


def improve(tables: list[list[int]], cost: Cost, allowed: Swap | None = None) -> None:
    """Swap members of two tables as long as this reduces the total cost of all pairs.

    ``allowed(member, table)`` returns whether a member may sit at the table with that number.
    """
    better = True
    while better:
        better = False
        for (first, here), (second, there) in combinations(list(enumerate(tables)), 2):
            for i, j in product(range(len(here)), range(len(there))):
                if allowed is not None and not (allowed(here[i], second) and allowed(there[j], first)):
                    continue
                if _gain(here, i, there, j, cost) > 0:
                    here[i], there[j] = there[j], here[i]
                    better = True


def total(tables: Iterable[Sequence[int]], cost: Cost) -> int:
    """Return the cost of all pairs at all tables."""
    return sum(cost(*pair) for table in tables for pair in pairs_of(table))


def _gain(here: Sequence[int], i: int, there: Sequence[int], j: int, cost: Cost) -> int:
    one, other = here[i], there[j]
    gained = 0
    for at, member in enumerate(here):
        if at != i:
            gained += cost(one, member) - cost(other, member)
    for at, member in enumerate(there):
        if at != j:
            gained += cost(other, member) - cost(one, member)
    return gained


def _balanced_round(
    present: Sequence[int], size: int, meetings: Meetings, seed: bytes, number: int
) -> tuple[Table, ...]:
    """Return a round in which the entrants with the most games rest, and as few pairs as possible meet
    again.
    """
    found = []
    for start in range(_STARTS if len(present) <= _LARGE else 1):

        def rank(index: int, start: int = start) -> tuple[int, bytes]:
            return meetings.played[index], lot(seed, "table", number, start, index)

        seated = meetings.seatable(sorted(present, key=rank), size)
        found.append(settle(_gather(seated, size, meetings.cost), meetings, meetings.cost))
    best = min(found, key=lambda tables: total(tables, meetings.cost))
    return tuple(map(meetings.arranged, best))


def settle(
    tables: list[list[int]], meetings: Meetings, cost: Cost, allowed: Swap | None = None
) -> list[list[int]]:
    """Improve tables of entrants chosen by :meth:`Meetings.seatable`, and return them. Bots of one owner are
    kept apart at any cost.
    """
    improve(tables, cost, allowed)
    if not all(map(meetings.allowed, tables)):
        improve(tables, cost)
    if not all(map(meetings.allowed, tables)):
        tables = meetings.apart(tables)
        improve(tables, cost)
    return tables


def _gather(order: Sequence[int], size: int, cost: Cost) -> list[list[int]]:
    """Fill tables one after another, each with the entrants that cost least there."""
    left = list(order)
    tables = []
    while left:
        table = [left.pop(0)]
        while len(table) < size:
            costs = [sum(cost(member, other) for member in table) for other in left]
            table.append(left.pop(costs.index(min(costs))))
        tables.append(table)
    return tables
