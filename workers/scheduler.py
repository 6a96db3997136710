"""The scheduler process: RQ's scheduler with a single job, the tick, which starts everything that is due."""

from __future__ import annotations

import logging
from typing import Final

from redis import Redis, RedisError
from rq.cron import CronJob, CronScheduler
from rq.job import Job

from arena.ops.jobs import JobName
from arena.ops.service import TICK_SECONDS
from arena.store.connection import StoreUnavailable
from queues.enqueuing import FAILED_SECONDS
from queues.rq_jobs import MAINTENANCE_QUEUE, open_queue
from workers.initial_data import add_initial_data
from workers.jobs import run, service

TICK_KEPT: Final = 10
"""Seconds after which a tick is dropped if no worker has started it."""


class Tick(CronJob):
    """The job that RQ's scheduler enqueues. RQ's own class is not used because it would be pickled."""

    def enqueue(self, connection: Redis) -> Job:
        """Enqueue the tick now."""
        assert self.func is not None
        queue = open_queue(self.queue_name, connection)
        return queue.enqueue(self.func, args=self.args, **self.job_options)


def schedule() -> None:
    """Enqueue ticks until SIGTERM or SIGINT.

    Raises :class:`~arena.errors.ArenaError` if the database is unavailable. If the database becomes
    unavailable later, the process exits, and its supervisor restarts it.
    """
    connection = Redis.from_url(service().settings.queue_url)
    try:
        connection.ping()
        service().store.identity.register()
        service().store.accounts.count_stored()
        if service().settings.initial_data:
            add_initial_data(service().store.flags, service().schedules)
        scheduler = CronScheduler(connection, logging_level=logging.WARNING)
        scheduler.get_jobs().append(
            Tick(
                MAINTENANCE_QUEUE,
                run,
                args=(str(JobName.TICK),),
                interval=TICK_SECONDS,
                ttl=TICK_KEPT,
                result_ttl=0,
                failure_ttl=FAILED_SECONDS,
            )
        )
        scheduler.start()  # type: ignore[no-untyped-call]
    except RedisError as error:
        raise StoreUnavailable(f"the database of the job queues is unavailable: {error}") from error
