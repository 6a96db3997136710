"""Puts jobs into queues of RQ. A job waits in its queue only once, however often it is requested."""

from __future__ import annotations

from typing import Final

from rq import Queue
from rq.exceptions import DuplicateJobError, InvalidJobOperation

from arena.ops.jobs import Job, JobName
from arena.ops.logs import REQUEST_ID, current_request

RUN_JOB: Final = "workers.jobs.run"
"""The function that workers call with the name of a job and its arguments."""

FINISH_SECONDS: Final = 60
"""Seconds after which a job that finishes a game is dropped, because by then a sweeper has finished the game.
This keeps such jobs from piling up in a service without workers.
"""

FAILED_SECONDS: Final = 3600
"""How long RQ remembers a failed job."""


def enqueue(jobs: Queue, job: Job, own_id: str | None) -> None:
    """Enqueue ``job`` with an id, or None for a random one. Raises
    :class:`rq.exceptions.DuplicateJobError` if the id is in use.
    """
    request_id = current_request()
    jobs.enqueue(
        RUN_JOB,
        str(job.name),
        *job.args,
        job_id=own_id,
        unique=own_id is not None,
        meta=None if request_id is None else {REQUEST_ID: request_id},
        ttl=FINISH_SECONDS if job.name == JobName.FINISH_GAME else None,
        result_ttl=0,
        failure_ttl=FAILED_SECONDS,
        job_timeout=-1,
    )


def enqueue_once(jobs: Queue, job: Job) -> None:
    """Enqueue ``job``, unless it is already queued and not yet running.

    A running job gets a successor, because it may already have finished reading the store. So does a job that
    is in no queue, because its worker may have died before running it. If the successor is running as well, a
    third job does no harm.
    """
    for own_id in (job.id, f"{job.id}-next", None):
        try:
            enqueue(jobs, job, own_id)
        except DuplicateJobError:
            assert own_id is not None
            if is_waiting(jobs, own_id):
                return
        else:
            return


def is_waiting(jobs: Queue, job_id: str) -> bool:
    """Return whether a job is in the queue; a worker that took it may have died before it ran."""
    known = jobs.fetch_job(job_id)
    try:
        return known is not None and known.is_queued and jobs.get_job_position(job_id) is not None
    except InvalidJobOperation:
        # The job ended between the two commands.
        return False
