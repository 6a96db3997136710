"""``python -m benchmarks.spectators``: its options and its tables."""

from __future__ import annotations

import platform
import signal
import sys
import tempfile
from pathlib import Path
from typing import Final

import click
from rich.console import Console
from rich.table import Table

from arena.cli import run
from benchmarks.beside import figures, round_options
from benchmarks.spectators.measure import CrowdReport, CrowdSize, SpectatorBench

MOST_BYTES: Final = 2000
"""Of a message to a spectator, per move."""

MOST_PAGE: Final = 150_000
"""Of a first load, compressed."""


@click.command()
@round_options
@click.option("--spectators", default=1000, show_default=True, type=click.IntRange(1), help="Of one game.")
@click.option("--exhibition", is_flag=True, help="The spectators look at /watch, and the exhibition is on.")
def spectators(
    rounds: int, seconds: float, spectators: int, exhibition: bool, players: int, seed: int
) -> None:
    """What the bots that play over HTTP lose while many watch one game, which makes two moves a second.

    Starts an embedded database and one API process as `botequim serve` does. Rounds with and without
    spectators alternate; the game goes on in both. With `--exhibition`, the rounds beside spectators have
    exhibition games, and those alone have none. Ratios are medians over the rounds. Also what each page
    loads at first, compressed as a proxy would do it (gzip, level 6).
    """
    # Ends what it has started and removes its folder, as on Ctrl-C.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    console = Console(highlight=False)
    size = CrowdSize(rounds, seconds, spectators, players, exhibition)
    with tempfile.TemporaryDirectory(prefix="botequim-bench-") as folder:
        report = SpectatorBench(Path(folder), size, seed, lambda text: click.echo(text, err=True)).run()
    where = "the server on a core of its own" if report.pinned else "cores not pinned"
    console.print(f"{platform.python_implementation()} {platform.python_version()}, {where}")
    console.print(_players(report, size))
    console.print(report.ratios())
    again = sum(got.tables for got in report.got)
    console.print(
        f"the spectators got {sum(got.messages for got in report.got):,} messages, "
        f"{sum(got.bytes for got in report.got):,} bytes; {again:,} tables again after missed messages"
    )
    for kind in dict.fromkeys(report.kinds):
        sent = report.bytes_per_move(kind)
        if sent is not None:
            console.print(f"{kind}: {sent:.0f} bytes per move and spectator, {_goal(sent, MOST_BYTES)}")
    if report.exhibition_s is not None:
        console.print(f"exhibition: {report.exhibition_s:.1f} s of processor time per hour")
    console.print(_pages(report))


def _players(report: CrowdReport, size: CrowdSize) -> Table:
    table = Table()
    table.add_column("scenario")
    for heading in ("answers/s", "p50 ms", "p99 ms", "server µs"):
        table.add_column(heading, justify="right")
    alone, beside = f"{size.players} play", f"{size.players} play, {size.spectators:,} watch"
    for name, samples in ((alone, report.alone), (beside, report.beside)):
        table.add_row(name, *figures(samples))
    return table


def _pages(report: CrowdReport) -> Table:
    table = Table()
    table.add_column("first load")
    for heading in ("resources", "KB", "KB compressed", f"at most {MOST_PAGE // 1000}"):
        table.add_column(heading, justify="right")
    for name, page in report.pages.items():
        table.add_row(
            name,
            str(page.resources),
            f"{page.plain / 1000:.1f}",
            f"{page.compressed / 1000:.1f}",
            "shown" if page.compressed <= MOST_PAGE else "NOT shown",
        )
    return table


def _goal(found: float, most: float) -> str:
    return f"at most {most:,}: {'shown' if found <= most else 'NOT shown'}"


if __name__ == "__main__":
    sys.exit(run(command=spectators))
