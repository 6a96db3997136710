"""Measures how often intervals and ranks hold the truth: ``python -m benchmarks.coverage``.

Results are made from known strengths, and rated as a board rates them. Every game by itself follows the
model exactly (so that the true differences are known).
"""

from __future__ import annotations

import os

# Before numpy starts its own threads: the figures are for one core.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import combinations, pairwise
from math import log, sqrt
from statistics import NormalDist
from typing import Final, NamedTuple
from zlib import crc32

import click
import numpy as np

from arena.ratings.blocks import Block
from arena.ratings.board import Board, Row, ledger_board
from arena.ratings.bootstrap import REPLICATES, Differences, Z
from arena.ratings.model import SCALE, Likelihood
from arena.ratings.solver import FloatArray, IntArray
from benchmarks.pairing import Contestant, World, as_paired, honest, house, in_cycle, played, supplement
from workers.initial_data import UNTIL_GROUPS

RATES: Final = (0.5, 0.75, 0.9, 0.95, 0.98, 0.99)
"""The true win rates of the bots of :class:`Rates`."""

EXPECTED: Final = 5
"""Where at least this number of losses and wins is expected, 93% to 97% of the intervals are to hold the
truth; where fewer are, at least 93%.
"""

_FIELD_GROUPS: Final = 40

_EQUAL: Final = 1e-6
"""The spread of bots of which none is better, in points."""


class Rates(NamedTuple):
    """Bots that win each game with one of :data:`RATES` play ``groups`` groups of two games against
    ``opponents``, all as strong as the anchor, who is one of them. The opponents also meet each other.

    ``forfeits``: the share of its groups that each of the bots forfeits; one of the games is finished then.
    ``dependence``: see :class:`Scenario`.
    """

    opponents: int
    groups: int
    forfeits: float = 0.0
    dependence: float = 0.0

    @property
    def name(self) -> str:
        """What stands before the figures."""
        dependent = {True: ", games alike", False: ", games opposite"}[self.dependence > 0]
        return (
            f"{self.opponents} opponent{'s' * (self.opponents > 1)}, {self.groups} groups"
            + (f", {self.forfeits:.0%} forfeited" if self.forfeits else "")
            + (dependent if self.dependence else "")
        )

    @property
    def players(self) -> int:
        """The opponents, the anchor first; then the bots."""
        return self.opponents + len(RATES)

    def truth(self) -> FloatArray:
        """The true strengths (players) less the anchor's; of who forfeits, those that its results show."""
        strengths: FloatArray = np.zeros(self.players)
        for number, rate in enumerate(RATES, self.opponents):
            seen = rate * (1 - self.forfeits)
            strengths[number] = log(seen / (1 - seen))
        return strengths

    def expected(self, rate: float) -> float:
        """The smaller of the numbers of wins and of losses that are expected."""
        seen = rate * (1 - self.forfeits)
        return 2 * self.groups * min(seen, 1 - seen)

    def blocks(self, rng: np.random.Generator) -> list[Block]:
        """One synthetic set of groups."""
        pairs = np.array(list(combinations(range(self.opponents), 2)), dtype=np.int64).reshape(-1, 2)
        pairs = np.repeat(pairs, _FIELD_GROUPS, axis=0)
        bots = np.repeat(np.arange(self.opponents, self.players), self.groups)
        met = np.tile(np.arange(self.groups) % self.opponents, len(RATES))
        chances = np.repeat(np.array(RATES), self.groups)
        sides = np.stack([bots, met], axis=1)
        places = duels(chances, 2, self.dependence, 0.0, rng)
        lost = rng.random(len(sides)) < self.forfeits
        blocks = [
            Block(pairs[:, :, None], duels(np.full(len(pairs), 0.5), 2, self.dependence, 0.0, rng)),
            Block(sides[~lost][:, :, None], places[~lost]),
        ]
        if lost.any():
            whole = np.broadcast_to(np.array([2, 1]), (int(lost.sum()), 2, 2))
            gone = sides[lost][:, :, None]
            blocks.append(Block(gone, whole.copy(), losers=bots[lost]))
            blocks.append(Block(gone, places[lost][:, :1], leavers=bots[lost][:, None]))
        return blocks


class Scenario(NamedTuple):
    """``bots`` of strengths with a standard deviation of ``spread`` rating points, the anchor being
    number ``anchor`` from below (0 is the weakest), meet in ``rounds`` rounds at tables of ``seats``;
    a bot plays one group of ``games`` games per round.

    ``dependence``: the share of a player's luck that is the same in all games of a group (below 0,
    two sides only: the opposite in every second game). ``ties``: the share of games with a tie, or
    somewhat more than that.
    """

    name: str
    seats: int
    rounds: int = 50
    bots: int = 8
    spread: float = 250.0
    anchor: int = 1
    dependence: float = 0.5
    ties: float = 0.05

    @property
    def games(self) -> int:
        """Games per group: every seating once."""
        return self.seats

    @property
    def players(self) -> int:
        """The bots."""
        return self.bots

    def truth(self) -> FloatArray:
        """The true strengths (bots), unequal: normal quantiles, the anchor's is 0."""
        normal = NormalDist(0, self.spread / SCALE)
        values: FloatArray = np.array([normal.inv_cdf((i + 0.5) / self.bots) for i in range(self.bots)])
        values -= values[self.anchor]
        return values

    def blocks(self, rng: np.random.Generator) -> list[Block]:
        """One synthetic set of groups."""
        strengths = self.truth()
        tables = self.bots // self.seats
        rounds = [rng.permutation(self.bots)[: tables * self.seats] for _ in range(self.rounds)]
        sides = np.concatenate(rounds).reshape(-1, self.seats)
        values = strengths[sides]
        if self.seats == 2:
            chances = 1 / (1 + np.exp(values[:, 1] - values[:, 0]))
            places = duels(chances, self.games, self.dependence, self.ties, rng)
        else:
            places = _tables(self, values, rng)
        return [Block(sides[:, :, None].astype(np.int64), places)]


KNOWN: Final = (
    *(Rates(opponents, groups) for opponents in (1, 3, 10) for groups in (30, 100, 300)),
    *(Rates(3, groups, forfeits=0.1) for groups in (30, 100)),
    *(Rates(3, 100, dependence=dependence) for dependence in (0.3, -0.3)),
)

SCENARIOS: Final = (
    Scenario("pairs", 2),
    Scenario("pairs, mirrored luck", 2, dependence=-0.5),
    Scenario("pairs, 30 groups each", 2, rounds=30),
    Scenario("tables of 4", 4),
    Scenario("tables of 4, 30 groups each", 4, rounds=30),
    Scenario("tables of 4, more ties", 4, dependence=0.8, ties=0.3),
)

OF_EIGHT: Final = Scenario("tables of 8, more ties", 8, bots=16, dependence=0.8, ties=0.3)
"""A scenario whose repetitions take long."""


BOARDS: Final = (
    Scenario("12 equal bots", 2, rounds=100, bots=12, spread=_EQUAL, ties=0),
    Scenario("40 equal bots", 2, rounds=100, bots=40, spread=_EQUAL, ties=0),
    Scenario("12 bots, 100 points apart on average", 2, rounds=100, bots=12, spread=320, ties=0),
    Scenario("40 bots, 100 points apart on average", 2, rounds=100, bots=40, spread=1000, ties=0),
)


def duels(
    chances: FloatArray, games: int, dependence: float, ties: float, rng: np.random.Generator
) -> IntArray:
    """Places (groups, games, 2). ``chances`` (groups): that the first side wins a game."""
    chance = chances[:, None]
    common = np.repeat(rng.random((len(chances), 1)), games, axis=1)
    if dependence < 0:
        common[:, 1::2] = 1 - common[:, 1::2]
    own = rng.random((len(chances), games))
    luck = np.where(rng.random(own.shape) < abs(dependence), common, own)
    # A draw takes as much from the wins as from the losses, so the expected points stay the chance.
    drawn = ties * np.minimum(chance, 1 - chance)
    places = np.ones((len(chances), games, 2), dtype=np.int64)
    places[:, :, 1] += luck < chance - drawn
    places[:, :, 0] += luck >= chance + drawn
    return places


def _tables(scenario: Scenario, values: FloatArray, rng: np.random.Generator) -> IntArray:
    """Places (groups, games, m) of sides with strengths ``values`` (groups, m)."""
    groups, m = values.shape
    shape = (groups, scenario.games, m)
    common = np.broadcast_to(rng.gumbel(size=(groups, 1, m)), shape)
    luck = np.where(rng.random(shape) < scenario.dependence, common, rng.gumbel(size=shape))
    # Sorting strength plus Gumbel noise draws an order from the Plackett-Luce model.
    order = np.argsort(-(values[:, None, :] + luck), axis=2)
    place_of_rank = np.broadcast_to(np.arange(1, m + 1), shape).copy()
    # Two neighbours tie with a probability that leaves, of all orders that end in this tie, both
    # equally many: then the average over the two orders is unbiased.
    odds = np.exp(np.take_along_axis(np.broadcast_to(values[:, None, :], shape), order, axis=2))
    first = rng.integers(0, m - 1, shape[:2])[:, :, None]
    remaining = np.cumsum(odds[:, :, ::-1], axis=2)[:, :, ::-1]
    here, ahead, behind = (np.take_along_axis(x, i, axis=2) for x, i in _neighbours(remaining, odds, first))
    tied = rng.random((*shape[:2], 1)) < scenario.ties * np.minimum(1, (here - ahead) / (here - behind))
    np.put_along_axis(place_of_rank, first + 1, first + 2 - tied, axis=2)
    places = np.empty(shape, dtype=np.int64)
    np.put_along_axis(places, order, place_of_rank, axis=2)
    return places


def _neighbours(
    remaining: FloatArray, odds: FloatArray, first: IntArray
) -> tuple[tuple[FloatArray, IntArray], ...]:
    return ((remaining, first), (odds, first), (odds, first + 1))


class PlannedScene(NamedTuple):
    """A board after one tournament of the format ``rating`` for each of the ``fields``, in which a bot plays
    ``rounds`` groups. The supplement says who is proven.
    """

    name: str
    fields: Sequence[World]
    rounds: int = UNTIL_GROUPS

    @property
    def bots(self) -> list[Contestant]:
        """All bots, each once."""
        return list({bot.name: bot for world in self.fields for bot in world.bots}.values())

    def boards(self, repetitions: int, replicates: int) -> Iterator[Board]:
        """The published boards."""
        spec = as_paired("rating", rounds=self.rounds)
        owners = supplement(World(self.bots))
        for repetition in range(repetitions):
            yield ledger_board(played(self.fields, spec, repetition), owners, replicates=replicates)


def _others(name: str, ratings: Iterable[float], *, proven: bool = True) -> list[Contestant]:
    """Bots of an owner each."""
    return [
        Contestant(f"{name}-{number}", f"of-{name}-{number}", rating, proven)
        for number, rating in enumerate(ratings)
    ]


_EIGHT: Final = World([*house(), *_others("bot", range(1350, 1900, 75))])
_BRIDGE: Final = Contestant("bridge", "of-bridge", 1600)
_ISLANDS: Final = (
    World([*house(), *_others("near", (1400, 1500, 1600, 1700)), _BRIDGE]),
    World([house()[0], *_others("far", (1500, 1600, 1700, 1800)), _BRIDGE]),
)

PLANNED: Final = (
    *(PlannedScene(f"8 bots, {groups} groups", [_EIGHT], groups) for groups in (10, 20, 30, 60, 100)),
    PlannedScene("8 bots, 300 groups", [_EIGHT] * 3),
    PlannedScene("8 bots and one of 2400", [World([*_EIGHT.bots, *_others("best", [2400])])]),
    PlannedScene("two islands and a bridge", _ISLANDS),
    PlannedScene("a cycle", [in_cycle(1)]),
    PlannedScene(
        "12 proven, 8 others",
        [World([*house(), *honest(), *_others("new", range(1350, 1900, 75), proven=False)])],
    ),
    *(
        PlannedScene(f"{count} equal, and the house", [World([*house(), *_others("bot", [1700] * count)])])
        for count in (12, 40)
    ),
)


class Coverage(NamedTuple):
    """How often the intervals held the truth: ``bots`` (players), those of the differences to the anchor;
    ``pairs`` (pairs), those between two neighbours of whom none is the anchor. The mean half-width and the
    mean error (points) of the bots' differences to the anchor.
    """

    bots: FloatArray
    pairs: FloatArray
    half_width: float
    bias: float


def repeated(
    scenario: Scenario | Rates, anchor: int, repetitions: int, replicates: int, seed: int
) -> Iterator[tuple[FloatArray, Differences]]:
    """For each repetition of ``scenario``, the rated strengths (players) less the anchor's, and the standard
    errors of their differences.
    """
    settled = np.ones(scenario.players, dtype=np.bool_)
    for repetition in range(repetitions):
        rng = np.random.Generator(np.random.PCG64([seed, crc32(scenario.name.encode()), repetition]))
        likelihood = Likelihood(scenario.players, scenario.blocks(rng))
        strengths = likelihood.fit()
        digest = sha256(f"{seed} {repetition}".encode()).digest()
        differences = Differences(likelihood, strengths, anchor, digest, settled, replicates)
        yield strengths[likelihood.rated] - strengths[anchor], differences


def coverage(
    scenario: Scenario | Rates,
    others: Sequence[int],
    anchor: int,
    repetitions: int,
    replicates: int,
    seed: int = 1,
) -> Coverage:
    """Repeat ``scenario`` and see how often the 95% intervals hold the truth, for the players ``others``."""
    truth = scenario.truth()
    hits = np.zeros(scenario.players)
    pairs = [pair for pair in pairwise(others) if anchor not in pair]
    of_pairs = np.zeros(len(pairs))
    widths, errors = 0.0, 0.0
    for strengths, found in repeated(scenario, anchor, repetitions, replicates, seed):
        off = strengths - truth
        hits += np.abs(off) <= Z * found.to_anchor
        of_pairs += [abs(off[one] - off[other]) <= Z * found.error(one, other) for one, other in pairs]
        widths += Z * float(found.to_anchor[others].mean())
        errors += float(off[others].mean())
    return Coverage(
        hits / repetitions,
        of_pairs / repetitions,
        SCALE * widths / repetitions,
        SCALE * errors / repetitions,
    )


def of_rates(repetitions: int, replicates: int, seed: int, only: str) -> Iterator[str]:
    """The lines of the table of bots with known win rates; ``pairs`` of neighbours in it, those of whom one
    has few losses or wins by themselves.
    """
    yield f"{'true win rate':40}" + "".join(f"{rate:>8}" for rate in RATES) + f"{'pairs':>8}{'pairs':>8}"
    for rates in KNOWN:
        if only in rates.name:
            bots = range(rates.opponents, rates.players)
            found = coverage(rates, bots, 0, repetitions, replicates, seed)
            few = np.array([rates.expected(rate) < EXPECTED for rate in RATES])
            shares = [(found.bots[bot], alone) for bot, alone in zip(bots, few, strict=True)]
            of_few = few[:-1] | few[1:]
            shares += [(found.pairs[of_few == which].mean(), which) for which in np.unique(of_few)]
            yield (
                f"{rates.name:40}"
                + "".join(f"{share:7.1%}{'*' if which else ' '}" for share, which in shares).rstrip()
            )


def of_fields(repetitions: int, replicates: int, seed: int, only: str) -> Iterator[str]:
    """The lines of the table of fields of unequal bots."""
    yield (
        f"{'field of ' + str(SCENARIOS[0].bots):40}{'groups':>8}{'covered':>9}{'per bot':>17}{'pairs':>8}"
        f"{'± points':>10}{'bias':>7}"
    )
    for scenario in (*SCENARIOS, OF_EIGHT):
        if only in scenario.name:
            others = [bot for bot in range(scenario.bots) if bot != scenario.anchor]
            found = coverage(scenario, others, scenario.anchor, repetitions, replicates, seed)
            shares = found.bots[others]
            yield (
                f"{scenario.name:40}{scenario.rounds:8}{shares.mean():9.1%}"
                f"{shares.min():9.1%}-{shares.max():.1%}{found.pairs.mean():8.1%}"
                f"{found.half_width:10.1f}{found.bias:+7.1f}"
            )


class Claims(NamedTuple):
    """``false``: the share of boards on which the rank of any bot is wrong. ``low``: the bots whose rank is
    too low, per board. ``not_first``: the share of boards on which the best bot cannot be the first.
    ``width``: the mean number of ranks in an interval.
    """

    false: float
    low: float
    not_first: float
    width: float


def claims(scenario: Scenario, repetitions: int, replicates: int, seed: int = 1) -> Claims:
    """Repeat ``scenario`` and see whether the intervals of ranks hold the truth."""
    truth = np.round(scenario.truth(), 6)
    best = 1 + (truth[None] > truth[:, None]).sum(axis=1)
    worst = scenario.bots - (truth[None] < truth[:, None]).sum(axis=1)
    found = np.zeros(4)
    for strengths, differences in repeated(scenario, scenario.anchor, repetitions, replicates, seed):
        order = np.argsort(-strengths)
        ranks = differences.ranks(order, strengths[order])
        low, high = 1 + ranks.better, scenario.bots - ranks.worse
        too_low, too_high = low > best[order], high < worst[order]
        first = low[order == int(truth.argmax())]
        found += [(too_low | too_high).any(), too_low.sum(), (first > 1).all(), (high - low + 1).mean()]
    return Claims(*map(float, found / repetitions))


def of_boards(repetitions: int, replicates: int, seed: int, only: str) -> Iterator[str]:
    """The lines of the table of ranks."""
    yield f"{'boards':40}{'any false':>10}{'too low':>9}{'best not 1':>12}{'ranks each':>12}"
    for scenario in BOARDS:
        if only in scenario.name:
            found = claims(scenario, repetitions, replicates, seed)
            yield (
                f"{scenario.name:40}{found.false:10.1%}{found.low:9.2f}{found.not_first:12.1%}{found.width:12.1f}"
            )


def of_planned(repetitions: int, replicates: int, seed: int, only: str) -> Iterator[str]:
    """The lines of the table of boards whose groups the arena plans. ``seed`` is not used."""
    yield (
        f"{'format rating':40}{'groups':>8}{'covered':>9}{'per bot':>17}{'± points':>10}{'bias':>7}"
        f"{'false':>7}"
    )
    for planned in PLANNED:
        if only not in planned.name:
            continue
        truth = {bot.name: bot.rating for bot in planned.bots}
        found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in truth}
        wrong = 0
        for board in planned.boards(repetitions, replicates):
            ranked = [truth[row.name] for row in board.rows if row.rank is not None]
            wrong += any(_is_false(row, truth[row.name], ranked) for row in board.rows)
            for row in board.rows:
                rating, true = row.rating, truth[row.name]
                hit = rating.low <= true <= rating.high
                found[row.name].append((hit, (rating.high - rating.low) / 2, rating.rating - true))
        kinds = {bot.proven for bot in planned.bots}
        for proven in sorted(kinds, reverse=True):
            means = np.array(
                [
                    np.mean(found[bot.name], axis=0)
                    for bot in planned.bots
                    if bot.owner and bot.proven == proven
                ]
            )
            covered, half_width, bias = means.mean(axis=0)
            fields = [sum(bot in world.bots for world in planned.fields) for bot in planned.bots if bot.owner]
            groups = planned.rounds * min(fields)
            name = planned.name + (f": {'' if proven else 'not '}proven" if len(kinds) > 1 else "")
            yield (
                f"{name:40}{groups:8}{covered:9.1%}{means[:, 0].min():9.1%}-{means[:, 0].max():.1%}"
                f"{half_width:10.1f}{bias:+7.1f}{wrong / repetitions:7.1%}"
            )


def _is_false(row: Row, true: float, ranked: Sequence[float]) -> bool:
    """Whether a bot of the rating ``true`` cannot have this rank among ``ranked``."""
    if row.rank is None or row.worst_rank is None:
        return False
    best = 1 + sum(other > true for other in ranked)
    worst = len(ranked) - sum(other < true for other in ranked)
    return row.rank > best or row.worst_rank < worst


@click.command()
@click.option("--repetitions", default=2000, show_default=True)
@click.option("--replicates", default=REPLICATES, show_default=True, help="Of each bootstrap.")
@click.option("--seed", default=1, show_default=True)
@click.option("--only", default="", help="Only scenarios with this in their name.")
def main(repetitions: int, replicates: int, seed: int, only: str) -> None:
    """Measure how often the 95% intervals hold the true differences to the anchor and between two others, and
    the ranks of boards the truth.
    """
    click.echo(
        f"{repetitions} repetitions; chance alone gives ±{1.96 * sqrt(0.0475 / repetitions):.1%}; "
        f"*: fewer than {EXPECTED} losses or wins expected"
    )
    for table in (of_rates, of_fields, of_boards, of_planned):
        for line in table(repetitions, replicates, seed, only):
            click.echo(line)


if __name__ == "__main__":
    main()
