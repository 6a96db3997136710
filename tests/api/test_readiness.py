"""When /readyz says no or degraded, on real databases, and why."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from api.app import create_app
from arena.cli import run
from arena.ops.settings import Settings
from arena.store.connection import StoreUnavailable
from arena.store.embedded import EmbeddedStore
from arena.store.repositories import open_store
from tests.api.contract import ContractClient, contract_client
from tests.service import environment
from tests.waiting import PATIENCE

pytestmark = pytest.mark.system

OK = (200, {"status": "ok"})


@pytest.fixture
def own(tmp_path: Path) -> Iterator[EmbeddedStore]:
    with EmbeddedStore(tmp_path / "data") as store:
        yield store


@pytest.fixture
def client(own: EmbeddedStore) -> ContractClient:
    return contract_client(create_app(Settings(own.url)))


def ready(client: ContractClient) -> tuple[int, dict[str, object]]:
    response = client.get("/readyz")
    return response.status_code, response.json


def test_not_while_the_database_refuses_writes(own: EmbeddedStore, client: ContractClient) -> None:
    assert ready(client) == OK
    with redis.Redis.from_url(own.url) as database:
        database.config_set("maxmemory", 1)
        status, body = ready(client)
        assert (status, body["code"]) == (503, "store_unavailable")
        assert "the database rejected a command: command not allowed when used memory" in str(body["detail"])
        database.config_set("maxmemory", 0)
        assert ready(client) == OK
        database.config_set("min-replicas-to-write", 1)
        assert ready(client)[0] == 503
        database.config_set("min-replicas-to-write", 0)
        assert ready(client) == OK


def test_not_after_the_database_lost_its_data_until_that_is_accepted(
    own: EmbeddedStore, client: ContractClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ready(client) == OK
    with redis.Redis.from_url(own.url) as database:
        database.flushall()
        status, body = ready(client)
        assert (status, body["code"]) == (503, "store_replaced")
        assert "is now empty" in str(body["detail"])
        assert "botequim ops accept-empty" in str(body["expected"])
        # A process that starts meanwhile knows nothing of it, and does not make it right for the others.
        assert ready(contract_client(create_app(Settings(own.url)))) == OK
        status, body = ready(client)
        assert (status, body["code"]) == (503, "store_replaced")
        assert "not the same as before" in str(body["detail"])
        monkeypatch.delenv("REDIS_URL", raising=False)
        assert run(["ops", "accept-empty", "--data", str(own.folder)]) == 0
        assert ready(client) == OK
        database.flushall()
        assert ready(client)[0] == 503
    own.stop()
    own.start()
    assert ready(client)[0] == 503


def test_a_restart_with_the_data_is_no_loss(own: EmbeddedStore, client: ContractClient) -> None:
    assert ready(client) == OK
    own.stop()
    assert ready(client)[0] == 503
    own.start()
    assert ready(client) == OK


def test_degraded_without_the_database_of_the_queues(own: EmbeddedStore, tmp_path: Path) -> None:
    with EmbeddedStore(tmp_path / "jobs") as jobs:
        client = contract_client(create_app(Settings(own.url, jobs_url=jobs.url)))
        assert ready(client) == OK
        jobs.stop()
        status, body = ready(client)
        assert (status, body["status"]) == (200, "degraded")
        (problem,) = body["problems"]  # type: ignore[misc]
        assert "job queues" in problem
        jobs.start()
        assert ready(client) == OK
        assert jobs.pid is not None
        os.kill(jobs.pid, signal.SIGSTOP)
        try:
            assert ready(client)[1]["status"] == "degraded"
        finally:
            os.kill(jobs.pid, signal.SIGCONT)


@pytest.mark.usefixtures("usual_timeout")
def test_a_database_that_hangs_is_asked_once(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(tmp_path / "silent.sock"))
        silent.listen(100)
        silent.setblocking(False)
        store = open_store(f"unix://{tmp_path / 'silent.sock'}")
        with pytest.raises(StoreUnavailable, match="unavailable"):
            store.ping()
        accepted = silent.accept()[0]
        with pytest.raises(BlockingIOError):
            silent.accept()
        accepted.close()


@pytest.mark.usefixtures("usual_timeout")
def test_not_while_the_database_hangs(own: EmbeddedStore, client: ContractClient) -> None:
    assert ready(client) == OK
    assert own.pid is not None
    os.kill(own.pid, signal.SIGSTOP)
    try:
        status, body = ready(client)
        assert (status, body["code"]) == (503, "store_unavailable")
        assert client.get("/v1/games").status_code == 503
    finally:
        os.kill(own.pid, signal.SIGCONT)
    assert ready(client) == OK


@pytest.mark.parametrize("process", ["api", "workers"])
def test_on_a_cluster_nothing_starts_without_a_database_for_the_queues(process: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", process],
        env=environment(REDIS_URL="redis+cluster://127.0.0.1:1"),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode != 0
    (line,) = (line for line in done.stderr.splitlines() if line.strip())
    assert "the job queues cannot use a cluster; at BOTEQUIM_JOBS_URL" in line


def test_there_is_nothing_to_accept_without_a_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("REDIS_URL", raising=False)
    assert run(["ops", "accept-empty", "--data", str(tmp_path)]) == 2
    assert f"no database is running in {tmp_path}" in capsys.readouterr().err
