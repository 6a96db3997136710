"""The errors of ``botequim compare``, and the groups that it saves: simulated tests against fixed ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from random import Random
from statistics import NormalDist, fmean
from typing import Final

import click
from rich.console import Console
from rich.table import Table

from arena.tournaments.sequential import SequentialTest, margin_of

MARGINS: Final = (-1.0, 0.0, 1.0)
"""Those of a mirrored group of two games, each won or lost."""
SPREAD: Final = 0.51
"""The standard deviation of a group's margin: that of `shark` and `regular` at Truco, see docs/bots.md."""
MOST: Final = 100_000


@dataclass(frozen=True)
class Simulated:
    """``share``: of the tests that accepted ``elo1``; ``groups``: the mean number that they took."""

    elo: float
    share: float
    groups: float


def simulate(elo: float, elo0: float, elo1: float, tests: int, seed: str) -> Simulated:
    """Run tests of bots whose true difference is ``elo``."""
    random = Random(seed)
    mean = margin_of(elo)
    won = (SPREAD**2 + mean**2 + mean) / 2
    lost = won - mean
    weights = [lost, 1 - won - lost, won]
    accepted = []
    groups = []
    for _ in range(tests):
        test = SequentialTest(elo0, elo1)
        while test.decision is None and len(test.margins) < MOST:
            for margin in random.choices(MARGINS, weights, k=60):
                test.add(margin)
                if test.decision is not None:
                    break
        accepted.append(test.decision == elo1)
        groups.append(len(test.margins))
    return Simulated(elo, fmean(accepted), fmean(groups))


def fixed_groups(elo0: float, elo1: float, alpha: float = 0.05, beta: float = 0.05) -> int:
    """The groups of a test with a fixed number of them and the same errors."""
    quantiles = NormalDist().inv_cdf(1 - alpha) + NormalDist().inv_cdf(1 - beta)
    return ceil((quantiles * SPREAD / (margin_of(elo1) - margin_of(elo0))) ** 2)


def differences(elo0: float, elo1: float) -> Sequence[float]:
    """True differences: the bounds, the middle of them, and as far beyond them."""
    step = elo1 - elo0
    return (elo0 - step, elo0, elo0 + step / 2, elo1, elo1 + step)


@click.command()
@click.option("--tests", default=2000, show_default=True, help="Simulated tests per line.")
@click.option("--seed", default="1", show_default=True)
def main(tests: int, seed: str) -> None:
    """Simulate tests of `botequim compare` with alpha = beta = 0.05."""
    table = Table()
    for heading in ("elo0, elo1", "true Elo", "elo1 accepted", "groups", "fixed test", "ratio"):
        table.add_column(heading, justify="right")
    for elo0, elo1 in ((0.0, 10.0), (0.0, 20.0), (0.0, 35.0), (-10.0, 10.0)):
        fixed = fixed_groups(elo0, elo1)
        for elo in differences(elo0, elo1):
            found = simulate(elo, elo0, elo1, tests, seed)
            table.add_row(
                f"{elo0:g}, {elo1:g}",
                f"{elo:g}",
                f"{found.share:.1%}",
                f"{found.groups:.0f}",
                str(fixed),
                f"{found.groups / fixed:.2f}",
            )
    Console(highlight=False).print(table)


if __name__ == "__main__":
    main()
