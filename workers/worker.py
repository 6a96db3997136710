"""The worker process, which runs jobs from the queues."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

from redis import Redis, RedisError
from redis.client import Pipeline
from rq import Queue, SimpleWorker
from rq.executions import Execution
from rq.job import Job
from rq.serializers import JSONSerializer
from rq.timeouts import BaseDeathPenalty

from arena.ops.jobs import JobName
from arena.ops.logs import REQUEST_ID, log_fields
from arena.sandbox.progress import BEAT, JOB, PROGRESS, EndedJob
from arena.store.connection import StoreUnavailable
from queues.rq_jobs import NamedJob, open_queue
from workers.jobs import service

HEARTBEAT: Final = 15
"""Seconds after which a job whose worker died counts as abandoned (RQ's default is minutes). A living worker
renews its heartbeat three times within this period.
"""

QUIET_FOR: Final = 60
"""Seconds without a heartbeat after which an idle worker counts as dead."""

SILENT_FOR: Final = 60.0
"""Seconds of sleep, or of processor time of all threads, without a beat from its thread after which the
watchdog kills the process: something holds Python's lock. A job computes in one thread at a time.
"""

JOB_SECONDS: Final = 960.0
"""Seconds of sleep, or of processor time, after which the watchdog kills the process of a job. The job is
then requested again.
"""

_BEAT_PERIOD: Final = 1.0

log = logging.getLogger("botequim.jobs")

_FREQUENT: Final = f"{JobName.MOVE_HOUSE_BOTS}-"
"""The ids of very frequent jobs, which are logged at debug level only."""


class NoAlarm(BaseDeathPenalty):
    """Sets no alarm at the end of a job's time: it would go by the wall clock, and end calls of bots."""

    def setup_death_penalty(self) -> None:
        """Do nothing."""

    def cancel_death_penalty(self) -> None:
        """Do nothing."""


class Worker(SimpleWorker):
    """A worker that runs jobs in its own process, which is four times as fast as forking for each job.

    House bots are trusted code, so jobs need no isolation. The watchdog kills the process if a job hangs. If
    a job is lost with its process, the sweeper requests it again.
    """

    death_penalty_class = NoAlarm

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._renewal = threading.Lock()

    def get_heartbeat_ttl(self, job: Job, working_time: float = 0.0) -> int:
        """Return the number of seconds for which a job counts as running after a heartbeat."""
        return HEARTBEAT

    def keep_renewing(self) -> None:
        """Renew the heartbeat of the running job forever, in a separate thread."""
        while True:
            time.sleep(HEARTBEAT / 3)
            # Either the next renewal succeeds, or the thread of the job encounters the same error.
            with suppress(RedisError):
                self._renew()

    def _renew(self) -> None:
        with self._renewal:
            for execution in list(self.executions.values()):
                # If the process was suspended and the row expired, all of it is written again.
                execution.save(HEARTBEAT)
                self.maintain_heartbeats(execution.job, execution)

    def cleanup_execution(self, job: Job, pipeline: Pipeline, execution: Execution | None = None) -> None:
        """Remove the rows of a finished job, and prevent renewals from writing them again."""
        with self._renewal:
            super().cleanup_execution(job, pipeline, execution)

    def execute_job(self, job: Job, queue: Queue) -> None:
        """Run a job, and charge what RQ needs for it to the arena itself."""
        with service().bill.around():
            super().execute_job(job, queue)

    def perform_job(self, job: Job, queue: Queue, execution: Execution) -> bool:
        """Run a job, and return whether it succeeded. Its log lines contain its id and the id of the request
        that caused it.
        """
        assert isinstance(job, NamedJob)
        request_id = job.request_id
        fields = {"job": job.id, **({} if request_id is None else {REQUEST_ID: request_id})}
        with log_fields(**fields):
            start = time.monotonic()
            PROGRESS.begin(JOB, JOB_SECONDS, JOB_SECONDS)
            try:
                done = super().perform_job(job, queue, execution)
            finally:
                PROGRESS.end(JOB)
                # The execution still exists only if its end could not be stored; the job is then abandoned.
                self.executions.pop(execution.id, None)
            level = logging.DEBUG if request_id is None or job.id.startswith(_FREQUENT) else logging.INFO
            ms = round(1000 * (time.monotonic() - start), 1)
            log.log(level, "job %s", "done" if done else "failed", extra={"queue": queue.name, "ms": ms})
            return done


def work(queues: Sequence[str], ended: EndedJob | None = None) -> None:
    """Run the jobs of ``queues`` until SIGTERM or SIGINT, finishing the current job first. ``ended`` is the
    job that the previous worker ran when it hung or crashed.

    Raises :class:`~arena.errors.ArenaError` if the database is unavailable. If the database becomes
    unavailable later, the process eventually exits, and its supervisor restarts it.
    """
    connection = Redis.from_url(service().settings.queue_url)
    try:
        connection.ping()
        service().store.identity.register()
        if ended is not None:
            service().note_ended_worker(ended)
        service().runtimes.check()
        threading.Thread(target=_beat, name="beat", daemon=True).start()
        worker = Worker(
            [open_queue(name, connection) for name in queues],
            connection=connection,
            job_class=NamedJob,
            serializer=JSONSerializer,
            log_job_description=False,
            maintenance_interval=HEARTBEAT,
            worker_ttl=QUIET_FOR,
        )
        threading.Thread(target=worker.keep_renewing, name="renewal", daemon=True).start()
        log.info("taking jobs from the queues %s", ", ".join(queues))
        worker.work(logging_level="WARNING")
    except RedisError as error:
        raise StoreUnavailable(f"the database of the job queues is unavailable: {error}") from error


def _beat() -> None:
    while True:
        PROGRESS.begin(BEAT, SILENT_FOR, SILENT_FOR)
        time.sleep(_BEAT_PERIOD)
