"""What a process of this host has to show for itself."""

from __future__ import annotations

import pytest
from redis import Redis
from rq import SimpleWorker

from arena.store.embedded import EmbeddedStore
from queues.rq_jobs import MAINTENANCE_QUEUE, open_queue
from workers.checks import is_alive


def test_a_worker_of_another_host_does_not_count(
    clean_store: EmbeddedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REDIS_URL", clean_store.url)
    with Redis.from_url(clean_store.url) as database:
        worker = SimpleWorker([open_queue(MAINTENANCE_QUEUE, database)], connection=database)
        worker.register_birth()
        assert is_alive("worker")
        monkeypatch.setattr("socket.gethostname", lambda: "another")
        assert not is_alive("worker")
