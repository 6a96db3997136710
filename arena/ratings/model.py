"""Strengths by maximum likelihood: Bradley-Terry for two sides, Plackett-Luce for more.

Both are one model. A game is a series of choices: who of all sides comes first, who of the rest
second, and so on; a side of strength ``t`` is chosen with a probability proportional to
``exp(t)``. Two sides make one such choice. Tied sides count as the average of all the orders that
they could have had (so a draw of two is half a win for each). The strength of a side is the mean of
its players' strengths: one player, or two partners who are rated alone.

*Virtual draws.* Every player has one virtual draw with a phantom whose strength is free. It keeps
all strengths finite, and comparable where no game connects two players. (Were the draws played with
the anchor, that one would have as many as there are players, and their weight would pull the
distance of the whole field to the anchor towards zero, however many games are played.)

*Forfeits.* A group in which a player forfeited is a group lost by that player, and says nothing of
the other players. So all players are rated from the other groups first; then a player who forfeited is rated
anew, from all of its groups, against the others as they were found. Here that is one system: the
player has a second strength, its ``shadow``, on which no other equation depends.

*Why no library.* ``choix`` fits the same models, but neither weighted nor tied rankings, and its
two-sided fit takes seconds where a Newton iteration takes milliseconds; ``openskill`` updates game
after game, so that its ratings depend on the order of the results. Neither resamples groups.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations
from math import comb, log
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]

SCALE: Final = 400 / log(10)
"""Rating points per unit of strength: 400 points are odds of ten to one."""

_TOLERANCE: Final = 1e-10
"""The last Newton step, in strength; far below a published digit (0.1 points are 6e-4)."""

_MAX_STEP: Final = 1.0
_MAX_ITERATIONS: Final = 200


class Block(NamedTuple):
    """Groups of one shape: ``m`` sides of ``k`` players each, and as many games in every group.

    ``sides`` (groups, m, k): the players of each side, as indexes. ``places`` (groups, games, m): the
    place of each side in each game, 1 is best, shared places share the number. ``losers`` (groups,):
    None for groups that count for all; else the player for whom alone the group counts.
    """

    sides: IntArray
    places: IntArray
    losers: IntArray | None = None


class _Choices(NamedTuple):
    """Choices among equally many sides: in which cell, among which of its sides, how often."""

    cell: IntArray
    slots: IntArray
    weight: FloatArray


class _Terms:
    """Cells (groups that are alike, counted) of one shape and what they add to the equations."""

    def __init__(
        self,
        sides: IntArray,
        patterns: IntArray,
        cells: IntArray,
        size: int,
        owners: IntArray | None = None,
    ) -> None:
        """``patterns`` (cells, games, m): as ``Block.places``. ``cells``: the number of each cell
        among all cells. ``size``: the number of strengths. ``owners``: the only player for whom
        each of these cells counts, or None.
        """
        self.sides = sides
        self.cells = cells
        self.size = size
        count, self.m, self.k = sides.shape
        self.pairs = list(combinations(range(self.m), 2))
        self._pair_of = np.zeros((self.m, self.m), dtype=np.int64)
        for number, (a, b) in enumerate(self.pairs):
            self._pair_of[a, b] = number
        self.chosen, self.choices = _choices(patterns)
        players = sides.reshape(count, self.m * self.k)
        self._links = list(combinations(range(self.m * self.k), 2))
        left = players[:, [x for x, _ in self._links]]
        right = players[:, [y for _, y in self._links]]
        self._players = players.ravel()
        self._keys = (left * size + right).ravel()
        self._keys_back = (right * size + left).ravel()
        owned = None if owners is None else owners[:, None]
        self._owned = (
            None
            if owned is None
            else ((players == owned).ravel(), (left == owned).ravel(), (right == owned).ravel())
        )

    def evaluate(self, strength: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Per cell the score of each player (cells, m*k), and how strongly each pair of players is
        linked (cells, pairs): minus the mixed second derivatives of the log-likelihood.
        """
        count, m, k = self.sides.shape
        values: FloatArray = strength[self.sides].mean(axis=2).ravel()
        spent = np.zeros(count * m)
        linked = np.zeros(count * len(self.pairs))
        for cell, slots, weight in self.choices:
            where = cell[:, None] * m + slots
            odds = values[where]
            odds = np.exp(odds - odds.max(axis=1, keepdims=True))
            odds /= odds.sum(axis=1, keepdims=True)
            spent += np.bincount(where.ravel(), (weight[:, None] * odds).ravel(), count * m)
            for a, b in combinations(range(slots.shape[1]), 2):
                pair = cell * len(self.pairs) + self._pair_of[slots[:, a], slots[:, b]]
                linked += np.bincount(pair, weight * odds[:, a] * odds[:, b], len(linked))
        score = self.chosen - spent.reshape(count, m)
        links = linked.reshape(count, len(self.pairs))
        if k == 1:
            return score, links
        return np.repeat(score, k, axis=1) / k, self._between_players(links)

    def _between_players(self, links: FloatArray) -> FloatArray:
        """The links between players from those between sides. Partners are linked negatively."""
        k = self.k
        result: FloatArray = np.empty((len(links), len(self._links)))
        for number, (x, y) in enumerate(self._links):
            a, b = x // k, y // k
            if a != b:
                result[:, number] = links[:, self._pair_of[a, b]]
            else:
                result[:, number] = -links[:, [i for i, pair in enumerate(self.pairs) if a in pair]].sum(1)
        result /= k**2
        return result

    def add_to(
        self, gradient: FloatArray, links: FloatArray, weight: FloatArray, score: FloatArray, link: FloatArray
    ) -> None:
        """Add the cells, each times its ``weight``, to ``gradient`` (n) and ``links`` (n, n)."""
        n = self.size
        scores, weights = (score * weight[:, None]).ravel(), (link * weight[:, None]).ravel()
        if self._owned is None:
            gradient += np.bincount(self._players, scores, n)
            square = np.bincount(self._keys, weights, n * n).reshape(n, n)
            links += square
            links += square.T
            return
        scored, forth, back = self._owned
        gradient += np.bincount(self._players, scores * scored, n)
        for keys, counted in ((self._keys, forth), (self._keys_back, back)):
            links += np.bincount(keys, weights * counted, n * n).reshape(n, n)


class Likelihood:
    """The equations of a board.

    ``groups``: how many groups were given. ``strengths`` are arrays (n): the players, the shadows
    of those who forfeited, the phantom, which stands at 0.
    """

    def __init__(self, players: int, blocks: Sequence[Block]) -> None:
        """``players``: how many there are. The order of blocks and of groups in them is of no matter."""
        shapes: dict[tuple[int, int, int, bool], list[Block]] = {}
        for block in blocks:
            if len(block.sides):
                shape = (*block.sides.shape[1:], block.places.shape[1], block.losers is not None)
                shapes.setdefault(shape, []).append(block)
        merged = [_cells(shapes[shape], players) for shape in sorted(shapes)]
        forfeiters = sorted({int(f) for cells in merged if cells.losers is not None for f in cells.losers})
        shadow = {player: players + number for number, player in enumerate(forfeiters)}
        self.groups = sum(int(cells.counts.sum()) for cells in merged)
        self.size = players + len(forfeiters) + 1
        self.rated = np.array([shadow.get(player, player) for player in range(players)], dtype=np.int64)
        """Where in ``strengths`` the rating of each player stands."""
        self.counts = np.concatenate([cells.counts for cells in merged] + [np.ones(1, dtype=np.int64)])
        """How many groups each cell has; the last cell holds the virtual draws."""
        self._terms: list[_Terms] = []
        first = 0
        for cells in merged:
            numbers = np.arange(first, first + len(cells.counts))
            first += len(numbers)
            if cells.losers is None:
                self._terms.append(_Terms(cells.sides, cells.patterns, numbers, self.size))
            self._add_owned(cells, numbers, shadow)
        last, phantom = first, self.size - 1
        self._add_virtual_draws(np.arange(players), last)
        self._add_virtual_draws(np.arange(players, phantom), last, np.arange(players, phantom))

    def _add_owned(self, cells: _Cells, numbers: IntArray, shadow: Mapping[int, int]) -> None:
        """What counts for a shadow alone: its player's groups, and those in which it forfeited."""
        rows, owners, sides = [], [], []
        for player, index in shadow.items():
            mine = (
                (cells.sides == player).any(axis=(1, 2)) if cells.losers is None else cells.losers == player
            )
            own = np.flatnonzero(mine)
            rows.append(own)
            owners.append(np.full(len(own), index))
            sides.append(np.where(cells.sides[own] == player, index, cells.sides[own]))
        if sum(map(len, rows)):
            chosen = np.concatenate(rows)
            self._terms.append(
                _Terms(
                    np.concatenate(sides),
                    cells.patterns[chosen],
                    numbers[chosen],
                    self.size,
                    np.concatenate(owners),
                )
            )

    def _add_virtual_draws(self, players: IntArray, cell: int, owners: IntArray | None = None) -> None:
        if len(players):
            sides = np.stack([players, np.full(len(players), self.size - 1)], axis=1)[:, :, None]
            draws = np.ones((len(players), 1, 2), dtype=np.int64)
            self._terms.append(_Terms(sides, draws, np.full(len(players), cell), self.size, owners))

    def moments(self, strengths: FloatArray) -> list[tuple[FloatArray, FloatArray]]:
        """What every cell adds to the equations at ``strengths``; see :meth:`equations`."""
        return [terms.evaluate(strengths) for terms in self._terms]

    def equations(
        self, moments: Sequence[tuple[FloatArray, FloatArray]], counts: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """The scores (n - 1) and minus their derivatives (n - 1, n - 1), the phantom left out.

        ``counts``: how often each cell is to be counted, the virtual draws last.
        """
        n = self.size
        gradient, links = np.zeros(n), np.zeros((n, n))
        for terms, (score, link) in zip(self._terms, moments, strict=True):
            terms.add_to(gradient, links, counts[terms.cells], score, link)
        # Strengths matter by their differences only: each row of the derivatives adds up to zero.
        np.fill_diagonal(links, 0.0)
        derivatives = np.diag(links.sum(axis=1)) - links
        return gradient[:-1], derivatives[:-1, :-1]

    def fit(self) -> FloatArray:
        """The strengths (n) of maximum likelihood, by Newton's method."""
        strengths = np.zeros(self.size)
        counts = self.counts.astype(np.float64)
        for _ in range(_MAX_ITERATIONS):
            score, derivatives = self.equations(self.moments(strengths), counts)
            step = np.linalg.solve(derivatives, score)
            longest = float(np.abs(step).max())
            strengths[:-1] += step * min(1.0, _MAX_STEP / max(longest, _MAX_STEP))
            if longest < _TOLERANCE:
                return strengths
        raise ArithmeticError("the likelihood has no maximum within reach")

    def covariance(self, strengths: FloatArray) -> FloatArray:
        """The covariance (n, n) of the strengths by the curvature of the likelihood, as if all games
        were independent.
        """
        counts = self.counts.astype(np.float64)
        _, derivatives = self.equations(self.moments(strengths), counts)
        inverse = np.linalg.inv(derivatives)
        information = derivatives.copy()
        players = len(self.rated)
        information[players:, :] = np.diag(np.diag(derivatives))[players:, :]
        result = np.zeros((self.size, self.size))
        result[:-1, :-1] = inverse @ information @ inverse.T
        return result


class _Cells(NamedTuple):
    """The groups of one shape with those that are alike as one: (cells, m, k), (cells, games, m),
    (cells), (cells).
    """

    sides: IntArray
    patterns: IntArray
    losers: IntArray | None
    counts: IntArray


def _cells(blocks: Sequence[Block], players: int) -> _Cells:
    """The cells of ``blocks`` of one shape, in an order that depends on what they hold alone."""
    sides = np.sort(np.concatenate([block.sides for block in blocks]).astype(np.int64), axis=2)
    places = np.concatenate([block.places for block in blocks]).astype(np.int64)
    count, m, k = sides.shape
    rank = (sides * players ** np.arange(k)[::-1]).sum(axis=2)
    order = np.argsort(rank, axis=1, kind="stable")
    sides = np.take_along_axis(sides, order[:, :, None], axis=1)
    places = np.take_along_axis(places, order[:, None, :], axis=2)
    codes = np.sort((places * (m + 1) ** np.arange(m)).sum(axis=2), axis=1)
    columns = [sides.reshape(count, m * k), codes]
    if blocks[0].losers is not None:
        losers = [block.losers for block in blocks if block.losers is not None]
        columns.append(np.concatenate(losers).astype(np.int64)[:, None])
    rows = np.concatenate(columns, axis=1)
    rows = rows[np.lexsort(rows.T[::-1])]
    first = np.flatnonzero(np.concatenate([[True], (rows[1:] != rows[:-1]).any(axis=1)]))
    cells = rows[first]
    codes = cells[:, m * k : m * k + codes.shape[1]]
    return _Cells(
        cells[:, : m * k].reshape(-1, m, k),
        codes[:, :, None] // (m + 1) ** np.arange(m) % (m + 1),
        cells[:, -1] if blocks[0].losers is not None else None,
        np.diff(np.append(first, count)),
    )


def _choices(patterns: IntArray) -> tuple[FloatArray, list[_Choices]]:
    """How often each side of a cell was chosen (cells, m), and all choices of all cells, those
    among equally many sides together. ``patterns``: (cells, games, m).
    """
    count, games, m = patterns.shape
    codes, which = np.unique((patterns * (m + 1) ** np.arange(m)).sum(axis=2).ravel(), return_inverse=True)
    known = [_pattern(tuple(int(code) // (m + 1) ** side % (m + 1) for side in range(m))) for code in codes]
    chosen = np.array([pattern.chosen for pattern in known])[which].reshape(count, games, m).sum(axis=1)
    lengths = np.array([len(pattern.sets) for pattern in known])
    starts = np.cumsum(lengths) - lengths
    repeats = lengths[which]
    ends = np.cumsum(repeats)
    entries = np.arange(ends[-1]) - np.repeat(ends - repeats, repeats) + np.repeat(starts[which], repeats)
    sets = np.concatenate([pattern.sets for pattern in known])[entries]
    weights = np.concatenate([pattern.weights for pattern in known])[entries]
    cells = np.repeat(np.repeat(np.arange(count), games), repeats)
    keys, place = np.unique(cells << m | sets, return_inverse=True)
    weight: FloatArray = np.bincount(place, weights).astype(np.float64)
    cell, mask = keys >> m, keys & ((1 << m) - 1)
    members = (mask[:, None] >> np.arange(m)) & 1
    sizes = members.sum(axis=1)
    result = []
    for size in range(2, m + 1):
        rows = np.flatnonzero(sizes == size)
        if len(rows):
            slots = np.nonzero(members[rows])[1].reshape(-1, size)
            result.append(_Choices(cell[rows], slots, weight[rows]))
    return chosen, result


class _Pattern(NamedTuple):
    """How often each side is chosen in a game with given places, and among whom (bit sets)."""

    chosen: list[float]
    sets: list[int]
    weights: list[float]


@cache
def _pattern(places: tuple[int, ...]) -> _Pattern:
    """The choices of one game: the average of all orders that its ties allow."""
    sides = range(len(places))
    last = max(places)
    losers = places.count(last)
    chosen = [1 - 1 / losers if place == last else 1.0 for place in places]
    sets: list[int] = []
    weights: list[float] = []
    for place in sorted(set(places)):
        tied = [side for side in sides if places[side] == place]
        worse = [side for side in sides if places[side] > place]
        for size in range(len(tied), 0, -1):
            if size + len(worse) < 2:
                continue
            for left in combinations(tied, size):
                sets.append(sum(1 << side for side in (*left, *worse)))
                weights.append(1 / comb(len(tied), size))
    return _Pattern(chosen, sets, weights)
