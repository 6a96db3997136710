"""Ratings computed anew from nothing but ``docs/ratings.md``: slowly, and with no code of the arena's."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from hashlib import sha256, shake_256
from itertools import permutations
from math import exp, factorial, log, sqrt
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.play.players import PlayerId
from arena.ratings.results import GameResult, GroupResult

Array = NDArray[np.float64]
ROOKIE = PlayerId("rookie", "")


class Line(NamedTuple):
    """A group as it counts: for all, for one ``loser`` alone (else -1), or for all but the ``leavers``."""

    sides: tuple[tuple[int, ...], ...]
    codes: tuple[int, ...]
    loser: int
    games: tuple[tuple[int, ...], ...]
    leavers: tuple[int, ...]
    luck: int
    """Of the first of two sides, in millionths."""

    @property
    def key(self) -> tuple[object, ...]:
        """Where it stands in the canonical order."""
        status = 1 if self.loser >= 0 else 1 + len(self.leavers) if self.leavers else 0
        shape = (len(self.sides), len(self.sides[0]), len(self.games), status)
        return shape, self.sides, self.codes, self.loser, self.leavers, self.luck


class Found(NamedTuple):
    """A rating with the bounds by bootstrap, those by likelihood, and those of who has 30 groups; and who of
    the ranked players is better. ``adjusted``: the rating without luck,
    and its bounds, None where too little is known of the player.
    """

    rating: float
    bootstrap: tuple[float, float]
    likelihood: tuple[float, float]
    settled: tuple[float, float]
    better: frozenset[PlayerId] = frozenset()
    adjusted: tuple[float, float, float] | None = None


def rated(player: PlayerId) -> PlayerId:
    return ROOKIE if player.name == "rookie" else player


def seen_at(group: GroupResult) -> int:
    return max(game.finished_ms for game in group.games)


def since(groups: Sequence[GroupResult]) -> dict[PlayerId, tuple[int, list[tuple[int, int, str]]]]:
    """Of each current version, the last group of another one: when it was, and the key of that version."""
    seen: dict[PlayerId, int] = {}
    for group in groups:
        for player in group.counts_for:
            games = group.games
            if player not in group.forfeiters:
                games = tuple(game for game in games if counts_for_others(group, game))
            if any(player not in [game.players[seat] for seat in game.forfeits] for game in games):
                seen.setdefault(player, 0)
    for player in seen:
        seen[player] = max(seen_at(group) for group in groups if player in group.counts_for)
    found = {}
    for name in {player.name for player in seen} - {"rookie"}:
        own = sorted(
            (ms, natural(player.version), player) for player, ms in seen.items() if player.name == name
        )
        if len(own) > 1:
            found[own[-1][2]] = own[-2][:2]
    return found


def natural(version: str) -> list[tuple[int, int, str]]:
    parts = re.findall(r"[0-9]+|[^0-9]+", version)
    return [(1, int(part), part) if part[0] in "0123456789" else (0, 0, part) for part in parts]


def numbered(
    groups: Sequence[GroupResult],
) -> tuple[dict[PlayerId, int], Callable[[GroupResult, PlayerId], int]]:
    """The players' numbers, and the number under which a player has a group."""
    players = sorted({rated(player) for group in groups for player in group.players} | {ROOKIE})
    index = {player: number for number, player in enumerate(players)}
    others = since(groups)

    def is_early(group: GroupResult, player: PlayerId) -> bool:
        return player in others and (seen_at(group), natural(player.version)) < others[player]

    early = sorted({p for group in groups for p in group.players if is_early(group, p)})
    before = {player: len(players) + number for number, player in enumerate(early)}

    def number(group: GroupResult, player: PlayerId) -> int:
        return before[player] if is_early(group, player) else index[rated(player)]

    return index, number


def lines_of(groups: Sequence[GroupResult], number_of: Callable[[GroupResult, PlayerId], int]) -> list[Line]:
    found = []
    for group in groups:
        finished = [game for game in group.games if counts_for_others(group, game)]
        for loser in [*sorted(group.forfeiters), *[None] * bool(finished)]:
            sides: list[tuple[int, ...]] = []
            games = []
            luck = 0
            for game in finished if loser is None else group.games:
                ranked = []
                for number, team in enumerate(group.teams):
                    members = {number_of(group, game.players[seat]) for seat in team}
                    ranked.append((tuple(sorted(members)), key_of(group, game, number, loser)))
                k = max(len(side) for side, _ in ranked)
                ranked = [(side * (k // len(side)), mark) for side, mark in ranked]
                if loser is None and len(ranked) == 2:
                    luck += (game.luck or 0) * (1 if ranked[0][0] <= ranked[1][0] else -1)
                ranked.sort(key=lambda item: item[0])
                sides = [side for side, _ in ranked]
                marks = [mark for _, mark in ranked]
                games.append(tuple(1 + sum(other < mark for other in marks) for mark in marks))
            m = len(sides)
            games.sort(key=lambda places: sum(p * (m + 1) ** i for i, p in enumerate(places)))
            codes = tuple(sum(p * (m + 1) ** i for i, p in enumerate(places)) for places in games)
            number = -1 if loser is None else number_of(group, loser)
            leavers = [number_of(group, player) for player in group.forfeiters] if loser is None else []
            found.append(Line(tuple(sides), codes, number, tuple(games), tuple(sorted(leavers)), luck))
    return sorted(found, key=lambda line: line.key)


HOUSE = {"random", "rookie", "regular", "barfly", "shark"}


def by_owners(lines: Sequence[Line], unproven: Collection[int]) -> list[Line]:
    """The lines that count if a group counts only for players all of whose fellows are proven."""
    found = []
    for line in lines:
        members = {player for side in line.sides for player in side}
        doubtful = members & set(unproven)
        if not doubtful or doubtful == {line.loser}:
            found.append(line)
        elif line.loser < 0 and len(doubtful) == 1 and not doubtful & set(line.leavers):
            found.append(line._replace(loser=doubtful.pop(), leavers=()))
    return sorted(found, key=lambda line: line.key)


def names_of(
    groups: Sequence[GroupResult], number_of: Callable[[GroupResult, PlayerId], int], n: int
) -> list[str]:
    """The names of the numbered players; of one that played in no group it is that of the anchor."""
    names = ["rookie"] * n
    for group in groups:
        for player in group.players:
            names[number_of(group, player)] = player.name
    return names


def weights_of(lines: Sequence[Line], parties: Sequence[str]) -> list[float]:
    """How much each line counts: no party counts more than its share."""
    party = ["the house" if name in HOUSE else name for name in parties]
    encounters = []
    for line in lines:
        own = set()
        for side in line.sides:
            for player in side:
                counts = player == line.loser if line.loser >= 0 else player not in line.leavers
                if counts and party[player] != "the house":
                    others = {other for one in line.sides if one != side for other in one}
                    own |= {(player, party[other]) for other in others}
        encounters.append(own)
    common = [own for line, own in zip(lines, encounters, strict=True) if line.loser < 0]
    found = []
    for line, own in zip(lines, encounters, strict=True):
        met = Counter(pair for some in (encounters if line.loser >= 0 else common) for pair in some)
        weight = 1.0
        for player, other_party in own:
            groups = [number for (one, _), number in met.items() if one == player]
            weight = min(weight, sum(groups) / len(groups) / met[player, other_party])
        found.append(weight)
    return found


def counts_for_others(group: GroupResult, game: GameResult) -> bool:
    """Whether nobody forfeited it, or only late and without a partner."""
    lost = {game.players[seat] for seat in game.forfeits}
    sides = [{game.players[seat] for seat in team} for team in group.teams]
    alone = all(side <= lost or not side & lost for side in sides)
    return not lost or (game.forfeited_late and alone)


def key_of(group: GroupResult, game: GameResult, team: int, loser: PlayerId | None) -> tuple[int, int]:
    """What orders the teams of a game: who forfeited comes last."""
    seats = group.teams[team]
    lost = loser is not None and any(seat in game.forfeits or game.players[seat] == loser for seat in seats)
    return (1, 0) if lost else (0, game.places[seats[0]])


def choices(places: Sequence[int]) -> Iterator[tuple[int, tuple[int, ...], float]]:
    """Who was chosen among whom, and how often, over all orders that the ties allow."""
    sides = range(len(places))
    orders = [order for order in permutations(sides) if sorted(places) == [places[side] for side in order]]
    for order in orders:
        for position in range(len(order) - 1):
            yield order[position], order[position:], 1 / len(orders)


def derivatives(line: Line, strengths: Array) -> tuple[Array, Array]:
    """The first (n) and second (n, n) derivatives of the log-likelihood of a line."""
    m, n = len(line.sides), len(strengths)
    means = np.zeros((m, n))
    for number, side in enumerate(line.sides):
        for player in side:
            means[number, player] += 1 / len(side)
    values = means @ strengths
    first, second = np.zeros(m), np.zeros((m, m))
    for places in line.games:
        for chosen, among, weight in choices(places):
            odds = np.zeros(m)
            odds[list(among)] = np.exp(values[list(among)])
            odds /= odds.sum()
            first[chosen] += weight
            first -= weight * odds
            second -= weight * (np.diag(odds) - np.outer(odds, odds))
    return means.T @ first, means.T @ second @ means


def scores_of_sides(line: Line, strengths: Array) -> Array:
    """How much more often each side was chosen than expected."""
    values = np.array([strengths[list(side)].mean() for side in line.sides])
    found = np.zeros(len(values))
    for places in line.games:
        for chosen, among, weight in choices(places):
            odds = np.exp(values[list(among)])
            found[chosen] += weight
            found[list(among)] -= weight * odds / odds.sum()
    return found


def links(line: Line, strengths: Array) -> Iterator[tuple[int, int, float]]:
    """How strongly each two sides are linked: the sum over the choices of the product of their chances."""
    values = np.array([strengths[list(side)].mean() for side in line.sides])
    for a in range(len(line.sides)):
        for b in range(a + 1, len(line.sides)):
            link = 0.0
            for places in line.games:
                for _, among, weight in choices(places):
                    if a in among and b in among:
                        odds = np.exp(values[list(among)])
                        link += weight * exp(values[a] + values[b]) / float(odds.sum()) ** 2
            yield a, b, link


def virtual(strength: float) -> tuple[float, float]:
    """The derivatives of a draw against a strength of 0."""
    chance = 1 / (1 + exp(-strength))
    return 0.5 - chance, -chance * (1 - chance)


def poisson(number: int) -> int:
    count = 0
    while count < 8 and number >= round(65536 * sum(exp(-1) / factorial(i) for i in range(count + 1))):
        count += 1
    return count


def recompute(
    groups: Sequence[GroupResult],
    replicates: int,
    ranked: Collection[PlayerId] = (),
    parties: Mapping[str, str] = MappingProxyType({}),
    unproven: Collection[str] = (),
) -> dict[PlayerId, Found]:
    """The ratings of all who took part in ``groups``, which count and are of one board, and who of the
    ``ranked`` is better than whom. ``parties`` are those of bots with common owners, and ``unproven`` the
    bots whose groups count for nobody else.
    """
    hashes = sorted(bytes.fromhex(game.hash) for group in groups for game in group.games)
    seed = sha256(b"".join(hashes)).digest()
    index, number_of = numbered(groups)
    lines = lines_of(groups, number_of)
    anchor = index[ROOKIE]
    n = 1 + max([*index.values(), *(player for line in lines for side in line.sides for player in side)])
    names = names_of(groups, number_of, n)
    lines = by_owners(lines, [number for number, name in enumerate(names) if name in unproven])
    weights = np.array(weights_of(lines, [parties.get(name, name) for name in names]))

    def weighted(number: int, strengths: Array) -> tuple[Array, Array]:
        first, second = derivatives(lines[number], strengths)
        return weights[number] * first, weights[number] * second

    common = [number for number, line in enumerate(lines) if line.loser < 0]

    strengths = np.zeros(n)
    step = np.ones(n)
    while np.abs(step).max() > 1e-10:
        parts = [weighted(number, strengths) for number in common]
        gradient = sum((g for g, _ in parts), np.array([virtual(s)[0] for s in strengths]))
        hessian = sum((h for _, h in parts), np.diag([virtual(s)[1] for s in strengths]))
        step = -np.linalg.solve(hessian, gradient)
        step /= max(1.0, np.abs(step).max())
        strengths = strengths + step
    gradients = np.array([g for g, _ in parts])
    hessians = np.array([h for _, h in parts])
    ends = [np.array(x) for x in zip(*(virtual(s) for s in strengths), strict=True)]

    own_strength = dict(enumerate(strengths))
    own_parts = {}
    for loser in sorted({line.loser for line in lines if line.loser >= 0}):
        mine = [
            number
            for number, line in enumerate(lines)
            if line.loser == loser
            or (line.loser < 0 and loser not in line.leavers and any(loser in side for side in line.sides))
        ]
        moved = strengths.copy()
        move = 1.0
        while abs(move) > 1e-10:
            both = [weighted(number, moved) for number in mine]
            slope, bend = virtual(moved[loser])
            slope += sum(g[loser] for g, _ in both)
            bend += sum(h[loser, loser] for _, h in both)
            move = min(1.0, max(-1.0, -slope / bend))
            moved[loser] += move
        own_strength[loser] = moved[loser]
        rows = np.array([h[loser] for _, h in both])
        own_parts[loser] = (mine, np.array([g[loser] for g, _ in both]), rows, virtual(moved[loser]))

    information = -(hessians.sum(axis=0) + np.diag(ends[1]))
    own_information = {
        number: -sum(row[number] for row in own_parts[number][2]) - own_parts[number][3][1]
        if number in own_parts
        else information[number, number]
        for number in range(n)
    }

    own_variances = {
        loser: -float(weights[mine] @ rows[:, loser]) - ends_of[1]
        for loser, (mine, _, rows, ends_of) in own_parts.items()
    }

    def factor(number: int, second: Array) -> float:
        """By what the scores of a line that counts for all are multiplied."""
        members = {player for side in lines[number].sides for player in side}
        spare = [1 + second[player, player] / information[player, player] for player in members]
        return float(np.prod(spare) ** (-1 / (2 * (len(lines[number].sides) - 1))))

    factors = np.array([factor(number, part) for number, part in zip(common, hessians, strict=True)])
    large = gradients * factors[:, None]
    own_large = {}
    for loser, (_, slopes, rows, _) in own_parts.items():
        own_large[loser] = slopes / np.sqrt(1 + rows[:, loser] / own_information[loser])

    def steps(scores: Array, own_scores: dict[int, float]) -> Array:
        """The changes of the ratings, less the anchor's."""
        step = np.linalg.solve(information, scores)
        found = step - step[anchor]
        for loser, (_, _, rows, _) in own_parts.items():
            row = rows.sum(axis=0)
            others = row @ step - row[loser] * step[loser]
            found[loser] = (own_scores[loser] + others) / own_information[loser] - step[anchor]
        return found

    def lucky(line: Line) -> Array:
        """What the luck of a line adds to the scores (n)."""
        found = np.zeros(n)
        for sign, side in zip((1, -1), line.sides, strict=False):
            for player in side:
                found[player] += sign * line.luck / 1_000_000 / len(side)
        return found

    lucks = weights[:, None] * np.array([lucky(line) for line in lines])
    own_lucks = {loser: lucks[own_parts[loser][0], loser] for loser in own_parts}
    moved = steps(lucks[common].sum(axis=0), {loser: float(own.sum()) for loser, own in own_lucks.items()})
    large_lucks = lucks[common] * factors[:, None]
    own_less = {
        loser: own_large[loser]
        - own_lucks[loser] / np.sqrt(1 + own_parts[loser][2][:, loser] / own_information[loser])
        for loser in own_parts
    }

    without = np.empty((replicates, n))
    samples, signed = np.empty((replicates, n)), np.empty((replicates, n))
    for replicate in range(replicates):
        data = shake_256(seed + replicate.to_bytes(4, "big")).digest(2 * len(lines))
        more = np.array([poisson(data[2 * i] + 256 * data[2 * i + 1]) - 1 for i in range(len(lines))])
        own_scores = {loser: float(more[own_parts[loser][0]] @ own_large[loser]) for loser in own_parts}
        samples[replicate] = steps(more[common] @ large, own_scores)
        own_scores = {loser: float(more[own_parts[loser][0]] @ own_less[loser]) for loser in own_parts}
        without[replicate] = steps(more[common] @ (large - large_lucks), own_scores)
    errors = samples.std(axis=0, ddof=1)

    kinds: dict[tuple[object, ...], list[int]] = {}
    for number in common:
        # All but the luck.
        kinds.setdefault(lines[number].key[:-1], []).append(number)
    roots = []
    for alike in kinds.values():
        line = lines[alike[0]]
        for a, b, link in links(line, strengths):
            apart = np.zeros(n)
            for sign, side in ((1, a), (-1, b)):
                for player in line.sides[side]:
                    apart[player] += sign / len(line.sides[side])
            roots.append(apart * sqrt(link * len(alike)) * weights[alike[0]])
    roots += [unit * sqrt(-end) for unit, end in zip(np.eye(n), ends[1], strict=True)]
    for replicate in range(replicates):
        total = len(roots) + len(own_parts)
        data = shake_256(seed + (replicate + 2**31).to_bytes(4, "big")).digest((total + 7) // 8)
        signs = np.array([1.0 if data[i // 8] >> i % 8 & 1 else -1.0 for i in range(total)])
        own_scores = {
            loser: float(sign) * sqrt(own_variances[loser])
            for loser, sign in zip(own_parts, signs[len(roots) :], strict=True)
        }
        signed[replicate] = steps(signs[: len(roots)] @ np.array(roots), own_scores)

    # The dispersion: the squares of the sides' scores, and what they should be.
    found = expected = 50.0
    for number, times in zip(common, factors, strict=True):  # without the weights
        line = lines[number]
        first = scores_of_sides(line, strengths)
        found += float((times * first) @ (times * first))
        expected += 2 * sum(link for _, _, link in links(line, strengths))
    dispersion = found / expected

    def likely(variance: float) -> float:
        """The variance by the likelihood, if it is ``variance`` when games are independent."""
        return dispersion * variance * (1 + 3.5 * min(variance, 1 / 3) ** 2)

    curved = np.array([sqrt(likely(variance)) for variance in signed.var(axis=0, ddof=1)])

    def critical() -> float:
        """The standard errors that 95% of the replicates' largest differences do not exceed."""
        numbers = [index[player] for player in ranked]
        apart = np.array([samples[:, number] for number in numbers])
        apart = apart - apart.mean(axis=1, keepdims=True)
        common = apart - apart.mean(axis=0)
        common /= common.std(axis=1, ddof=1)[:, None]
        largest = []
        for replicate in range(replicates):
            order = sorted(range(len(numbers)), key=lambda one: common[one, replicate])
            ratios = [
                (apart[up, replicate] - apart[down, replicate]) / (apart[up] - apart[down]).std(ddof=1)
                for up in order[-16:]
                for down in order[:16]
                if up != down
            ]
            largest.append(max(ratios, default=0.0))
        return max(1.959963984540054, sorted(largest)[-(-replicates * 95 // 100) - 1])

    errors_apart = critical() if ranked else 0.0

    def better(one: int, other: int) -> bool:
        """Whether ``one`` is better than ``other``."""
        drawn = (samples[:, one] - samples[:, other]).var(ddof=1)
        error = sqrt(max(drawn, likely((signed[:, one] - signed[:, other]).var(ddof=1))))
        values = [strengths[anchor] if n == anchor else own_strength[n] for n in (one, other)]
        return bool(values[0] - values[1] > errors_apart * error)

    scale = 400 / log(10)
    result = {}
    for player, number in index.items():
        ahead = frozenset(other for other in ranked if better(index[other], number))
        if player == ROOKIE:
            result[ROOKIE] = Found(1500.0, *[(1500.0, 1500.0)] * 3, ahead)
            continue
        center = own_strength[number] - strengths[anchor]

        def bounds(error: float, center: float = center) -> tuple[float, float]:
            half = 1.959963984540054 * error
            low, high = (round(1500 + scale * (center + side * half), 1) for side in (-1, 1))
            return low, high

        rating = round(1500 + scale * center, 1)
        settled = max(errors[number], curved[number])
        adjusted = None
        if own_information[number] >= 5:
            less = center - moved[number]
            adjusted = (round(1500 + scale * less, 1), *bounds(without[:, number].std(ddof=1), less))
        result[player] = Found(
            rating, bounds(errors[number]), bounds(curved[number]), bounds(settled), ahead, adjusted
        )
    return result
