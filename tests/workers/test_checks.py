"""What a process of this host has to show for itself."""

from __future__ import annotations

import pytest
from redis import Redis
from rq import SimpleWorker

from arena.store.embedded import EmbeddedStore
from queues.rq_jobs import QUEUES, QUEUES_OF, open_queue
from workers.checks import is_alive


def test_a_worker_of_another_host_does_not_count(
    clean_store: EmbeddedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REDIS_URL", clean_store.url)
    with Redis.from_url(clean_store.url) as database:
        worker = SimpleWorker([open_queue(name, database) for name in QUEUES], connection=database)
        worker.register_birth()
        assert is_alive("worker")
        monkeypatch.setattr("socket.gethostname", lambda: "another")
        assert not is_alive("worker")


def test_each_kind_of_worker_is_checked_separately(
    clean_store: EmbeddedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REDIS_URL", clean_store.url)
    with Redis.from_url(clean_store.url) as database:
        for kind, queues in QUEUES_OF.items():
            worker = SimpleWorker([open_queue(name, database) for name in queues], connection=database)
            worker.register_birth()
            assert [one for one in QUEUES_OF if is_alive(one)] == [kind]
            worker.register_death()
