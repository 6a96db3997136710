"""Maximum-likelihood strengths: Bradley-Terry for two sides, Plackett-Luce for more.

The first is a special case of the second. A game is a series of choices: which of all sides comes first,
which of the rest comes second, and so on. A side of strength ``t`` is chosen with a probability proportional
to ``exp(t)``. With two sides, there is only one such choice. Tied sides count as the average of all orders
that they could have had, so a draw between two is half a win for each. The strength of a side is the mean of
the strengths of its players: one player, or two partners who are rated separately.

*Virtual draws.* Every player has one virtual draw with a phantom whose strength is free. This keeps all
strengths finite, and comparable where no game connects two players. (If the draws were played against the
anchor, the anchor would have as many draws as there are players. However many games were played, the weight
of these draws would pull the whole field towards the anchor.)

*Forfeits.* A group in which a player forfeited counts as lost for that player; for the other players, its
finished games count as they were played. All players are therefore first rated without these losses. A player
who forfeited is then rated again, from all of its groups, with the others' ratings held fixed. Here, both
steps are one system: the player has a second strength, its ``shadow``, on which no other equation depends.
Groups that count for only one player for another reason are handled in the same way.

*Why no library is used.* ``choix`` fits the same models, but supports neither weighted nor tied rankings, and
its two-sided fit takes seconds where a Newton iteration takes milliseconds. ``openskill`` updates ratings
game by game, so they depend on the order of the results. Neither resamples groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from math import comb, log
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.luck.games import MILLION
from arena.ratings.blocks import Block, Cells, merge
from arena.ratings.counting import seats, weights
from arena.ratings.solver import FloatArray, IntArray, Sparse, solve

SCALE: Final = 400 / log(10)
"""Rating points per unit of strength: 400 points correspond to odds of ten to one."""

_TOLERANCE: Final = 1e-10
"""The Newton step, in strength, at which the iteration stops. It is far below the precision of published
ratings (0.1 points are 6e-4).
"""

_MAX_STEP: Final = 1.0
_MAX_ITERATIONS: Final = 200


class _Choices(NamedTuple):
    """Choices among the same number of sides: the cell, the sides to choose among, and the weight of each
    choice.
    """

    cell: IntArray
    slots: IntArray
    weight: FloatArray


class _Moments(NamedTuple):
    """The contributions of cells to the equations.

    ``scores`` (cells, m*k) holds the score of each player in each cell. ``side_links`` (cells, pairs of
    sides) and ``links`` (cells, pairs of players) hold the strength of the links between sides and players:
    minus the mixed second derivatives of the log-likelihood.
    """

    scores: FloatArray
    side_links: FloatArray
    links: FloatArray


class _Terms:
    """The cells (sets of identical groups) of one shape, and their contributions to the equations."""

    def __init__(
        self,
        sides: IntArray,
        patterns: IntArray,
        cells: IntArray,
        weights: FloatArray,
        owners: IntArray | None = None,
    ) -> None:
        """Count the choices of the cells. ``patterns`` (cells, games, m) is like ``Block.places``. ``cells``
        holds the number of each cell among all cells, and ``weights`` (cells) how much a group of it counts.
        ``owners`` holds the only player for whom each of these cells counts, or is None if they count for
        all.
        """
        self.weights = weights
        self.sides = sides
        self.cells = cells
        count, self.m, self.k = sides.shape
        self.side_pairs = list(combinations(range(self.m), 2))
        self._pair_of = np.zeros((self.m, self.m), dtype=np.int64)
        for number, (a, b) in enumerate(self.side_pairs):
            self._pair_of[a, b] = number
        self.chosen, self.choices = _choices(patterns)
        self.players = sides.reshape(count, self.m * self.k)
        self.pairs = list(combinations(range(self.m * self.k), 2))
        self.left = self.players[:, [x for x, _ in self.pairs]].ravel()
        self.right = self.players[:, [y for _, y in self.pairs]].ravel()
        self.owners = None if owners is None else np.repeat(owners, len(self.pairs))
        self._owned = None if owners is None else self.players == owners[:, None]

    def evaluate(self, strength: FloatArray) -> _Moments:
        """Return the moments of the cells, given the strengths of all players."""
        count, m, k = self.sides.shape
        values: FloatArray = strength[self.sides].mean(axis=2).ravel()
        spent = np.zeros(count * m)
        linked = np.zeros(count * len(self.side_pairs))
        for cell, slots, weight in self.choices:
            where = cell[:, None] * m + slots
            odds = values[where]
            odds = np.exp(odds - odds.max(axis=1, keepdims=True))
            odds /= odds.sum(axis=1, keepdims=True)
            spent += np.bincount(where.ravel(), (weight[:, None] * odds).ravel(), count * m)
            for a, b in combinations(range(slots.shape[1]), 2):
                pair = cell * len(self.side_pairs) + self._pair_of[slots[:, a], slots[:, b]]
                linked += np.bincount(pair, weight * odds[:, a] * odds[:, b], len(linked))
        score = (self.chosen - spent.reshape(count, m)) * self.weights[:, None]
        links = linked.reshape(count, len(self.side_pairs)) * self.weights[:, None]
        if k == 1:
            return _Moments(score, links, links)
        return _Moments(np.repeat(score, k, axis=1) / k, links, self._between_players(links))

    def _between_players(self, links: FloatArray) -> FloatArray:
        """Return the links between players that result from those between sides. Links between partners are
        negative.
        """
        k = self.k
        result: FloatArray = np.empty((len(links), len(self.pairs)))
        for number, (x, y) in enumerate(self.pairs):
            a, b = x // k, y // k
            if a != b:
                result[:, number] = links[:, self._pair_of[a, b]]
            else:
                result[:, number] = -links[:, [i for i, p in enumerate(self.side_pairs) if a in p]].sum(1)
        result /= k**2
        return result

    def add_scores(self, total: FloatArray, scores: FloatArray) -> None:
        """Add the ``scores`` (cells, m*k) to those of their players in ``total`` (n)."""
        total += np.bincount(self.players.ravel(), self.owned(scores).ravel(), len(total))

    def owned(self, scores: FloatArray) -> FloatArray:
        """Return the ``scores`` (cells, m*k), set to 0 for players for whom the cells do not count."""
        return scores if self._owned is None else scores * self._owned

    def own_links(self, links: FloatArray, size: int) -> FloatArray:
        """Return the sums of the ``links`` (cells, pairs of players) of each player for whom cells count
        alone (size).
        """
        assert self.owners is not None
        mine = (self.left == self.owners) != (self.right == self.owners)
        return _sums(self.owners[mine], links.ravel()[mine], size)

    def leverage(self, links: FloatArray, diagonal: FloatArray) -> FloatArray:
        """Return the factor (cells) by which a cell's scores are too small because the strengths were fitted
        to them. ``links`` are the links of a single group, and ``diagonal`` (n) is the diagonal of the
        equations.
        """
        own = np.zeros(self.players.shape)
        for number, (x, y) in enumerate(self.pairs):
            between = np.where(self.players[:, x] == self.players[:, y], 0.0, links[:, number])
            own[:, x] += between
            own[:, y] += between
        same = self.players[:, :, None] == self.players[:, None, :]
        share = (same * own[:, None, :]).sum(axis=2) / diagonal[self.players]
        if self._owned is not None:
            share = share * self._owned
        # Count each player once, even if it occurs several times.
        spare = (np.log1p(-share) / same.sum(axis=2)).sum(axis=1)
        factor: FloatArray = np.exp(spare / (-2 if self._owned is not None else -2 * (self.m - 1)))
        return factor


def _sums(places: IntArray, values: FloatArray, size: int) -> FloatArray:
    """Return the sums of ``values`` for each place (size)."""
    sums: FloatArray = np.bincount(places, values, size).astype(np.float64, copy=False)
    return sums


class Curvature:
    """Minus the second derivatives of the log-likelihood (n - 1, n - 1), excluding the phantom.

    Only differences between strengths matter, so a player's own derivative is the sum of its links. The
    derivative of a shadow depends on the players, but no other equation depends on the shadow.
    """

    def __init__(self, players: int, size: int, terms: Sequence[_Terms]) -> None:
        """Lay out the matrix for ``players`` players and ``terms``; ``size`` is n."""
        self._players, self._phantom = players, size - 1
        common = [own for own in terms if own.owners is None]
        owned = [(own, own.owners) for own in terms if own.owners is not None]
        left = np.concatenate([own.left for own in common])
        right = np.concatenate([own.right for own in common])
        self._apart = left != right
        self._ends = left, right
        inner = self._inner = self._apart & (left < players) & (right < players)
        low, high = np.minimum(left[inner], right[inner]), np.maximum(left[inner], right[inner])
        keys, self._pair = np.unique(low * size + high, return_inverse=True)
        low, high = keys // size, keys % size
        self._links = Sparse((players, players), np.concatenate([low, high]), np.concatenate([high, low]))
        nothing = np.zeros(0, dtype=np.int64)
        left = np.concatenate([own.left for own, _ in owned] or [nothing])
        right = np.concatenate([own.right for own, _ in owned] or [nothing])
        owner = np.concatenate([owners for _, owners in owned] or [nothing])
        mine = ((left == owner) | (right == owner)) & (left != right)
        other = np.where(left == owner, right, left)
        self._mine = mine
        self._shadow = owner[mine] - players
        self._known = other[mine] < players
        keys, self._cross = np.unique((self._shadow * size + other[mine])[self._known], return_inverse=True)
        self._shadow_links = Sparse((size - 1 - players, players), keys // size, keys % size)
        self.diagonal: FloatArray = np.zeros(size - 1)

    def fill(self, common: FloatArray, owned: FloatArray) -> None:
        """Set the links of the cells that count for all players, and of those that count for only one."""
        left, right = (
            _sums(ends[self._apart], common[self._apart], self._phantom + 1) for ends in self._ends
        )
        values = _sums(self._pair, common[self._inner], self._pair.max(initial=-1) + 1)
        self._links.fill(np.concatenate([values, values]))
        mine = owned[self._mine]
        shadows = _sums(self._shadow, mine, self._phantom - self._players)
        self._shadow_links.fill(_sums(self._cross, mine[self._known], self._cross.max(initial=-1) + 1))
        self.diagonal = np.concatenate([(left + right)[: self._players], shadows])

    def __matmul__(self, strengths: FloatArray) -> FloatArray:
        """Return the product with several vectors (n - 1, columns)."""
        links = np.concatenate(
            [each @ strengths[: self._players] for each in (self._links, self._shadow_links)]
        )
        product: FloatArray = self.diagonal[:, None] * strengths - links
        return product

    def solve(self, scores: FloatArray) -> FloatArray:
        """Return the Newton steps for ``scores``, a vector (n - 1) or several (n - 1, columns)."""
        players, shadows = self.diagonal[: self._players], self.diagonal[self._players :]
        steps = solve(players, self._links, scores[: self._players])
        own = scores[self._players :] + self._shadow_links @ steps
        return np.concatenate([steps, (own.T / shadows).T])


class Likelihood:
    """The equations of a board.

    ``groups`` is the number of groups. Arrays named ``strengths`` (n) hold first the players, then the
    shadows of those that forfeited, then the phantom, whose strength is 0.
    """

    def __init__(self, players: int, blocks: Sequence[Block], party: IntArray | None = None) -> None:
        """Set up the equations of ``blocks`` for this number of ``players``. The order of the blocks and of
        the groups in them does not matter. ``party`` (players) is as in
        :class:`~arena.ratings.counting.Parties`; without it, all groups count equally.
        """
        shapes: dict[tuple[int, int, int, int], list[Block]] = {}
        for block in blocks:
            if len(block.sides):
                shape = (*block.sides.shape[1:], block.places.shape[1], block.status)
                shapes.setdefault(shape, []).append(block)
        merged = self.cells = [merge(shapes[shape], players) for shape in sorted(shapes)]
        """The groups in canonical order, with identical groups merged into one cell."""
        losers = [cells.losers for cells in merged if cells.losers is not None]
        forfeiters = np.unique(np.concatenate(losers)) if losers else np.zeros(0, dtype=np.int64)
        self.groups = sum(int(cells.counts.sum()) for cells in merged)
        self.players = players
        self.size = players + len(forfeiters) + 1
        self.rated = np.arange(players)
        """The index in ``strengths`` of each player's rating."""
        self.rated[forfeiters] = np.arange(players, self.size - 1)
        self.counts = np.concatenate([cells.counts for cells in merged] + [np.ones(1, dtype=np.int64)])
        """The number of groups in each cell; the last cell holds the virtual draws."""
        self.luck = np.concatenate([cells.luck for cells in merged] + [np.zeros(0, dtype=np.int64)])
        """The luck of the first of two sides in each group, in canonical order."""
        self._terms: list[_Terms] = []
        first = 0
        equal = [np.ones(len(cells.counts)) for cells in merged]
        for cells, own in zip(merged, equal if party is None else weights(merged, party), strict=True):
            numbers = np.arange(first, first + len(cells.counts))
            first += len(numbers)
            if cells.losers is None:
                self._terms.append(_Terms(cells.sides, cells.patterns, numbers, own))
            self._add_owned(cells, numbers, own)
        last, phantom = first, self.size - 1
        self._add_virtual_draws(np.arange(players), last)
        self._add_virtual_draws(np.arange(players, phantom), last, np.arange(players, phantom))
        self._curvature = Curvature(players, self.size, self._terms)

    def _add_owned(self, cells: Cells, numbers: IntArray, own: FloatArray) -> None:
        """Add the terms that count only for a shadow: the groups of its player, and those that the player
        forfeited.
        """
        players = cells.sides.reshape(len(cells.sides), -1)
        if cells.losers is not None:
            chosen, owners = np.arange(len(players)), cells.losers
        else:
            first = np.ones(players.shape, dtype=np.bool_)
            for slot in range(1, players.shape[1]):
                first[:, slot] = (players[:, :slot] != players[:, slot, None]).all(axis=1)
            leaves = (players[:, :, None] == cells.leavers[:, None, :]).any(axis=2)
            chosen, slots = np.nonzero(first & (self.rated[players] != players) & ~leaves)
            owners = players[chosen, slots]
        if len(chosen):
            shadows, sides = self.rated[owners], cells.sides[chosen]
            sides = np.where(sides == owners[:, None, None], shadows[:, None, None], sides)
            self._terms.append(_Terms(sides, cells.patterns[chosen], numbers[chosen], own[chosen], shadows))

    def _add_virtual_draws(self, players: IntArray, cell: int, owners: IntArray | None = None) -> None:
        if len(players):
            sides = np.stack([players, np.full(len(players), self.size - 1)], axis=1)[:, :, None]
            draws = np.ones((len(players), 1, 2), dtype=np.int64)
            where, equal = np.full(len(players), cell), np.ones(len(players))
            self._terms.append(_Terms(sides, draws, where, equal, owners))

    def moments(self, strengths: FloatArray) -> list[_Moments]:
        """Return the contributions of every cell to the equations at ``strengths``."""
        return [terms.evaluate(strengths) for terms in self._terms]

    def scores(self, moments: Sequence[_Moments], counts: FloatArray) -> FloatArray:
        """Return the scores (n - 1), excluding the phantom. ``counts`` is the number of times that each cell
        counts, with the virtual draws last.
        """
        total = np.zeros(self.size)
        for terms, own in zip(self._terms, moments, strict=True):
            terms.add_scores(total, own.scores * counts[terms.cells][:, None])
        return total[:-1]

    def curvature(self, moments: Sequence[_Moments]) -> Curvature:
        """Return minus the derivatives of the scores. This invalidates the matrix returned by the previous
        call.
        """
        weights = self.counts.astype(np.float64)
        links: tuple[list[FloatArray], list[FloatArray]] = ([], [])
        for terms, own in zip(self._terms, moments, strict=True):
            weighted = own.links * weights[terms.cells][:, None]
            links[terms.owners is not None].append(weighted.ravel())
        common, owned = (np.concatenate([np.zeros(0), *own]) for own in links)
        self._curvature.fill(common, owned)
        return self._curvature

    def fit(self) -> FloatArray:
        """Return the maximum-likelihood strengths (n), found by Newton's method."""
        strengths = np.zeros(self.size)
        counts = self.counts.astype(np.float64)
        for _ in range(_MAX_ITERATIONS):
            moments = self.moments(strengths)
            step = self.curvature(moments).solve(self.scores(moments, counts))
            longest = float(np.abs(step).max())
            strengths[:-1] += step * min(1.0, _MAX_STEP / max(longest, _MAX_STEP))
            if longest < _TOLERANCE:
                return strengths
        raise ArithmeticError("the likelihood fit did not converge")

    def without(self, strengths: FloatArray, out: NDArray[np.bool_]) -> FloatArray:
        """Return the strength of each player (players) in its groups without anybody in ``out`` (players), if
        all others have these ``strengths`` (n).
        """
        terms, counts = [], []
        for cells in self.cells:
            rest = out[cells.sides].sum(axis=(1, 2)) == 0
            for own, counting in seats(cells.sides, cells.losers, cells.leavers):
                chosen = rest & counting
                if not chosen.any():
                    continue
                sides, player = cells.sides[chosen], own[chosen]
                # The player's own strength is a copy of it, on which nobody else's depends.
                sides = np.where(sides == player[:, None, None], player[:, None, None] + self.size, sides)
                equal = np.ones(len(player))
                terms.append(_Terms(sides, cells.patterns[chosen], player, equal, player + self.size))
                counts.append(cells.counts[chosen])
        values = np.concatenate([strengths, strengths[self.rated]])
        for _ in range(_MAX_ITERATIONS):
            # One virtual draw with the phantom keeps the strengths finite.
            chance = 1 / (1 + np.exp(-values))
            scores, bends = 0.5 - chance, chance * (1 - chance)
            for own_terms, count in zip(terms, counts, strict=True):
                moments = own_terms.evaluate(values)
                own_terms.add_scores(scores, moments.scores * count[:, None])
                bends += own_terms.own_links(moments.links * count[:, None], len(values))
            step = (scores / bends)[self.size :]
            longest = float(np.abs(step).max(initial=0.0))
            values[self.size :] += step * min(1.0, _MAX_STEP / max(longest, _MAX_STEP))
            if longest < _TOLERANCE:
                return values[self.size :]
        raise ArithmeticError("the fit without some players did not converge")

    def dispersion(self, strengths: FloatArray, prior: float) -> float:
        """Return the ratio of the variance of groups' scores to the variance that the likelihood predicts for
        independent games. It is 1 if the games are independent, and less if the games of a group balance each
        other. ``prior`` is an amount of prior information for a dispersion of 1.
        """
        moments = self.moments(strengths)
        residuals = self.residuals(moments, self.curvature(moments).diagonal)
        found = expected = prior
        for terms, own, residual in zip(self._terms, moments, residuals, strict=True):
            if terms.owners is None and not self._is_virtual(terms):
                counts = self.counts[terms.cells][:, None]
                scores = residual.scores.reshape(len(counts), terms.m, terms.k).sum(axis=2)
                # The weights say nothing about how much groups vary.
                equal = terms.weights[:, None]
                found += float((counts * (scores / equal) ** 2).sum())
                expected += 2 * float((counts * own.side_links / equal).sum())
        return found / expected

    def _is_virtual(self, terms: _Terms) -> bool:
        return bool(terms.cells[0] == len(self.counts) - 1)

    def residuals(self, moments: Sequence[_Moments], diagonal: FloatArray) -> list[_Moments]:
        """Return the ``moments`` with the scores that the groups would have if the strengths had not been
        fitted to them. ``diagonal`` is the diagonal of the curvature.
        """
        return [
            own
            if self._is_virtual(terms)
            else own._replace(scores=own.scores * terms.leverage(own.links, diagonal)[:, None])
            for terms, own in zip(self._terms, moments, strict=True)
        ]

    def scores_of_cells(self, moments: Sequence[_Moments]) -> Sparse:
        """Return the contribution of each cell to the scores (n - 1, cells) if it counts once."""
        rows, columns, values = [], [], []
        for terms, own in zip(self._terms, moments, strict=True):
            rows.append(terms.players.ravel())
            columns.append(np.repeat(terms.cells, terms.players.shape[1]))
            values.append(terms.owned(own.scores).ravel())
        shape = self.size - 1, len(self.counts)
        return _summed(shape, np.concatenate(rows), np.concatenate(columns), np.concatenate(values))

    def luck_of_groups(self, moments: Sequence[_Moments], diagonal: FloatArray | None = None) -> Sparse:
        """Return the contribution of each group's luck to the scores (n - 1, groups). If the ``diagonal`` of
        the curvature is given, it is scaled like the scores of :meth:`residuals`.
        """
        starts = np.cumsum(self.counts) - self.counts
        rows, columns, values = [], [], []
        for terms, own in zip(self._terms, moments, strict=True):
            if terms.m != 2 or self._is_virtual(terms):
                continue
            counts = self.counts[terms.cells]
            cell = np.repeat(np.arange(len(counts)), counts)
            groups = np.arange(len(cell)) + np.repeat(
                starts[terms.cells] - np.cumsum(counts) + counts, counts
            )
            signs = np.repeat([1.0, -1.0], terms.k) / terms.k
            factors = terms.weights
            if diagonal is not None:
                factors = factors * terms.leverage(own.links, diagonal)
            shares = terms.owned(np.outer(factors, signs))[cell]
            rows.append(terms.players[cell].ravel())
            columns.append(np.repeat(groups, 2 * terms.k))
            values.append((shares * (self.luck[groups] / MILLION)[:, None]).ravel())
        nothing = np.zeros(0, dtype=np.int64)
        shape = self.size - 1, len(self.luck)
        return _summed(
            shape,
            np.concatenate([nothing, *rows]),
            np.concatenate([nothing, *columns]),
            np.concatenate([np.zeros(0), *values]),
        )

    def noise(self, moments: Sequence[_Moments]) -> Sparse:
        """Return the contribution of each sign to scores (n - 1, signs) whose covariance is as if all games
        were independent: the curvature, if all groups count equally. There is one sign for each pair of sides
        of each cell, for each virtual draw and for each shadow.
        """
        rows, columns, values = [], [], []
        first = 0
        variances = np.zeros(self.size)
        for terms, own in zip(self._terms, moments, strict=True):
            times = (self.counts[terms.cells] * terms.weights)[:, None]
            if terms.owners is not None:
                variances += terms.own_links(own.links * times, self.size)
                continue
            roots = np.sqrt(own.side_links * times)
            signs = first + np.arange(roots.size).reshape(roots.shape)
            first += roots.size
            for number, (a, b) in enumerate(terms.side_pairs):
                for side, weight in ((a, 1 / terms.k), (b, -1 / terms.k)):
                    rows.append(terms.sides[:, side].ravel())
                    columns.append(np.repeat(signs[:, number], terms.k))
                    values.append(np.repeat(weight * roots[:, number], terms.k))
        shadows = np.arange(self.players, self.size - 1)
        rows.append(shadows)
        columns.append(first + np.arange(len(shadows)))
        values.append(np.sqrt(variances[shadows]))
        shape = self.size - 1, first + len(shadows)
        return _summed(shape, np.concatenate(rows), np.concatenate(columns), np.concatenate(values))


def _summed(shape: tuple[int, int], rows: IntArray, columns: IntArray, values: FloatArray) -> Sparse:
    """Return the matrix of ``values`` at positions that can occur repeatedly, omitting rows beyond
    ``shape``.
    """
    here = rows < shape[0]
    keys, place = np.unique(rows[here] * shape[1] + columns[here], return_inverse=True)
    matrix = Sparse(shape, keys // shape[1], keys % shape[1])
    matrix.fill(_sums(place, values[here], len(keys)))
    return matrix


def _choices(patterns: IntArray) -> tuple[FloatArray, list[_Choices]]:
    """Return the number of times that each side of a cell was chosen (cells, m), and all choices of all
    cells, grouped by the number of sides. ``patterns`` has the shape (cells, games, m).
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
    """The number of times that each side is chosen in a game with given places, and the sets of sides (bit
    sets) from which choices are made.
    """

    chosen: list[float]
    sets: list[int]
    weights: list[float]


@cache
def _pattern(places: tuple[int, ...]) -> _Pattern:
    """Return the choices of one game, averaged over all orders that its ties allow."""
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
