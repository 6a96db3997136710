"""The watchdog outside a worker, with real processes: workers that hang, crash, are killed or stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis
from rq import Worker as RqWorker

from arena.accounts.suspensions import BotSuspended
from arena.store.embedded import EmbeddedStore
from queues.rq_jobs import ARENA_QUEUE, RqJobs
from tests.live.arenas import Arena
from tests.sandbox import modules
from tests.service import Process, descendants, is_alive
from tests.waiting import wait_until
from workers.watchdog import _is_asleep

pytestmark = pytest.mark.system

WORKER = [sys.executable, "-m", "workers"]
BY_NIGHT = pytest.mark.nightly("processes")
HANGING = [sys.executable, "-m", "tests.workers.hanging"]
LONG = "1000"
"""Seconds within which no watchdog looks closer."""


@pytest.fixture
def arena(store: EmbeddedStore) -> Iterator[Arena]:
    opened = Arena(store.url)
    opened.upload("stuck", modules.PLAYS)
    yield opened
    opened.live.close()


def begun(arena: Arena, bot: str = "stuck") -> str:
    """A qualification whose group is due."""
    name: str = arena.tournaments.qualify("toepen", bot, "1")["tournament"]
    wait_until(lambda: arena.tournaments.step(name).state == "running")
    return name


def is_playing(jobs: RqJobs) -> bool:
    return bool(jobs.queue(ARENA_QUEUE).started_job_registry.get_job_ids())


def child_of(worker: Process) -> int:
    """The process that works, as soon as there is one."""
    wait_until(lambda: descendants(worker.process.pid))
    return descendants(worker.process.pid)[0]


@pytest.mark.parametrize(
    ("how", "silent", "asleep", "what"),
    [
        pytest.param("holding", "5", LONG, "none of its threads ran within ", marks=BY_NIGHT),
        pytest.param("sleeping", LONG, "2", "a call did not return within ", marks=BY_NIGHT),
        ("burning", LONG, LONG, "a call did not return within "),
        pytest.param("crashing", LONG, LONG, "was killed by signal 11 (", marks=BY_NIGHT),
    ],
)
def test_a_group_that_ends_two_workers_is_stopped_and_the_bot_is_suspended(
    how: str, silent: str, asleep: str, what: str, arena: Arena, store: EmbeddedStore, tmp_path: Path
) -> None:
    jobs = RqJobs(store.url)
    name = begun(arena)

    def voids() -> list[str]:
        # What the tick does.
        jobs.play_more_groups(name, 0, "olga")
        return [void["reason"] for void in arena.tournaments.view(name)["voids"]]

    with Process([*HANGING, how, silent, asleep], tmp_path, REDIS_URL=store.url) as worker:
        wait_until(lambda: len(voids()) == 2, pause=0.5)
        at = f" while it played group r1-p1-g1 of tournament {name}, in a call to bot 'stuck'"
        worker.wait_for(at, times=2)
        ends = [line for line in worker.lines if line.endswith(at)]
    assert len(ends) == 2, worker.said
    assert all(what in line for line in ends), worker.said
    assert voids() == ["a worker hung or crashed"] * 2
    assert arena.run(name)["state"] == "finished"
    (group,) = arena.tournaments.groups(name).items
    assert (group["state"], group["score"]) == ("void", None)
    assert list(arena.tournaments.records(name)) == []
    told = arena.tournaments.qualifications("stuck", "1")[0]
    assert (told["state"], "server fault" in told["reason"]) == ("failed", True)
    suspended = arena.accounts.bot("stuck").suspended
    assert suspended is not None
    assert suspended.reason == "2 workers hung or crashed during calls of this bot"
    assert (suspended.tournament, suspended.group) == (name, "r1-p1-g1")
    if how == "burning":
        # The owner pays for what the two workers used until they were killed.
        assert arena.service.budgets.of_owner("olga")["fuel_ms"]["used"] > 2 * 6_000
    with pytest.raises(BotSuspended):
        arena.tournaments.qualify("toepen", "stuck", "1")


@pytest.mark.nightly("processes")
def test_a_worker_that_computes_and_holds_the_lock_of_python_is_ended(
    arena: Arena, store: EmbeddedStore, tmp_path: Path
) -> None:
    jobs = RqJobs(store.url)
    with Process([*HANGING, "computing", "3", LONG], tmp_path, REDIS_URL=store.url) as worker:
        jobs.play_more_groups(begun(arena), 0, "olga")
        worker.wait_for("outside any call to a bot")
    assert "none of its threads ran within " in worker.said


@pytest.mark.parametrize("how", ["sleeping", "stopped", "burning"])
def test_only_what_sleeps_is_asleep(how: str) -> None:
    command = "while True: pass" if how == "burning" else "import time; print(flush=True); time.sleep(1000)"
    with subprocess.Popen([sys.executable, "-c", command], stdout=subprocess.PIPE) as process:
        try:
            if how == "stopped":
                process.send_signal(signal.SIGSTOP)
                # On a busy machine, the signal arrives later.
                os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
            else:
                wait_until(lambda: _is_asleep(process.pid) == (how == "sleeping"))
            if how != "sleeping":
                assert not any(_is_asleep(process.pid) for _ in range(100))
        finally:
            process.kill()


def test_a_killed_worker_is_started_again_and_nobody_is_blamed(
    arena: Arena, store: EmbeddedStore, tmp_path: Path
) -> None:
    jobs = RqJobs(store.url)
    name = begun(arena)
    with Process([*HANGING, "sleeping", LONG, LONG], tmp_path, REDIS_URL=store.url) as worker:
        jobs.play_more_groups(name, 0, "olga")
        wait_until(lambda: is_playing(jobs))
        first = child_of(worker)
        os.kill(first, signal.SIGKILL)
        worker.wait_for(f"worker process {first} was killed by signal 9 (")
        wait_until(lambda: descendants(worker.process.pid) not in ([], [first]))
        assert worker.stop(signal.SIGTERM) == 0
    assert arena.tournaments.view(name)["voids"] == []
    assert len(worker.lines) == 1


@pytest.mark.nightly("processes")
@pytest.mark.parametrize("how", ["holding", "sleeping"])
def test_a_worker_ends_with_its_parent(how: str, arena: Arena, store: EmbeddedStore, tmp_path: Path) -> None:
    jobs = RqJobs(store.url)
    with Process([*HANGING, how, LONG, LONG], tmp_path, REDIS_URL=store.url) as worker:
        jobs.play_more_groups(begun(arena), 0, "olga")
        wait_until(lambda: is_playing(jobs))
        child = child_of(worker)
        worker.process.kill()
        wait_until(lambda: not is_alive(child))


@pytest.mark.nightly("processes")
def test_the_first_signal_waits_for_the_job_and_the_second_does_not(
    arena: Arena, store: EmbeddedStore, tmp_path: Path
) -> None:
    jobs = RqJobs(store.url)
    with Process([*HANGING, "sleeping", LONG, LONG], tmp_path, REDIS_URL=store.url) as worker:
        jobs.play_more_groups(begun(arena), 0, "olga")
        wait_until(lambda: is_playing(jobs))
        child = child_of(worker)
        worker.process.send_signal(signal.SIGINT)
        # RQ takes a signal within a second after the first for the same.
        with Redis.from_url(store.url) as database:
            wait_until(
                lambda: any(
                    database.hexists(key, "shutdown_requested_date")
                    for key in RqWorker.all_keys(connection=database)
                )
            )
        time.sleep(2)
        assert is_alive(child)
        assert worker.lines == []
        assert worker.stop(signal.SIGTERM) == 0
        assert not is_alive(child)


def test_a_worker_that_does_not_stop_is_ended(store: EmbeddedStore, tmp_path: Path) -> None:
    with Process([*HANGING, "deaf", LONG, LONG], tmp_path, REDIS_URL=store.url) as worker:
        child = child_of(worker)
        with Redis.from_url(store.url) as database:
            # It handles signals before it waits for jobs.
            wait_until(
                lambda: (
                    b"idle" in [database.hget(key, "state") for key in RqWorker.all_keys(connection=database)]
                )
            )
        assert worker.stop(signal.SIGTERM) == 1
        assert not is_alive(child)
    assert f"worker process {child} was killed: it did not stop within" in worker.said


def test_a_parent_starts_with_little(tmp_path: Path) -> None:
    """What the worker needs is imported by the worker only."""
    needed = ("redis", "rq", "wasmtime", "orjson", "arena.store")
    program = (
        "import sys; import workers.__main__, workers.watchdog; "
        f"print([name for name in {needed} if name in sys.modules])"
    )
    with Process([sys.executable, "-c", program], tmp_path) as parent:
        assert parent.process.wait(120) == 0
        parent.wait_for("[]")
