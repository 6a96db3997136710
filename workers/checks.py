"""Health checks of the processes on this host, based on their recent signs of life."""

from __future__ import annotations

import socket
import time
from datetime import UTC, datetime, timedelta
from typing import Final

from redis import Redis, RedisError
from rq.cron import CronScheduler

from arena.ops.settings import Settings
from arena.store.connection import StoreUnavailable
from arena.store.repositories import open_store
from queues.rq_jobs import QUEUES_OF
from workers.worker import QUIET_FOR, Worker

QUIET_SECONDS: Final = {
    **dict.fromkeys(QUEUES_OF, 2 * QUIET_FOR),
    "scheduler": 30,
    "webhooks": 30,
    "archiver": 300,
}
"""Seconds without a sign of life after which a process counts as dead, by its kind."""


def is_alive(process: str) -> bool:
    """Return whether a process of this kind is running on this host. The kinds are the keys of
    :data:`QUIET_SECONDS`.

    Raises :class:`~arena.errors.ArenaError` if the database is unavailable.
    """
    settings = Settings.from_environment()
    host = socket.gethostname()
    most = QUIET_SECONDS[process]
    if process in ("webhooks", "archiver"):
        age_s = open_store(settings.redis_url, max_connections=1).signs.age_s(process)
        return age_s is not None and age_s < most
    connection = Redis.from_url(settings.queue_url)
    try:
        if process == "scheduler":
            oldest = time.time() - most
            schedulers = CronScheduler.all(connection, cleanup=False)
            beats = [found.last_heartbeat for found in schedulers if found.hostname == host]
            return any(beat is not None and beat.timestamp() > oldest for beat in beats)
        since = datetime.now(UTC) - timedelta(seconds=most)
        return any(
            worker.hostname == host and worker.last_heartbeat and worker.last_heartbeat > since
            for worker in Worker.all(connection=connection)
            if set(worker.queue_names()) == set(QUEUES_OF[process])
        )
    except RedisError as error:
        raise StoreUnavailable(f"the database of the job queues is unavailable: {error}") from error
