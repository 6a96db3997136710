"""``python -m workers``: one worker process on the database of ``REDIS_URL``, and a parent that watches it.

``python -m workers --scheduler`` runs the ticks of tournaments, schedules and leaderboards, ``python -m
workers --webhooks`` posts turns to webhook bots, ``python -m workers --archiver`` moves finished records to
the archive; several of each may run. ``python -m workers --check`` exits with 0 if a worker runs on this
host, else with 1.
"""

from __future__ import annotations

import sys

from arena.errors import ArenaError


def main(arguments: list[str]) -> None:
    """Run one of the processes. The imports are here because the parent of a worker stays small."""
    match arguments:
        case ["--check"]:
            from workers.worker import is_working

            sys.exit(0 if is_working() else "botequim: no worker runs here")
        case ["--scheduler"]:
            from workers.scheduler import schedule

            schedule()
        case ["--webhooks"]:
            from workers.webhooks import drive

            drive()
        case ["--archiver"]:
            from workers.archiver import archive

            archive()
        case []:
            from workers.watchdog import watch

            ended = watch()
            from workers.worker import work

            work(ended)
        case [option, *_]:
            expected = "--scheduler, --webhooks, --archiver, --check or nothing"
            sys.exit(f"botequim: error: {option!r} is not an option; expected {expected}")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except ArenaError as error:
        sys.exit(f"botequim: error: {error}")
