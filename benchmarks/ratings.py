"""What publishing a leaderboard costs: ``python -m benchmarks.ratings``.

Results are made up. ``publish`` reads a stored ledger, adds a batch of 100 groups to it,
rates everybody, writes the board as JSON and stores the ledger again; ``rebuild`` makes the ledger
anew from results in memory first. ``peak`` is the largest size of the process that does so. CPU seconds,
one thread.
"""

from __future__ import annotations

import os

# Before numpy starts its own threads: the figures are for one core.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import json
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256
from itertools import product
from multiprocessing import get_context
from resource import RUSAGE_SELF, getrusage
from time import process_time

import click
import numpy as np

from arena.games import GAMES
from arena.play.players import PlayerId
from arena.ratings.blocks import Block
from arena.ratings.board import ANCHOR, ledger_board
from arena.ratings.bootstrap import REPLICATES, Differences
from arena.ratings.ledger import Ledger
from arena.ratings.model import Likelihood
from arena.ratings.results import GameResult, GroupResult
from benchmarks.coverage import Scenario

BATCH = 100


def made_up_groups(scenario: Scenario, block: Block) -> Iterator[GroupResult]:
    """The groups of ``block`` as if they had been read from records."""
    players = [PlayerId(f"bot-{number}", "1") for number in range(scenario.bots)]
    players[scenario.anchor] = PlayerId(ANCHOR, "1")
    # Two sides are those of a game with partners, more those of one where everybody plays alone.
    game = next(game for game in GAMES.values() if game.has_partners == (scenario.seats == 2))
    players_of_side = 2 if game.has_partners else 1
    rules = game.options.complete(game.rules_for({}, scenario.seats * players_of_side))
    teams = game.teams(rules)
    around = range(game.seats(rules))
    rows = zip(block.sides[:, :, 0].tolist(), block.places.tolist(), strict=True)
    for number, (sides, games) in enumerate(rows):
        played = []
        for index, places in enumerate(games):
            turned = [(seat + index) % scenario.seats for seat in around]
            played.append(
                GameResult(
                    index,
                    sha256(b"%d %d" % (number, index)).hexdigest(),
                    tuple(players[sides[side]] for side in turned),
                    tuple(places[side] for side in turned),
                    (),
                    (0,) * len(turned),
                    (),
                    (),
                    1_700_000_000_000 + number,
                )
            )
        preset = game.preset().name
        yield GroupResult(game.kind, f"g{number}", len(games), True, teams, played, preset=preset)


def _board_of(bots: int, groups: int, sides: int) -> list[float]:
    """The CPU seconds of the fit, of the intervals, of publishing with ``BATCH`` new groups, and of the same
    with a new ledger; the megabytes of the stored ledger.
    """
    scenario = Scenario("bench", sides, bots=bots, rounds=max(1, groups * sides // bots))
    (block,) = scenario.blocks(np.random.Generator(np.random.PCG64(1)))
    start = process_time()
    likelihood = Likelihood(bots, [block])
    strengths = likelihood.fit()
    fitted = process_time()
    settled = np.ones(bots, dtype=np.bool_)
    differences = Differences(likelihood, strengths, scenario.anchor, bytes(32), settled)
    order = np.argsort(-strengths[:bots])
    differences.ranks(order, strengths[order])
    resampled = process_time()
    made_up = list(made_up_groups(scenario, block))
    rebuild = _publish(None, made_up)[0]
    stored = _publish(None, made_up[BATCH:])[1]
    publish = _publish(stored, made_up[:BATCH])[0]
    return [fitted - start, resampled - fitted, publish, rebuild, len(stored) / 1e6]


def _peak(bots: int, groups: int, sides: int) -> float:
    """The largest size in memory, in megabytes, of a process that publishes one board."""
    scenario = Scenario("bench", sides, bots=bots, rounds=max(1, groups * sides // bots))
    (block,) = scenario.blocks(np.random.Generator(np.random.PCG64(1)))
    _publish(None, list(made_up_groups(scenario, block)))
    return getrusage(RUSAGE_SELF).ru_maxrss / 1024


@click.command()
@click.option("--bots", multiple=True, type=int, default=(100, 1_000, 2_000, 10_000), show_default=True)
@click.option("--groups", multiple=True, type=int, default=(20_000, 200_000), show_default=True)
@click.option("--sides", multiple=True, type=int, default=(2, 4), show_default=True)
def main(bots: tuple[int, ...], groups: tuple[int, ...], sides: tuple[int, ...]) -> None:
    """Show what a leaderboard costs, by bots and groups, for two sides and for tables of four."""
    click.echo(f"{REPLICATES} replicates, CPU seconds")
    click.echo(
        f"{'sides':>5}{'bots':>8}{'groups':>9}{'fit':>7}{'intervals':>11}{'publish':>9}{'rebuild':>9}"
        f"{'stored':>10}{'peak':>9}"
    )
    # A process for every board: what one has used, the next has not.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1) as processes:
        for at_table, how_many, count in product(sides, bots, groups):
            seconds = processes.submit(_board_of, how_many, count, at_table).result()
            peak = processes.submit(_peak, how_many, count, at_table).result()
            fit, intervals, publish, rebuild, stored = seconds
            click.echo(
                f"{at_table:5}{how_many:8}{count:9}{fit:7.2f}{intervals:11.2f}{publish:9.2f}{rebuild:9.2f}"
                f"{stored:7.1f} MB{peak:6.0f} MB"
            )


def _publish(stored: bytes | None, new: list[GroupResult]) -> tuple[float, bytes]:
    """The seconds that it takes to publish with ``new`` groups, and the ledger after it."""
    start = process_time()
    ledger = (
        Ledger(new[0].kind, new[0].division, new[0].preset) if stored is None else Ledger.from_bytes(stored)
    )
    for group in new:
        ledger.add(group)
    json.dumps(ledger_board(ledger).as_json())
    data = ledger.to_bytes()
    return process_time() - start, data


if __name__ == "__main__":
    main()
