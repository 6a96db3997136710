"""What the queues and the database cost: ``python -m benchmarks.tournaments``.

Games per second of a tournament of ``rookie`` bots played by one worker and by two, in relation to the
local runner in one process; with ``--uploaded`` of a tournament of two uploaded ``rookie`` bots, played by
one worker in the sandbox, in relation to the same tournament of house bots; all in one run, in turns.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Any, Final

import click

from arena.accounts.uploads import python_upload
from arena.bots import bot_spec
from arena.games import GAMES, game_of
from arena.ops.service import open_service
from arena.ops.settings import Settings
from arena.store.embedded import EmbeddedStore
from arena.tournaments.local_run import Plan, play_group
from benchmarks.sandbox import ROOKIE
from queues.rq_jobs import RqJobs

BOTS: Final = 4


def local_rate(kind: str, groups: int) -> float:
    """Games per second of the local runner, in this process, once it is warm."""
    bots = tuple(bot_spec(f"rookie+{number}=rookie", kind) for number in range(1, BOTS + 1))
    game = game_of(kind)
    plan = Plan(kind, game.options.complete(game.duel_rules), bots, groups, "bench")
    jobs = list(enumerate(plan.all_groups()))
    play_group(plan, *jobs[0])
    start = time.perf_counter()
    games = sum(len(play_group(plan, *job).records) for job in jobs)
    return games / (time.perf_counter() - start)


class TournamentBench:
    """A service without an API, in a folder of its own; a context manager."""

    def __init__(self) -> None:
        self._parts = ExitStack()

    def __enter__(self) -> TournamentBench:
        folder = self._parts.enter_context(tempfile.TemporaryDirectory())
        self.store = self._parts.enter_context(EmbeddedStore(Path(folder) / "store"))
        self._jobs = RqJobs(self.store.url)
        service = open_service(Settings(self.store.url), self._jobs)
        service.store.identity.register()
        self._parts.callback(service.close)
        self._accounts = service.accounts
        self._uploads = service.uploads
        self._tournaments = service.tournaments
        return self

    def __exit__(self, *_: object) -> None:
        self._parts.close()

    def rate(self, kind: str, groups: int, bots: int, *, uploaded: bool = False) -> float:
        """Games per second of a round robin of that many house bots (or of all uploaded bots), from its lock
        to its end, with the workers that are there.
        """
        who: dict[str, Any] = {"who": "house", "house": [f"rookie+{number}" for number in range(1, bots + 1)]}
        if uploaded:
            who = {"division": "sealed", "auto_enter": True}
        made = self._tournaments.create(
            {
                "name": "Bench",
                "kind": kind,
                "rules": game_of(kind).duel_rules,
                "format": "round_robin",
                "groups": groups,
                "max_entries": bots,
                "rated": False,
                "locks_ms": time.time_ns() // 1_000_000 + 1000,
                **who,
            },
            "bench",
        )
        time.sleep(1.0)
        self._jobs.step_tournament(made["id"])
        view = made
        while view["state"] != "finished":
            assert view["state"] != "cancelled", view["reason"]
            view = self._tournaments.wait(made["id"], view["version"], 600) or view
        assert len(view["entries"]) == bots
        seconds = (view["finished_ms"] - view["started_ms"]) / 1000
        return float(view["progress"]["games"] / seconds)

    def upload(self, bots: int) -> None:
        """Upload ``rookie`` that many times, and wait until all have qualified in both games."""
        names = [f"rookie-{number}" for number in range(1, bots + 1)]
        for name in names:
            owner = self._accounts.sign_up(f"owner-of-{name}")[0].name
            upload = self._uploads.register(owner, name, "1", python_upload(ROOKIE))[-1]
            upload = self._uploads.wait(upload, 600)
            assert upload.state == "added", upload
            for kind in GAMES:
                self._tournaments.qualify(kind, name, "1")
        while not all(self._has_qualified(name) for name in names):
            time.sleep(0.1)

    def _has_qualified(self, name: str) -> bool:
        states = [known["state"] for known in self._tournaments.qualifications(name, "1")]
        assert "failed" not in states, name
        return states == ["qualified"] * len(GAMES)


@contextmanager
def workers(count: int, store: EmbeddedStore) -> Iterator[None]:
    """Run ``count`` workers and a scheduler."""
    environment = {**os.environ, "REDIS_URL": store.url}
    command = [sys.executable, "-m", "workers"]
    commands = [[*command, "--scheduler"], *([command] * count)]
    started = [subprocess.Popen(own, env=environment) for own in commands]
    try:
        # So that what they import is not counted.
        while len(_working(environment)) < count:
            time.sleep(0.1)
        yield
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait(30)


def _working(environment: dict[str, str]) -> list[object]:
    from redis import Redis
    from rq import Worker

    return list(Worker.all(connection=Redis.from_url(environment["REDIS_URL"])))


def measure_workers(groups: int, times: int) -> None:
    """Workers beside the local runner."""
    click.echo(f"{'game':8}{'runner':>10}{'1 worker':>10}{'ratio':>7}{'2 workers':>11}{'to 1':>7}")
    for kind in GAMES:
        rates: dict[str, list[float]] = {"local": [], "one": [], "two": []}
        for _ in range(times):
            rates["local"].append(local_rate(kind, groups))
            for name, count in (("one", 1), ("two", 2)):
                with TournamentBench() as bench, workers(count, bench.store):
                    rates[name].append(bench.rate(kind, groups, BOTS))
        local, one, two = (median(rates[name]) for name in ("local", "one", "two"))
        click.echo(f"{kind:8}{local:8.0f}/s{one:8.0f}/s{one / local:7.2f}{two:9.0f}/s{two / one:7.2f}")


def measure_uploaded(groups: int, times: int) -> None:
    """Uploaded bots beside house bots."""
    click.echo(f"{'game':8}{'native':>10}{'sandbox':>10}{'ratio':>7}")
    with TournamentBench() as bench, workers(1, bench.store):
        bench.upload(2)
        for kind in GAMES:
            native, sandboxed = [], []
            for _ in range(times):
                native.append(bench.rate(kind, groups, 2))
                sandboxed.append(bench.rate(kind, groups, 2, uploaded=True))
            ratio = median(own / other for own, other in zip(sandboxed, native, strict=True))
            click.echo(f"{kind:8}{median(native):8.0f}/s{median(sandboxed):8.0f}/s{ratio:7.2f}")


@click.command()
@click.option(
    "--groups", default=100, show_default=True, help="Groups per pairing; of four bots there are six."
)
@click.option("--times", default=3, show_default=True, help="How often everything is measured.")
@click.option("--uploaded", is_flag=True, help="Measure uploaded bots beside house bots.")
def main(groups: int, times: int, uploaded: bool) -> None:
    """Show the games per second of workers as parts of those of the local runner."""
    (measure_uploaded if uploaded else measure_workers)(groups, times)


if __name__ == "__main__":
    main()
