"""Tournaments played by real workers on a real database."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from rq import Queue

import api.queues
import workers.jobs
import workers.settings
from arena.live.accounts import Accounts
from arena.live.embedded import EmbeddedStore
from arena.live.games import LIVE_SCRIPTS, LiveGames
from arena.live.store_accounts import ACCOUNT_SCRIPTS, AccountStore
from arena.live.store_wire import connect
from arena.live.tournaments import TOURNAMENT_SCRIPTS, Tournaments
from arena.verify import verify
from tests.service import Process

WORKER = [sys.executable, "-m", "workers"]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EmbeddedStore]:
    with EmbeddedStore(tmp_path / "store") as running:
        yield running


@pytest.fixture
def jobs(store: EmbeddedStore) -> Queue:
    return Queue(api.queues.PLANNER_QUEUE, connection=Redis.from_url(store.url))


@pytest.fixture
def tournaments(store: EmbeddedStore, jobs: Queue) -> Iterator[Tournaments]:
    wire = connect(store.url, (*LIVE_SCRIPTS, *ACCOUNT_SCRIPTS, *TOURNAMENT_SCRIPTS))
    live = LiveGames(wire)
    yield Tournaments(
        wire, live, Accounts(AccountStore(wire)), on_due=lambda name: api.queues.enqueue_advance(jobs, name)
    )
    live.close()


def fields(kind: str, **options: Any) -> dict[str, Any]:
    now = time.time_ns() // 1_000_000
    settings = {"name": "The Test", "kind": kind, "format": "round_robin", "groups": 3}
    return {**settings, "house": ["random", "rookie", "regular"], "locks_ms": now + 5000, **options}


def wait_until(condition: Callable[[], object], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_both_sides_mean_the_same_queue_and_job() -> None:
    assert workers.settings.PLANNER_QUEUE == api.queues.PLANNER_QUEUE
    assert f"workers.jobs.{workers.jobs.advance.__name__}" == api.queues.ADVANCE_JOB


@pytest.mark.parametrize("kind", ["truco", "toepen"])
def test_a_worker_plays_a_round_robin_of_house_bots(
    kind: str, tournaments: Tournaments, jobs: Queue, tmp_path: Path, store: EmbeddedStore
) -> None:
    rules = {"seats": 2} if kind == "toepen" else {}
    made = tournaments.create(fields(kind, rules=rules), "olga", tournament_id="cup", seed=bytes(32))
    assert made["state"] == "entry"
    assert made["seed"] is None
    tournaments.leave("cup", "regular")
    tournaments.enter("cup", "regular")
    wait_until(lambda: time.time_ns() // 1_000_000 >= made["locks_ms"])
    with Process(WORKER, tmp_path, REDIS_URL=store.url) as worker:
        api.queues.enqueue_advance(jobs, "cup")
        seen = made
        while seen["state"] not in ("finished", "cancelled"):
            later = tournaments.wait("cup", seen["version"], 60)
            assert later is not None
            seen = later
        assert worker.lines == []
    assert seen["seed"] == "00" * 32
    assert seen["progress"]["done"] == seen["progress"]["planned"] == 9
    table = tournaments.standings("cup")
    assert [row.groups for row in table.rows] == [6, 6, 6]
    assert table.records_hash == seen["records_hash"]
    records = [json.loads(line) for line in tournaments.records("cup")]
    assert len(records) == 18 == seen["progress"]["games"]
    assert all(verify(record) == [] for record in records)
    groups = tournaments.groups("cup").items
    assert {group["state"] for group in groups} == {"done"}
    assert sorted(game for group in groups for game in group["games"]) == sorted(
        record["canonical"]["game"] for record in records
    )
