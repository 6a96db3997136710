"""Swiss: a fixed number of rounds, in each of which entrants with similar scores meet."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from math import fsum

from arena.play.players import PlayerId
from arena.tournaments.formats.format import TournamentFormat
from arena.tournaments.formats.matching import maximum_matching, preferred_matching
from arena.tournaments.formats.tables import (
    APART,
    Meetings,
    Pair,
    pair_of,
    pairs_of,
    rerun,
    settle,
)
from arena.tournaments.plan import Field, GroupPlan
from arena.tournaments.settings import MIXED
from arena.tournaments.spec import Spec

_REPEAT = 1000
"""The cost of a repeated meeting at a table, relative to one place of difference in the ranking."""

_UNKNOWN = 0.5
"""The score of an entrant with no group that counts, which ranks it neither first nor last."""


class Swiss(TournamentFormat):
    """The Swiss format. Tables with forfeits are replayed before the next round."""

    name = "swiss"
    doc = "in each round, entrants with similar scores so far"
    has_rounds = True
    seeded_by_rating = True

    def most_groups(self, spec: Spec, entrants: int) -> int:
        return spec.groups * _rounds(spec, entrants) * (entrants // spec.table)

    def due(self, field: Field) -> list[GroupPlan]:
        again = rerun(field)
        round = field.round + 1
        if again or round > _rounds(field.spec, len(field.playing(1))):
            return again
        present = field.playing(round)
        tables = _pairs(field, present) if field.spec.duels else _tables(field, present)
        return [
            group
            for pairing, table in enumerate(tables, 1)
            for group in field.groups_of(round, pairing, table)
        ]

    def expected(self, field: Field) -> int:
        rounds = _rounds(field.spec, len(field.playing(1))) - field.round
        per_round = field.spec.groups * (len(field.playing(field.round + 1)) // field.spec.table)
        return len(field.planned) + max(0, rounds) * per_round

    def byes(self, field: Field) -> dict[PlayerId, int]:
        return {field.entrants[index].player: count for index, count in sorted(byes_of(field).items())}


def _rounds(spec: Spec, entrants: int) -> int:
    """Return the number of rounds from the settings or, by default, as many as it takes to halve the field
    down to one.
    """
    return spec.rounds or max(1, (entrants - 1).bit_length())


def byes_of(field: Field) -> Counter[int]:
    """Return the number of byes per entrant. In each round of duels with an odd number of players, one player
    without an opponent gets a bye: the one with the fewest byes so far, then the lowest seed. Other players
    without an opponent, because only bots of their own owner are left, get nothing. Nor do players without a
    table.
    """
    had: Counter[int] = Counter()
    if not field.spec.duels:
        return had
    seated: defaultdict[int, set[int]] = defaultdict(set)
    for group in field.planned:
        seated[group.round].update(group.members)
    for round, members in sorted(seated.items()):
        present = field.playing(round)
        alone = [index for index in present if index not in members]
        if len(present) % 2 and alone:
            had[min(alone, key=lambda index: (had[index], -index))] += 1
    return had


def scores(field: Field) -> dict[int, float]:
    """Return each entrant's average score so far, over the groups that count for it and its byes."""
    index_of = {entrant.player: index for index, entrant in enumerate(field.entrants)}
    gained: dict[int, list[float]] = {index: [] for index in range(len(field.entrants))}
    counted: dict[int, list[float]] = {index: [] for index in range(len(field.entrants))}
    for group in field.planned:
        result = field.result(group)
        for player in result.counts_for if result is not None else ():
            if result is not None and player in index_of:
                share = result.share(player)
                gained[index_of[player]].append(share * result.score(player))
                counted[index_of[player]].append(share)
    for index, count in byes_of(field).items():
        gained[index] += [1.0] * count
        counted[index] += [1.0] * count
    return {
        index: round(fsum(own) / fsum(counted[index]), 9) if own else _UNKNOWN
        for index, own in gained.items()
    }


def _ranked(field: Field, present: Iterable[int]) -> list[int]:
    found = scores(field)
    return sorted(present, key=lambda index: (-found[index], index))


def _met(field: Field) -> Counter[Pair]:
    """Return the number of pairings for each pair of entrants. Abandoned pairings count, because the two have
    had their turn.
    """
    return Counter(pair for groups in field.pairings.values() for pair in pairs_of(groups[0].members))


def _pairs(field: Field, present: Sequence[int]) -> list[tuple[int, int]]:
    """Return the pairs of a round: as many as possible, with repeats only where unavoidable."""
    met = _met(field)
    order = _ranked(field, present)
    levels = sorted({met[pair] for pair in pairs_of(present)})
    graphs = [_graph(field, order, met, level) for level in levels]
    if not graphs:
        return []
    most = len(maximum_matching(graphs[-1])) // 2
    if len(order) % 2:
        resting, graph = _bye(field, order, graphs, most)
        order = [index for index in order if index != resting]
        graph = {
            index: [other for other in others if other != resting]
            for index, others in graph.items()
            if index != resting
        }
    else:
        graph = next(graph for graph in graphs if len(maximum_matching(graph)) // 2 == most)
    found = scores(field)

    def wishes(index: int, left: Sequence[int]) -> list[int]:
        return sorted(_folded(index, left, found), key=lambda other: met[pair_of(index, other)])

    return preferred_matching(graph, order, wishes)


def _folded(index: int, left: Sequence[int], found: dict[int, float]) -> list[int]:
    """Return the opponents of an entrant, best first. Among entrants with equal scores, the first of the
    upper half prefers the first of the lower half.
    """
    equals = [other for other in left if found[other] == found[index]]
    half = len(equals) // 2
    others = [other for other in left if found[other] != found[index]]
    return [*equals[half:], *reversed(equals[:half]), *others]


def _graph(field: Field, order: Sequence[int], met: Counter[Pair], level: int) -> dict[int, list[int]]:
    """Return the possible opponents of each entrant: those with at most ``level`` previous meetings."""
    return {
        index: [
            other
            for other in order
            if other != index and met[pair_of(index, other)] <= level and field.may_meet(index, other)
        ]
        for index in order
    }


def _bye(
    field: Field, order: Sequence[int], graphs: Sequence[dict[int, list[int]]], most: int
) -> tuple[int, dict[int, list[int]]]:
    """Return the entrant that gets the bye, and the graph of possible opponents. No entrant gets a second bye
    before all have had one. Subject to that, repeats are avoided if possible, and then the last entrant in
    the order is chosen.
    """
    had = byes_of(field)
    matchings = [maximum_matching(graph) for graph in graphs]
    for level in sorted({had[index] for index in order}):
        for graph, mates in zip(graphs, matchings, strict=True):
            if len(mates) // 2 < most:
                continue
            for index in reversed(order):
                if had[index] == level and _can_rest(graph, mates, index, most):
                    return index, graph
    raise AssertionError("with an odd number, every matching leaves one entrant unpaired")


def _can_rest(graph: dict[int, list[int]], mates: dict[int, int], index: int, most: int) -> bool:
    if index not in mates:
        return True
    rest = {one: mate for one, mate in mates.items() if index not in (one, mate)}
    without = {
        one: [other for other in others if other != index] for one, others in graph.items() if one != index
    }
    return len(maximum_matching(without, rest)) // 2 == most


def _tables(field: Field, present: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the tables of a round. The ranking is cut into slices, and neighbouring slices swap members as
    long as that avoids repeats. Entrants with the most games rest, lower-ranked ones first.
    """
    size = field.spec.table
    owners = {index: entrant.owner for index, entrant in enumerate(field.entrants)}
    meetings = Meetings(field.spec.partners == MIXED, owners)
    for groups in field.pairings.values():
        meetings.add([groups[0].seats[0] if meetings.mixed else groups[0].members])
    order = _ranked(field, present)
    rank = {index: place for place, index in enumerate(order)}
    fresh = sorted(order, key=lambda index: (meetings.played[index], rank[index]))
    seated = sorted(meetings.seatable(fresh, size), key=rank.__getitem__)
    tables = [seated[start : start + size] for start in range(0, len(seated), size)]
    home = {index: number for number, table in enumerate(tables) for index in table}

    def cost(one: int, other: int) -> int:
        own = meetings.cost(one, other)
        return own if own == APART else (own - 1) * _REPEAT + abs(rank[one] - rank[other])

    tables = settle(tables, meetings, cost, lambda index, table: abs(home[index] - table) <= 1)
    return [meetings.arranged(table) for table in tables]
