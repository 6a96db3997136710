"""Measures how often the intervals cover the true value: ``python -m benchmarks.coverage``.

With ``--first`` also those of the first method (``docs/ratings.md``), on the same results.

Results are made from known strengths. Every game by itself follows the model exactly (so that the
true difference to the anchor is known), the games of a group depend on each other, and some games
are drawn or have tied places.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from math import sqrt
from statistics import NormalDist
from typing import Final, NamedTuple

import click
import numpy as np

from arena.ratings.bootstrap import REPLICATES, Z, draws, standard_errors
from arena.ratings.model import SCALE, Block, Likelihood
from arena.ratings.solver import FloatArray, IntArray


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
    bots: int = 20
    spread: float = 250.0
    anchor: int = 3
    dependence: float = 0.5
    ties: float = 0.05

    @property
    def games(self) -> int:
        """Games per group: every seating once."""
        return self.seats

    def strengths(self) -> FloatArray:
        """The true strengths (bots), unequal: normal quantiles, the anchor's is 0."""
        normal = NormalDist(0, self.spread / SCALE)
        values: FloatArray = np.array([normal.inv_cdf((i + 0.5) / self.bots) for i in range(self.bots)])
        values -= values[self.anchor]
        return values


SCENARIOS: Final = (
    Scenario("pairs", 2),
    Scenario("pairs, mirrored luck", 2, dependence=-0.5),
    Scenario("pairs, anchor in the middle, wider", 2, spread=350, anchor=10),
    Scenario("pairs, 200 groups each", 2, rounds=200),
    Scenario("pairs, 30 groups each", 2, rounds=30),
    Scenario("tables of 4", 4),
    Scenario("tables of 4, more ties", 4, dependence=0.8, ties=0.3),
    Scenario("tables of 4, 200 groups each", 4, rounds=200),
    Scenario("one opponent, 98% won", 2, rounds=30, bots=2, spread=501.2, anchor=0, dependence=0.0, ties=0.0),
    Scenario("one opponent, 95% won", 2, rounds=30, bots=2, spread=379.2, anchor=0, dependence=0.0, ties=0.0),
)


def results(scenario: Scenario, rng: np.random.Generator) -> Block:
    """One synthetic set of groups."""
    strengths = scenario.strengths()
    tables = scenario.bots // scenario.seats
    rounds = [rng.permutation(scenario.bots)[: tables * scenario.seats] for _ in range(scenario.rounds)]
    sides = np.concatenate(rounds).reshape(-1, scenario.seats)
    places = (_duels if scenario.seats == 2 else _tables)(scenario, strengths[sides], rng)
    return Block(sides[:, :, None].astype(np.int64), places)


def _duels(scenario: Scenario, values: FloatArray, rng: np.random.Generator) -> IntArray:
    """Places (groups, games, 2) of sides with strengths ``values`` (groups, 2)."""
    chance = 1 / (1 + np.exp(values[:, 1] - values[:, 0]))[:, None]
    groups = len(values)
    common = np.repeat(rng.random((groups, 1)), scenario.games, axis=1)
    if scenario.dependence < 0:
        common[:, 1::2] = 1 - common[:, 1::2]
    own = rng.random((groups, scenario.games))
    luck = np.where(rng.random(own.shape) < abs(scenario.dependence), common, own)
    # A draw takes as much from the wins as from the losses, so the expected points stay the chance.
    drawn = scenario.ties * np.minimum(chance, 1 - chance)
    places = np.ones((groups, scenario.games, 2), dtype=np.int64)
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


Errors = Callable[[Likelihood, FloatArray, int, bytes, int], FloatArray]
"""The standard errors of rated strengths less the anchor's (players), with the arguments below."""


def published(
    likelihood: Likelihood, strengths: FloatArray, anchor: int, seed: bytes, replicates: int
) -> FloatArray:
    """Those of a board on which everybody has enough groups."""
    settled = np.ones(len(likelihood.rated), dtype=np.bool_)
    return standard_errors(likelihood, strengths, anchor, seed, settled, replicates)


def first_method(
    likelihood: Likelihood, strengths: FloatArray, anchor: int, seed: bytes, replicates: int
) -> FloatArray:
    """Those of the first method: the groups drawn again change the equations of the step, too."""
    moments = likelihood.moments(strengths)
    starts = np.cumsum(likelihood.counts[:-1]) - likelihood.counts[:-1]
    samples: FloatArray = np.empty((replicates, len(likelihood.rated)))
    for replicate in range(replicates):
        counts = np.append(np.add.reduceat(draws(seed, replicate, likelihood.groups), starts), 1.0)
        curvature = likelihood.curvature(moments, counts) @ np.eye(likelihood.size - 1)
        step = np.linalg.solve(curvature, likelihood.scores(moments, counts))
        samples[replicate] = step[likelihood.rated] - step[anchor]
    errors: FloatArray = samples.std(axis=0, ddof=1)
    return errors


class Coverage(NamedTuple):
    """How often the intervals covered: over all bots but the anchor, the bot with the lowest and with
    the highest share; the mean half-width and the mean error of the ratings (points).
    """

    covered: float
    lowest: float
    highest: float
    half_width: float
    bias: float


def coverage(
    scenario: Scenario, repetitions: int, replicates: int, seed: int = 1, errors_by: Errors = published
) -> Coverage:
    """Repeat ``scenario`` and see how often the 95% interval of a bot's difference to the anchor
    holds the truth.
    """
    truth = scenario.strengths()
    others = np.flatnonzero(np.arange(scenario.bots) != scenario.anchor)
    hits = np.zeros(scenario.bots)
    widths = errors = 0.0
    for repetition in range(repetitions):
        rng = np.random.Generator(np.random.PCG64([seed, repetition]))
        likelihood = Likelihood(scenario.bots, [results(scenario, rng)])
        strengths = likelihood.fit()
        found = strengths[: scenario.bots] - strengths[scenario.anchor]
        digest = sha256(f"{seed} {repetition}".encode()).digest()
        half = Z * errors_by(likelihood, strengths, scenario.anchor, digest, replicates)
        hits += np.abs(found - truth) <= half
        widths += float(half[others].mean())
        errors += float((found - truth)[others].mean())
    shares = hits[others] / repetitions
    return Coverage(
        float(shares.mean()),
        float(shares.min()),
        float(shares.max()),
        SCALE * widths / repetitions,
        SCALE * errors / repetitions,
    )


@click.command()
@click.option("--repetitions", default=1000, show_default=True)
@click.option("--replicates", default=REPLICATES, show_default=True, help="Of each bootstrap.")
@click.option("--seed", default=1, show_default=True)
@click.option("--only", default="", help="Only scenarios with this in their name.")
@click.option("--first", is_flag=True, help="Also with the first method.")
def main(repetitions: int, replicates: int, seed: int, only: str, first: bool) -> None:
    """Measure how often the 95% intervals cover the true difference to the anchor."""
    click.echo(
        f"{repetitions} repetitions; per bot, chance alone gives ±{1.96 * sqrt(0.0475 / repetitions):.1%}"
    )
    click.echo(f"{'scenario':48}{'groups':>8}{'covered':>9}{'per bot':>17}{'± points':>10}{'bias':>7}")
    methods = {"": published, " (first method)": first_method} if first else {"": published}
    for scenario in SCENARIOS:
        for name, errors_by in methods.items():
            if only in scenario.name:
                found = coverage(scenario, repetitions, replicates, seed, errors_by)
                click.echo(
                    f"{scenario.name + name:48}{scenario.rounds:8}{found.covered:9.1%}"
                    f"{found.lowest:9.1%}-{found.highest:.1%}{found.half_width:10.1f}{found.bias:+7.1f}"
                )


if __name__ == "__main__":
    main()
