"""Lets accounts take turns in a queue of RQ, however many jobs each of them has."""

from __future__ import annotations

import json
import secrets
import time
from typing import Final

from rq import Queue

from arena.ops.jobs import Job, JobName
from queues.enqueuing import enqueue, is_waiting

WAITING_SECONDS: Final = 3600
"""How long the jobs of an account are kept after its last request, if there are no workers."""


class FairQueue:
    """Keeps the jobs of one name by account, which is the last argument of each job. The queue of RQ holds at
    most one ticket per account. When a worker takes the ticket, it gets the account's job that has waited
    longest, and the account's next ticket joins the end of the queue. So a lone account still uses all
    workers.

    If a worker dies with a ticket or a job, the job is requested again like all jobs.
    """

    def __init__(self, queue: Queue, name: JobName) -> None:
        self._queue = queue
        self._name = name

    def request(self, job: Job) -> None:
        """Let ``job`` wait, unless it already does."""
        *arguments, account = job.args
        waiting = self._waiting(str(account))
        with self._queue.connection.pipeline() as pipeline:
            pipeline.zadd(waiting, {json.dumps(arguments): time.time()}, nx=True)
            pipeline.expire(waiting, WAITING_SECONDS)
            pipeline.execute()
        self._add_ticket(str(account))

    def take(self, account: str) -> Job | None:
        """Remove and return the job of ``account`` that has waited longest, or None if none waits. If more
        wait, add the account's next ticket.
        """
        waiting = self._waiting(account)
        with self._queue.connection.pipeline() as pipeline:
            pipeline.zpopmin(waiting)
            pipeline.zcard(waiting)
            popped, count = pipeline.execute()
        if count:
            self._add_ticket(account)
        return Job(self._name, (*json.loads(popped[0][0]), account)) if popped else None

    def _add_ticket(self, account: str) -> None:
        """Add a ticket of ``account`` to the queue, unless it holds one."""
        ticket = Job(self._name, (account,))
        own_id = f"{ticket.id}-{secrets.token_hex(4)}"
        latest, connection = f"rq:ticket:{self._name}:{account}", self._queue.connection
        before = connection.get(latest)
        if not isinstance(before, bytes) or not is_waiting(self._queue, before.decode()):
            connection.set(latest, own_id, ex=WAITING_SECONDS)
            enqueue(self._queue, ticket, own_id)

    def _waiting(self, account: str) -> str:
        """Return the key of the jobs of ``account`` that wait, by the time of their request."""
        return f"rq:waiting:{self._name}:{account}"
