"""Pairs of bots whose results look arranged: a report for people to look into, not a verdict.

*Dumping*: one gains far more from the other than the strengths of both predict. *Signalling*: two at
one table (or in one team) gain far more from the others than their strengths predict. The strengths
are those that all other groups tell, without the pair's own. A pair is reported if its results have
a chance below ``LEVEL`` over all pairs together, every group counting as a single game, so that
games of a group that depend on each other raise no suspicion.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import permutations
from math import exp, fsum, sqrt
from statistics import NormalDist
from typing import Any, Final, NamedTuple

from arena.ratings.ledger import Ledger
from arena.ratings.model import Likelihood
from arena.ratings.results import GroupResult, Player
from arena.ratings.standings import group_points

LEVEL: Final = 0.01
"""How often a report of an honest field names anybody, at most."""

MIN_GROUPS: Final = 8
"""Pairs with fewer groups are not looked at."""

DUMPING: Final = "dumping"
SIGNALLING: Final = "signalling"

_SHOWN_GROUPS: Final = 20
_SCREEN: Final = 0.5
"""The pair's own groups pull the strengths towards what they show, so that the first look, with all
groups, asks for half of the deviation only."""


@dataclass(frozen=True)
class Suspicion:
    """``gainer`` had ``score`` per group where ``expected`` was predicted, ``deviations`` standard
    deviations above it, in ``groups`` groups: against ``helper`` (``dumping``), or with it against the
    others (``signalling``; the two are in alphabetical order then).

    ``fold_rate``: how often the helper folded when asked in these groups, and ``fold_rate_elsewhere`` in
    its other ones; None if it was never asked. ``forfeits``: groups of the two that the helper
    forfeited, which count for nobody else. ``group_ids``: the groups, at most 20 of them, those first
    that tell most.
    """

    what: str
    kind: str
    division: str
    gainer: Player
    helper: Player
    groups: int
    score: float
    expected: float
    deviations: float
    fold_rate: float | None
    fold_rate_elsewhere: float | None
    forfeits: int
    group_ids: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """As it is shown to admins."""
        gainer, helper = self.gainer._asdict(), self.helper._asdict()
        return {**asdict(self), "gainer": gainer, "helper": helper, "group_ids": list(self.group_ids)}


class _Meeting(NamedTuple):
    """What somebody gained in a group, from whom, and how much of it each of these is worth."""

    group: GroupResult
    score: float
    rivals: tuple[tuple[tuple[Player, ...], tuple[Player, ...]], ...]


_Key = tuple[str, Player, Player]
_Strength = Callable[[Player], float]


def suspicious_pairs(groups: Iterable[GroupResult]) -> list[Suspicion]:
    """The pairs of every game and division whose results look arranged, the strangest first."""
    boards: dict[tuple[str, str], list[GroupResult]] = defaultdict(list)
    for group in groups:
        if group.counts_for:
            boards[group.kind, group.division].append(group)
    found = [one for own in boards.values() for one in _of_board(sorted(own, key=lambda group: group.id))]
    return sorted(found, key=lambda one: (-one.deviations, one.what, one.gainer, one.helper))


def _of_board(groups: Sequence[GroupResult]) -> list[Suspicion]:
    meetings: dict[_Key, list[_Meeting]] = defaultdict(list)
    for group in groups:
        if not group.forfeiters:
            for key, meeting in _meetings(group):
                meetings[key].append(meeting)
    looked_at = {key: own for key, own in meetings.items() if len(own) >= MIN_GROUPS}
    if not looked_at:
        return []
    threshold = NormalDist().inv_cdf(1 - LEVEL / len(looked_at))
    everything = _strengths(groups)
    found = []
    for key, own in sorted(looked_at.items()):
        if _compare(own, everything)[2] < threshold * _SCREEN:
            continue
        _, one, other = key
        elsewhere = [group for group in groups if not {one, other} <= set(group.players)]
        score, expected, deviations = _compare(own, _strengths(elsewhere))
        if deviations >= threshold:
            found.append(_suspicion(key, own, groups, score, expected, deviations))
    return found


def _meetings(group: GroupResult) -> Iterable[tuple[_Key, _Meeting]]:
    """Everything that two players of a group may have arranged."""
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


def _partners(group: GroupResult) -> set[frozenset[Player]]:
    """Different players who share a team."""
    players = group.games[0].players
    teams = [frozenset(players[seat] for seat in team) for team in group.teams]
    return {team for team in teams if len(team) == 2}


def _compare(meetings: Sequence[_Meeting], strength: _Strength) -> tuple[float, float, float]:
    """The mean score, the predicted one, and by how many standard deviations it is above it."""
    predicted = []
    variance = []
    for meeting in meetings:
        chances = [_chance(mine, theirs, strength) for mine, theirs in meeting.rivals]
        predicted.append(fsum(chances) / len(chances))
        variance.append(fsum(chance * (1 - chance) for chance in chances) / len(chances))
    score = fsum(meeting.score for meeting in meetings)
    deviations = (score - fsum(predicted)) / sqrt(fsum(variance))
    return score / len(meetings), fsum(predicted) / len(meetings), deviations


def _chance(mine: Sequence[Player], theirs: Sequence[Player], strength: _Strength) -> float:
    gap = fsum(map(strength, theirs)) / len(theirs) - fsum(map(strength, mine)) / len(mine)
    return 1 / (1 + exp(gap))


def _strengths(groups: Sequence[GroupResult]) -> _Strength:
    """By maximum likelihood, as for a leaderboard; 0 is the phantom of the virtual draws."""
    if not groups:
        return lambda player: 0.0
    ledger = Ledger(groups[0].kind, groups[0].division)
    for group in groups:
        ledger.add(group)
    index = {player: number for number, player in enumerate(sorted(ledger.doings))}
    likelihood = Likelihood(len(index), ledger.blocks(index))
    fitted = likelihood.fit()
    known: Mapping[Player, float] = {player: float(fitted[number]) for player, number in index.items()}
    return lambda player: known.get(player, 0.0)


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


def _fold_rate(groups: Iterable[GroupResult], player: Player) -> float | None:
    styles = [
        style
        for group in groups
        for game in group.games
        for name, style in zip(game.players, game.styles, strict=False)
        if name == player
    ]
    asked = sum(style.fold_opportunities for style in styles)
    return round(sum(style.folds for style in styles) / asked, 4) if asked else None
