"""``python -m workers`` runs one worker process, using the database at ``REDIS_URL``.

``python -m workers --live`` runs one that serves live games only, and ``--checks`` one that checks uploads
and runs short jobs, so that these never wait for the groups of tournaments.
``python -m workers --scheduler`` runs the ticks of tournaments, schedules and leaderboards, ``--webhooks``
posts turns to webhook bots, and ``--archiver`` moves finished records to the archive. Several processes of
each kind can run. ``--check`` exits with 0 if a worker is running on this host, else with 1; ``--check
scheduler`` and so on check other processes. ``--sandbox`` builds or fetches the runtime of uploaded bots, and
exits. Processes on whose work nobody waits for a move run at a lower priority than the others.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Final

from arena.errors import ArenaError
from arena.ops.logs import log, set_up_logging

_NICE: Final = {"worker": 10, "checks": 10, "archiver": 10, "sandbox": 10}


def run(process: str, main: Callable[[], None]) -> None:
    """Run a process until it ends. If it cannot start or continue, print the error and exit."""
    os.nice(_NICE.get(process, 0))
    from arena.ops.settings import Settings

    set_up_logging(process, "INFO")
    try:
        set_up_logging(process, Settings.from_environment().log_level)
        main()
    except ArenaError as error:
        log.critical("%s", error, extra={"code": error.code})
        sys.exit(1)


def check(process: str) -> None:
    """Exit with 0 if the process is running on this host, else with 1."""
    from workers.checks import is_alive

    try:
        sys.exit(0 if is_alive(process) else f"botequim: no {process} process is running on this host")
    except ArenaError as error:
        sys.exit(f"botequim: error: {error}")


def main(arguments: list[str]) -> None:
    """Run the process that ``arguments`` select. Imports are inside this function to keep the parent process
    of a worker small.
    """
    match arguments:
        case ["--check"]:
            check("worker")
        case ["--check", ("worker" | "live" | "checks" | "scheduler" | "webhooks" | "archiver") as process]:
            check(process)
        case ["--scheduler"]:
            from workers.scheduler import schedule

            run("scheduler", schedule)
        case ["--webhooks"]:
            from workers.webhooks import drive

            run("webhooks", drive)
        case ["--archiver"]:
            from workers.archiver import archive

            run("archiver", archive)
        case ["--sandbox"]:
            from workers.jobs import prepare_sandbox

            run("sandbox", prepare_sandbox)
        case [] | ["--live"] | ["--checks"]:
            kind = arguments[0].removeprefix("--") if arguments else "worker"
            from workers.watchdog import watch

            set_up_logging(kind, "WARNING")
            ended = watch()
            from queues.rq_jobs import QUEUES_OF
            from workers.worker import work

            run(kind, lambda: work(QUEUES_OF[kind], ended))
        case [option, *_]:
            processes = "--live, --checks, --scheduler, --webhooks, --archiver, --sandbox"
            expected = f"{processes}, --check [worker|live|checks|scheduler|webhooks|archiver] or nothing"
            sys.exit(f"botequim: error: unknown option {option!r}; expected {expected}")


if __name__ == "__main__":
    main(sys.argv[1:])
