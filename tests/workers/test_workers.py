"""Workers: they play for the house, and nothing is lost with them."""

from __future__ import annotations

import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
from rq import Queue

import workers.jobs
from arena.client import Client
from arena.live.service import LiveGames, RecordNotReady
from arena.ops.jobs import JobName
from arena.ops.service import Service as Parts
from arena.records.verify import verify
from arena.store.embedded import EmbeddedStore
from queues.enqueuing import RUN_JOB
from queues.rq_jobs import (
    ARENA_QUEUE,
    HOUSE_QUEUE,
    MAINTENANCE_QUEUE,
    QUEUES,
    RqJobs,
)
from tests.live.playing import open_games
from tests.service import Process, Service, environment
from tests.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.system

WORKER = [sys.executable, "-m", "workers"]
BY_NIGHT = pytest.mark.nightly("processes")


@pytest.fixture
def games(store: EmbeddedStore) -> Iterator[LiveGames]:
    opened = open_games(store.url)
    yield opened
    opened.close()


def test_workers_have_the_function_that_is_enqueued() -> None:
    assert f"{workers.jobs.__name__}.{workers.jobs.run.__name__}" == RUN_JOB
    assert all(callable(getattr(Parts, name)) for name in JobName)


class Hostile:
    """What runs when it is unpickled."""

    def __init__(self, command: str) -> None:
        self.command = command

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (self.command,)


def test_what_somebody_wrote_to_the_database_is_not_run(store: EmbeddedStore, tmp_path: Path) -> None:
    """A pickled job, and those with other functions, methods or callbacks, fail, and the worker goes on."""
    jobs = RqJobs(store.url)
    queue = jobs.queue(MAINTENANCE_QUEUE)
    command = f"touch {tmp_path / 'pwned'}"
    pickled = pickle.dumps((RUN_JOB, None, (Hostile(command),), {}))
    contents = {
        "pickled": {"data": pickled},
        "compressed": {"data": zlib.compress(pickled)},
        "meta": {"data": json.dumps([RUN_JOB, None, ["tick"], {}]), "meta": pickled, "result": pickled},
        "function": {"data": json.dumps(["os.system", None, [command], {}])},
        "method": {"data": json.dumps(["system", "os", [command], {}])},
        "failing": {
            "data": json.dumps([RUN_JOB, None, ["no such job"], {}]),
            "failure_callback_name": "tests.workers.hostile.run",
        },
        "callback": {
            "data": json.dumps([RUN_JOB, None, ["tick"], {}]),
            "success_callback_name": "tests.workers.hostile.run",
        },
    }
    for name, fields in contents.items():
        now = "2026-11-22T12:00:00.000000Z"
        common = {"created_at": now, "enqueued_at": now, "origin": queue.name, "status": "queued"}
        queue.connection.hset(f"rq:job:{name}", mapping={**common, **fields})
        queue.connection.rpush(queue.key, name)
    settings = {"REDIS_URL": store.url, "HOSTILE_FILE": str(tmp_path / "pwned")}
    with Process(WORKER, tmp_path, **settings):
        jobs.step_tournament("cup")
        wait_until(lambda: queue.is_empty() and not queue.started_job_registry.get_job_ids())
        failed = {"pickled", "compressed", "function", "method", "failing"}
        wait_until(lambda: set(queue.failed_job_registry.get_job_ids()) == failed)
    assert not (tmp_path / "pwned").exists()


def test_no_job_is_pickled(store: EmbeddedStore, tmp_path: Path) -> None:
    jobs = RqJobs(store.url)
    jobs.play_more_groups("cup", 3, "olga")

    def contents() -> set[str]:
        queues = [jobs.queue(name) for name in QUEUES]
        stored = [
            queue.connection.hget(f"rq:job:{name}", "data") for queue in queues for name in queue.job_ids
        ]
        return {json.dumps(json.loads(zlib.decompress(data))) for data in stored if data is not None}

    play, tick = (json.dumps([RUN_JOB, None, args, {}]) for args in (["play_local_groups", "olga"], ["tick"]))
    with Process([*WORKER, "--scheduler"], tmp_path, REDIS_URL=store.url):
        wait_until(lambda: contents() == {play, tick})


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, "no database is configured; at REDIS_URL"),
        ({"REDIS_URL": "redis://127.0.0.1:1/0"}, "the database of the job queues is unavailable"),
        ({"REDIS_URL": "redis+cluster://127.0.0.1:1"}, "the job queues cannot use a cluster"),
        ({"REDIS_URL": "unix:///nothing", "BOTEQUIM_JOBS_URL": "http://x"}, "at BOTEQUIM_JOBS_URL"),
        ({"REDIS_URL": "unix:///nothing", "BOTEQUIM_RECORD_DAYS": "long"}, "at BOTEQUIM_RECORD_DAYS"),
    ],
)
def test_a_worker_that_cannot_start_reports_why_in_one_line(
    settings: dict[str, str], said: str, tmp_path: Path
) -> None:
    done = subprocess.run(
        WORKER, cwd=tmp_path, env=environment(**settings), capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 1
    (text,) = done.stderr.splitlines()
    line = json.loads(text)
    assert (line["level"], line["process"]) == ("critical", "worker")
    assert said in line["message"]


def test_a_worker_plays_and_stops_on_a_signal(store: EmbeddedStore, games: LiveGames, tmp_path: Path) -> None:
    jobs = RqJobs(store.url)
    queue = jobs.queue(HOUSE_QUEUE)
    made = [str(games.create("truco", seats=[{"house": "random"}] * 4)["game"]) for _ in range(3)]
    with Process(WORKER, tmp_path, REDIS_URL=store.url) as worker:
        for game in made:
            jobs.move_house_bots(game, "")
        _wait_until_finished(games, made)
        # A game that is gone is nothing to fail for.
        jobs.move_house_bots("0" * 18, "")
        wait_until(lambda: queue.is_empty() and not queue.started_job_registry.get_job_ids())
        assert queue.failed_job_registry.get_job_ids() == []
        assert worker.stop(signal.SIGTERM) == 0
        assert {json.loads(line)["level"] for line in worker.lines} <= {"info"}


@pytest.mark.parametrize(
    ("option", "process", "is_gone_at_once"),
    [
        ([], [], True),
        (["--live"], ["live"], True),
        pytest.param(["--checks"], ["checks"], True, marks=BY_NIGHT),
        pytest.param(["--scheduler"], ["scheduler"], True, marks=BY_NIGHT),
        pytest.param(["--webhooks"], ["webhooks"], False, marks=BY_NIGHT),
        pytest.param(["--archiver"], ["archiver"], False, marks=BY_NIGHT),
    ],
)
def test_the_check_reports_whether_a_process_runs_here(
    option: list[str], process: list[str], is_gone_at_once: bool, store: EmbeddedStore, tmp_path: Path
) -> None:
    def check() -> int:
        settings = environment(REDIS_URL=store.url)
        command = [*WORKER, "--check", *process]
        done = subprocess.run(command, cwd=tmp_path, env=settings, capture_output=True, timeout=PATIENCE)
        return done.returncode

    assert check() == 1
    settings = {"REDIS_URL": store.url, "BOTEQUIM_ARCHIVE": str(tmp_path / "archive")}
    with Process([*WORKER, *option], tmp_path, **settings) as worker:
        wait_until(lambda: check() == 0)
        worker.stop(signal.SIGTERM)
        if not is_gone_at_once:
            # It does not say goodbye: the time passes.
            member = f"{process[0]} {socket.gethostname()}"
            redis.Redis.from_url(store.url).zincrby("{arena}:signs", -301_000, member)
        assert check() == 1


@pytest.mark.parametrize("options", [["--check", "api"], ["--check", "worker", "webhooks"], ["--nothing"]])
def test_other_options_are_refused(options: list[str], tmp_path: Path) -> None:
    done = subprocess.run(
        [*WORKER, *options], env=environment(), capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 1
    assert (
        "expected --live, --checks, --scheduler, --webhooks, --archiver, --sandbox, --check [worker|"
        in done.stderr
    )


def test_a_live_worker_serves_live_games_and_no_tournament(
    store: EmbeddedStore, games: LiveGames, tmp_path: Path
) -> None:
    jobs = RqJobs(store.url)
    jobs.play_more_groups("cup", 3, "olga")
    jobs.step_tournament("cup")
    game = str(games.create("truco", seats=[{"house": "random"}] * 4)["game"])
    with Process([*WORKER, "--live"], tmp_path, REDIS_URL=store.url):
        jobs.move_house_bots(game, "")
        _wait_until_finished(games, [game])
        jobs.finish_game(game)
        wait_until(lambda: _is_recorded(games, game))
    assert json.loads(games.record(game))["canonical"]["game"] == game
    assert [len(jobs.queue(name).job_ids) for name in (ARENA_QUEUE, MAINTENANCE_QUEUE)] == [1, 1]


def _is_recorded(games: LiveGames, game: str) -> bool:
    try:
        games.record(game)
    except RecordNotReady:
        return False
    return True


def test_a_job_lost_between_queue_and_worker_is_requested_again(store: EmbeddedStore) -> None:
    jobs = RqJobs(store.url)
    queue = jobs.queue(MAINTENANCE_QUEUE)
    for _ in range(3):
        jobs.step_tournament("cup")
    assert queue.job_ids == ["step_tournament-cup"]
    # This is how a worker takes it; here it dies.
    Queue.lmove(queue.connection, queue.key, None)
    assert queue.job_ids == []
    for _ in range(3):
        jobs.step_tournament("cup")
    assert queue.job_ids == ["step_tournament-cup-next"]


@pytest.mark.nightly("processes")
def test_a_worker_killed_during_a_job_loses_nothing(tmp_path: Path) -> None:
    """Every game goes on from where it was, and nobody has a fault for it."""
    with Service(tmp_path, workers=1) as service:
        owner = service.client(service.client().sign_up("olga"))
        made: list[str] = []
        killed = False
        while not killed:
            new = [
                owner.create_game(kind, [{"house": "rookie"}] * 4)["game"] for kind in ("truco", "toepen") * 2
            ]
            made += new
            while not killed and (left := _running(owner)):
                pids = service.pids("worker")
                if pids and len(left) < len(new):
                    os.kill(pids[0], signal.SIGKILL)
                    killed = True
        for game in made:
            record = owner.record(game, wait=True)
            assert verify(record) == []
            assert record["canonical"]["faults"] == []


def _running(client: Client) -> list[object]:
    found: list[object] = client.request("GET", "/v1/games", query={"state": "running"})["games"]
    return found


def _wait_until_finished(games: LiveGames, made: list[str]) -> None:
    wait_until(lambda: all(games.summary(game)["state"] == "finished" for game in made))
