"""House bots are asked for by name: never lost between two looks, never a heap of the same."""

from __future__ import annotations

import pytest
from rq import Queue
from rq.job import JobStatus

from arena.ops.jobs import InlineJobs, Job, JobName
from arena.store.embedded import EmbeddedStore
from queues.rq_jobs import ARENA_QUEUE, HOUSE_QUEUE, MAINTENANCE_QUEUE, RUN_JOB, BackgroundJobs, RqJobs
from tests.waiting import wait_until


@pytest.fixture
def jobs(clean_store: EmbeddedStore) -> RqJobs:
    return RqJobs(clean_store.url)


@pytest.fixture
def house(jobs: RqJobs) -> Queue:
    return jobs.queue(HOUSE_QUEUE)


def test_one_job_waits_per_game(jobs: RqJobs, house: Queue) -> None:
    for _ in range(3):
        jobs.move_house_bots("one")
        jobs.move_house_bots("two")
    assert house.job_ids == ["move_house_bots-one", "move_house_bots-two"]
    job = house.fetch_job("move_house_bots-one")
    assert job is not None
    assert job.func_name == RUN_JOB
    assert list(job.args) == ["move_house_bots", "one"]


def test_a_job_that_has_begun_gets_a_successor(jobs: RqJobs, house: Queue) -> None:
    jobs.move_house_bots("one")
    _begin(house, "move_house_bots-one")
    jobs.move_house_bots("one")
    jobs.move_house_bots("one")
    assert house.job_ids == ["move_house_bots-one-next"]
    _begin(house, "move_house_bots-one-next")
    jobs.move_house_bots("one")
    assert len(house.job_ids) == 1


def _begin(house: Queue, job_id: str) -> None:
    """As a worker does it."""
    house.remove(job_id)
    job = house.fetch_job(job_id)
    assert job is not None
    job.set_status(JobStatus.STARTED)


def test_requests_do_not_block_and_arrive(jobs: RqJobs, house: Queue) -> None:
    background = BackgroundJobs(jobs)
    for number in range(50):
        background.move_house_bots(f"game-{number}")
        background.move_house_bots(f"game-{number}")
    wait_until(lambda: len(house.job_ids) == 50)
    assert sorted(house.job_ids) == sorted(f"move_house_bots-game-{number}" for number in range(50))


def test_each_kind_of_job_has_its_queue(jobs: RqJobs) -> None:
    for _ in range(3):
        jobs.step_tournament("cup")
        jobs.publish_board("truco", "open", "base@1")
        jobs.play_local_groups("cup", 7)
        jobs.compute_matchups("truco", "open", "base@1")
    assert jobs.queue(MAINTENANCE_QUEUE).job_ids == ["step_tournament-cup", "publish_board-truco-open-base_1"]
    # There is no worker: one job, which the first worker that comes will find.
    assert jobs.queue(ARENA_QUEUE).job_ids == [
        "play_local_groups-cup-0",
        "compute_matchups-truco-open-base_1",
    ]


def test_without_a_database_requests_are_left_to_the_sweeper(caplog: pytest.LogCaptureFixture) -> None:
    BackgroundJobs(RqJobs("unix:///nowhere/at/all.sock")).move_house_bots("one")
    wait_until(lambda: "it will be requested again" in caplog.text)


def test_inline_jobs_run_in_order_with_what_they_request() -> None:
    jobs = InlineJobs()
    ran: list[Job] = []

    class Recorder:
        def run(self, job: Job) -> None:
            ran.append(job)
            if job.name is JobName.STEP_TOURNAMENT:
                jobs.play_local_groups("cup", 7)

    for _ in range(2):
        jobs.step_tournament("cup")
        jobs.move_house_bots("game")
    assert jobs.run_pending(Recorder()) == 3
    assert [job.id for job in ran] == [
        "step_tournament-cup",
        "move_house_bots-game",
        "play_local_groups-cup-0",
    ]
    assert jobs.pending == []
