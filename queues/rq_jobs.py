"""The queues of RQ, through which jobs are requested."""

from __future__ import annotations

import logging
import os
import queue
import threading
from collections.abc import Callable, Mapping
from contextvars import Context, copy_context
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from redis import Redis, RedisError
from rq import Queue, Worker
from rq.job import Job as RqJob
from rq.serializers import JSONSerializer

from arena.errors import ArenaError
from arena.ops.jobs import Job, JobFigures, JobName, Jobs, QueueFigures
from arena.ops.logs import REQUEST_ID
from queues.enqueuing import RUN_JOB, enqueue_once
from queues.fair import FairQueue

FINISH_QUEUE: Final = "finish-json"
"""Games that have ended and whose records must be stored."""

HOUSE_QUEUE: Final = "house-json"
"""Live games in which house bots must move."""

MAINTENANCE_QUEUE: Final = "maintenance-json"
"""Short jobs for tournaments, schedules and leaderboards."""

PAGES_QUEUE: Final = "pages-json"
"""Pages, images and exports that somebody is waiting for."""

UPLOADS_QUEUE: Final = "uploads-json"
"""Compiling and loading uploads."""

ARENA_QUEUE: Final = "arena-json"
"""Local groups of tournaments, and matchups of leaderboards."""

REVIEWS_QUEUE: Final = "reviews-json"
"""Reviews of people's games, and trial games of pasted bots, which nothing else depends on."""

QUEUES: Final = (
    FINISH_QUEUE,
    MAINTENANCE_QUEUE,
    HOUSE_QUEUE,
    PAGES_QUEUE,
    UPLOADS_QUEUE,
    ARENA_QUEUE,
    REVIEWS_QUEUE,
)
"""All queues, in the order in which workers serve them."""

QUEUES_OF: Final = {
    "worker": QUEUES,
    "live": (FINISH_QUEUE, HOUSE_QUEUE),
    "checks": (MAINTENANCE_QUEUE, PAGES_QUEUE, UPLOADS_QUEUE),
}
"""The queues by the kind of the worker. Live games have workers of their own, and so have uploads and short
jobs, so that none of these waits for the groups of tournaments.
"""

QUIET_SECONDS: Final = 120
"""Seconds without a heartbeat after which a worker does not count as alive."""

_QUEUE_OF: Final = {
    JobName.FINISH_GAME: FINISH_QUEUE,
    JobName.MOVE_HOUSE_BOTS: HOUSE_QUEUE,
    JobName.STEP_TOURNAMENT: MAINTENANCE_QUEUE,
    JobName.PLAY_LOCAL_GROUPS: ARENA_QUEUE,
    JobName.UPDATE_STANDINGS: MAINTENANCE_QUEUE,
    JobName.PUBLISH_BOARD: MAINTENANCE_QUEUE,
    # Matchups take seconds, so shorter jobs must not wait for them.
    JobName.COMPUTE_MATCHUPS: ARENA_QUEUE,
    JobName.FIND_BEST_HANDS: ARENA_QUEUE,
    JobName.TICK: MAINTENANCE_QUEUE,
    JobName.CHECK_UPLOAD: UPLOADS_QUEUE,
    JobName.PREPARE_REPLAY: PAGES_QUEUE,
    JobName.DRAW_PREVIEW: PAGES_QUEUE,
    JobName.WRITE_EXPORT: PAGES_QUEUE,
    JobName.REVIEW_GAME: REVIEWS_QUEUE,
    JobName.PLAY_TRIAL_GAME: REVIEWS_QUEUE,
    # Receivers can be slow.
    JobName.DELIVER_ANNOUNCEMENTS: UPLOADS_QUEUE,
}

BY_ACCOUNT: Final = frozenset(
    {
        JobName.MOVE_HOUSE_BOTS,
        JobName.PLAY_LOCAL_GROUPS,
        JobName.CHECK_UPLOAD,
        JobName.PREPARE_REPLAY,
        JobName.DRAW_PREVIEW,
        JobName.WRITE_EXPORT,
        JobName.REVIEW_GAME,
        JobName.PLAY_TRIAL_GAME,
    }
)
"""The jobs for which accounts take turns."""

log = logging.getLogger("botequim.queues")

_LONGEST_ID: Final = 64
"""The maximum length of request ids."""

_CALLS_OF_RQ: Final = ("success_callback_name", "failure_callback_name", "stopped_callback_name", "webhooks")


class ForbiddenJob(ArenaError):
    """A job in a queue names a function other than :data:`RUN_JOB`."""

    code = "forbidden"


class NamedJob(RqJob):
    """A job that can call only :data:`RUN_JOB`, whatever the database says."""

    def restore(self, raw_data: Mapping[str | bytes, object]) -> Any:
        """Restore the job from its stored fields, ignoring callbacks and webhooks."""
        fields = {key: value for key, value in raw_data.items() if _text(key) not in _CALLS_OF_RQ}
        return super().restore(fields)

    @property
    def func(self) -> Callable[..., object]:
        """The function to call. Raises :class:`ForbiddenJob` if it is not :data:`RUN_JOB`."""
        if self.func_name != RUN_JOB or self.instance is not None:
            raise ForbiddenJob(f"job {self.id} calls a function other than {RUN_JOB}")
        function: Callable[..., Any] = super().func
        return function

    @property
    def request_id(self) -> str | None:
        """The id of the HTTP request that directly or indirectly caused the job, if any."""
        found = self.meta.get(REQUEST_ID) if isinstance(self.meta, dict) else None
        return found[:_LONGEST_ID] if isinstance(found, str) else None


def open_queue(name: str, connection: Redis) -> Queue:
    """Return one of :data:`QUEUES`. Its jobs are JSON, so that reading one runs no code."""
    return Queue(name, connection=connection, job_class=NamedJob, serializer=JSONSerializer)


class RqJobs(Jobs):
    """Requests jobs through the database at ``url``. Requests can raise :class:`redis.RedisError`."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection = Redis.from_url(url)
        self._fair = {name: FairQueue(self.queue(_QUEUE_OF[name]), name) for name in BY_ACCOUNT}

    def queue(self, name: str) -> Queue:
        """Return one of :data:`QUEUES`."""
        return open_queue(name, self._connection)

    def problem(self) -> str | None:
        """Return why jobs cannot be requested now, or None if they can. The check takes about a second at
        most.
        """
        try:
            with Redis.from_url(self._url, socket_timeout=1, socket_connect_timeout=1) as probe:
                probe.ping()
        except (RedisError, OSError) as error:
            return (
                f"the database of the job queues is unavailable, so house bots and tournaments wait: {error}"
            )
        return None

    def figures(self) -> JobFigures | None:
        """Return the figures of the queues, or None if they cannot be read."""
        if self.problem() is not None:
            return None
        try:
            return self._figures()
        except (RedisError, OSError):
            return None

    def _figures(self) -> JobFigures:
        """Return the figures in two round trips, regardless of the number of workers and jobs."""
        queues = [self.queue(name) for name in QUEUES]
        with self._connection.pipeline(transaction=False) as pipeline:
            for queue in queues:
                pipeline.llen(queue.key)
                pipeline.lindex(queue.key, 0)
                pipeline.zcard(queue.failed_job_registry.key)
            found = pipeline.execute()
        counts, firsts, failed = found[::3], found[1::3], found[2::3]
        workers = Worker.all_keys(connection=self._connection)
        with self._connection.pipeline(transaction=False) as pipeline:
            for first in firsts:
                pipeline.hget(RqJob.key_for(_text(first or "")), "enqueued_at")
            for worker in workers:
                pipeline.hmget(worker, "last_heartbeat", "state", "queues")
            read = pipeline.execute()
        now = datetime.now(UTC)
        oldest = [
            0.0 if since is None else (now - _time(since)).total_seconds() for since in read[: len(queues)]
        ]
        alive = [
            state
            for beat, state, served in read[len(queues) :]
            if beat is not None and now - _time(beat) < timedelta(seconds=QUIET_SECONDS)
            if ARENA_QUEUE in (served or b"").decode().split(",")
        ]
        return JobFigures(
            [
                QueueFigures(queue.name, count, max(0.0, age), bad)
                for queue, count, age, bad in zip(queues, counts, oldest, failed, strict=True)
            ],
            len(alive),
            alive.count(b"busy"),
        )

    def player_count(self) -> int:
        """Return the number of workers of the arena queue."""
        return Worker.count(queue=self.queue(ARENA_QUEUE))

    def request(self, job: Job) -> None:
        """Enqueue ``job``, unless it is already waiting."""
        if job.name in self._fair:
            self._fair[job.name].request(job)
        else:
            enqueue_once(self.queue(_QUEUE_OF[job.name]), job)

    def next_job(self, name: JobName, account: str) -> Job | None:
        """Remove and return the job of this name that has waited longest for ``account``, or None if it is
        the turn of others.
        """
        return self._fair[name].take(account)

    def note_used(self, name: JobName, account: str, used_ms: float) -> None:
        """Note the processor time of a job of ``account``, in milliseconds."""
        self._fair[name].note_used(account, used_ms)


def _time(stored: bytes) -> datetime:
    return datetime.fromisoformat(stored.decode()).replace(tzinfo=UTC)


def _text(value: str | bytes) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else value


class BackgroundJobs(Jobs):
    """Forwards requests to ``jobs`` in a thread (a greenlet under gevent), so that callers do not block.

    If a job is requested twice before it is forwarded, only the first request is forwarded. Failed requests
    are logged.
    """

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs
        self._waiting: set[Job] = set()
        self._requests: queue.SimpleQueue[tuple[Job, Context]] = queue.SimpleQueue()
        self._pid = 0

    def problem(self) -> str | None:
        """Return why jobs cannot be requested now, or None if they can."""
        return self._jobs.problem()

    def figures(self) -> JobFigures | None:
        """Return the figures of the queues, or None if they cannot be read."""
        return self._jobs.figures()

    def request(self, job: Job) -> None:
        """Queue ``job`` to be forwarded by the thread."""
        if self._pid != os.getpid():
            # This is the first request in this process.
            self._pid = os.getpid()
            self._waiting.clear()
            threading.Thread(target=self._run, name="jobs", daemon=True).start()
        if job not in self._waiting:
            self._waiting.add(job)
            self._requests.put((job, copy_context()))

    def _run(self) -> None:
        while True:
            job, context = self._requests.get()
            self._waiting.discard(job)
            try:
                context.run(self._jobs.request, job)
            except (RedisError, OSError):
                context.run(
                    log.warning, "job %s was not enqueued; it will be requested again", job.id, exc_info=True
                )
