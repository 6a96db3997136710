"""Plans made by a format: the groups that are due, and the progress of the tournament."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from arena.play.pairings import distinct_seatings
from arena.play.players import PlayerId
from arena.ratings.results import GroupResult
from arena.tournaments.entry import Entrant, rivals
from arena.tournaments.settings import MIXED
from arena.tournaments.spec import Spec

_ID: Final = re.compile(r"r[0-9]+-p[0-9]+-g([0-9]+)(?:-x([0-9]+))?")


@dataclass(frozen=True)
class GroupPlan:
    """One group to play. ``round``, ``pairing`` (within its round) and the number in the id count from 1.
    ``seats[i]`` lists the indexes of the entrants in game ``i``, seat by seat. If there are fewer seats than
    in the tournament's rules, the rules are ``spec.rules_for(len(seats[0]))``. The id is unique within the
    tournament.
    """

    id: str
    round: int
    pairing: int
    seats: tuple[tuple[int, ...], ...]

    @property
    def members(self) -> tuple[int, ...]:
        """The indexes of the entrants that take part, each once, in seat order."""
        return tuple(dict.fromkeys(self.seats[0]))

    @property
    def number(self) -> int:
        """The number of the group within its pairing, from 1."""
        return int(self._parts[1])

    @property
    def replay(self) -> int:
        """The number of earlier plays of the group, in which players forfeited."""
        return int(self._parts[2] or 0)

    @property
    def _parts(self) -> re.Match[str]:
        found = _ID.fullmatch(self.id)
        if found is None:
            raise ValueError(f"{self.id!r} is not the id of a group")
        return found

    def order(self) -> tuple[int, int, int, int]:
        """Return the sort key of groups: round, pairing, number, replay."""
        return self.round, self.pairing, self.number, self.replay


@dataclass(frozen=True)
class Planned:
    """The plan for the next step of a tournament.

    ``groups`` are due now and have not been planned before. ``byes`` is the number of byes that each player
    has had so far, each worth one point. ``round`` is the last round that has begun (0: none). ``expected``
    is the number of groups in the whole tournament, as far as it is known. ``places`` are the final places in
    a finished knockout, from 1, with the same number for shared places. It is None if the standings determine
    the places.
    """

    groups: tuple[GroupPlan, ...]
    byes: Mapping[PlayerId, int]
    finished: bool
    round: int
    expected: int
    places: Mapping[PlayerId, int] | None = None


class Now(NamedTuple):
    """The additional inputs of a format that plans while groups run: ``ms`` is the current Unix time in
    milliseconds, ``online`` are the players that can play, and ``widths`` is half the width of each known
    rating's interval.
    """

    ms: int
    online: Collection[PlayerId]
    widths: Mapping[PlayerId, float]


@dataclass(frozen=True)
class Field:
    """All inputs of a format. ``planned`` holds all groups planned so far. ``done`` holds the results of
    groups that were played, with None for abandoned groups.
    """

    spec: Spec
    entrants: Sequence[Entrant]
    planned: Sequence[GroupPlan]
    done: Mapping[str, GroupResult | None]
    seed: bytes
    current: Now | None = None

    @property
    def now(self) -> Now:
        """The value of ``current``. Raises ValueError if it is None."""
        if self.current is None:
            raise ValueError(f"the format {self.spec.format} cannot plan without knowing who is online")
        return self.current

    @cached_property
    def round(self) -> int:
        """The last round that has begun."""
        return max((group.round for group in self.planned), default=0)

    @cached_property
    def pairings(self) -> dict[tuple[int, int], list[GroupPlan]]:
        """The groups of each (round, pairing), in order."""
        found: dict[tuple[int, int], list[GroupPlan]] = {}
        for group in self.planned:
            found.setdefault((group.round, group.pairing), []).append(group)
        return found

    def playing(self, round: int) -> list[int]:
        """Return the indexes of the entrants that take part in a round."""
        return [index for index, entrant in enumerate(self.entrants) if entrant.plays(round)]

    def may_meet(self, one: int, other: int) -> bool:
        """Return whether two entrants have different owners."""
        return rivals(self.entrants[one], self.entrants[other])

    def result(self, group: GroupPlan) -> GroupResult | None:
        """Return the result of a group, or None if the group was abandoned, was annulled, or is
        incomplete.
        """
        result = self.done.get(group.id)
        return result if result is not None and result.counts_for else None

    def forfeiters(self, group: GroupPlan) -> set[int]:
        """Return the indexes of the entrants that forfeited in a group."""
        result = self.result(group)
        if result is None or not result.forfeiters:
            return set()
        return {index for index in group.members if self.entrants[index].player in result.forfeiters}

    def groups_of(
        self, round: int, pairing: int, table: Sequence[int], first: int = 1, count: int | None = None
    ) -> list[GroupPlan]:
        """Return the groups of a pairing: ``count`` groups (by default all) starting with number
        ``first``.
        """
        number = self.spec.groups if count is None else count
        return [
            group_plan(self.spec, f"r{round}-p{pairing}-g{first + index}", round, pairing, table)
            for index in range(number)
        ]


def group_plan(spec: Spec, id: str, round: int, pairing: int, table: Sequence[int]) -> GroupPlan:
    """Return a group for the entrants at ``table``. Each entrant fills one team; with mixed partners, each
    takes one seat, so that the first and third play against the other two. A table with fewer members than
    usual has fewer seats.
    """
    teams = spec.teams if len(table) == spec.table else tuple((seat,) for seat in range(len(table)))
    seats = [0] * sum(map(len, teams))
    for index, team in enumerate(teams):
        for seat in team:
            seats[seat] = table[seat] if spec.partners == MIXED else table[index]
    return GroupPlan(id, round, pairing, distinct_seatings(teams, seats))
