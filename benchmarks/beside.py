"""Bots that play over HTTP, alone and beside something else: what one round has, and the ratios."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final, TypeVar

import click

from arena.live.service import LiveGames
from benchmarks.http.load import Load, drive
from benchmarks.http.players import BenchBot
from benchmarks.http.servers import cpu_seconds

MOST_SECONDS: Final = 30.0
"""The longest round: at two moves a second, a watched game would be over after a minute."""

_MOVES_PER_GAME: Final = 60
_MOST_RATE: Final = 5000

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class CrowdSample:
    """What the bots did in one round. ``cpu``: seconds of the server's processor, None if unknown."""

    load: Load
    cpu: float | None


def sample_players(
    live: LiveGames, pid: int, port: int, bots: Sequence[BenchBot], seconds: float
) -> CrowdSample:
    """Let the bots play for ``seconds`` over HTTP at ``port``, in games enough for that. ``pid``: the server.

    Raises :class:`~benchmarks.http.load.BenchFailed`.
    """
    spare = 3 + int(_MOST_RATE * seconds / len(bots) / _MOVES_PER_GAME)
    for bot in bots:
        bot.take(live, spare)
    before = cpu_seconds(pid)
    load = drive(port, bots, seconds)
    after = cpu_seconds(pid)
    return CrowdSample(load, None if before is None or after is None else after - before)


@dataclass(frozen=True)
class BesideReport:
    """``alone`` and ``beside``: one sample per round. ``pinned``: whether the server had its own core."""

    pinned: bool
    alone: Sequence[CrowdSample]
    beside: Sequence[CrowdSample]

    @property
    def rate_ratio(self) -> float:
        """The median, over the rounds, of the answers per second beside the others, over alone."""
        return self._ratio(lambda sample: sample.load.rate)

    def latency_ratio(self, part: float) -> float:
        """The same of a quantile of the latencies."""
        return self._ratio(lambda sample: quantile(sample.load.latencies, part))

    def ratios(self) -> str:
        """The ratios in a line."""
        return (
            f"beside over alone: answers/s {self.rate_ratio:.2f}, p50 {self.latency_ratio(0.5):.2f}, "
            f"p99 {self.latency_ratio(0.99):.2f}"
        )

    def _ratio(self, of: Callable[[CrowdSample], float]) -> float:
        return median(of(b) / of(a) for a, b in zip(self.alone, self.beside, strict=True))


def quantile(latencies: Sequence[float], part: float) -> float:
    """A quantile of latencies."""
    return sorted(latencies)[int(len(latencies) * part)]


def figures(samples: Sequence[CrowdSample]) -> tuple[str, str, str, str]:
    """Answers per second, two quantiles of the latency in milliseconds, and microseconds of the server's
    processor per answer, of all rounds.
    """
    latencies = [latency for sample in samples for latency in sample.load.latencies]
    costs = [1e6 * sample.cpu / sample.load.answers for sample in samples if sample.cpu is not None]
    return (
        f"{median(sample.load.rate for sample in samples):,.0f}",
        f"{1000 * quantile(latencies, 0.5):.1f}",
        f"{1000 * quantile(latencies, 0.99):.1f}",
        f"{median(costs):,.0f}" if costs else "?",
    )


def round_options(command: Function) -> Function:
    """The options ``--rounds``, ``--seconds``, ``--players`` and ``--seed``."""
    options = (
        click.option(
            "--rounds", default=6, show_default=True, type=click.IntRange(1), help="Alternating rounds."
        ),
        click.option(
            "--seconds",
            default=10.0,
            show_default=True,
            type=click.FloatRange(0.1, MOST_SECONDS),
            help="Seconds per round.",
        ),
        click.option(
            "--players", default=50, show_default=True, type=click.IntRange(1), help="Bots that play."
        ),
        click.option("--seed", default=1, show_default=True),
    )
    for option in reversed(options):
        command = option(command)
    return command
