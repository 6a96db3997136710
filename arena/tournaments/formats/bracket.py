"""The bracket of a knockout of duels, in which the loser of each pairing is eliminated."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from math import fsum
from typing import Final, NamedTuple

from arena.tournaments.plan import Field, GroupPlan

SUDDEN_DEATH: Final = 5
"""The maximum number of extra groups after a tie. If the pairing is still tied, the higher seed advances."""

THIRD_PLACE: Final = 2
"""The number of the pairing in the last round in which the losers of the semi-finals meet. Pairing 1 is the
final.
"""


class Bracket(NamedTuple):
    """The state of a knockout: the groups that are due, or the final order."""

    due: list[GroupPlan]
    levels: list[list[int]]
    """The entrants from first to last place, with those that share a place in one level. Empty until the
    knockout is finished.
    """


def groups_of_bracket(field: Field) -> int:
    """Return the number of pairings in the bracket, not counting sudden death."""
    count = len(field.playing(1))
    return field.spec.groups * (max(0, count - 1) + (count > 3))


def points_of(field: Field, groups: Sequence[GroupPlan], index: int) -> float:
    """Return an entrant's points in the groups of a pairing that count for it."""
    player = field.entrants[index].player
    results = [field.result(group) for group in groups]
    own = [
        result.score(player) * result.share(player)
        for result in results
        if result is not None and player in result.counts_for
    ]
    return round(fsum(own), 9)


def forfeited(field: Field, groups: Sequence[GroupPlan]) -> set[int]:
    """Return the entrants that forfeited in any of the groups."""
    return {index for group in groups for index in field.forfeiters(group)}


def bracket(field: Field) -> Bracket:
    """Return the bracket. Its due groups are those of the next round, or the sudden death of tied
    pairings.
    """
    here = _seeded(field, field.playing(1))
    rounds = (len(here) - 1).bit_length()
    out: list[list[int]] = []
    for round in range(1, rounds + 1):
        games: list[tuple[int, int | None, int | None]] = [
            (pairing, here[2 * pairing - 2], here[2 * pairing - 1])
            for pairing in range(1, len(here) // 2 + 1)
        ]
        if round == rounds and rounds > 1:
            semi_finalists = out.pop()
            if len(semi_finalists) == 2:
                games.append((THIRD_PLACE, semi_finalists[0], semi_finalists[1]))
            else:
                out.append(semi_finalists)
        groups: list[GroupPlan] = []
        winners: list[int | None] = []
        losers = []
        for pairing, one, other in games:
            more, winner = _decide(field, round, pairing, one, other)
            groups += more
            winners.append(winner)
            if one is not None and other is not None:
                losers.append(other if winner == one else one)
        if groups:
            return Bracket(groups, [])
        if round == rounds:
            order = [index for pair in zip(winners, losers, strict=True) for index in pair]
            return Bracket([], [[index] for index in order if index is not None] + out[::-1])
        here = winners
        out.append(losers)
    return Bracket([], [[index] for index in here if index is not None])


def _decide(
    field: Field, round: int, pairing: int, one: int | None, other: int | None
) -> tuple[list[GroupPlan], int | None]:
    """Return the groups that a pairing still needs, or its winner."""
    if one is None or other is None:
        return [], other if one is None else one
    groups = field.pairings.get((round, pairing), [])
    better, worse = min(one, other), max(one, other)
    if not groups:
        absent = [index for index in (worse, better) if not field.entrants[index].plays(round)]
        if len(absent) == 1:
            return [], better if absent == [worse] else worse
        if absent or not field.may_meet(one, other):
            return [], better
        return field.groups_of(round, pairing, (better, worse)), None
    went_on = [
        index
        for later in field.pairings.get((round + 1, (pairing + 1) // 2), [])
        for index in later.members
        if index in (one, other)
    ]
    if went_on:
        return [], went_on[0]
    out = forfeited(field, groups) & {one, other}
    if len(out) == 1:
        return [], better if out == {worse} else worse
    margin = points_of(field, groups, better) - points_of(field, groups, worse)
    if margin:
        return [], better if margin > 0 else worse
    gone = [index for index in (worse, better) if field.entrants[index].withdrawn is not None]
    if len(gone) == 1:
        return [], better if gone == [worse] else worse
    if out or gone or len(groups) >= field.spec.groups + SUDDEN_DEATH:
        return [], better
    return field.groups_of(round, pairing, (better, worse), len(groups) + 1, 1), None


def _seeded(field: Field, present: Sequence[int]) -> list[int | None]:
    """Return the entrants of the first round from top to bottom; None is a bye. The first two seeds can meet
    only in the final, the first four not before the semi-finals, and so on.

    Seeds of one tier (3 and 4; 5 to 8; …) can swap places, so that bots of one owner meet as late as
    possible.
    """
    order = [0]
    while len(order) < len(present):
        double = 2 * len(order) - 1
        order = [seed for first in order for seed in (first, double - first)]
    position = {seed: at for at, seed in enumerate(order)}
    owners = [field.entrants[index].owner for index in present]
    count = Counter(owner for owner in owners if owner)
    taken: defaultdict[str, list[int]] = defaultdict(list)
    here: list[int | None] = [None] * len(order)
    for first in (0, *(2**power for power in range(len(order).bit_length() - 1))):
        tier = range(first, min(max(2 * first, 1), len(present)))
        free = {position[seed] for seed in tier}
        for seed in sorted(tier, key=lambda seed: count[owners[seed]] < 2):
            own = position[seed]
            if count[owners[seed]] < 2:
                at = own if own in free else min(free)
            else:
                at = _farthest(free, taken[owners[seed]], own)
                taken[owners[seed]].append(at)
            free.remove(at)
            here[at] = present[seed]
    return here


def _farthest(free: Iterable[int], others: Sequence[int], own: int) -> int:
    """Return the ``free`` place that meets the places ``others`` as late as possible. Ties go to ``own``,
    then to the first place.
    """

    def key(at: int) -> tuple[int, bool, int]:
        first_meeting = min(((at ^ other).bit_length() for other in others), default=0)
        return first_meeting, at == own, -at

    return max(free, key=key)
