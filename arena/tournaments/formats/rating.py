"""The format ``rating``: it plans all groups at once, some against the house bots and as many as possible
against each other owner.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from arena.errors import ArenaError
from arena.tournaments.entry import Entrant, lot
from arena.tournaments.formats.format import TournamentFormat
from arena.tournaments.plan import Field, GroupPlan
from arena.tournaments.settings import MIXED
from arena.tournaments.spec import Spec, check_entrants, invalid

_MOST_OF_OTHERS: Final = (3, 4)
"""The share of the rounds, as a fraction, in which a bot can meet those of other owners."""

_MOST_OF_OWNER: Final = (3, 20)
"""The share of the rounds, as a fraction, in which a bot can meet those of one other owner: five of them
make the whole share.
"""

_HOUSE_EVERY: Final = 6
"""The interval, in rounds, at which the house bots meet each other."""


class RatingFormat(TournamentFormat):
    """The rating format. In each round, an entrant plays one group: with house bots only or with a bot of
    another owner. It meets all other owners equally often, however many bots they have entered: in three
    quarters of the rounds if there are at least five, and in fewer otherwise. These rounds are spread evenly,
    so a bot that leaves early has not met other owners more often than its share.
    """

    name = "rating"
    doc = "everybody meets the house bots, and each other owner equally often"
    has_rounds = True
    default_rounds = 100

    def conflict(self, spec: Spec) -> ArenaError | None:
        if spec.partners == MIXED:
            return invalid("the format rating requires fixed partners", "partners", "same")
        if spec.groups != 1:
            return invalid(
                "two bots that meet play exactly one group", "groups", "1; use rounds to play more groups"
            )
        return None

    def check_entrants(self, spec: Spec, entrants: Sequence[Entrant]) -> None:
        check_entrants(spec, entrants)
        house = sum(not entrant.owner for entrant in entrants)
        if house < spec.table - 1:
            raise ArenaError(
                f"{house} house bots are too few to fill a table of {spec.table} with one other bot",
                code="too_few_entrants",
                field="house",
                expected=f"{spec.table - 1} house bots or more",
            )

    def most_groups(self, spec: Spec, entrants: int) -> int:
        return (spec.rounds or 1) * entrants

    def due(self, field: Field) -> list[GroupPlan]:
        if field.planned:
            return []
        return [
            group
            for round, tables in enumerate(_rounds(field), 1)
            for pairing, table in enumerate(tables, 1)
            for group in field.groups_of(round, pairing, table)
        ]

    def expected(self, field: Field) -> int:
        return len(field.planned) or sum(map(len, _rounds(field)))


def _rounds(field: Field) -> list[list[list[int]]]:
    """Return the tables of all rounds."""
    present = sorted(field.playing(1), key=lambda index: lot(field.seed, "rating", *_player(field, index)))
    house = [index for index in present if not field.entrants[index].owner]
    others = [index for index in present if field.entrants[index].owner]
    count = field.spec.rounds or 1
    circle = [pairs for pairs in _meetings(field, others) if pairs]
    meetings = (circle * max(1, _part_of(count, _MOST_OF_OWNER)))[: _part_of(count, _MOST_OF_OTHERS)]
    seats = field.spec.table
    # For each of the other bots, the number of the house bot that it meets next.
    turns = {index: place for place, index in enumerate(others)}

    def table(*members: int) -> list[int]:
        """Return a table with ``members``, filled up with house bots, which take turns."""
        first = turns[members[0]]
        if len(members) < seats:
            for index in members:
                turns[index] += seats - len(members)
        return [*members, *(house[(first + more) % len(house)] for more in range(seats - len(members)))]

    rounds = []
    for round in range(1, count + 1):
        # The meetings are spread evenly over the rounds.
        before, now = ((len(meetings) * played) // count for played in (round - 1, round))
        pairs = meetings[before] if now > before else []
        met = {index for pair in pairs for index in pair}
        tables = [table(*pair) for pair in pairs]
        tables += [table(index) for index in others if index not in met]
        if round % _HOUSE_EVERY == 1 and len(house) >= seats:
            tables += _of_house(house, seats)
        rounds.append(tables)
    return rounds


def _part_of(count: int, share: tuple[int, int]) -> int:
    return count * share[0] // share[1]


def _player(field: Field, index: int) -> Sequence[str]:
    return field.entrants[index].player


def _meetings(field: Field, others: Sequence[int]) -> list[list[tuple[int, int]]]:
    """Return, for each round of the circle method, the pairs in which neither bot has met the other's
    owner.
    """
    ring: list[int | None] = [*others, *([None] if len(others) % 2 else [])]
    met: set[tuple[int, str]] = set()
    rounds = []
    for _ in range(len(ring) - 1):
        pairs = []
        for one, other in zip(ring[: len(ring) // 2], reversed(ring[len(ring) // 2 :]), strict=True):
            if one is None or other is None or not field.may_meet(one, other):
                continue
            meets = (one, field.entrants[other].owner), (other, field.entrants[one].owner)
            if met.isdisjoint(meets):
                met.update(meets)
                pairs.append((one, other))
        rounds.append(pairs)
        ring = [ring[0], ring[-1], *ring[1:-1]]
    return rounds


def _of_house(house: Sequence[int], seats: int) -> list[list[int]]:
    """Return tables at which the house bots meet each other."""
    if seats == 2:
        return [[one, other] for place, one in enumerate(house) for other in house[:place]]
    return [[house[(first + more) % len(house)] for more in range(seats)] for first in range(len(house))]
