"""The scheduler process: RQ's own, with one job, which looks after everything else."""

from __future__ import annotations

import logging
import os
from typing import Final

from redis import Redis, RedisError
from rq.cron import CronScheduler

from arena.live.store_wire import StoreUnavailable
from workers import jobs
from workers.seeding import seed
from workers.settings import PLANNER_QUEUE, TICK_SECONDS, queue_url

TICK_KEPT: Final = 10
"""Seconds after which a tick that no worker has taken is dropped."""


def schedule() -> None:
    """Have everything looked after until SIGTERM or SIGINT.

    Raises :class:`~arena.errors.ArenaError` if there is no database; one that goes away later ends it,
    and whoever started it starts it again.
    """
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    connection = Redis.from_url(queue_url())
    try:
        connection.ping()
        if os.environ.get("BOTEQUIM_SEED") == "1":
            seed(jobs.tournaments().store, jobs.schedules())
        scheduler = CronScheduler(connection, logging_level=logging.WARNING)
        scheduler.register(
            jobs.tick, PLANNER_QUEUE, interval=TICK_SECONDS, ttl=TICK_KEPT, result_ttl=0, failure_ttl=3600
        )
        scheduler.start()
    except RedisError as error:
        raise StoreUnavailable(f"the database of the job queues is away: {error}") from error
