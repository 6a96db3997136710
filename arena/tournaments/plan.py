"""The plan of a format: the groups that are due, and the progress of the tournament."""

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
    """One group to play. ``round``, ``pairing`` (in its round) and the number in its id count from 1.

    ``seats[i]`` lists the entrants (as indexes) seat by seat of game ``i``. With fewer seats than the rules
    say, the rules are ``spec.rules_for(len(seats[0]))``. The id is unique in its tournament.
    """

    id: str
    round: int
    pairing: int
    seats: tuple[tuple[int, ...], ...]

    @property
    def members(self) -> tuple[int, ...]:
        """The entrants (as indexes) that take part, each once, in the order of their seats."""
        return tuple(dict.fromkeys(self.seats[0]))

    @property
    def number(self) -> int:
        """The number of the group in its pairing, from 1."""
        return int(self._parts[1])

    @property
    def replay(self) -> int:
        """How often the group was played before, with players who forfeited."""
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
    """How a tournament goes on.

    ``groups`` are due now and have not been planned before. ``byes`` says how many byes each player has had
    so far, each worth a point. ``round`` is the last one that has begun (0: none). ``expected`` says how many
    groups the whole tournament will have, as far as is known. ``places`` is the final order of a finished
    knockout, from 1, with the same number for shared places; it is None where the standings decide.
    """

    groups: tuple[GroupPlan, ...]
    byes: Mapping[PlayerId, int]
    finished: bool
    round: int
    expected: int
    places: Mapping[PlayerId, int] | None = None


class Now(NamedTuple):
    """What a format that plans while groups run knows besides the results: the time in milliseconds since
    1970, who can play, and half the width of the interval of each rating, which is missing if unknown.
    """

    ms: int
    online: Collection[PlayerId]
    widths: Mapping[PlayerId, float]


@dataclass(frozen=True)
class Field:
    """All that a format knows. ``planned`` holds all groups that were planned so far; those that were played
    are in ``done``, with None for those that were given up.
    """

    spec: Spec
    entrants: Sequence[Entrant]
    planned: Sequence[GroupPlan]
    done: Mapping[str, GroupResult | None]
    seed: bytes
    current: Now | None = None

    @property
    def now(self) -> Now:
        """Who is online, and the time. It must have been given."""
        if self.current is None:
            raise ValueError(f"the format {self.spec.format} cannot plan without knowing who is online")
        return self.current

    @cached_property
    def round(self) -> int:
        """The last round that has begun."""
        return max((group.round for group in self.planned), default=0)

    @cached_property
    def pairings(self) -> dict[tuple[int, int], list[GroupPlan]]:
        """The groups of each (round, pairing), in their order."""
        found: dict[tuple[int, int], list[GroupPlan]] = {}
        for group in self.planned:
            found.setdefault((group.round, group.pairing), []).append(group)
        return found

    def playing(self, round: int) -> list[int]:
        """Return the entrants (as indexes) that take part in a round."""
        return [index for index, entrant in enumerate(self.entrants) if entrant.plays(round)]

    def may_meet(self, one: int, other: int) -> bool:
        """Return whether two entrants have different owners."""
        return rivals(self.entrants[one], self.entrants[other])

    def result(self, group: GroupPlan) -> GroupResult | None:
        """Return the result of a group, or None if it was given up, annulled, or is not whole."""
        result = self.done.get(group.id)
        return result if result is not None and result.counts_for else None

    def forfeiters(self, group: GroupPlan) -> set[int]:
        """Return the entrants (as indexes) that forfeited in a group."""
        result = self.result(group)
        if result is None or not result.forfeiters:
            return set()
        return {index for index in group.members if self.entrants[index].player in result.forfeiters}

    def groups_of(
        self, round: int, pairing: int, table: Sequence[int], first: int = 1, count: int | None = None
    ) -> list[GroupPlan]:
        """Return the groups of a pairing: ``count`` groups from number ``first`` on, by default all that it
        needs.
        """
        number = self.spec.groups if count is None else count
        return [
            group_plan(self.spec, f"r{round}-p{pairing}-g{first + index}", round, pairing, table)
            for index in range(number)
        ]


def group_plan(spec: Spec, id: str, round: int, pairing: int, table: Sequence[int]) -> GroupPlan:
    """Return a group of the entrants of ``table``. Each entrant has a team, or with mixed partners a seat, so
    that the first and the third play the others. A table with fewer members than usual has fewer seats.
    """
    teams = spec.teams if len(table) == spec.table else tuple((seat,) for seat in range(len(table)))
    seats = [0] * sum(map(len, teams))
    for index, team in enumerate(teams):
        for seat in team:
            seats[seat] = table[seat] if spec.partners == MIXED else table[index]
    return GroupPlan(id, round, pairing, distinct_seatings(teams, seats))
