"""The errors of ``botequim compare``, and the groups that it saves: simulated tests against fixed ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil
from operator import mul
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
UNEQUAL: Final = (0.82, 0.16, 0.02)
"""The shares of these margins between very unequal bots: about those of `random` and `rookie` at Truco."""
MOST: Final = 100_000


@dataclass(frozen=True)
class Simulated:
    """``share``: of the tests that accepted ``elo1``; ``groups``: the mean number that they took."""

    elo: float
    share: float
    groups: float


def even(elo: float) -> tuple[Sequence[float], Sequence[float]]:
    """Return margins and their shares between bots whose true difference is ``elo``."""
    mean = margin_of(elo)
    won = (SPREAD**2 + mean**2 + mean) / 2
    lost = won - mean
    return MARGINS, (lost, 1 - won - lost, won)


def skewed(elo: float) -> tuple[Sequence[float], Sequence[float]]:
    """Return margins as skewed as those of very unequal bots, moved to the true difference ``elo``. (Their
    own difference would be decided at once by any bounds that are not as extreme.)
    """
    moved = margin_of(elo) - sum(map(mul, MARGINS, UNEQUAL))
    return [margin + moved for margin in MARGINS], UNEQUAL


def simulate(
    elo: float,
    elo0: float,
    elo1: float,
    tests: int,
    seed: str,
    margins_of: Callable[[float], tuple[Sequence[float], Sequence[float]]] = even,
) -> Simulated:
    """Run tests of bots whose true difference is ``elo``."""
    random = Random(seed)
    margins, shares = margins_of(elo)
    accepted = []
    groups = []
    for _ in range(tests):
        test = SequentialTest(elo0, elo1)
        while test.decision is None and len(test.margins) < MOST:
            for margin in random.choices(margins, shares, k=60):
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
    print("\nmargins as skewed as those of very unequal bots, elo0 0, elo1 20:")
    for elo in (0.0, 20.0):
        found = simulate(elo, 0, 20, tests, seed, skewed)
        print(f"true Elo {elo:g}: elo1 accepted by {found.share:.1%}, {found.groups:.0f} groups")


if __name__ == "__main__":
    main()
