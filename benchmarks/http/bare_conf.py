"""The bare app under the settings of the service; see :mod:`api.http.gunicorn_conf`."""

from __future__ import annotations

import gc
from typing import Any

from api.http.gunicorn_conf import *  # noqa: F403

wsgi_app = "benchmarks.http.bare:create_app()"
worker_class = "benchmarks.http.bare.BareWorker"


def post_worker_init(worker: Any) -> None:  # type: ignore[no-redef]
    """The same treatment of what is long-lived."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
