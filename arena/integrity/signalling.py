"""Detection of signalling: pairs at one table or in one team that gain more from the others than their
strengths explain.

The strengths are fitted to all groups except those of the pair.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from math import exp, fsum, sqrt
from statistics import NormalDist
from typing import Final, NamedTuple

import numpy as np

from arena.integrity.encounters import MIN_GROUPS, Encounter, Gain
from arena.play.players import PlayerId
from arena.ratings.ledger import Ledger
from arena.ratings.model import Curvature, Likelihood
from arena.ratings.results import GroupResult
from arena.ratings.solver import FloatArray
from arena.ratings.standings import group_points

_SCREEN: Final = 0.5
"""The fraction of the deviation that the first test requires. It uses all groups, including the pair's own,
which pull the strengths towards the pair's results.
"""


class _Meeting(NamedTuple):
    """The score of a player or pair in a group, and the sides against which it was scored."""

    group: GroupResult
    score: float
    rivals: tuple[tuple[tuple[PlayerId, ...], tuple[PlayerId, ...]], ...]


_Key = tuple[PlayerId, PlayerId]


class _Strengths(NamedTuple):
    """The strengths of players. ``numbers`` holds the index of each player in ``values``. ``curvature`` is
    the curvature of the likelihood if each group consists of ``games`` independent games.
    """

    numbers: Mapping[PlayerId, int]
    values: FloatArray
    curvature: Curvature
    games: int

    def variance(self, slope: FloatArray) -> float:
        """Return the variance of the sum of the values weighted by ``slope``, counting every group as one
        game.
        """
        players = len(self.values)
        scores = np.zeros(len(self.curvature.diagonal))
        scores[:players] = slope
        return self.games * float(slope @ self.curvature.solve(scores)[:players])


def signalling_gains(
    groups: Sequence[GroupResult], owners: Mapping[str, str], level: float
) -> tuple[list[Gain], Sequence[GroupResult]]:
    """Return the gains of pairs on one board that are too large to be due to chance, and the remaining
    groups.

    ``owners`` maps bot names to owners, which are empty for house bots. ``level`` is the maximum ``chance``
    of a reported gain.

    Pairs are found one at a time, largest deviation first, each time without the groups of the pairs already
    found. Otherwise, because two players that help each other seem stronger than they are, a player that
    beats one of them alone would seem to have been helped.
    """
    found: list[Gain] = []
    left = groups
    tests = 0
    while True:
        meetings: dict[_Key, list[_Meeting]] = defaultdict(list)
        for group in left:
            for key, meeting in _meetings(group) if not group.forfeiters else ():
                if all(owners.get(player.name, "?") for player in key):
                    meetings[key].append(meeting)
        tested = {key: own for key, own in sorted(meetings.items()) if len(own) >= MIN_GROUPS}
        if not tested:
            return found, left
        tests = tests or len(tested)
        strangest = _strangest(tested, left, NormalDist().inv_cdf(1 - level / tests))
        if strangest is None:
            return found, left
        key, (score, expected, deviations) = strangest
        gainer, helper = key
        own = tested[key]
        scores = tuple(Encounter(one.group.id, "", gainer, helper, one.score) for one in own)
        chance = NormalDist().cdf(-deviations) * tests
        found.append(Gain(gainer, (helper,), None, score, expected, chance, scores))
        ids = {one.group for one in scores}
        left = [group for group in left if group.id not in ids]


def _strangest(
    tested: Mapping[_Key, Sequence[_Meeting]], groups: Sequence[GroupResult], threshold: float
) -> tuple[_Key, tuple[float, float, float]] | None:
    """Return the pair with the greatest deviation above ``threshold``, and its comparison."""
    everything = _strengths(groups)
    found = []
    for key, meetings in tested.items():
        if _compare(meetings, everything)[2] >= threshold * _SCREEN:
            own = {meeting.group.id for meeting in meetings}
            found.append((key, _compare(meetings, _strengths(groups, own))))
    found = [(key, compared) for key, compared in found if compared[2] >= threshold]
    return max(found, key=lambda item: item[1][2], default=None)


def _meetings(group: GroupResult) -> Iterable[tuple[_Key, _Meeting]]:
    """Yield, for each pair of players that could signal to each other (partners, or two players at a table),
    their scores against the others.
    """
    partners = team_partners(group)
    for one, other in combinations(group.players, 2):
        if frozenset((one, other)) in partners:
            against = tuple(player for player in group.players if player not in (one, other))
            yield (one, other), _Meeting(group, group.score(one), (((one, other), against),))
        elif not partners and len(group.players) > 2:
            rivals = [
                (mine, third) for third in group.players if third not in (one, other) for mine in (one, other)
            ]
            points = [group_points(group, mine, third) or 0.0 for mine, third in rivals]
            sides = tuple(((a,), (b,)) for a, b in rivals)
            yield (one, other), _Meeting(group, fsum(points) / len(points), sides)


def team_partners(group: GroupResult) -> set[frozenset[PlayerId]]:
    """Return the pairs of different players that share a team."""
    players = group.games[0].players
    teams = [frozenset(players[seat] for seat in team) for team in group.teams]
    return {team for team in teams if len(team) == 2}


def _compare(meetings: Sequence[_Meeting], strengths: _Strengths) -> tuple[float, float, float]:
    """Return the mean score, the predicted score, and the deviation between them in standard deviations. The
    variance is that of chance, counting a group as one game, plus that of the estimated strengths.
    """
    predicted = []
    variance = []
    slope = np.zeros(len(strengths.values))
    for meeting in meetings:
        chances = []
        for mine, theirs in meeting.rivals:
            sides = [[strengths.numbers[player] for player in side] for side in (mine, theirs)]
            gap = strengths.values[sides[1]].mean() - strengths.values[sides[0]].mean()
            chance = 1 / (1 + exp(float(gap)))
            chances.append(chance)
            for sign, side in zip((1, -1), sides, strict=True):
                np.add.at(slope, side, sign * chance * (1 - chance) / len(side) / len(meeting.rivals))
        predicted.append(fsum(chances) / len(chances))
        variance.append(fsum(chance * (1 - chance) for chance in chances) / len(chances))
    score = fsum(meeting.score for meeting in meetings)
    unknown = strengths.variance(slope)
    deviations = (score - fsum(predicted)) / sqrt(fsum(variance) + unknown)
    return score / len(meetings), fsum(predicted) / len(meetings), deviations


def _strengths(groups: Sequence[GroupResult], without: Collection[str] = ()) -> _Strengths:
    """Fit the strengths by maximum likelihood, as for a leaderboard, to the groups that are not in
    ``without``.
    """
    board = groups[0].board
    assert board is not None
    ledger = Ledger(*board)
    used = [group for group in groups if group.id not in without]
    for group in used:
        ledger.add(group)
    players = sorted({player for group in groups for player in group.players})
    index = {player: number for number, player in enumerate(players)}
    likelihood = Likelihood(len(index), ledger.blocks(index))
    fitted = likelihood.fit()
    games = max((len(group.games) for group in used), default=1)
    # At worst, the games of a group depend on each other so much that they count as one game.
    curvature = likelihood.curvature(likelihood.moments(fitted))
    return _Strengths(index, fitted[: len(index)], curvature, games)
