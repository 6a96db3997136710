"""Pairs of bots whose results look arranged: a report for people to look into, not a verdict.

*Dumping*: one gains far more from the other than the strengths of both predict. *Signalling*: two at
one table (or in one team) gain far more from the others than their strengths predict. The strengths
are fitted to all other groups, without those of the pair. A pair is reported if its results have
a chance below ``LEVEL`` over all pairs together, every group counting as a single game, so that
games of a group that depend on each other raise no suspicion.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import permutations
from math import exp, fsum, sqrt
from statistics import NormalDist
from typing import Any, Final, NamedTuple

import numpy as np

from arena.games import game_of
from arena.play.players import PlayerId
from arena.ratings.ledger import Ledger
from arena.ratings.model import Curvature, Likelihood
from arena.ratings.results import GroupResult
from arena.ratings.solver import FloatArray
from arena.ratings.standings import group_points

LEVEL: Final = 0.01
"""The largest probability that a report of an honest field names any pair."""

MIN_GROUPS: Final = 8
"""Pairs with fewer groups are not tested."""

DUMPING: Final = "dumping"
SIGNALLING: Final = "signalling"

_SHOWN_GROUPS: Final = 20
_SCREEN: Final = 0.5
"""The pair's groups pull the strengths towards their results, so the first test, on all groups, requires
only half of the deviation."""


@dataclass(frozen=True)
class Suspicion:
    """``gainer`` had ``score`` per group where ``expected`` was predicted, ``deviations`` standard
    deviations above it, in ``groups`` groups: against ``helper`` (``dumping``), or with it against the
    others (``signalling``; the two are in alphabetical order then).

    ``fold_rate``: the share of its opportunities at which the helper folded in these groups, and
    ``fold_rate_elsewhere`` in its other groups; None without opportunities. ``forfeits``: groups of the two
    that the helper forfeited, which count for no other player. ``group_ids``: at most 20 of the groups,
    the strongest evidence first.
    """

    what: str
    kind: str
    division: str
    gainer: PlayerId
    helper: PlayerId
    groups: int
    score: float
    expected: float
    deviations: float
    fold_rate: float | None
    fold_rate_elsewhere: float | None
    forfeits: int
    group_ids: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """The suspicion as shown to admins."""
        gainer, helper = self.gainer._asdict(), self.helper._asdict()
        return {**asdict(self), "gainer": gainer, "helper": helper, "group_ids": list(self.group_ids)}


class _Meeting(NamedTuple):
    """The score of a player or pair in a group, and the sides that it was scored against."""

    group: GroupResult
    score: float
    rivals: tuple[tuple[tuple[PlayerId, ...], tuple[PlayerId, ...]], ...]


_Key = tuple[str, PlayerId, PlayerId]


class _Strengths(NamedTuple):
    """The index of each player in ``values``, and the curvature of their likelihood if a group is ``games``
    independent games.
    """

    numbers: Mapping[PlayerId, int]
    values: FloatArray
    curvature: Curvature
    games: int

    def variance(self, slope: FloatArray) -> float:
        """The variance of the values times ``slope``, added up; every group counts as one game."""
        players = len(self.values)
        scores = np.zeros(len(self.curvature.diagonal))
        scores[:players] = slope
        return self.games * float(slope @ self.curvature.solve(scores)[:players])


def suspicious_pairs(groups: Iterable[GroupResult]) -> list[Suspicion]:
    """The pairs of every game and division whose results look arranged, the largest deviation first."""
    boards: dict[tuple[str, str], list[GroupResult]] = defaultdict(list)
    for group in groups:
        if group.counts_for:
            boards[group.kind, group.division].append(group)
    found = [one for own in boards.values() for one in _of_board(sorted(own, key=lambda group: group.id))]
    return sorted(found, key=lambda one: (-one.deviations, one.what, one.gainer, one.helper))


def _of_board(groups: Sequence[GroupResult]) -> list[Suspicion]:
    """Finds pairs one at a time, the largest deviation first, each time without the groups of the pairs
    before: two who help each other seem stronger than they are, so a player that beats one of them alone
    seems to be helped.
    """
    found: list[Suspicion] = []
    left = groups
    for what in (SIGNALLING, DUMPING):
        threshold = None
        while True:
            meetings: dict[_Key, list[_Meeting]] = defaultdict(list)
            for group in left:
                for key, meeting in _meetings(group) if not group.forfeiters else ():
                    if key[0] == what:
                        meetings[key].append(meeting)
            tested = {key: own for key, own in sorted(meetings.items()) if len(own) >= MIN_GROUPS}
            if not tested:
                break
            if threshold is None:
                threshold = NormalDist().inv_cdf(1 - LEVEL / 2 / len(tested))
            strangest = _strangest(tested, left, threshold)
            if strangest is None:
                break
            key, compared = strangest
            found.append(_suspicion(key, tested[key], groups, *compared))
            own = {meeting.group.id for meeting in tested[key]}
            left = [group for group in left if group.id not in own]
    return found


def _strangest(
    tested: Mapping[_Key, Sequence[_Meeting]], groups: Sequence[GroupResult], threshold: float
) -> tuple[_Key, tuple[float, float, float]] | None:
    """The pair with the greatest deviation of those above ``threshold``, and its comparison."""
    everything = _strengths(groups)
    found = []
    for key, meetings in tested.items():
        if _compare(meetings, everything)[2] >= threshold * _SCREEN:
            own = {meeting.group.id for meeting in meetings}
            found.append((key, _compare(meetings, _strengths(groups, own))))
    found = [(key, compared) for key, compared in found if compared[2] >= threshold]
    return max(found, key=lambda item: item[1][2], default=None)


def _meetings(group: GroupResult) -> Iterable[tuple[_Key, _Meeting]]:
    """The meetings of all pairs of a group, by what they may have arranged."""
    partners = _partners(group)
    for one, other in permutations(group.players, 2):
        if frozenset((one, other)) in partners:
            if one < other:
                against = tuple(player for player in group.players if player not in (one, other))
                yield (
                    (SIGNALLING, one, other),
                    _Meeting(group, group.score(one), (((one, other), against),)),
                )
            continue
        gained = group_points(group, one, other)
        if gained is not None:
            yield (DUMPING, one, other), _Meeting(group, gained, (((one,), (other,)),))
        if one < other and not partners and len(group.players) > 2:
            rivals = [
                (mine, third) for third in group.players if third not in (one, other) for mine in (one, other)
            ]
            points = [group_points(group, mine, third) or 0.0 for mine, third in rivals]
            yield (
                (SIGNALLING, one, other),
                _Meeting(group, fsum(points) / len(points), tuple(((a,), (b,)) for a, b in rivals)),
            )


def _partners(group: GroupResult) -> set[frozenset[PlayerId]]:
    """Different players who share a team."""
    players = group.games[0].players
    teams = [frozenset(players[seat] for seat in team) for team in group.teams]
    return {team for team in teams if len(team) == 2}


def _compare(meetings: Sequence[_Meeting], strengths: _Strengths) -> tuple[float, float, float]:
    """The mean score, the predicted one, and by how many standard deviations it is above it: those of
    chance, a group counting as one game, and of what is not known of the strengths.
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
    """By maximum likelihood, as for a leaderboard, from the groups that are not ``without``."""
    ledger = Ledger(groups[0].kind, groups[0].division)
    used = [group for group in groups if group.id not in without]
    for group in used:
        ledger.add(group)
    players = sorted({player for group in groups for player in group.players})
    index = {player: number for number, player in enumerate(players)}
    likelihood = Likelihood(len(index), ledger.blocks(index))
    fitted = likelihood.fit()
    games = max((len(group.games) for group in used), default=1)
    # The games of a group may depend on each other as much as if they were one.
    curvature = likelihood.curvature(likelihood.moments(fitted))
    return _Strengths(index, fitted[: len(index)], curvature, games)


def _suspicion(
    key: _Key,
    meetings: Sequence[_Meeting],
    groups: Sequence[GroupResult],
    score: float,
    expected: float,
    deviations: float,
) -> Suspicion:
    what, gainer, helper = key
    own = {meeting.group.id for meeting in meetings}
    theirs = [group for group in groups if helper in group.players]
    return Suspicion(
        what,
        meetings[0].group.kind,
        meetings[0].group.division,
        gainer,
        helper,
        len(meetings),
        round(score, 4),
        round(expected, 4),
        round(deviations, 2),
        _fold_rate((group for group in theirs if group.id in own), helper),
        _fold_rate((group for group in theirs if group.id not in own), helper),
        sum(gainer in group.players and helper in group.forfeiters for group in theirs),
        tuple(
            meeting.group.id
            for meeting in sorted(meetings, key=lambda meeting: (-meeting.score, meeting.group.id))
        )[:_SHOWN_GROUPS],
    )


def _fold_rate(groups: Iterable[GroupResult], player: PlayerId) -> float | None:
    given_up = opportunities = 0
    for group in groups:
        awards = game_of(group.kind).awards
        for game in group.games:
            if awards is not None and game.styles:
                for name, style in zip(game.players, game.styles, strict=True):
                    if name == player:
                        tally = awards.tally(style)
                        given_up += tally[awards.given_up]
                        opportunities += tally[awards.could_give_up]
    return round(given_up / opportunities, 4) if opportunities else None
