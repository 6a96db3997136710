"""The function that RQ calls."""

from __future__ import annotations

import logging
import signal
from functools import cache

from arena.accounts.bill import processor_ms
from arena.events.runtimes import OtherRuntime, RuntimeReplaced
from arena.ops.jobs import Job, JobName
from arena.ops.service import Service, open_service
from arena.ops.settings import Settings
from queues.rq_jobs import BY_ACCOUNT, RqJobs

log = logging.getLogger("botequim.jobs")


@cache
def service() -> Service:
    """Return the service used by this process. Raises :class:`~arena.errors.ArenaError`."""
    return open_service(Settings.from_environment(), _jobs())


@cache
def _jobs() -> RqJobs:
    return RqJobs(Settings.from_environment().queue_url)


def run(name: str, *args: str | int) -> None:
    """Run the job ``name``. This is :data:`queues.enqueuing.RUN_JOB`."""
    job = Job(JobName(name), args)
    if job.name not in BY_ACCOUNT:
        _run(job)
        return
    account = str(args[-1])
    taken = _jobs().next_job(job.name, account)
    if taken is None:
        return
    start_ms = processor_ms()
    try:
        _run(taken)
    finally:
        _jobs().note_used(job.name, account, processor_ms() - start_ms)


def _run(job: Job) -> None:
    try:
        service().run(job)
    except (OtherRuntime, RuntimeReplaced) as error:
        log.critical("%s", error)
        # The worker stops after this job, and checks the runtime when it restarts.
        signal.raise_signal(signal.SIGTERM)


def prepare_sandbox() -> None:
    """Build or fetch the runtime of the sandbox, so that the first uploaded bot does not wait for it."""
    service().store.identity.register()
    log.info("the sandbox runtime is ready: %s", service().runtimes.ready().id)
