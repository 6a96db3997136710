"""``python -m tests.workers.lengthy HEARTBEAT FILE``: a worker whose jobs last until the file exists.

``HEARTBEAT``: the seconds after which a job whose worker died counts as abandoned.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path


def main(heartbeat: int, file: Path) -> None:
    from workers.watchdog import watch

    ended = watch()
    from arena.ops.service import Service
    from queues.rq_jobs import QUEUES
    from workers import worker

    def wait(self: Service, job: object) -> None:
        while not file.exists():
            time.sleep(0.05)

    worker.HEARTBEAT = heartbeat  # type: ignore[misc]
    Service.run = wait  # type: ignore[assignment,method-assign]
    worker.work(QUEUES, ended)


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
