"""The function that RQ calls."""

from __future__ import annotations

from functools import cache

from arena.ops.jobs import Job, JobName
from arena.ops.service import Service, open_service
from arena.ops.settings import Settings
from queues.rq_jobs import RqJobs


@cache
def service() -> Service:
    """The service of this process. Raises :class:`~arena.errors.ArenaError`."""
    settings = Settings.from_environment()
    return open_service(settings, RqJobs(settings.queue_url))


def run(name: str, *args: str | int) -> None:
    """Run the job ``name``; :data:`queues.rq_jobs.RUN_JOB`."""
    service().run(Job(JobName(name), args))
