"""One worker process."""

from __future__ import annotations

import logging
import socket
from datetime import UTC, datetime, timedelta
from typing import Final

from redis import Redis, RedisError
from rq import Queue, SimpleWorker
from rq.job import Job

from arena.live.store_wire import StoreUnavailable
from workers.jobs import live_games
from workers.settings import QUEUES, queue_url

HEARTBEAT: Final = 15
"""Seconds after which a job whose worker is gone counts as abandoned (RQ's own default: minutes)."""

QUIET_FOR: Final = 60
"""Seconds without a sign of life after which a worker without a job counts as dead."""


class Worker(SimpleWorker):
    """Works in its own process, four times the jobs per second of a fork per job.

    House bots are ours, so nothing has to be kept apart; a job that hangs is ended by its time limit. A
    job lost with the process is asked for again by the sweeper of the games.
    """

    def get_heartbeat_ttl(self, job: Job) -> int:
        """How long a job counts as being worked on after the last sign of life."""
        return HEARTBEAT


def work() -> None:
    """Work until SIGTERM or SIGINT; the job under way is finished first.

    Raises :class:`~arena.errors.ArenaError` if there is no database; one that goes away later ends it
    after a while, and whoever started it starts it again.
    """
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    connection = Redis.from_url(queue_url())
    live_games()
    try:
        connection.ping()
        worker = Worker(
            [Queue(name, connection=connection) for name in QUEUES],
            connection=connection,
            log_job_description=False,
            maintenance_interval=HEARTBEAT,
            worker_ttl=QUIET_FOR,
        )
        worker.work(logging_level="WARNING")
    except RedisError as error:
        raise StoreUnavailable(f"the database of the job queues is away: {error}") from error


def is_working() -> bool:
    """Whether a worker of this host has shown life lately; for health checks.

    Raises :class:`~arena.errors.ArenaError` if there is no database.
    """
    connection = Redis.from_url(queue_url())
    oldest = datetime.now(UTC) - timedelta(seconds=2 * QUIET_FOR)
    try:
        return any(
            worker.hostname == socket.gethostname()
            and worker.last_heartbeat
            and worker.last_heartbeat > oldest
            for worker in Worker.all(connection=connection)
        )
    except RedisError as error:
        raise StoreUnavailable(f"the database of the job queues is away: {error}") from error
