"""Settings for ``gunicorn -c python:api.http.gunicorn_conf``; most can be changed by environment variables.

With gevent, a process can serve thousands of waiting bots: each takes 14 KB and does not slow the others
down; a thread takes seven times as much. The same app also runs with granian: two processes answer 50% more
requests, but hold fewer streams.
"""

from __future__ import annotations

import gc
import os
import shutil
import sys
import tempfile
from typing import TYPE_CHECKING

from gunicorn.arbiter import Arbiter

from api.http.descriptors import connections_within, raise_limit
from arena.errors import ArenaError
from arena.ops.settings import MOST_GRACE, Settings

if TYPE_CHECKING:
    from gunicorn.workers.ggevent import GeventWorker

_settings = Settings.from_environment()
_settings.check_archive()

wsgi_app = "api.app:create_app()"
bind = _settings.http.bind
workers = _settings.http.processes
worker_class = "api.http.server.DrainingWorker"
_descriptors = raise_limit()
worker_connections = connections_within(_descriptors, _settings.http.connections, _settings.pool)
logger_class = "api.http.server.JsonLogger"
loglevel = _settings.log_level.lower()
keepalive = 75
# The time to parse a head grows with the square of its size.
limit_request_fields = 50
limit_request_field_size = 4094
timeout = 60
# Each process normally ends earlier: see api.http.server.DrainingWorker.
graceful_timeout = _settings.http.grace_seconds + MOST_GRACE
backlog = 2048
control_socket_disable = True

_metrics_folder: str | None = None
if workers > 1 and "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
    # prometheus_client reads this when it is imported.
    _metrics_folder = os.environ["PROMETHEUS_MULTIPROC_DIR"] = tempfile.mkdtemp(prefix="botequim-metrics-")


def when_ready(server: Arbiter) -> None:
    """Log a warning if the operating system allows fewer connections than configured."""
    if worker_connections < _settings.http.connections:
        server.log.warning(
            "the limit of %d open files (ulimit -n) allows only %d connections per process instead of %d "
            "(BOTEQUIM_CONNECTIONS)",
            _descriptors,
            worker_connections,
            _settings.http.connections,
        )


def post_worker_init(worker: GeventWorker) -> None:
    """Set up a worker before it serves the app."""
    from api.http.archive_threads import read_in_threads
    from api.services import start_sweeper
    from arena.ops.logs import set_up_logging
    from arena.store.identity import UnknownFormat

    services = worker.wsgi.extensions["botequim"]
    set_up_logging("api", services.settings.log_level)
    try:
        services.store.identity.check()
    except UnknownFormat as error:
        worker.log.critical("%s", error)
        # This ends the server, too.
        sys.exit(Arbiter.WORKER_BOOT_ERROR)
    except ArenaError:
        # If there is no database yet, /readyz checks it later.
        pass
    read_in_threads(services.live.finished)
    start_sweeper(services)
    # The objects of thousands of waiting requests are long-lived; scanning them for garbage repeatedly
    # would slow the other requests down.
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


def child_exit(server: Arbiter, worker: GeventWorker) -> None:
    """Clear the live metrics of a worker that has ended."""
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        from prometheus_client.multiprocess import mark_process_dead

        mark_process_dead(worker.pid)


def on_exit(server: Arbiter) -> None:
    """Clean up when the server ends."""
    if _metrics_folder is not None:
        shutil.rmtree(_metrics_folder, ignore_errors=True)
