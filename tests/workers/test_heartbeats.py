"""Jobs that last longer than the heartbeat of the worker that runs them."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from rq.executions import Execution

from arena.store.embedded import EmbeddedStore
from queues.rq_jobs import MAINTENANCE_QUEUE, RqJobs
from tests.conftest import register
from tests.service import Process, descendants
from tests.waiting import wait_until
from workers.worker import Worker

pytestmark = pytest.mark.nightly("processes")

HEARTBEAT = 6
"""Seconds of the workers here. They renew it every two seconds, so one that is late for once is in time."""

JOB = "step_tournament-cup"


@pytest.fixture
def jobs(tmp_path: Path) -> Iterator[RqJobs]:
    with EmbeddedStore(tmp_path / "store") as running:
        register(running.url)
        yield RqJobs(running.url)


@contextmanager
def lengthy(jobs: RqJobs, folder: Path) -> Iterator[Process]:
    """A worker whose jobs last until there is a file ``go`` in the folder."""
    command = [sys.executable, "-m", "tests.workers.lengthy", str(HEARTBEAT), str(folder / "go")]
    with Process(command, folder, REDIS_URL=jobs._url) as worker:
        try:
            yield worker
        finally:
            (folder / "go").touch()


def execution(jobs: RqJobs, name: str = JOB) -> Execution:
    """The row of the job that runs, as soon as there is one."""
    registry = jobs.queue(MAINTENANCE_QUEUE).started_job_registry
    wait_until(lambda: registry.get_job_and_execution_ids(cleanup=False))
    ((job, found),) = registry.get_job_and_execution_ids(cleanup=False)
    assert job == name
    return Execution.fetch(found, job, jobs._connection)


def test_a_job_may_last_longer_than_the_heartbeat(jobs: RqJobs, tmp_path: Path) -> None:
    queue = jobs.queue(MAINTENANCE_QUEUE)
    with lengthy(jobs, tmp_path) as worker:
        jobs.step_tournament("cup")
        row = execution(jobs)

        def is_renewed() -> bool:
            row.refresh()
            return row.last_heartbeat - row.created_at > timedelta(seconds=HEARTBEAT + 1)

        wait_until(is_renewed)
        # What the probe `--check` reads.
        (busy,) = Worker.all(connection=jobs._connection)
        assert busy.last_heartbeat is not None
        assert busy.last_heartbeat - row.created_at > timedelta(seconds=HEARTBEAT)
        # What the maintenance of the other workers does.
        assert queue.started_job_registry.get_job_ids(cleanup=True) == [JOB]
        figures = jobs.figures()
        assert figures is not None
        assert (figures.workers, figures.busy) == (1, 1)
        (tmp_path / "go").touch()
        wait_until(lambda: not queue.started_job_registry.get_job_ids(cleanup=False))
        assert queue.failed_job_registry.get_job_ids() == []
        assert worker.stop(signal.SIGTERM) == 0
        assert worker.lines == []
    left = {key.decode().split(":")[1] for key in jobs._connection.scan_iter("rq:*")}
    assert not left & {"job", "execution", "executions", "wip"}


def test_the_job_of_a_killed_worker_is_abandoned(jobs: RqJobs, tmp_path: Path) -> None:
    """After the heartbeat, also if it was renewed before, and by the next worker's maintenance."""
    queue = jobs.queue(MAINTENANCE_QUEUE)
    with lengthy(jobs, tmp_path) as worker:
        jobs.step_tournament("cup")
        row = execution(jobs)

        def is_renewed() -> bool:
            row.refresh()
            return row.last_heartbeat > row.created_at

        wait_until(is_renewed)
        first = descendants(worker.process.pid)[0]
        os.kill(first, signal.SIGKILL)
        wait_until(lambda: queue.failed_job_registry.get_job_ids() == [JOB])
        assert queue.started_job_registry.get_job_ids(cleanup=False) == []
        # Whoever requests it again is not held up by the one that was lost.
        jobs.step_tournament("cup")
        execution(jobs, f"{JOB}-next")
        (tmp_path / "go").touch()
        wait_until(lambda: not queue.started_job_registry.get_job_ids(cleanup=False))
        assert worker.stop(signal.SIGTERM) == 0
        assert not [line for line in worker.lines if "Traceback" in line], worker.said
