"""Jobs for the workers, by name: the API knows what a job is called and nothing else of it."""

from __future__ import annotations

import logging
import os
import queue
import threading
from collections.abc import Callable
from typing import Final

from redis import Redis, RedisError
from rq import Queue
from rq.exceptions import DuplicateJobError, InvalidJobOperation

HOUSE_QUEUE: Final = "house"
HOUSE_JOB: Final = "workers.jobs.play_house"
PLANNER_QUEUE: Final = "planner"
ADVANCE_JOB: Final = "workers.jobs.advance"

_log = logging.getLogger("botequim.queues")


class _Asker:
    """Asks the workers for something about an id. It never blocks: a thread (under gevent a greenlet)
    enqueues. What is asked for twice before that is enqueued once.
    """

    def __init__(self, url: str, name: str, enqueue: Callable[[Queue, str], None], failed: str) -> None:
        self._url = url
        self._name = name
        self._enqueue = enqueue
        self._failed = failed
        self._waiting: set[str] = set()
        self._ids: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._pid = 0

    def __call__(self, id: str) -> None:
        """Ask for ``id``."""
        if self._pid != os.getpid():
            self._pid = os.getpid()
            self._waiting.clear()
            threading.Thread(target=self._run, name=f"{self._name}-queue", daemon=True).start()
        if id not in self._waiting:
            self._waiting.add(id)
            self._ids.put(id)

    def _run(self) -> None:
        jobs = Queue(self._name, connection=Redis.from_url(self._url))
        while True:
            id = self._ids.get()
            self._waiting.discard(id)
            try:
                self._enqueue(jobs, id)
            except (RedisError, OSError):
                _log.warning(self._failed, id, exc_info=True)


class HouseQueue(_Asker):
    """Asks the workers to let the house bots of a game move; called after every step of such a game.
    What is lost with the process is asked for again by a sweeper.
    """

    def __init__(self, url: str) -> None:
        super().__init__(url, HOUSE_QUEUE, enqueue_house, "house bots of game %s: left to the sweeper")


class PlannerQueue(_Asker):
    """Asks the workers to do what is due in a tournament now. What is lost with the process they do
    when they next look at it.
    """

    def __init__(self, url: str) -> None:
        super().__init__(url, PLANNER_QUEUE, enqueue_advance, "tournament %s: left to the next look")


def enqueue_house(jobs: Queue, game_id: str) -> None:
    """Enqueue the job for a game, unless one is waiting that has not begun.

    A job that has begun may have looked at the game for the last time, so it gets a successor, and so
    does one that is in no queue: its worker may have died before it began. Should the successor have
    begun as well, another does no harm: of two at once, one wins.
    """
    _enqueue_once(jobs, HOUSE_JOB, game_id, f"house-{game_id}", 600)


def enqueue_advance(jobs: Queue, tournament_id: str) -> None:
    """Enqueue the job that does what is due in a tournament, as :func:`enqueue_house` does."""
    _enqueue_once(jobs, ADVANCE_JOB, tournament_id, f"advance-{tournament_id}", 900)


def _enqueue_once(jobs: Queue, name: str, argument: str, job_id: str, timeout: int) -> None:
    for own_id in (job_id, f"{job_id}-next", None):
        try:
            jobs.enqueue(
                name,
                argument,
                job_id=own_id,
                unique=own_id is not None,
                result_ttl=0,
                failure_ttl=3600,
                job_timeout=timeout,
            )
        except DuplicateJobError:
            assert own_id is not None
            job = jobs.fetch_job(own_id)
            try:
                if job is not None and job.is_queued and jobs.get_job_position(job.id) is not None:
                    return
            except InvalidJobOperation:
                # It has ended between the two questions.
                continue
        else:
            return
