"""How fast the rules run, beside other engines: ``python -m benchmarks.rules``."""

from __future__ import annotations

import platform

import click
from rich.console import Console
from rich.table import Table

from arena.games import GAMES
from arena.installation import install_command
from benchmarks.engines import PEERS, compare, costs


@click.command()
@click.option("--rounds", default=7, show_default=True, help="Interleaved rounds; medians are shown.")
@click.option("--seconds", default=1.0, show_default=True, help="Seconds per round and engine.")
@click.option("--seed", default=1, show_default=True)
def main(rounds: int, seconds: float, seed: int) -> None:
    """Random playouts per second on one core, and what the calls of the kernel cost.

    A step is: ask for the legal actions, choose one uniformly, apply it; a deal is a step. Every preset of
    every game; the calls with default rule options. Only awaited seats act: on its own turn a seat chooses
    among all it may do (calls and knocks included), and rights of other seats are left unused.
    """
    console = Console(highlight=False)
    console.print(f"{platform.python_implementation()} {platform.python_version()}, one core")
    speeds = compare(rounds, seconds, seed)
    peers = [speed for speed in speeds if speed.name in PEERS]
    table = Table()
    table.add_column("random playouts")
    for heading in ("playouts/s", "steps/s", *(f"steps/s over {peer.name}" for peer in peers)):
        table.add_column(heading, justify="right")
    for speed in speeds:
        ratios = [f"{speed.steps / peer.steps:.2f}" for peer in peers]
        table.add_row(speed.name, f"{speed.playouts:,.0f}", f"{speed.steps:,.0f}", *ratios)
    console.print(table)
    for name in PEERS:
        if name not in {peer.name for peer in peers}:
            console.print(f"{name}: not installed ({install_command('spiel')})", markup=False)
    calls = Table()
    calls.add_column("µs per call")
    names = ("legal_actions", "apply", "observation", "serialise", "deserialise")
    for name in names:
        calls.add_column(name, justify="right")
    calls.add_column("bytes", justify="right")
    for game in GAMES.values():
        cost = costs(game, game.options.complete(), games=100, seed=seed)
        calls.add_row(cost.name, *(f"{getattr(cost, name):.2f}" for name in names), f"{cost.bytes:.0f}")
    console.print(calls)


if __name__ == "__main__":
    main()
