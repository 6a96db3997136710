"""``python -m benchmarks.http``: its options, its tables and its goals."""

from __future__ import annotations

import platform
import signal
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Final

import click
from rich.console import Console
from rich.table import Table

from arena.cli import run
from benchmarks.http.measure import ALONE, BARE, BESIDE, MANY, ONE, HttpBench, Report, Sample, Size

ONE_GOAL: Final = 0.6
"""One answer per request, over the bare route."""

MANY_GOAL: Final = 5.0
"""Many answers per request, over one."""

BESIDE_GOAL: Final = 0.8
"""Beside those who wait, over alone."""


@click.command()
@click.option("--rounds", default=5, show_default=True, type=click.IntRange(1), help="Interleaved rounds.")
@click.option(
    "--waiting-rounds", default=3, show_default=True, type=click.IntRange(1), help="With waiting bots."
)
@click.option("--seconds", default=3.0, show_default=True, help="Seconds per round and scenario.")
@click.option(
    "--connections", default=16, show_default=True, type=click.IntRange(1), help="Busy connections."
)
@click.option("--answers", default=32, show_default=True, type=click.IntRange(2, 100), help="Per request.")
@click.option("--waiters", default=2000, show_default=True, type=click.IntRange(2), help="Bots that wait.")
@click.option("--players", default=50, show_default=True, type=click.IntRange(1), help="Bots beside them.")
@click.option("--seed", default=1, show_default=True)
def http(
    rounds: int,
    waiting_rounds: int,
    seconds: float,
    connections: int,
    answers: int,
    waiters: int,
    players: int,
    seed: int,
) -> None:
    """Answered turns per second over HTTP, beside a bare route, and with bots that wait.

    Starts an embedded database, one API process as `botequim serve` does, and a bare Flask app under
    the same server with one route that reads from the database once and writes once. Bots play both games
    at random against themselves. Ratios are medians over the rounds.
    """
    # Ends what it has started and removes its folder, as on Ctrl-C.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    console = Console(highlight=False)
    size = Size(rounds, waiting_rounds, seconds, connections, answers, waiters, players)
    with tempfile.TemporaryDirectory(prefix="botequim-bench-") as folder:
        report = HttpBench(Path(folder), size, seed, lambda text: click.echo(text, err=True)).run()
    where = "each server on a core of its own" if report.pinned else "cores not pinned"
    console.print(f"{platform.python_implementation()} {platform.python_version()}, {where}")
    console.print(f"a move: {report.bytes.read} bytes read, {report.bytes.write} bytes written")
    console.print(_scenarios(report))
    console.print("server µs, database µs: of the processor, per answer")
    if report.waiting_bytes:
        console.print(f"memory per waiting bot: {median(report.waiting_bytes) / 1024:.1f} KB")
    console.print(_goals(report, size))


def _scenarios(report: Report) -> Table:
    table = Table()
    table.add_column("scenario")
    for heading in ("answers/s", "p50 ms", "p99 ms", "server µs", "database µs"):
        table.add_column(heading, justify="right")
    for name, samples in report.samples.items():
        latencies = sorted(latency for sample in samples for latency in sample.load.latencies)
        table.add_row(
            name,
            f"{median(sample.load.rate for sample in samples):,.0f}",
            *(f"{1000 * latencies[int(len(latencies) * part)]:.1f}" for part in (0.5, 0.99)),
            _cost([(sample, sample.server_cpu) for sample in samples]),
            _cost([(sample, sample.database_cpu) for sample in samples]),
        )
    return table


def _cost(samples: list[tuple[Sample, float | None]]) -> str:
    """Microseconds of the processor per answer, as text."""
    costs = [1e6 * cpu / sample.load.answers for sample, cpu in samples if cpu is not None]
    return f"{median(costs):,.0f}" if costs else "?"


def _goals(report: Report, size: Size) -> Table:
    many = MANY.format(answers=size.answers)
    alone, beside = (
        ALONE.format(players=size.players),
        BESIDE.format(players=size.players, waiters=size.waiters),
    )
    table = Table()
    table.add_column("goal")
    for heading in ("answers/s", "per CPU s", "at least", ""):
        table.add_column(heading, justify="right")
    for title, of, over, least in (
        ("1 answer, over the bare route", ONE, BARE, ONE_GOAL),
        (f"{size.answers} answers, over 1", many, ONE, MANY_GOAL),
        (f"beside {size.waiters:,} waiting, over alone", beside, alone, BESIDE_GOAL),
    ):
        ratio, cpu = report.rate_ratio(of, over), report.cpu_ratio(of, over)
        table.add_row(
            title,
            f"{ratio:.2f}",
            "?" if cpu is None else f"{cpu:.2f}",
            f"{least:g}",
            "shown" if ratio >= least else "NOT shown",
        )
    return table


if __name__ == "__main__":
    sys.exit(run(command=http))
