"""Lets accounts take turns in a queue of RQ, however many jobs each of them has."""

from __future__ import annotations

import json
import secrets
import time
from typing import Final

from rq import Queue

from arena.ops.jobs import PLAY_SECONDS, Job, JobName
from queues.enqueuing import enqueue, is_waiting

WAITING_SECONDS: Final = 3600
"""How long the jobs of an account are kept after its last request, if there are no workers."""

TURN_MS: Final = 1000 * PLAY_SECONDS
"""The processor time of one turn: that of a job that plays groups, less the game in progress."""

MOST_OWED: Final = 300
"""The most turns that an account leaves to others: ten minutes of one worker."""


class FairQueue:
    """Keeps the jobs of one name by account, which is the last argument of each job. The queue of RQ holds at
    most one ticket per account. When a worker takes the ticket, it gets the account's job that has waited
    longest, and the account's next ticket joins the end of the queue. So a lone account still uses all
    workers. An account whose job took as long as several turns leaves the others of them to other accounts,
    so that short jobs do not wait for long ones again and again.

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
        """Remove and return the job of ``account`` that has waited longest. Return None if none waits, or if
        the account leaves this turn to others. If more jobs wait, add the account's next ticket.
        """
        if self._queue.count and self._leaves_a_turn(account):
            self._add_ticket(account)
            return None
        waiting = self._waiting(account)
        with self._queue.connection.pipeline() as pipeline:
            pipeline.zpopmin(waiting)
            pipeline.zcard(waiting)
            popped, count = pipeline.execute()
        if count:
            self._add_ticket(account)
        return Job(self._name, (*json.loads(popped[0][0]), account)) if popped else None

    def note_used(self, account: str, used_ms: float) -> None:
        """Note the processor time of a job of ``account``."""
        turns = int(used_ms / TURN_MS) - 1
        if turns > 0:
            owed, connection = self._owed(account), self._queue.connection
            if connection.incrby(owed, turns) > MOST_OWED:
                connection.set(owed, MOST_OWED)
            connection.expire(owed, WAITING_SECONDS)

    def _leaves_a_turn(self, account: str) -> bool:
        """Count one of the turns that the account leaves to others, and return whether it had to."""
        owed, connection = self._owed(account), self._queue.connection
        if not connection.exists(owed):
            return False
        if connection.decr(owed) <= 0:
            connection.delete(owed)
        return True

    def _add_ticket(self, account: str) -> None:
        """Add a ticket of ``account`` to the queue, unless it holds one."""
        ticket = Job(self._name, (account,))
        own_id = f"{ticket.id}-{secrets.token_hex(4)}"
        latest, connection = f"rq:ticket:{self._name}:{account}", self._queue.connection
        before = connection.get(latest)
        if not isinstance(before, bytes) or not is_waiting(self._queue, before.decode()):
            connection.set(latest, own_id, ex=WAITING_SECONDS)
            enqueue(self._queue, ticket, own_id)

    def _owed(self, account: str) -> str:
        """Return the key of the number of turns that ``account`` leaves to others."""
        return f"rq:owed:{self._name}:{account}"

    def _waiting(self, account: str) -> str:
        """Return the key of the jobs of ``account`` that wait, by the time of their request."""
        return f"rq:waiting:{self._name}:{account}"
