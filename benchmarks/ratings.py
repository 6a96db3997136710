"""What publishing a leaderboard costs: ``python -m benchmarks.ratings``.

Results are made up for 200 bots. ``publish`` reads a stored ledger, adds a batch of 100 groups to it,
rates everybody, writes the board as JSON and stores the ledger again; ``rebuild`` makes the ledger
anew from results in memory first. CPU seconds, one thread.
"""

from __future__ import annotations

import os

# Before numpy starts its own threads: the figures are for one core.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import json
from collections.abc import Iterator
from hashlib import sha256
from time import process_time

import click
import numpy as np

from arena.games import GAMES
from arena.play.players import PlayerId
from arena.ratings.board import ANCHOR, ledger_board
from arena.ratings.bootstrap import REPLICATES, standard_errors
from arena.ratings.ledger import Ledger
from arena.ratings.model import Block, Likelihood
from arena.ratings.results import GameResult, GroupResult
from benchmarks.coverage import Scenario, results

BOTS = 200
BATCH = 100


def made_up_groups(scenario: Scenario, block: Block) -> Iterator[GroupResult]:
    """The groups of ``block`` as if they had been read from records."""
    players = [PlayerId(f"bot-{number}", "1") for number in range(scenario.bots)]
    players[scenario.anchor] = PlayerId(ANCHOR, "1")
    # Two sides are those of a game with partners, more those of one where everybody plays alone.
    game = next(game for game in GAMES.values() if game.has_partners == (scenario.seats == 2))
    rules = game.options.complete(game.rules_for({}, scenario.seats))
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
        yield GroupResult(game.kind, f"g{number}", len(games), True, teams, played)


@click.command()
@click.option("--groups", multiple=True, type=int, default=(2_000, 20_000, 200_000), show_default=True)
def main(groups: tuple[int, ...]) -> None:
    """Show what a leaderboard of 200 bots costs, for two sides and for tables of four."""
    click.echo(f"{BOTS} bots, {REPLICATES} bootstrap replicates, CPU seconds")
    click.echo(
        f"{'sides':>5}{'groups':>9}{'fit':>7}{'bootstrap':>11}{'publish':>9}{'rebuild':>9}{'stored':>10}"
    )
    for sides in (2, 4):
        for count in groups:
            scenario = Scenario("bench", sides, bots=BOTS, rounds=count * sides // BOTS)
            block = results(scenario, np.random.Generator(np.random.PCG64(1)))
            start = process_time()
            likelihood = Likelihood(BOTS, [block])
            strengths = likelihood.fit()
            fitted = process_time()
            standard_errors(likelihood, strengths, scenario.anchor, bytes(32))
            resampled = process_time()
            made_up = list(made_up_groups(scenario, block))
            rebuild = _publish(None, made_up)[0]
            stored = _publish(None, made_up[BATCH:])[1]
            publish = _publish(stored, made_up[:BATCH])[0]
            click.echo(
                f"{sides:5}{len(made_up):9}{fitted - start:7.2f}{resampled - fitted:11.2f}"
                f"{publish:9.2f}{rebuild:9.2f}{len(stored) / 1e6:7.1f} MB"
            )


def _publish(stored: bytes | None, new: list[GroupResult]) -> tuple[float, bytes]:
    """The seconds that it takes to publish with ``new`` groups, and the ledger after it."""
    start = process_time()
    ledger = Ledger(new[0].kind, new[0].division) if stored is None else Ledger.from_bytes(stored)
    for group in new:
        ledger.add(group)
    json.dumps(ledger_board(ledger).as_json())
    data = ledger.to_bytes()
    return process_time() - start, data


if __name__ == "__main__":
    main()
