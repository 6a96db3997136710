"""Settings for ``gunicorn -c python:api.gunicorn_conf``; each can be changed in the environment.

gevent, because a process with thousands of bots that wait costs 14 KB for each, and answers the others
as before; threads cost seven times as much. Two processes of granian answer half as many requests more,
but hold fewer streams; the same app runs there too.
"""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from typing import Any

wsgi_app = "api.app:create_app()"
bind = os.environ.get("BOTEQUIM_BIND", "127.0.0.1:8000")
workers = int(os.environ.get("BOTEQUIM_WORKERS", "1"))
worker_class = "api.server.DrainingWorker"
worker_connections = int(os.environ.get("BOTEQUIM_CONNECTIONS", "10000"))
logger_class = "api.server.JsonLogger"
loglevel = os.environ.get("BOTEQUIM_LOG_LEVEL", "info").lower()
keepalive = 75
timeout = 60
graceful_timeout = int(os.environ.get("BOTEQUIM_GRACE", "5"))
backlog = 2048
control_socket_disable = True

_metrics_folder: str | None = None
if workers > 1 and "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
    # Must be set before the client library is imported, so that it counts over all processes.
    _metrics_folder = os.environ["PROMETHEUS_MULTIPROC_DIR"] = tempfile.mkdtemp(prefix="botequim-metrics-")


def post_worker_init(worker: Any) -> None:
    """A worker has the app and is about to serve it."""
    from api.logs import set_up_logging
    from api.services import start_sweeper

    services = worker.wsgi.extensions["botequim"]
    set_up_logging(services.config.log_level)
    start_sweeper(services)
    # What thousands of waiting requests hold is long-lived: looking through it for garbage again and
    # again would slow the others down.
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


def child_exit(server: Any, worker: Any) -> None:
    """A worker has ended; what it still claims to be doing is over."""
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        from prometheus_client.multiprocess import mark_process_dead

        mark_process_dead(worker.pid)


def on_exit(server: Any) -> None:
    """The server has ended."""
    if _metrics_folder is not None:
        shutil.rmtree(_metrics_folder, ignore_errors=True)
