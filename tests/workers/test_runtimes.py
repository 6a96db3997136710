"""All workers of a service run uploaded bots in one runtime, whatever is in the caches of their hosts."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import redis

from arena.accounts.uploads import python_upload
from arena.ops.jobs import JobName
from arena.sandbox.building import python_component
from arena.store.embedded import EmbeddedStore
from arena.store.runtimes import PublishedRuntime
from queues.rq_jobs import ARENA_QUEUE, HOUSE_QUEUE, RqJobs
from tests.live.arenas import Arena
from tests.service import Process, botequim, environment
from tests.waiting import wait_until

pytestmark = pytest.mark.system

WORKER = [sys.executable, "-m", "workers"]
BOT = "def choose(turn):\n    return turn['legal_actions'][0]\n"
OTHER = PublishedRuntime("f" * 64, "e" * 64, 5, "python-other-wasmtime-50", 1)


@pytest.fixture(scope="module")
def component() -> Path:
    """The build of this installation, so that nobody waits for it."""
    return python_component()


def prepare(store: EmbeddedStore, **settings: str) -> dict[str, Any]:
    """What ``--sandbox`` says last."""
    done = subprocess.run(
        [*WORKER, "--sandbox"],
        env=environment(REDIS_URL=store.url, **settings),
        capture_output=True,
        text=True,
        timeout=400,
    )
    return dict(json.loads(done.stderr.splitlines()[-1]))


def refused(store: EmbeddedStore, **settings: str) -> str:
    """What a worker says that ends before it takes a job."""
    jobs = RqJobs(store.url)
    jobs.move_house_bots("game", "")
    done = subprocess.run(
        WORKER, env=environment(REDIS_URL=store.url, **settings), capture_output=True, text=True, timeout=400
    )
    assert done.returncode == 1
    (job_id,) = jobs.queue(HOUSE_QUEUE).job_ids
    assert job_id.startswith("move_house_bots-")
    (line,) = map(json.loads, done.stderr.splitlines())
    assert (line["level"], line["code"]) == ("critical", "other_runtime")
    return str(line["message"])


@pytest.mark.nightly("processes")
def test_two_hosts_run_the_same_runtime_and_nobody_a_changed_one(
    component: Path, store: EmbeddedStore, arena: Arena, tmp_path: Path
) -> None:
    first = prepare(store)
    published = arena.store.runtimes.current()
    assert published is not None
    assert first["message"] == f"the sandbox runtime is ready: {published.runtime_id}"
    assert published.sha256 == hashlib.sha256(component.read_bytes()).hexdigest()
    # Another host, which has built one of its own.
    other = tmp_path / "cache" / "botequim"
    other.mkdir(parents=True, mode=0o700)
    shutil.copy(component, other / component.name)
    with (other / component.name).open("ab") as file:
        file.write(b"\0\4\3abc")
    cache = {"XDG_CACHE_HOME": str(other.parent)}
    second = prepare(store, **cache)
    assert second["message"] == first["message"]
    (fetched,) = other.glob(f"{component.stem}-{published.sha256[:16]}.wasm")
    assert fetched.read_bytes() == component.read_bytes()
    # It checks uploads in it and plays, and the records say in what.
    _, _, upload = arena.uploads.register("olga", "mine", "1", python_upload(BOT))
    with Process(WORKER, tmp_path, REDIS_URL=store.url, **cache):
        RqJobs(store.url).check_upload("mine", upload.id, "olga")
        wait_until(lambda: arena.uploads.find("mine", upload.id).state == "added")
        assert list(other.glob("uploads/*.code"))
        name = arena.tournaments.qualify("toepen", "mine", "1")["tournament"]
        arena.tournaments.step(name)
        RqJobs(store.url).play_more_groups(name, 0, "olga")
        wait_until(lambda: arena.tournaments.qualifications("mine", "1")[0]["state"] == "qualified")
    records = [json.loads(line) for line in arena.tournaments.records(name)]
    assert {record["info"]["sandbox"] for record in records} == {published.runtime_id}
    # Somebody changes the file on the host.
    data = bytearray(fetched.read_bytes())
    data[len(data) // 2] ^= 1
    fetched.write_bytes(data)
    assert f"{fetched} was changed: it does not have the SHA-256 {published.sha256}" in refused(
        store, **cache
    )
    # Or in the database.
    database = redis.Redis.from_url(store.url)
    chunk = database.hget(f"{{arena}}:runtime:{published.sha256}", "3")
    assert chunk is not None
    database.hset(f"{{arena}}:runtime:{published.sha256}", "3", chunk[::-1])
    fetched.unlink()
    said = refused(store, **cache)
    assert f"the stored file of {published.runtime_id} does not have the SHA-256" in said
    assert "botequim ops runtime --replace" in said
    # Who has it goes on, and the command mends the database.
    assert prepare(store)["message"] == first["message"]
    mended = subprocess.run(
        botequim("ops", "runtime", "--replace"),
        env=environment(REDIS_URL=store.url),
        capture_output=True,
        text=True,
        timeout=400,
    )
    assert f"sha256:    {published.sha256}" in mended.stdout, mended.stderr
    assert arena.store.runtimes.file(published) == component.read_bytes()
    assert database.ttl(f"{{arena}}:runtime:{published.sha256}") == -1
    assert len(database.keys("{arena}:runtime*")) == 2


@pytest.mark.nightly("processes")
def test_a_worker_of_another_release_refuses_unless_all_are_of_this_one(
    component: Path, store: EmbeddedStore, arena: Arena, tmp_path: Path
) -> None:
    assert arena.store.runtimes.publish(OTHER, b"other", None)
    said = refused(store)
    assert "the service runs uploaded bots in python-other-wasmtime-50, which is from another release" in said
    assert "'botequim ops runtime --replace'" in said
    with Process(WORKER, tmp_path, REDIS_URL=store.url, BOTEQUIM_OWN_RUNTIME="1") as worker:
        worker.wait_for("this installation's runtime will replace it")
        wait_until(lambda: arena.store.runtimes.current() is None)


@pytest.mark.nightly("processes")
def test_a_runtime_that_this_host_runs_in_another_engine_is_refused(
    component: Path, store: EmbeddedStore, arena: Arena
) -> None:
    prepare(store)
    published = arena.store.runtimes.current()
    assert published is not None
    plain = published._replace(runtime_id="python-0123456789abcdef-wasmtime-50-plain")
    assert arena.store.runtimes.publish(plain, component.read_bytes(), published)
    assert f"in {plain.runtime_id}, but this host has {published.runtime_id}" in refused(store)


@pytest.mark.nightly("processes")
def test_a_runtime_is_replaced_in_one_step_and_workers_end_after_their_groups(
    component: Path, store: EmbeddedStore, arena: Arena, tmp_path: Path
) -> None:
    prepare(store)
    published = arena.store.runtimes.current()
    assert not arena.store.runtimes.publish(OTHER, b"other", None)
    assert not arena.store.runtimes.publish(OTHER, b"other", OTHER)
    assert arena.store.runtimes.current() == published
    for bot in ("mine", "late"):
        arena.upload(bot, BOT)
    jobs = RqJobs(store.url)
    with Process(WORKER, tmp_path, REDIS_URL=store.url) as worker:

        def qualifying(bot: str) -> str:
            name = str(arena.tournaments.qualify("toepen", bot, "1")["tournament"])
            arena.tournaments.step(name)
            jobs.play_more_groups(name, 0, "olga")
            return name

        qualifying("mine")
        wait_until(lambda: arena.tournaments.qualifications("mine", "1")[0]["state"] == "qualified")
        assert arena.store.runtimes.publish(OTHER, b"other", published)
        name = qualifying("late")
        assert worker.process.wait(120) == 0
    said = "the service's runtime is now python-other-wasmtime-50"
    (line,) = [line for line in map(json.loads, worker.lines) if said in line["message"]]
    assert line["job"].startswith("play_local_groups-")
    # Nothing is void, and another worker is asked.
    assert arena.tournaments.view(name)["voids"] == []
    assert len(jobs.queue(ARENA_QUEUE).job_ids) == 1
    assert jobs.next_job(JobName.PLAY_LOCAL_GROUPS, "olga") == (JobName.PLAY_LOCAL_GROUPS, (name, 0, "olga"))
