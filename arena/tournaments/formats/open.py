"""Play that goes on: whoever is online is paired, those whose strength is least known first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from math import comb, inf

from arena.ratings.results import GroupResult, Player
from arena.tournaments.entry import Entrant, lot
from arena.tournaments.formats.tables import Meetings
from arena.tournaments.plan import Field, GroupPlan, Planned
from arena.tournaments.spec import MAX_GROUPS, MIXED, Spec


def plan_open(
    spec: Spec,
    entrants: Sequence[Entrant],
    done: Mapping[str, GroupResult | None],
    seed: bytes,
    *,
    planned: Iterable[GroupPlan],
    online: Collection[Player],
    widths: Mapping[Player, float] | None = None,
) -> Planned:
    """The next groups of an ``open`` tournament; arguments as for
    :func:`~arena.tournaments.formats.plan`.

    ``planned``: all groups so far, those that are not in ``done`` are running. ``online``: who can
    play; house bots always can. ``widths``: half the width of the interval of each rating, missing if
    unknown. Every call is a round: whoever is online and in no running group is seated. It is
    finished when no table can be filled although all are online and free, or after ``MAX_GROUPS``;
    the end of its time (``spec.ends_ms``) is the caller's.
    """
    field = Field(spec, entrants, tuple(sorted(planned, key=GroupPlan.order)), done, seed)
    widths = widths or {}
    waiting = [group for group in field.planned if group.id not in done]
    busy = {index for group in waiting for index in group.members}
    present = field.playing(field.round + 1)
    history = _History(field)
    free = [
        index
        for index in present
        if index not in busy and (entrants[index].house or entrants[index].player in online)
    ]
    order = history.order(free, widths)
    tables = history.tables(order) if len(field.planned) < MAX_GROUPS else []
    round = field.round + 1
    groups = tuple(
        group for pairing, table in enumerate(tables, 1) for group in field.groups_of(round, pairing, table)
    )
    return Planned(
        groups,
        {},
        not waiting and not groups and (len(free) == len(present) or len(field.planned) >= MAX_GROUPS),
        max((group.round for group in groups), default=field.round),
        _expected(field, len(present), len(groups)),
        None,
        tuple(
            group.id
            for group in waiting
            if any(entrants[index].withdrawn is not None for index in group.members)
        ),
    )


def _expected(field: Field, present: int, more: int) -> int:
    """All that the repeats allow if nobody comes or goes; what is planned, if that is more."""
    tables = comb(present, 2) * field.spec.max_repeats // comb(field.spec.table, 2)
    return max(field.spec.groups * tables, len(field.planned) + more)


class _History:
    """Who played how often, and with whom."""

    def __init__(self, field: Field) -> None:
        self._field = field
        self._spec = field.spec
        owners = {index: entrant.owner for index, entrant in enumerate(field.entrants)}
        self._meetings = Meetings(self._spec.partners == MIXED, owners)
        self._met: Counter[tuple[int, int]] = Counter()
        for groups in field.pairings.values():
            first = groups[0]
            self._meetings.add([first.seats[0] if self._meetings.mixed else first.members])
            self._met.update(combinations(sorted(first.members), 2))

    def order(self, free: Sequence[int], widths: Mapping[Player, float]) -> list[int]:
        """Those first who have played less than half as much as the others do on average, then by
        interval, the widest first.
        """
        played = self._meetings.played
        present = self._field.playing(self._field.round + 1)
        average = sum(played[index] for index in present) / max(1, len(present))

        def key(index: int) -> tuple[bool, float, float, int, bytes]:
            player = self._field.entrants[index].player
            starved = played[index] < average / 2
            width = widths.get(player, inf)
            return (
                not starved,
                played[index] if starved else 0,
                -width,
                played[index],
                lot(self._field.seed, "open", self._field.round, *player),
            )

        return sorted(free, key=key)

    def tables(self, order: Sequence[int]) -> list[tuple[int, ...]]:
        """The first in the order with those whom it has met least, the first of them first; and so on."""
        place = {index: number for number, index in enumerate(order)}
        left = list(order)
        tables = []
        while len(left) >= self._spec.table:
            table = [left.pop(0)]
            while len(table) < self._spec.table:
                choice = [other for other in left if all(self.may_meet(other, member) for member in table)]
                if not choice:
                    break
                chosen = min(choice, key=lambda other: (self._repeats(other, table), place[other]))
                table.append(chosen)
                left.remove(chosen)
            if len(table) == self._spec.table:
                tables.append(self._meetings.arranged(table))
            else:
                left = sorted([*left, *table[1:]], key=place.__getitem__)
        return tables

    def may_meet(self, one: int, other: int) -> bool:
        """Whether they are no bots of one owner and have not met too often."""
        pair = (one, other) if one < other else (other, one)
        return self._field.may_meet(one, other) and self._met[pair] < self._spec.max_repeats

    def _repeats(self, index: int, table: Sequence[int]) -> int:
        return sum(self._met[min(index, member), max(index, member)] for member in table)
