"""Matchups: who beats whom among a board's best bots, and what a single rating cannot express about them.

A rating is a single number, so it predicts that a bot that beats the better of two bots also beats the worse
one. This is wrong where bots beat each other in a cycle. The board is therefore published with the share of
every pair and its interval, a mark where the ratings do not fit, and Nash averaging (see
:mod:`arena.ratings.nash`). All of these are pure functions of the groups and the board (see
``docs/ratings.md``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from statistics import NormalDist
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.play.board_names import BoardName
from arena.play.players import PlayerId
from arena.ratings.blocks import Cells
from arena.ratings.board import ANCHOR, Board, Row, rated_blocks, rated_player
from arena.ratings.bootstrap import REPLICATES, Z, redraws, resampled
from arena.ratings.ledger import Ledger
from arena.ratings.model import SCALE, Likelihood
from arena.ratings.solver import FloatArray, IntArray
from arena.ratings.supplement import NO_SUPPLEMENT, Supplement
from arena.text import Cell, csv_text, plain_table

METHOD: Final = 1
"""The version of the method (see ``docs/ratings.md``)."""

MOST_BOTS: Final = 50
"""The maximum number of bots in the matrix; the highest-ranked bots are chosen."""

VIRTUAL: Final = 2
"""The number of virtual groups added to every pair. For its interval, each bot wins one of them; for the Nash
equilibrium, they end as the ratings predict.
"""

IN_MIX: Final = 0.01
"""A bot counts as part of the Nash equilibrium if it has at least this weight."""

STEP: Final = 0.05
"""The step size of published weights. Finer steps would show only rounding by the solver and chance."""

DIGITS: Final = 3
"""The number of decimals in published shares."""

_CLOSE: Final = 1.5 / 10**DIGITS
_CLOSE_POINTS: Final = 5
"""How far apart shares and points computed on different machines can be."""

_UNFIT: Final = 0.05
"""The probability that any pair of a board is marked even though the ratings fit."""


@dataclass(frozen=True)
class MatchedBot:
    """A bot in the matrix, with its statistics from the board.

    ``nash`` is its expected gain against the Nash equilibrium, in rating points, which is 0 or less. ``mix``
    is its weight in the equilibrium, and ``in_mix`` is the share of replicates whose equilibrium contains it.
    ``worst`` is the opponent against which the upper bound of its share is lowest, or None if it has met none
    of the others.
    """

    rank: int
    name: str
    version: str
    rating: float
    nash: int
    mix: float
    in_mix: float
    worst: str | None


@dataclass(frozen=True)
class Pair:
    """The share of games that ``bot`` won against ``opponent`` (a draw is half a win), with the bounds of its
    95% interval, the share that the ratings predict, and whether the two agree. ``groups`` is the number of
    groups that count; if it is 0, every other value except ``predicted`` is None.
    """

    bot: str
    opponent: str
    groups: int
    share: float | None
    low: float | None
    high: float | None
    predicted: float
    fits: bool | None

    def reversed(self) -> Pair:
        """Return the pair from the opponent's point of view."""
        share, low, high = (
            None if value is None else _share(1 - value) for value in (self.share, self.high, self.low)
        )
        predicted = _share(1 - self.predicted)
        return Pair(self.opponent, self.bot, self.groups, share, low, high, predicted, self.fits)


@dataclass(frozen=True)
class Fit:
    """How well the ratings predict the shares.

    ``pairs`` is the number of pairs, ``met`` is the number of pairs with groups, and ``marked`` is the number
    of these that the ratings do not fit. ``error`` is the root mean square error of the predicted shares
    beyond chance. ``explained`` is the part of the deviations of the shares from one half, beyond chance,
    that the ratings explain, or None if there are no such deviations.
    """

    pairs: int
    met: int
    marked: int
    error: float
    explained: float | None

    def as_text(self) -> str:
        """Return the line of text below a board."""
        if not self.met:
            return "None of these bots have met each other."
        said = f"One number fits {self.met - self.marked} of the {self.met} pairs that have met"
        if self.explained is not None:
            said += f"; beyond chance, it explains {100 * self.explained:.0f}% of the differences"
        return f"{said}, and its predictions are off by {100 * self.error:.1f}%."


@dataclass(frozen=True)
class Matchups:
    """The matrix of a board.

    ``records_hash`` is the records hash of the board. ``bots`` are in the order of the board. Each of the
    ``pairs`` is listed once, sorted by bot and opponent in this order.
    """

    kind: str
    division: str
    preset: str
    records_hash: str
    bots: tuple[MatchedBot, ...]
    pairs: tuple[Pair, ...]
    fit: Fit
    method: int = METHOD

    @property
    def board(self) -> BoardName:
        """Return the name of the leaderboard."""
        return BoardName(self.kind, self.division, self.preset)

    def as_json(self) -> dict[str, object]:
        """Return the published form."""
        return {
            "kind": self.kind,
            "preset": self.preset,
            "division": self.division,
            "method": self.method,
            "records_hash": self.records_hash,
            "bots": [asdict(bot) for bot in self.bots],
            "pairs": [asdict(pair) for pair in self.pairs],
            "fit": asdict(self.fit),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Matchups:
        """Return the matrix from the output of :meth:`as_json`, ignoring unknown keys at every level."""
        return cls(
            data["kind"],
            data["division"],
            data["preset"],
            data["records_hash"],
            tuple(MatchedBot(*_values(MatchedBot, bot)) for bot in data["bots"]),
            tuple(Pair(*_values(Pair, pair)) for pair in data["pairs"]),
            Fit(*_values(Fit, data["fit"])),
            data["method"],
        )

    def rows(self) -> list[list[Pair | None]]:
        """Return, for each bot, its pairs with all bots; the pair of a bot with itself is None."""
        known = {(pair.bot, pair.opponent): pair for pair in self.pairs}
        known |= {(pair.opponent, pair.bot): pair.reversed() for pair in self.pairs}
        return [[known.get((bot.name, other.name)) for other in self.bots] for bot in self.bots]

    def as_csv(self) -> str:
        """Return the matrix as CSV; see :func:`matchups_csv`."""
        return matchups_csv([self])

    def as_text(self) -> str:
        """Return the matrix as plain-text tables."""
        rows = self.rows()
        bots = plain_table(
            ("", "bot", "version", "rating", "nash", "mix", "in the mix", "worst opponent"),
            (
                (
                    number,
                    bot.name,
                    bot.version,
                    f"{bot.rating:.1f}",
                    bot.nash,
                    f"{100 * bot.mix:.0f}%",
                    f"{100 * bot.in_mix:.0f}%",
                    _worst(bot, row),
                )
                for number, (bot, row) in enumerate(zip(self.bots, rows, strict=True), 1)
            ),
            left=3,
        )
        matrix = plain_table(
            ("", "bot", *map(str, range(1, len(rows) + 1))),
            (
                (number, bot.name, *("-" if pair is None else _cell(pair) for pair in row))
                for number, (bot, row) in enumerate(zip(self.bots, rows, strict=True), 1)
            ),
            left=2,
        )
        return (
            f"{self.board.title}: who beats whom, {len(self.bots)} bots\n"
            f"records hash: {self.records_hash}\n\n"
            f"{bots}\n"
            "games won by the bot of the row against that of the column, in %, and the 95% interval\n"
            f"{matrix}{self.fit.as_text()}\n"
            "* the ratings do not fit; () the bots have not met: what the ratings predict\n"
        )


CSV_HEADINGS: Final = (
    "kind", "preset", "division", "rank", "name", "version", "rating", "nash", "mix", "in_mix", "opponent",
    "worst", "groups", "share", "low", "high", "predicted", "fits", "records_hash",
)  # fmt: skip


def matchups_csv(found: Sequence[Matchups]) -> str:
    """Return every pair of a bot and an opponent as CSV, one pair per line."""
    lines: list[Sequence[Cell]] = []
    for one in found:
        for bot, row in zip(one.bots, one.rows(), strict=True):
            *own, worst = asdict(bot).values()
            for pair in row:
                if pair is not None:
                    bounds = (pair.groups, pair.share, pair.low, pair.high, pair.predicted)
                    fits = None if pair.fits is None else int(pair.fits)
                    opponent = (pair.opponent, int(pair.opponent == worst))
                    where = (one.kind, one.preset, one.division)
                    lines.append((*where, *own, *opponent, *bounds, fits, one.records_hash))
    return csv_text(CSV_HEADINGS, lines)


def differences(own: Matchups, other: Matchups) -> list[str]:
    """Describe where two matrices of the same records differ by more than solver tolerance and rounding
    explain.
    """
    found = []
    if [bot.name for bot in own.bots] != [bot.name for bot in other.bots] or own.method != other.method:
        return ["the bots or the method differ"]
    for mine, theirs in zip(own.bots, other.bots, strict=True):
        for name, most in (("nash", _CLOSE_POINTS), ("mix", STEP), ("in_mix", STEP)):
            here, there = getattr(mine, name), getattr(theirs, name)
            if abs(here - there) > most + 1e-9:
                found.append(f"{name} of {mine.name} is {here} here, but {there} there")
    for ours, published in zip(own.pairs, other.pairs, strict=True):
        if ours.groups != published.groups or any(
            abs((getattr(ours, name) or 0.0) - (getattr(published, name) or 0.0)) > _CLOSE
            for name in ("share", "low", "high", "predicted")
        ):
            found.append(f"the shares of {ours.bot} and {ours.opponent} differ")
    return found


def matchups(
    ledger: Ledger,
    board: Board,
    supplement: Supplement = NO_SUPPLEMENT,
    *,
    replicates: int = REPLICATES,
) -> Matchups | None:
    """Return the matrix of ``board``, which was computed from ``ledger`` and ``supplement``. Return None if
    the ledger has groups with more than two sides, or if fewer than two bots are ranked.
    """
    rows = [(row.rank, row) for row in board.rows if row.rank is not None][:MOST_BOTS]
    index, blocks, party, _ = rated_blocks(ledger, supplement)
    likelihood = Likelihood(len(party), blocks, party)
    if len(rows) < 2 or any(cells.sides.shape[1] != 2 for cells in likelihood.cells):
        return None
    bots = np.array([index[rated_player(PlayerId(row.name, row.rating.version))] for _, row in rows])
    strengths = likelihood.fit()
    seed = ledger.records_hash()
    changes = resampled(likelihood, strengths, index[PlayerId(ANCHOR, "")], seed, replicates)
    return _Computation(likelihood, bots, strengths, changes, seed).result(board, rows)


class _Sums(NamedTuple):
    """The number of groups of each pair and the sum of the first bot's shares, both of shape (pairs)."""

    groups: FloatArray
    won: FloatArray

    @property
    def share(self) -> FloatArray:
        """Return the first bot's share, with one virtual group won by each bot."""
        share: FloatArray = (self.won + VIRTUAL / 2) / (self.groups + VIRTUAL)
        return share

    def logits(self, predicted: FloatArray) -> FloatArray:
        """Return the logit of the share, with virtual groups that end as ``predicted``."""
        won = self.won + VIRTUAL * predicted
        logits: FloatArray = np.log(won / (self.groups + VIRTUAL - won))
        return logits


class _Computation:
    """The computation of the pairs of ``bots``, which are player numbers in the order of the board."""

    def __init__(
        self,
        likelihood: Likelihood,
        bots: IntArray,
        strengths: FloatArray,
        changes: FloatArray,
        seed: bytes,
    ) -> None:
        """Prepare the computation. ``changes`` (players, replicates) are the changes of the strengths."""
        # Import scipy only where mixtures are computed.
        from arena.ratings.nash import nash_mix

        self._nash_mix = nash_mix
        self._first, self._second = np.triu_indices(len(bots), 1)
        self._bots = len(bots)
        own = strengths[likelihood.rated][bots]
        self._predicted = _logistic(own[self._first] - own[self._second])
        met = _meetings(likelihood.cells, bots, likelihood.players)
        self._pair, self._met, shares = met
        counts = likelihood.counts[:-1]
        self._sums = self._sum(counts, shares)
        squares = self._sum(counts, shares**2).won
        number = self._sums.groups + VIRTUAL
        # One virtual group has share 1, the other share 0.
        spread = squares + VIRTUAL / 2 - number * self._sums.share**2
        self._error: FloatArray = np.sqrt(spread / (number - 1) / number)
        moved = own[:, None] + changes[bots]
        predicted = _logistic(moved[self._first] - moved[self._second])
        off = np.empty(predicted.shape)
        present = np.zeros((predicted.shape[1], self._bots), dtype=np.bool_)
        for replicate, drawn in enumerate(redraws(likelihood, seed, predicted.shape[1])):
            sums = self._sum(drawn, shares)
            off[:, replicate] = sums.share - predicted[:, replicate]
            present[replicate] = self._mix(sums.logits(predicted[:, replicate])) >= IN_MIX
        self._in_mix: FloatArray = present.mean(axis=0)
        self._off: FloatArray = np.maximum(self._error, off.std(axis=1, ddof=1))

    def _sum(self, counts: FloatArray | IntArray, shares: FloatArray) -> _Sums:
        weights = counts[self._met].astype(np.float64)
        size = len(self._first)
        return _Sums(
            np.bincount(self._pair, weights, size).astype(np.float64, copy=False),
            np.bincount(self._pair, weights * shares, size).astype(np.float64, copy=False),
        )

    def _matrix(self, logits: FloatArray) -> FloatArray:
        matrix = np.zeros((self._bots, self._bots))
        matrix[self._first, self._second] = logits
        return matrix - matrix.T

    def _mix(self, logits: FloatArray) -> FloatArray:
        return self._nash_mix(self._matrix(logits))

    def result(self, board: Board, rows: Sequence[tuple[int, Row]]) -> Matchups:
        """Return the matrix to publish. ``rows`` are the bots' rows of the board, with their ranks."""
        unfit = self._unfit()
        pairs = tuple(self._pairs([row.name for _, row in rows], unfit))
        logits = self._sums.logits(self._predicted)
        mix = self._mix(logits)
        nash = SCALE * (self._matrix(logits) @ mix)
        worst = _worst_opponents(pairs)
        bots = tuple(
            MatchedBot(
                rank,
                row.name,
                row.rating.version,
                row.rating.rating,
                round(float(nash[number])),
                _step(mix[number]),
                _step(self._in_mix[number]),
                worst.get(row.name),
            )
            for number, (rank, row) in enumerate(rows)
        )
        return Matchups(
            board.kind, board.division, board.preset, board.records_hash, bots, pairs, self._fit(unfit)
        )

    def _unfit(self) -> NDArray[np.bool_]:
        """Return, for each pair, whether it has met and does not fit the ratings."""
        met = self._sums.groups > 0
        most = NormalDist().inv_cdf(1 - _UNFIT / 2 / max(1, int(met.sum())))
        unfit: NDArray[np.bool_] = met & (np.abs(self._sums.share - self._predicted) > most * self._off)
        return unfit

    def _pairs(self, names: Sequence[str], unfit: NDArray[np.bool_]) -> list[Pair]:
        center, half = self._sums.share, Z * self._error
        found = []
        for number, (i, j) in enumerate(zip(self._first.tolist(), self._second.tolist(), strict=True)):
            groups = round(self._sums.groups[number])
            share = low = high = fits = None
            if groups:
                share = _share(self._sums.won[number] / groups)
                low = _share(max(0.0, center[number] - half[number]))
                high = _share(min(1.0, center[number] + half[number]))
                fits = not bool(unfit[number])
            predicted = _share(self._predicted[number])
            found.append(Pair(names[i], names[j], groups, share, low, high, predicted, fits))
        return found

    def _fit(self, unfit: NDArray[np.bool_]) -> Fit:
        groups = self._sums.groups
        met = int((groups > 0).sum())
        error, differing = (
            float(groups @ ((self._sums.share - middle) ** 2 - spread**2)) / max(1.0, float(groups.sum()))
            for middle, spread in ((self._predicted, self._off), (0.5, self._error))
        )
        error = max(0.0, error)
        explained = round(max(0.0, 1 - error / differing), 2) if differing > 0 else None
        return Fit(len(groups), met, int(unfit.sum()), _share(error**0.5), explained)


def _meetings(shapes: Sequence[Cells], bots: IntArray, players: int) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the cells in which two of ``bots`` meet: the number of the pair, the number of the cell, and the
    share of the pair's first bot. All ``shapes`` have two sides and are in canonical order.
    """
    place = np.full(players, -1)
    place[bots] = np.arange(len(bots))
    pairs, numbers, shares = [], [], []
    start = 0
    for cells in shapes:
        if cells.leavers.shape[1]:
            # These are the finished games of groups that one of the two lost by forfeit.
            start += len(cells.counts)
            continue
        players_of = cells.sides[:, :, 0]
        alone = (cells.sides == players_of[:, :, None]).all(axis=(1, 2))
        left, right = place[players_of].T
        chosen = np.flatnonzero(alone & (left >= 0) & (right >= 0) & (left != right))
        margin = np.sign(cells.patterns[:, :, 1] - cells.patterns[:, :, 0]).mean(axis=1)[chosen]
        left, right = left[chosen], right[chosen]
        low, high = np.minimum(left, right), np.maximum(left, right)
        # Count the pairs before those of the bot ``low``, and its own pairs before ``high``.
        pairs.append(low * (2 * len(bots) - low - 1) // 2 + high - low - 1)
        numbers.append(start + chosen)
        shares.append((1 + np.where(left < right, margin, -margin)) / 2)
        start += len(cells.counts)
    if not pairs:
        nothing = np.zeros(0, dtype=np.int64)
        return nothing, nothing, nothing.astype(np.float64)
    return np.concatenate(pairs), np.concatenate(numbers), np.concatenate(shares)


def _worst_opponents(pairs: Sequence[Pair]) -> dict[str, str]:
    """Return, for each bot, the opponent with the lowest upper bound; ties go to the lowest share."""
    worst: dict[str, tuple[float, float, str]] = {}
    for pair in (*pairs, *(pair.reversed() for pair in pairs)):
        if pair.share is not None and pair.high is not None:
            key = (pair.high, pair.share, pair.opponent)
            worst[pair.bot] = min(worst.get(pair.bot, key), key)
    return {bot: name for bot, (_, _, name) in worst.items()}


def _logistic(logits: FloatArray) -> FloatArray:
    shares: FloatArray = 1 / (1 + np.exp(-logits))
    return shares


def _share(value: float) -> float:
    return round(float(value), DIGITS)


def _step(weight: float) -> float:
    return round(round(float(weight) / STEP) * STEP, 2)


def _worst(bot: MatchedBot, row: Sequence[Pair | None]) -> str:
    found = next((pair for pair in row if pair is not None and pair.opponent == bot.worst), None)
    return "" if found is None else f"{found.opponent} {_cell(found)}"


def _cell(pair: Pair) -> str:
    if pair.share is None or pair.low is None or pair.high is None:
        return f"({100 * pair.predicted:.0f})"
    star = "" if pair.fits else "*"
    return f"{100 * pair.share:.0f} {100 * pair.low:.0f}-{100 * pair.high:.0f}{star}"


def _values(kind: type, values: Mapping[str, Any]) -> list[Any]:
    return [values[item.name] for item in fields(kind)]
