"""``python -m workers``: one worker process on the database of ``REDIS_URL``.

``python -m workers --scheduler`` runs the ticks of tournaments, schedules and leaderboards, ``python -m
workers --webhooks`` posts turns to webhook bots, ``python -m workers --archiver`` moves finished records to
the archive; several of each may run. ``python -m workers --check`` exits with 0 if a worker runs on this
host, else with 1.
"""

from __future__ import annotations

import sys

from arena.errors import ArenaError
from workers.archiver import archive
from workers.scheduler import schedule
from workers.webhooks import drive
from workers.worker import is_working, work

if __name__ == "__main__":
    try:
        match sys.argv[1:]:
            case ["--check"]:
                sys.exit(0 if is_working() else "botequim: no worker runs here")
            case ["--scheduler"]:
                schedule()
            case ["--webhooks"]:
                drive()
            case ["--archiver"]:
                archive()
            case []:
                work()
            case [option, *_]:
                expected = "--scheduler, --webhooks, --archiver, --check or nothing"
                sys.exit(f"botequim: error: {option!r} is not an option; expected {expected}")
    except ArenaError as error:
        sys.exit(f"botequim: error: {error}")
