"""What a worker process is told, all of it in the environment."""

from __future__ import annotations

import os
from typing import Final
from urllib.parse import urlsplit

from arena.errors import ArenaError

HOUSE_QUEUE: Final = "house"
"""The queue of live games in which house bots must move."""

PLANNER_QUEUE: Final = "planner"
"""The queue of short jobs that look after tournaments, schedules and leaderboards."""

ARENA_QUEUE: Final = "arena"
"""The queue of jobs that play groups of tournaments."""

QUEUES: Final = (PLANNER_QUEUE, HOUSE_QUEUE, ARENA_QUEUE)
"""All queues, those first whose jobs go first."""


TICK_SECONDS: Final = 2
"""How often schedules, tournaments and leaderboards are looked after."""


def database_url() -> str:
    """The database of the games. Raises :class:`~arena.errors.ArenaError` if none is named."""
    url = os.environ.get("REDIS_URL", "")
    if not url:
        raise ArenaError(
            "there is no database",
            code="invalid_setting",
            field="REDIS_URL",
            expected="redis://host:port/0 or unix:///path",
        )
    return url


def queue_url() -> str:
    """The database of the job queues: that of ``BOTEQUIM_JOBS_URL``, else the one of the games.

    Raises :class:`~arena.errors.ArenaError` if it is none, or a cluster, which queues cannot be kept on.
    """
    url = os.environ.get("BOTEQUIM_JOBS_URL", "") or database_url()
    if urlsplit(url).scheme not in ("redis", "rediss", "unix"):
        raise ArenaError(
            "the job queues need a single server",
            code="invalid_setting",
            field="BOTEQUIM_JOBS_URL",
            expected="redis://host:port/0 or unix:///path",
        )
    return url


def record_days() -> int:
    """How many days the records of finished games are kept, 0 for good: that of ``BOTEQUIM_RECORD_DAYS``."""
    text = os.environ.get("BOTEQUIM_RECORD_DAYS", "") or "0"
    if not text.isdecimal():
        raise ArenaError(
            f"{text!r} is not a number of days",
            code="invalid_setting",
            field="BOTEQUIM_RECORD_DAYS",
            expected="a whole number, 0 for good",
        )
    return int(text)
