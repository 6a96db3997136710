"""Jobs for the workers, by name: the API knows what a job is called and nothing else of it."""

from __future__ import annotations

import logging
import os
import queue
import threading
from typing import Final

from redis import Redis, RedisError
from rq import Queue
from rq.exceptions import DuplicateJobError, InvalidJobOperation

HOUSE_QUEUE: Final = "house"
HOUSE_JOB: Final = "workers.jobs.play_house"

_log = logging.getLogger("botequim.queues")


class HouseQueue:
    """Asks the workers to let the house bots of a game move; called after every step of such a game.

    It never blocks: a thread (under gevent a greenlet) enqueues. A game that is asked for twice before
    that is enqueued once. What is lost with the process is asked for again by a sweeper.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._waiting: set[str] = set()
        self._games: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._pid = 0

    def __call__(self, game_id: str) -> None:
        """Ask for ``game_id``."""
        if self._pid != os.getpid():
            self._pid = os.getpid()
            self._waiting.clear()
            threading.Thread(target=self._run, name="house-queue", daemon=True).start()
        if game_id not in self._waiting:
            self._waiting.add(game_id)
            self._games.put(game_id)

    def _run(self) -> None:
        jobs = Queue(HOUSE_QUEUE, connection=Redis.from_url(self._url))
        while True:
            game_id = self._games.get()
            self._waiting.discard(game_id)
            try:
                enqueue_house(jobs, game_id)
            except (RedisError, OSError):
                _log.warning("house bots of game %s: left to the sweeper", game_id, exc_info=True)


def enqueue_house(jobs: Queue, game_id: str) -> None:
    """Enqueue the job for a game, unless one is waiting that has not begun.

    A job that has begun may have looked at the game for the last time, so it gets a successor, and so
    does one that is in no queue: its worker may have died before it began. Should the successor have
    begun as well, another does no harm: of two at once, one wins.
    """
    for job_id in (f"house-{game_id}", f"house-{game_id}-next", None):
        try:
            jobs.enqueue(
                HOUSE_JOB,
                game_id,
                job_id=job_id,
                unique=job_id is not None,
                result_ttl=0,
                failure_ttl=3600,
                job_timeout=600,
            )
        except DuplicateJobError:
            assert job_id is not None
            job = jobs.fetch_job(job_id)
            try:
                if job is not None and job.is_queued and jobs.get_job_position(job.id) is not None:
                    return
            except InvalidJobOperation:
                # It has ended between the two questions.
                continue
        else:
            return
