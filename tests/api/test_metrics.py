"""What a scrape of /metrics says of a real service, and that it costs little whatever that holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import cast

import pytest
import redis

from api.app import create_app
from arena.live.header import payer_of_person
from arena.ops.service import Service
from arena.ops.settings import Settings
from arena.ops.status import parse
from arena.store.embedded import EmbeddedStore
from queues.rq_jobs import HOUSE_QUEUE, QUEUES, QUEUES_OF, RqJobs
from tests.api.contract import ContractClient, contract_client
from tests.waiting import wait_until


@pytest.fixture
def own(tmp_path: Path) -> Iterator[EmbeddedStore]:
    with EmbeddedStore(tmp_path / "data") as store:
        yield store


@pytest.fixture
def client(own: EmbeddedStore) -> ContractClient:
    return contract_client(create_app(Settings(own.url)))


def figures(client: ContractClient) -> dict[str, float]:
    """The values by name and labels."""
    text = client.get("/metrics").text
    return {name: float(value) for name, value in re.findall(r"^(botequim_\S+) (\S+)$", text, re.MULTILINE)}


def add_worker(
    database: redis.Redis, number: int, state: str, silent_s: int = 0, queues: tuple[str, ...] = QUEUES
) -> None:
    """What a worker of RQ stores."""
    key = f"rq:worker:w{number}"
    beat = (datetime.now(UTC) - timedelta(seconds=silent_s)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    database.sadd("rq:workers", key)
    fields = {"last_heartbeat": beat, "state": state, "queues": ",".join(queues), "hostname": "x"}
    database.hset(key, mapping=fields)


def test_queues_and_workers(own: EmbeddedStore, client: ContractClient) -> None:
    with redis.Redis.from_url(own.url) as database:
        for number, (state, silent_s) in enumerate([("busy", 0), ("idle", 60), ("busy", 3600)]):
            add_worker(database, number, state, silent_s)
        add_worker(database, 3, "busy", queues=QUEUES_OF["live"])
        # Of one that is about to end, or has just begun.
        database.sadd("rq:workers", "rq:worker:gone")
        jobs = RqJobs(own.url)
        for payer in ("one", "two"):
            jobs.move_house_bots("game", payer)
        enqueued = (datetime.now(UTC) - timedelta(seconds=500)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        database.hset(f"rq:job:{jobs.queue(HOUSE_QUEUE).job_ids[0]}", "enqueued_at", enqueued)
        database.zadd(jobs.queue(HOUSE_QUEUE).failed_job_registry.key, {"broken": 1})
    found = figures(client)
    assert found["botequim_workers"] == 2
    assert found["botequim_workers_busy"] == 1
    assert found[f'botequim_queue_jobs{{queue="{HOUSE_QUEUE}"}}'] == 2
    assert 500 <= found[f'botequim_queue_oldest_seconds{{queue="{HOUSE_QUEUE}"}}'] < 5000
    assert found[f'botequim_queue_failed{{queue="{HOUSE_QUEUE}"}}'] == 1
    others = set(QUEUES) - {HOUSE_QUEUE}
    assert {found[f'botequim_queue_oldest_seconds{{queue="{name}"}}'] for name in others} == {0}


def test_errors_are_counted_by_code(own: EmbeddedStore, client: ContractClient) -> None:
    name = 'botequim_errors_total{code="store_unavailable"}'
    before = figures(client).get(name, 0)
    with redis.Redis.from_url(own.url) as database:
        database.config_set("maxmemory", 1)
        assert client.get("/readyz").status_code == 503
        database.config_set("maxmemory", 0)
    assert figures(client)[name] == before + 1


def test_flushes_that_fail(
    own: EmbeddedStore, client: ContractClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "botequim_database_unflushed_seconds"
    assert figures(client)[name] == 0
    with Path("/dev/null").open() as null, monkeypatch.context() as patch:
        # What the system cannot flush.
        patch.setattr(own._flusher, "_files", lambda: [Path(f"/dev/fd/{null.fileno()}")])
        wait_until(lambda: figures(client)[name] > 0)
    wait_until(lambda: figures(client)[name] == 0)


def test_the_pool_and_the_age_of_boards(own: EmbeddedStore, client: ContractClient) -> None:
    with redis.Redis.from_url(own.url) as database:
        now, _ = database.time()
        at = 1000 * (now - 100)
        database.hset("{board:truco/open}", mapping={"place": 5, "at": at, "cost": 1})
        database.set("{board:truco/open}:last", 6)
        database.hset("{board:truco/sealed}", mapping={"place": 5, "at": at, "cost": 1})
        database.set("{board:truco/sealed}:last", 5)
    found = figures(client)
    assert found["botequim_pool_limit"] == 64
    assert 1 <= found["botequim_pool"] <= 64
    assert found["botequim_pool_waiting"] == 0
    for division, is_late in (("open", True), ("sealed", False)):
        labels = f'{{division="{division}",kind="truco",preset="base@1"}}'
        assert 100 <= found[f"botequim_board_age_seconds{labels}"] < 1000
        assert (found[f"botequim_board_lag_seconds{labels}"] >= 100) == is_late
    assert not any("age_seconds" in name and "toepen" in name for name in found)


def test_who_uses_the_machine(own: EmbeddedStore, client: ContractClient) -> None:
    service = cast(Service, client.application.extensions["botequim"])
    for number in range(12):
        service.accounts.sign_up(f"owner-{number}")
        service.budgets.charge(f"owner-{number}", 1000 * number)
    service.budgets.charge("", 20_000)
    for person in ("one", "two"):
        service.budgets.charge(service.payers.of_person(person, "", "192.0.2.1", "game"), 500)
    service.moderation.hide("owner", "owner-11", "name", by="admin", reason="rude")
    text = client.get("/metrics").text
    found = parse(text)
    seconds = {label[9:-1]: value for label, value in found["botequim_account_seconds"].items()}
    assert len(seconds) == 10
    assert seconds["the arena itself"] == 20
    assert seconds["owner-10"] == 10
    assert "owner-11" not in seconds
    assert found["botequim_accounts_seconds"] == {"": 20 + 66 + 1}
    assert found["botequim_guests"] == {"": 2}
    accounts = service.payers.all_of(payer_of_person("one", "game"))
    assert len(accounts) == 2
    assert not any(account in text for account in accounts)


def test_a_scrape_reads_no_board_and_takes_few_commands(own: EmbeddedStore, client: ContractClient) -> None:
    figures(client)
    with redis.Redis.from_url(own.url) as database:

        def cost() -> tuple[int, int]:
            """Commands and bytes of a scrape."""
            stats = database.info("stats")
            figures(client)
            after = database.info("stats")
            return (
                after["total_commands_processed"] - stats["total_commands_processed"],
                after["total_net_output_bytes"] - stats["total_net_output_bytes"],
            )

        commands, size = cost()
        for number in range(64):
            add_worker(database, number, "idle")
        for board in ("truco/open", "truco/sealed", "toepen/open", "toepen/sealed"):
            database.hset(
                f"{{board:{board}}}", mapping={"board": b"x" * 4_000_000, "place": 1, "at": 1, "cost": 1}
            )
        for number in range(1000):
            database.rpush("rq:queue:house-json", f"job-{number}")
        more, larger = cost()
    # One for each worker, in one round trip.
    assert more <= commands + 64 + 4
    assert larger <= size + 64 * 200
