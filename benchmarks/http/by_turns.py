"""``python -m benchmarks.http.by_turns OLD NEW``: two commits under the same load, sample by sample.

Two runs of ``make bench-http`` one after the other differ by the drift of the machine too. Here the
benchmarks of both commits run at once, each with its own database and servers, but only one of them takes a
sample at a time, and the sample of the other follows at once.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random
from statistics import median, quantiles
from typing import Any, Final, cast

import click
from rich.console import Console
from rich.table import Table

from arena.cli import run
from benchmarks.http.load import BenchFailed
from benchmarks.http.measure import HttpBench, Sample, Size

Samples = dict[str, list[tuple[float, float]]]
"""By scenario, one pair per round: answers/s, and microseconds of the server's processor per answer."""

_RESAMPLES: Final = 2000
"""Of the rounds, for the interval of a median."""


class _ByTurns(HttpBench):
    """Waits before each sample for a line of the standard input, and says when it has taken it."""

    def _measure(self, *arguments: Any) -> Sample:
        print("ready", flush=True)
        sys.stdin.readline()
        sample = super()._measure(*arguments)
        print("taken", flush=True)
        return sample


def sample_in_turn(size: Sequence[float], seed: int) -> None:
    """Run the benchmark of the commit that this Python belongs to, as a process that :func:`by_turns` starts.

    Prints the :data:`Samples` as JSON in the end.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with tempfile.TemporaryDirectory(prefix="botequim-bench-") as folder:
        report = _ByTurns(Path(folder), Size(*cast(Any, size)), seed, lambda text: None).run()
    samples = {
        name: [(s.load.rate, 1e6 * (s.server_cpu or 0) / s.load.answers) for s in taken]
        for name, taken in report.samples.items()
    }
    print(json.dumps(samples), flush=True)


class _Commit:
    """The process of one commit. ``environment``: what ``make bench-http`` made there."""

    def __init__(self, environment: Path, arguments: str, stack: ExitStack) -> None:
        self._process = stack.enter_context(
            subprocess.Popen(
                # -P: imports are from the environment, where ``benchmarks`` is a link, not from this folder.
                [environment.resolve() / "bin" / "python", "-P", __file__, "--sample", arguments],
                cwd=environment,
                env={**os.environ, "PYTHONPATH": str(environment.resolve())},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        )
        stack.callback(self._process.terminate)
        self.samples: Samples = {}

    def ready(self) -> bool:
        """Wait until it can take a sample. Returns false when it has taken all, which are in ``samples``."""
        if (line := self._line()) == "ready\n":
            return True
        self.samples = json.loads(line)
        return False

    def sample(self) -> None:
        """Let it take one."""
        assert self._process.stdin
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        self._line()

    def _line(self) -> str:
        assert self._process.stdout
        if line := self._process.stdout.readline():
            return line
        raise BenchFailed(f"a benchmark ended with status {self._process.wait()}")


@click.command()
@click.argument("old", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("new", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--rounds", default=40, show_default=True, type=click.IntRange(2))
@click.option("--waiting-rounds", default=12, show_default=True, type=click.IntRange(2))
@click.option("--seconds", default=2.0, show_default=True, help="Seconds per sample.")
@click.option("--waiters", default=400, show_default=True, type=click.IntRange(2), help="Bots that wait.")
@click.option("--seed", default=1, show_default=True)
def by_turns(
    old: Path, new: Path, rounds: int, waiting_rounds: int, seconds: float, waiters: int, seed: int
) -> None:
    """The API of two commits by turns: NEW over OLD, medians over the rounds with 95 % intervals.

    OLD and NEW are the folders `.venv-bench` that `make bench-http` has made in a checkout of each.
    """
    size = Size(rounds, waiting_rounds, seconds, connections=16, answers=32, waiters=waiters, players=50)
    with ExitStack() as stack:
        before, after = commits = [_Commit(folder, json.dumps([size, seed]), stack) for folder in (old, new)]
        while all([commit.ready() for commit in commits]):  # noqa: C419 - each of them is asked
            for commit in commits:
                commit.sample()
            commits.reverse()
    Console(highlight=False).print(_ratios(before.samples, after.samples, Random(seed)))


def _ratios(before: Samples, after: Samples, random: Random) -> Table:
    table = Table()
    table.add_column("scenario, new over old")
    for heading in ("answers/s", "95 %", "per CPU s", "95 %"):
        table.add_column(heading, justify="right")
    for name, pairs in after.items():
        both = list(zip(before[name], pairs, strict=True))
        rates = [new[0] / old[0] for old, new in both]
        costs = [old[1] / new[1] for old, new in both]
        table.add_row(name, *_median(rates, random), *_median(costs, random))
    return table


def _median(ratios: Sequence[float], random: Random) -> tuple[str, str]:
    """The median and its bootstrap interval, as text."""
    medians = [median(random.choices(ratios, k=len(ratios))) for _ in range(_RESAMPLES)]
    cuts = quantiles(medians, n=40)
    return f"{median(ratios):.3f}", f"{cuts[0]:.3f} to {cuts[-1]:.3f}"


if __name__ == "__main__":
    if sys.argv[1:2] == ["--sample"]:
        sample_in_turn(*json.loads(sys.argv[2]))
    else:
        sys.exit(run(command=by_turns))
