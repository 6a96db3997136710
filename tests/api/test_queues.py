"""House bots are asked for by name: never lost between two looks, never a heap of the same."""

from __future__ import annotations

import time

import pytest
from redis import Redis
from rq import Queue
from rq.job import JobStatus

from api.queues import (
    ADVANCE_JOB,
    HOUSE_JOB,
    HOUSE_QUEUE,
    PLANNER_QUEUE,
    HouseQueue,
    PlannerQueue,
    enqueue_house,
)
from arena.live.embedded import EmbeddedStore


@pytest.fixture
def jobs(clean_store: EmbeddedStore) -> Queue:
    return Queue(HOUSE_QUEUE, connection=Redis.from_url(clean_store.url))


def test_one_job_waits_per_game(jobs: Queue) -> None:
    for _ in range(3):
        enqueue_house(jobs, "one")
        enqueue_house(jobs, "two")
    assert jobs.job_ids == ["house-one", "house-two"]
    job = jobs.fetch_job("house-one")
    assert job is not None
    assert job.func_name == HOUSE_JOB
    assert list(job.args) == ["one"]


def test_a_job_that_has_begun_gets_a_successor(jobs: Queue) -> None:
    enqueue_house(jobs, "one")
    _begin(jobs, "house-one")
    enqueue_house(jobs, "one")
    enqueue_house(jobs, "one")
    assert jobs.job_ids == ["house-one-next"]
    _begin(jobs, "house-one-next")
    enqueue_house(jobs, "one")
    assert len(jobs.job_ids) == 1


def _begin(jobs: Queue, job_id: str) -> None:
    """As a worker does it."""
    jobs.remove(job_id)
    job = jobs.fetch_job(job_id)
    assert job is not None
    job.set_status(JobStatus.STARTED)


def test_asking_does_not_block_and_arrives(jobs: Queue, clean_store: EmbeddedStore) -> None:
    ask = HouseQueue(clean_store.url)
    for number in range(50):
        ask(f"game-{number}")
        ask(f"game-{number}")
    deadline = time.monotonic() + 10
    while len(jobs.job_ids) < 50:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert sorted(jobs.job_ids) == sorted(f"house-game-{number}" for number in range(50))


def test_tournaments_are_asked_for_in_their_own_queue(clean_store: EmbeddedStore) -> None:
    planner = Queue(PLANNER_QUEUE, connection=Redis.from_url(clean_store.url))
    ask = PlannerQueue(clean_store.url)
    for _ in range(3):
        ask("cup")
    deadline = time.monotonic() + 10
    while planner.job_ids != ["advance-cup"]:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    job = planner.fetch_job("advance-cup")
    assert job is not None
    assert (job.func_name, job.args) == (ADVANCE_JOB, ("cup",))


def test_a_database_that_is_away_is_left_to_the_sweeper(caplog: pytest.LogCaptureFixture) -> None:
    HouseQueue("unix:///nowhere/at/all.sock")("one")
    deadline = time.monotonic() + 10
    while "left to the sweeper" not in caplog.text:
        assert time.monotonic() < deadline
        time.sleep(0.02)
