"""Bots whose results look arranged: a report for people to look into, not a verdict.

*Dumping*: a version gains far more from the bots of some other owners than its strength explains, or more
in one tournament than in others (:mod:`arena.integrity.dumping`). *Signalling*: two at one table, or in one
team, gain far more from the others than their strengths predict. The strengths are fitted to all other
groups, without those of the pair. Nobody is named unless the results have a chance below ``LEVEL`` over all
tests of their kind together, every group counting as a single game, so that games of a group that depend on
each other raise no suspicion. House bots help nobody and are never named.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from math import exp, fsum, sqrt
from statistics import NormalDist
from typing import Final, NamedTuple

import numpy as np

from arena.games import game_of
from arena.integrity.dumping import MIN_GROUPS, Encounter, Gain, gains
from arena.play.board_names import BoardName
from arena.play.game_ids import tournament_of
from arena.play.players import SEALED, PlayerId
from arena.ratings.ledger import Ledger
from arena.ratings.model import Curvature, Likelihood
from arena.ratings.results import GroupResult
from arena.ratings.solver import FloatArray
from arena.ratings.standings import group_points

LEVEL: Final = 0.01
"""The largest probability that a report of an honest field names anybody, for each kind of test."""

DUMPING: Final = "dumping"
SIGNALLING: Final = "signalling"

_SHOWN_GROUPS: Final = 20
_SCREEN: Final = 0.5
"""The pair's groups pull the strengths towards their results, so the first test, on all groups, requires
only half of the deviation."""


class Helper(NamedTuple):
    """A helper: the ``groups`` that the gainer played against it (or with it), and the gainer's ``score`` in
    them.

    ``fold_rate``: the share of its opportunities at which it folded in these groups, and
    ``fold_rate_elsewhere`` in its other groups; None without opportunities. ``forfeits``: groups of the two
    that it forfeited, which are not among the others.
    """

    player: PlayerId
    owner: str | None
    groups: int
    score: float
    fold_rate: float | None
    fold_rate_elsewhere: float | None
    forfeits: int

    def as_json(self) -> dict[str, object]:
        """The helper as shown to admins."""
        values = self._asdict()
        return {**values.pop("player")._asdict(), **values}


@dataclass(frozen=True)
class Suspicion:
    """``gainer`` had ``score`` per group where ``expected`` was predicted, in ``groups`` groups: against the
    ``helpers`` (``dumping``), or with the one helper against the others (``signalling``; the two are in
    alphabetical order then). ``owner``: that of the gainer, None if it is not known any more.

    ``tournament``: that in which it did so, None for all. ``chance``: the probability that anybody in an
    honest field deviates as much. ``group_ids``: at most 20 of the groups, the strongest evidence first.
    """

    what: str
    kind: str
    division: str
    tournament: str | None
    gainer: PlayerId
    owner: str | None
    helpers: tuple[Helper, ...]
    groups: int
    score: float
    expected: float
    chance: float
    group_ids: tuple[str, ...]

    def as_json(self) -> dict[str, object]:
        """The suspicion as shown to admins."""
        values = dict(vars(self))
        gainer = {**self.gainer._asdict(), "owner": values.pop("owner")}
        helpers = [helper.as_json() for helper in self.helpers]
        return {**values, "gainer": gainer, "helpers": helpers, "group_ids": list(self.group_ids)}


class _Meeting(NamedTuple):
    """The score of a player or pair in a group, and the sides that it was scored against."""

    group: GroupResult
    score: float
    rivals: tuple[tuple[tuple[PlayerId, ...], tuple[PlayerId, ...]], ...]


_Key = tuple[PlayerId, PlayerId]


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


def suspicions(groups: Iterable[GroupResult], owners: Mapping[str, str]) -> list[Suspicion]:
    """Whose results look arranged, on every board, the smallest chance first. ``owners``: of the bots by
    name; empty for house bots.
    """
    boards: dict[BoardName, list[GroupResult]] = defaultdict(list)
    for group in groups:
        if group.counts_for and group.board is not None:
            boards[group.board].append(group)
    found = [
        one for own in boards.values() for one in _of_board(sorted(own, key=lambda group: group.id), owners)
    ]
    return sorted(found, key=lambda one: (one.chance, one.what, one.gainer))


def _of_board(groups: Sequence[GroupResult], owners: Mapping[str, str]) -> list[Suspicion]:
    found, left = _signalling(groups, owners)
    meetings: dict[tuple[str, PlayerId, PlayerId], Encounter] = {}
    for group in left:
        for one, other in permutations(group.players, 2) if not group.forfeiters else ():
            score = group_points(group, one, other)
            if score is not None and frozenset((one, other)) not in _partners(group):
                tournament = tournament_of(group.id) or group.id
                meetings[group.id, one, other] = Encounter(group.id, tournament, one, other, score)
    sealed = groups[0].division == SEALED
    for gain in gains(meetings.values(), owners, LEVEL, by_tournament=sealed):
        found.append(_suspicion(DUMPING, gain, groups, owners))
    return found


def _suspicion(what: str, gain: Gain, groups: Sequence[GroupResult], owners: Mapping[str, str]) -> Suspicion:
    scores = defaultdict(list)
    for meeting in gain.meetings:
        scores[meeting.other].append(meeting)
    strongest = sorted(gain.meetings, key=lambda one: (-one.score, one.group))
    return Suspicion(
        what,
        groups[0].kind,
        groups[0].division,
        gain.tournament,
        gain.gainer,
        owners.get(gain.gainer.name),
        tuple(_helper(gain.gainer, own, groups, owners) for _, own in sorted(scores.items())),
        gain.groups,
        round(gain.score, 4),
        round(gain.expected, 4),
        gain.chance,
        tuple(one.group for one in strongest)[:_SHOWN_GROUPS],
    )


def _signalling(
    groups: Sequence[GroupResult], owners: Mapping[str, str]
) -> tuple[list[Suspicion], Sequence[GroupResult]]:
    """Finds pairs one at a time, the largest deviation first, each time without the groups of the pairs
    before: two who help each other seem stronger than they are, so a player that beats one of them alone
    seems to be helped. Returns the groups that are left, too.
    """
    found: list[Suspicion] = []
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
        strangest = _strangest(tested, left, NormalDist().inv_cdf(1 - LEVEL / tests))
        if strangest is None:
            return found, left
        key, (score, expected, deviations) = strangest
        gainer, helper = key
        own = tested[key]
        scores = tuple(Encounter(one.group.id, "", gainer, helper, one.score) for one in own)
        chance = NormalDist().cdf(-deviations) * tests
        gain = Gain(gainer, (helper,), None, score, expected, chance, scores)
        found.append(_suspicion(SIGNALLING, gain, groups, owners))
        ids = {one.group for one in scores}
        left = [group for group in left if group.id not in ids]


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
    """What two who may signal to each other have scored against the others: partners, or two at a table."""
    partners = _partners(group)
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
    # The games of a group may depend on each other as much as if they were one.
    curvature = likelihood.curvature(likelihood.moments(fitted))
    return _Strengths(index, fitted[: len(index)], curvature, games)


def _helper(
    gainer: PlayerId, meetings: Sequence[Encounter], groups: Sequence[GroupResult], owners: Mapping[str, str]
) -> Helper:
    player = meetings[0].other
    own = {meeting.group for meeting in meetings}
    theirs = [group for group in groups if player in group.players]
    return Helper(
        player,
        owners.get(player.name),
        len(meetings),
        round(fsum(meeting.score for meeting in meetings) / len(meetings), 4),
        _fold_rate((group for group in theirs if group.id in own), player),
        _fold_rate((group for group in theirs if group.id not in own), player),
        sum(gainer in group.players and player in group.forfeiters for group in theirs),
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
