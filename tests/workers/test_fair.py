"""Owners take turns: one who has little to play does not wait for one who has very much."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from arena.ops.service import open_service
from arena.ops.settings import Settings
from arena.store.embedded import EmbeddedStore
from queues.rq_jobs import RqJobs
from tests.live.clock import close_entry
from tests.service import Process
from tests.waiting import wait_until
from tests.workers.test_modules import processor_seconds
from tests.workers.test_watchdog import child_of

WORKER = [sys.executable, "-m", "workers"]
MANY = 50
"""The tournaments of the owner who has much to play, the most that one may have: of 65 groups that take
about 1.6 s each.
"""


@pytest.mark.nightly("processes")
def test_an_owner_does_not_wait_for_the_many_tournaments_of_another(
    store: EmbeddedStore, tmp_path: Path
) -> None:
    service = open_service(Settings(store.url), RqJobs(store.url))
    tournaments = service.tournaments

    def create(owner: str, kind: str, house: list[str], groups: int) -> str:
        fields = {"name": "The Test", "kind": kind, "format": "round_robin", "groups": groups, "house": house}
        rules = {"seats": 2} if kind == "toepen" else {}
        locks_ms = service.store.clock().now_ms + 3_600_000
        made = tournaments.create({**fields, "rules": rules, "locks_ms": locks_ms, "rated": False}, owner)
        return str(made["id"])

    def used() -> float:
        """The processor time of the workers so far."""
        return sum(processor_seconds(child_of(worker)) for worker in workers)

    def play(owner: str) -> tuple[float, float]:
        """Play about ten seconds of groups of an owner. Return the seconds from the lock to the end, and the
        processor time that the workers used in them.
        """
        name, before = create(owner, "toepen", ["shark", "rookie"], 26), used()
        close_entry(tournaments, name)
        wait_until(lambda: tournaments.view(name)["state"] == "finished", pause=0.1)
        view = tournaments.view(name)
        return float(view["finished_ms"] - view["started_ms"]) / 1000, used() - before

    with ExitStack() as stack:
        workers = [
            stack.enter_context(Process([*WORKER, *options], tmp_path, REDIS_URL=store.url))
            for options in ([], [], ["--scheduler"])
        ][:2]
        play("ana")
        seconds, alone = play("ana")
        waiting = [create("olga", "truco", ["shark", "shark+2"], 65) for _ in range(MANY)]
        for name in waiting:
            close_entry(tournaments, name)
        wait_until(lambda: all(tournaments.view(name)["state"] == "running" for name in waiting))
        seconds_beside, beside = play("ana")
        done = [tournaments.view(name)["progress"]["done"] for name in waiting]
    service.close()
    print(f"\nalone {seconds:.1f} s, {alone:.1f} s of the workers' processor time; beside {MANY} tournaments")
    print(f"of another owner {seconds_beside:.1f} s, {beside:.1f} s of processor time, in which {sum(done)}")
    print(f"of their groups were played, in {sum(map(bool, done))} tournaments")
    # Two workers that have processors of their own take half as many seconds.
    assert beside < 3 * alone
    assert sum(done) < 65 * MANY / 10
