"""Workers: they play for the house, and nothing is lost with them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from redis import Redis
from rq import Queue

import api.queues
import workers.jobs
import workers.settings
from api.queues import enqueue_house
from arena.client import Client
from arena.live.embedded import EmbeddedStore
from arena.live.games import LiveGames
from arena.verify import verify
from tests.service import Process, Service, environment

WORKER = [sys.executable, "-m", "workers"]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EmbeddedStore]:
    with EmbeddedStore(tmp_path / "store") as running:
        yield running


@pytest.fixture
def games(store: EmbeddedStore) -> Iterator[LiveGames]:
    opened = LiveGames.open(store.url)
    yield opened
    opened.close()


def test_both_sides_mean_the_same_queue_and_job() -> None:
    assert workers.settings.HOUSE_QUEUE == api.queues.HOUSE_QUEUE
    assert f"workers.jobs.{workers.jobs.play_house.__name__}" == api.queues.HOUSE_JOB


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, "there is no database; at REDIS_URL"),
        ({"REDIS_URL": "redis://127.0.0.1:1/0"}, "the database of the job queues is away"),
        ({"REDIS_URL": "redis+cluster://127.0.0.1:1"}, "the job queues need a single server"),
        ({"REDIS_URL": "unix:///nothing", "BOTEQUIM_JOBS_URL": "http://x"}, "at BOTEQUIM_JOBS_URL"),
        ({"REDIS_URL": "unix:///nothing", "BOTEQUIM_RECORD_DAYS": "long"}, "at BOTEQUIM_RECORD_DAYS"),
    ],
)
def test_a_worker_that_cannot_work_says_why_in_a_line(
    settings: dict[str, str], said: str, tmp_path: Path
) -> None:
    done = subprocess.run(
        WORKER, cwd=tmp_path, env=environment(**settings), capture_output=True, text=True, timeout=30
    )
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("botequim: error: ")
    assert said in line


def test_a_worker_plays_and_stops_when_told(store: EmbeddedStore, games: LiveGames, tmp_path: Path) -> None:
    jobs = Queue(api.queues.HOUSE_QUEUE, connection=Redis.from_url(store.url))
    made = [str(games.create("truco", seats=[{"house": "random"}] * 4)["game"]) for _ in range(3)]
    with Process(WORKER, tmp_path, REDIS_URL=store.url) as worker:
        for game in made:
            enqueue_house(jobs, game)
        _wait_until_finished(games, made)
        # A game that is gone is nothing to fail for.
        enqueue_house(jobs, "0" * 18)
        _wait_until(lambda: jobs.is_empty() and not jobs.started_job_registry.get_job_ids())
        assert jobs.failed_job_registry.get_job_ids() == []
        began = time.monotonic()
        assert worker.stop(signal.SIGTERM) == 0
        assert time.monotonic() - began < 10
        assert worker.lines == []


def test_the_check_tells_whether_a_worker_works_here(store: EmbeddedStore, tmp_path: Path) -> None:
    def check() -> int:
        settings = environment(REDIS_URL=store.url)
        command = [*WORKER, "--check"]
        return subprocess.run(command, cwd=tmp_path, env=settings, capture_output=True, timeout=30).returncode

    assert check() == 1
    with Process(WORKER, tmp_path, REDIS_URL=store.url) as worker:
        _wait_until(lambda: check() == 0)
        worker.stop(signal.SIGTERM)
        assert check() == 1


def test_a_job_that_was_lost_between_queue_and_worker_is_asked_for_again(store: EmbeddedStore) -> None:
    jobs = Queue(api.queues.HOUSE_QUEUE, connection=Redis.from_url(store.url))
    for _ in range(3):
        enqueue_house(jobs, "game")
    assert jobs.job_ids == ["house-game"]
    # This is how a worker takes it; here it dies.
    Queue.lmove(jobs.connection, jobs.key, None)
    assert jobs.job_ids == []
    for _ in range(3):
        enqueue_house(jobs, "game")
    assert jobs.job_ids == ["house-game-next"]


def test_a_worker_that_is_killed_in_the_middle_loses_nothing(tmp_path: Path) -> None:
    """Every game goes on from where it was, and nobody has a fault for it."""
    with Service(tmp_path, workers=1) as service:
        owner = service.client(service.client().sign_up("olga"))
        made = [
            owner.create_game(kind, [{"house": "rookie"}] * 4)["game"] for kind in ("truco", "toepen") * 4
        ]
        kills = 0
        while (left := _running(owner)) and kills < 2:
            pids = service.pids("worker")
            if pids and len(left) < len(made) - 2 * kills:
                os.kill(pids[0], signal.SIGKILL)
                kills += 1
            time.sleep(0.05)
        assert kills
        for game in made:
            record = owner.record(game, wait=True)
            assert verify(record) == []
            assert record["canonical"]["faults"] == []


def _running(client: Client) -> list[object]:
    found: list[object] = client.request("GET", "/v1/games", query={"state": "running"})["games"]
    return found


def _wait_until_finished(games: LiveGames, made: list[str]) -> None:
    _wait_until(lambda: all(games.summary(game)["state"] == "finished" for game in made))


def _wait_until(condition: Callable[[], object], seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)
