"""Open play: bots that are online are paired, starting with those with the widest rating intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import comb, inf

from arena.play.players import PlayerId
from arena.tournaments.entry import lot
from arena.tournaments.formats.format import TournamentFormat
from arena.tournaments.formats.tables import Meetings
from arena.tournaments.plan import Field, GroupPlan
from arena.tournaments.settings import MIXED
from arena.tournaments.spec import MAX_GROUPS, Spec


class Open(TournamentFormat):
    """The open format. Every step is a round that seats the entrants that are online and not in a running
    group.

    The tournament is finished when its time is up, when no table can be filled even though all entrants are
    online and free, or after ``MAX_GROUPS`` groups.
    """

    name = "open"
    doc = "whichever entrants are online, continuously"
    ends_by_time = True
    plans_while_running = True

    def most_groups(self, spec: Spec, entrants: int) -> int:
        return min(MAX_GROUPS, spec.groups * spec.max_repeats * comb(entrants, 2))

    def due(self, field: Field) -> list[GroupPlan]:
        if _time_is_over(field) or len(field.planned) >= MAX_GROUPS:
            return []
        history = _History(field)
        tables = history.tables(history.order(_free(field), field.now.widths))
        round = field.round + 1
        return [
            group
            for pairing, table in enumerate(tables, 1)
            for group in field.groups_of(round, pairing, table)
        ]

    def may_finish(self, field: Field) -> bool:
        present = field.playing(field.round + 1)
        full = len(field.planned) >= MAX_GROUPS
        return full or _time_is_over(field) or len(_free(field)) == len(present)

    def expected(self, field: Field) -> int:
        """Return the number of groups that ``max_repeats`` allows if no entrant arrives or leaves."""
        if _time_is_over(field):
            return len(field.planned)
        present = len(field.playing(field.round + 1))
        return field.spec.groups * (comb(present, 2) * field.spec.max_repeats // comb(field.spec.table, 2))


def _time_is_over(field: Field) -> bool:
    return field.spec.ends_ms is not None and field.now.ms >= field.spec.ends_ms


def _free(field: Field) -> list[int]:
    """Return the entrants that can play and are not in a running group. Bots that the arena runs can always
    play.
    """
    busy = {index for group in field.planned if group.id not in field.done for index in group.members}
    return [
        index
        for index in field.playing(field.round + 1)
        if index not in busy
        and (field.entrants[index].runner.arena_run or field.entrants[index].player in field.now.online)
    ]


class _History:
    """The number of games of each entrant and of meetings of each pair."""

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

    def order(self, free: Sequence[int], widths: Mapping[PlayerId, float]) -> list[int]:
        """Return the entrants in the order in which they are seated: first those that have played less than
        half the average of the others, then the rest, with the widest intervals first.
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
        """Seat the first entrant with those that it has met least, earlier ones in ``order`` first; then do
        the same with the rest.
        """
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
        """Return whether two entrants have different owners and have not met too often."""
        pair = (one, other) if one < other else (other, one)
        return self._field.may_meet(one, other) and self._met[pair] < self._spec.max_repeats

    def _repeats(self, index: int, table: Sequence[int]) -> int:
        return sum(self._met[min(index, member), max(index, member)] for member in table)
