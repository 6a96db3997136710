"""Detection of dumping: versions that gain more from other owners' bots than their strength explains.

The strengths are fitted to all pairs at once by a robust method, so that pairs that do not fit have little
influence; pairs with house bots, which help nobody, always have full weight. Even in an honest field, pairs
deviate from their strengths, because a single number does not determine who beats whom. The size of these
deviations (the *spread*) is estimated from the pairs themselves and allowed for in every pair. A gainer is
tested against the bots of several owners together, because its helpers can have different owners.

In the sealed division, the same bots always play in the same way. There, a version's results against one
owner are also compared between tournaments, which does not require strengths.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import ceil, comb, erfc, exp, fsum, lgamma, log, sqrt
from typing import Final, NamedTuple

import numpy as np

from arena.integrity.encounters import MIN_GROUPS, Encounter, Gain
from arena.play.players import PlayerId
from arena.ratings.solver import FloatArray

_MOST_OWNERS: Final = 8
"""The maximum number of owners whose bots are tested together."""

_LEAST_SPREAD: Final = 0.3
_MOST_SPREAD: Final = 2.0
"""``_LEAST_SPREAD`` and ``_MOST_SPREAD`` are the bounds of the spread, in log odds."""

_QUARTILE: Final = 1.1503
"""The third quartile of the absolute value of a standard normal variable."""

_BOUND: Final = 1.5
"""Pairs that deviate by more than this many standard deviations have less weight in fitting the strengths."""

_PRIOR: Final = 16.0
"""The prior variance of the strengths."""

_ROUNDS: Final = 40
_GRID: Final = np.linspace(-8.0, 8.0, 321)
_EXACT: Final = 2000


class _Tally(NamedTuple):
    """The results of a version against the bots of one owner: the meetings, the expected score per meeting,
    and the probability of scoring at least as much by chance.
    """

    owner: str
    meetings: Sequence[Encounter]
    expected: float
    chance: float


class _Candidate(NamedTuple):
    """A gain with its chance. ``tests`` is the factor by which the chance of the tallies is multiplied to
    correct for the number of tests.
    """

    chance: float
    gainer: PlayerId
    tournament: str | None
    tallies: Sequence[_Tally]
    tests: int


class _Strengths:
    """The strengths of all players, with their covariance and the deviations of pairs from them.

    The strengths are fitted by least squares to the log odds of pairs, counting each group as a single game.
    """

    def __init__(self, meetings: Sequence[Encounter], owners: Mapping[str, str]) -> None:
        players = sorted({meeting.player for meeting in meetings})
        self._numbers = {player: number for number, player in enumerate(players)}
        scores: dict[tuple[int, int], list[float]] = defaultdict(list)
        for meeting in meetings:
            if meeting.player < meeting.other:
                key = self._numbers[meeting.player], self._numbers[meeting.other]
                scores[key].append(meeting.score)
        keys = sorted(scores)
        self._pairs = np.array(keys).reshape(-1, 2)
        groups = np.array([len(scores[key]) for key in keys], dtype=np.float64)
        won = np.array([fsum(scores[key]) for key in keys])
        house = np.array([not _owner(player, owners) for player in players])
        trusted = house[self._pairs].any(axis=1)
        self._values = np.zeros(len(players))
        self.spread = _LEAST_SPREAD
        """The standard deviation of the log odds of pairs around the predictions of the strengths."""
        one, other = self._pairs.T
        for _ in range(_ROUNDS):
            chance = _odds(self._values[one] - self._values[other])
            self._information = groups * np.maximum(chance * (1 - chance), 1e-4)
            self._residual = (won - groups * chance) / self._information
            variance = 1 / self._information + self.spread**2
            deviation = np.maximum(np.abs(self._residual) / np.sqrt(variance), 1e-9)
            weight = np.where(trusted, 1.0, np.minimum(1.0, _BOUND / deviation)) / variance
            matrix = np.eye(len(players)) / _PRIOR
            slope = -self._values / _PRIOR
            for here, there, sign in ((one, other, 1), (other, one, -1)):
                np.add.at(matrix, (here, here), weight)
                np.add.at(matrix, (here, there), -weight)
                np.add.at(slope, here, sign * weight * self._residual)
            step = np.clip(np.linalg.solve(matrix, slope), -1.0, 1.0)
            self._values += step
            self.spread = self._quartile_spread()
            if np.abs(step).max() < 1e-6:
                break
        self._covariance = np.linalg.inv(matrix)

    def gaps(self, meetings: Sequence[Encounter]) -> FloatArray:
        """Return the difference in strength between the player and the other in each meeting."""
        one, other = self._indexes(meetings)
        found: FloatArray = self._values[one] - self._values[other]
        return found

    def variance(self, meetings: Sequence[Encounter]) -> float:
        """Return the mean variance of the estimates of these gaps."""
        one, other = self._indexes(meetings)
        own = self._covariance
        return float(np.mean(own[one, one] + own[other, other] - 2 * own[one, other]))

    def spread_about(self, gainer: PlayerId, helpers: Iterable[PlayerId]) -> float:
        """Return the spread of the other pairs of the gainer and of the helpers, plus one standard error. It
        is larger than elsewhere if the gainer's style beats many bots, or if many bots beat the helpers'
        style.
        """
        number = self._numbers[gainer]
        theirs = np.zeros(len(self._values), dtype=np.bool_)
        theirs[[self._numbers[helper] for helper in helpers]] = True
        with_gainer = (self._pairs == number).any(axis=1)
        with_helper = theirs[self._pairs].any(axis=1)
        chosen = with_gainer ^ with_helper
        residual, information = self._residual[chosen], self._information[chosen]
        count = len(residual)
        least = max(1.0, count - sqrt(2 * count))
        return _spread(lambda spread: float((residual**2 / (1 / information + spread**2)).sum()) > least)

    def _quartile_spread(self) -> float:
        """Estimate the spread from the third quartile of the deviations, which is robust against outliers."""
        size, noise = np.abs(self._residual), 1 / self._information
        return _spread(lambda spread: float(np.quantile(size / np.sqrt(noise + spread**2), 0.75)) > _QUARTILE)

    def _indexes(self, meetings: Sequence[Encounter]) -> tuple[list[int], list[int]]:
        one = [self._numbers[meeting.player] for meeting in meetings]
        return one, [self._numbers[meeting.other] for meeting in meetings]


def dumping_gains(
    meetings: Iterable[Encounter], owners: Mapping[str, str], level: float, *, by_tournament: bool
) -> list[Gain]:
    """Return the gains that are too large to be due to chance, clearest first.

    ``meetings`` contains each pair of a group in both directions. ``owners`` maps bot names to owners, which
    are empty for house bots. ``level`` is the maximum ``chance`` of a reported gain. ``by_tournament``:
    whether the same versions always play in the same way, so that their results can be compared between
    tournaments.
    """
    left = list(meetings)
    found = []
    # Remove the groups of each gain that was found before searching for the next one.
    while (gain := _of_tournaments(left, owners, level) if by_tournament else None) is not None:
        found.append(gain)
        helpers = set(gain.helpers)
        left = [
            one
            for one in left
            if one.tournament != gain.tournament or helpers.isdisjoint((one.player, one.other))
        ]
    while (gain := _of_strengths(left, owners, level)) is not None:
        found.append(gain)
        pairs = {frozenset((gain.gainer, helper)) for helper in gain.helpers}
        left = [one for one in left if frozenset((one.player, one.other)) not in pairs]
    return sorted(found, key=lambda one: (one.chance, one.gainer))


def _of_strengths(meetings: Sequence[Encounter], owners: Mapping[str, str], level: float) -> Gain | None:
    cells = _against_owners(meetings, owners)
    if not cells:
        return None
    # The other players are not needed, because house bots connect all players.
    tested = {gainer for gainer, _ in cells} | {one.other for own in cells.values() for one in own}
    known = tested | {one.player for one in meetings if not _owner(one.player, owners)}
    strengths = _Strengths([one for one in meetings if {one.player, one.other} <= known], owners)
    rows: dict[PlayerId, list[_Tally]] = defaultdict(list)
    for (gainer, owner), own in cells.items():
        rows[gainer].append(_tally(owner, own, strengths, strengths.spread))
    for found in _candidates([(gainer, None, own) for gainer, own in rows.items()], len(rows), level):
        helpers = [one.other for tally in found.tallies for one in tally.meetings]
        spread = max(strengths.spread, strengths.spread_about(found.gainer, helpers))
        tallies = [_tally(tally.owner, tally.meetings, strengths, spread) for tally in found.tallies]
        chance = _together(tallies) * found.tests
        if chance < level:
            return _gain(found._replace(chance=chance, tallies=tallies))
    return None


def _tally(owner: str, meetings: Sequence[Encounter], strengths: _Strengths, spread: float) -> _Tally:
    gaps = strengths.gaps(meetings)
    variance = strengths.variance(meetings) + spread**2
    chance = _at_least(fsum(one.score for one in meetings), gaps, variance)
    return _Tally(owner, meetings, float(_odds(gaps).mean()), chance)


def _of_tournaments(meetings: Sequence[Encounter], owners: Mapping[str, str], level: float) -> Gain | None:
    rows: dict[tuple[PlayerId, str], list[_Tally]] = defaultdict(list)
    for (gainer, owner), own in _against_owners(meetings, owners).items():
        by_tournament: dict[str, list[Encounter]] = defaultdict(list)
        for one in own:
            by_tournament[one.tournament].append(one)
        for tournament, here in by_tournament.items():
            # Compare only results against the same bots, because bots of one owner can differ.
            others = {one.other for one in here}
            elsewhere = [one for one in own if one.tournament != tournament and one.other in others]
            if min(len(here), len(elsewhere)) < MIN_GROUPS:
                continue
            score, rest = fsum(one.score for one in here), fsum(one.score for one in elsewhere)
            chance = _more_here(score, len(here), rest, len(elsewhere))
            rows[gainer, tournament].append(_Tally(owner, here, rest / len(elsewhere), chance))
    found = _candidates([(*key, own) for key, own in rows.items()], len(rows), level)
    return _gain(found[0]) if found else None


def _against_owners(
    meetings: Sequence[Encounter], owners: Mapping[str, str]
) -> dict[tuple[PlayerId, str], list[Encounter]]:
    """Return the meetings of each version with the bots of each owner if there are enough, excluding house
    bots.
    """
    found: dict[tuple[PlayerId, str], list[Encounter]] = defaultdict(list)
    for one in meetings:
        if _owner(one.player, owners) and (owner := _owner(one.other, owners)):
            found[one.player, owner].append(one)
    return {key: own for key, own in sorted(found.items()) if len(own) >= MIN_GROUPS}


def _owner(player: PlayerId, owners: Mapping[str, str]) -> str:
    """Return the owner of a player's bot or, for a bot that no longer exists, a placeholder made of its
    name.
    """
    return owners.get(player.name, f"{player.name}?")


def _candidates(
    rows: Iterable[tuple[PlayerId, str | None, Sequence[_Tally]]], tests: int, level: float
) -> list[_Candidate]:
    """Return the gains with a chance below ``level``, smallest chance first. For each gainer, the one or more
    owners against whom it deviates most are tested together.
    """
    found = []
    for gainer, tournament, tallies in rows:
        ordered = sorted(tallies, key=lambda own: own.chance)
        most = min(len(ordered), _MOST_OWNERS)
        for count in range(1, most + 1):
            # Sets of one owner get half of the level, sets of two a quarter, and so on.
            looked_at = comb(len(ordered), count) * 2**count * tests
            chance = _together(ordered[:count]) * looked_at
            if chance < level:
                found.append(_Candidate(chance, gainer, tournament, ordered[:count], looked_at))
    return sorted(found, key=lambda one: (one.chance, one.gainer, one.tournament or ""))


def _together(tallies: Sequence[_Tally]) -> float:
    """Return the combined chance of the tallies by Fisher's method."""
    half = -fsum(log(max(own.chance, 1e-300)) for own in tallies)
    if half <= 0:
        return 1.0
    terms = (number * log(half) - half - lgamma(number + 1) for number in range(len(tallies)))
    return min(1.0, fsum(map(exp, terms)))


def _gain(found: _Candidate) -> Gain:
    meetings = tuple(one for own in found.tallies for one in own.meetings)
    expected = fsum(own.expected * len(own.meetings) for own in found.tallies) / len(meetings)
    score = fsum(one.score for one in meetings) / len(meetings)
    helpers = tuple(sorted({one.other for one in meetings}))
    return Gain(found.gainer, helpers, found.tournament, score, expected, found.chance, meetings)


def _spread(is_larger: Callable[[float], bool]) -> float:
    """Return the largest spread within the bounds for which ``is_larger`` is true."""
    low, high = _LEAST_SPREAD, _MOST_SPREAD
    for _ in range(20):
        middle = (low + high) / 2
        if is_larger(middle):
            low = middle
        else:
            high = middle
    return high


def _odds(gaps: FloatArray) -> FloatArray:
    chances: FloatArray = 1 / (1 + np.exp(-np.clip(gaps, -30, 30)))
    return chances


def _at_least(score: float, gaps: FloatArray, variance: float) -> float:
    """Return the probability of scoring at least ``score`` in groups with these log odds, all shifted by the
    same normal deviate.
    """
    count = len(gaps)
    deviates = sqrt(variance) * _GRID
    density = np.exp(-(_GRID**2) / 2)
    levels, times = np.unique(np.round(gaps, 6), return_counts=True)
    chances = np.clip(_odds(levels[None, :] + deviates[:, None]) @ times / count, 1e-12, 1 - 1e-12)
    least = int(score)
    if count > _EXACT:
        deviation = (least - 0.5 - count * chances) / np.sqrt(count * chances * (1 - chances))
        tails = np.array([erfc(one / sqrt(2)) / 2 for one in deviation])
    else:
        numbers = np.arange(least, count + 1)
        ways = np.array([_log_comb(count, int(number)) for number in numbers])
        logs = ways + np.log(chances)[:, None] * numbers + np.log1p(-chances)[:, None] * (count - numbers)
        tails = np.exp(logs).sum(axis=1)
    return min(1.0, float((density * tails).sum() / density.sum()))


def _more_here(score: float, groups: int, rest: float, others: int) -> float:
    """Return the probability of scoring at least ``score`` of all points in ``groups`` groups if the points
    were distributed at random among these groups and the ``others``. Fractions are rounded so that a report
    becomes less likely.
    """
    total = min(groups + others, ceil(score + rest))
    top = min(groups, total)
    whole = _log_comb(groups + others, total)
    terms = [
        _log_comb(groups, here) + _log_comb(others, total - here) - whole
        for here in range(max(int(score), total - others), top + 1)
    ]
    return min(1.0, fsum(map(exp, terms)))


def _log_comb(count: int, chosen: int) -> float:
    return lgamma(count + 1) - lgamma(chosen + 1) - lgamma(count - chosen + 1)
