"""Asking for jobs, each once at a time however often it is asked for."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from redis import Redis
from rq import Queue
from rq import Worker as AnyWorker
from rq.exceptions import DuplicateJobError, InvalidJobOperation

from workers.settings import ARENA_QUEUE, HOUSE_QUEUE, PLANNER_QUEUE, queue_url

JOB_LIMIT: Final = 900
"""Seconds after which a job is given up. It is asked for again."""

MOST_PLAYERS: Final = 64
"""Jobs that play one tournament at the same time."""


@cache
def connection() -> Redis:
    """The connection of the job queues, one per process."""
    return Redis.from_url(queue_url())


def enqueue_once(queue: str, job: str, *args: Any, job_id: str) -> None:
    """Enqueue ``job``, unless one of that id is waiting that has not begun.

    One that has begun may have looked for the last time, so it gets a successor, and so does one whose
    worker died before it began. Should both have begun, a third does no harm.
    """
    jobs = Queue(queue, connection=connection())
    for own_id in (job_id, f"{job_id}-next", None):
        try:
            jobs.enqueue(
                f"workers.jobs.{job}",
                *args,
                job_id=own_id,
                unique=own_id is not None,
                result_ttl=0,
                failure_ttl=3600,
                job_timeout=JOB_LIMIT,
            )
        except DuplicateJobError:
            assert own_id is not None
            known = jobs.fetch_job(own_id)
            try:
                if known is not None and known.is_queued and jobs.get_job_position(own_id) is not None:
                    return
            except InvalidJobOperation:
                # It has ended between the two questions.
                continue
        else:
            return


def enqueue_advance(tournament_id: str) -> None:
    """Ask for what is due in a tournament."""
    enqueue_once(PLANNER_QUEUE, "advance", tournament_id, job_id=f"advance-{tournament_id}")


def enqueue_house(game_id: str) -> None:
    """Ask for the house bots of a live game to move."""
    enqueue_once(HOUSE_QUEUE, "play_house", game_id, job_id=f"house-{game_id}")


def enqueue_play(tournament_id: str, groups: int, slot: int | None = None) -> None:
    """Ask for so many groups of a tournament to be played, by all workers; or for the job of ``slot``."""
    if slot is not None:
        slots = [slot]
    else:
        workers = AnyWorker.count(queue=Queue(ARENA_QUEUE, connection=connection()))
        slots = list(range(max(1, min(workers, groups, MOST_PLAYERS))))
    for own in slots:
        enqueue_once(ARENA_QUEUE, "play", tournament_id, own, job_id=f"play-{tournament_id}-{own}")
