"""What the queues and the database cost: ``python -m workers.bench``.

Games per second of a tournament of ``rookie`` bots played by one worker and by two, in relation to the
local runner in one process; all in one run, in turns.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any, Final

import click

from arena import __version__
from arena.bots import HOUSE_BOTS, BotSpec
from arena.live.accounts import Accounts
from arena.live.embedded import EmbeddedStore
from arena.live.games import LIVE_SCRIPTS, LiveGames
from arena.live.store_accounts import ACCOUNT_SCRIPTS, AccountStore
from arena.live.store_wire import connect
from arena.live.tournaments import TOURNAMENT_SCRIPTS, Tournaments
from arena.runner import Plan, play_group
from workers.asking import connection, enqueue_advance

BOTS: Final = 4
RULES: Final[dict[str, dict[str, Any]]] = {"truco": {}, "toepen": {"seats": 2}}


def local_rate(kind: str, groups: int) -> float:
    """Games per second of the local runner, in this process, once it is warm."""
    bots = tuple(BotSpec(f"rookie+{number}", __version__, "rookie") for number in range(1, BOTS + 1))
    plan = Plan(kind, RULES[kind], bots, groups, "bench")
    jobs = list(enumerate(plan.all_groups()))
    play_group(plan, *jobs[0])
    start = time.perf_counter()
    games = sum(len(play_group(plan, *job).records) for job in jobs)
    return games / (time.perf_counter() - start)


def worker_rate(tournaments: Tournaments, kind: str, groups: int) -> float:
    """Games per second of a tournament, from its lock to its end, with the workers that are there."""
    now_ms = time.time_ns() // 1_000_000
    made = tournaments.create(
        {
            "name": "Bench",
            "kind": kind,
            "rules": RULES[kind],
            "format": "round_robin",
            "groups": groups,
            "max_entries": BOTS,
            "who": "house",
            "rated": False,
            "locks_ms": now_ms + 1000,
            "house": [f"rookie+{number}" for number in range(1, BOTS + 1)],
        },
        "bench",
    )
    time.sleep(1.0)
    enqueue_advance(made["id"])
    view = made
    while view["state"] != "finished":
        view = tournaments.wait(made["id"], view["version"], 600) or view
    seconds = (view["finished_ms"] - view["started_ms"]) / 1000
    return float(view["progress"]["games"] / seconds)


@contextmanager
def workers(count: int, store: EmbeddedStore) -> Iterator[None]:
    """So many workers and a scheduler."""
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


@click.command()
@click.option("--groups", default=100, show_default=True, help="Groups per pairing; there are six pairings.")
@click.option("--times", default=3, show_default=True, help="How often everything is measured.")
def main(groups: int, times: int) -> None:
    """Show the games per second of workers as parts of those of the local runner."""
    click.echo(f"{'game':8}{'runner':>10}{'1 worker':>10}{'ratio':>7}{'2 workers':>11}{'to 1':>7}")
    for kind in RULES:
        rates: dict[str, list[float]] = {"local": [], "one": [], "two": []}
        for _ in range(times):
            rates["local"].append(local_rate(kind, groups))
            for name, count in (("one", 1), ("two", 2)):
                with tempfile.TemporaryDirectory() as folder, EmbeddedStore(Path(folder) / "store") as store:
                    os.environ["REDIS_URL"] = store.url
                    connection.cache_clear()
                    wire = connect(store.url, (*LIVE_SCRIPTS, *ACCOUNT_SCRIPTS, *TOURNAMENT_SCRIPTS))
                    live = LiveGames(wire)
                    tournaments = Tournaments(wire, live, Accounts(AccountStore(wire), reserved=HOUSE_BOTS))
                    with workers(count, store):
                        rates[name].append(worker_rate(tournaments, kind, groups))
                    live.close()
        local, one, two = (median(rates[name]) for name in ("local", "one", "two"))
        click.echo(f"{kind:8}{local:8.0f}/s{one:8.0f}/s{one / local:7.2f}{two:9.0f}/s{two / one:7.2f}")


if __name__ == "__main__":
    main()
