"""Workers that play modules: one is killed in the middle of a game, and hostile modules run beside a game."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from statistics import median

import pytest

from arena.events.tournament import PlannedGroup
from arena.events.uploaded_bots import SandboxedBots
from arena.records.verify import verify
from arena.sandbox.bot import sandboxed_spec
from arena.sandbox.limits import MOST_PROCESSOR_SECONDS
from arena.sandbox.replaying import replay_bots
from arena.store.embedded import EmbeddedStore
from arena.tournaments.sealed import play_local_group
from queues.rq_jobs import RqJobs
from tests.live.arenas import Arena
from tests.sandbox import hostile, modules
from tests.service import Process, Service
from tests.waiting import PATIENCE, wait_until
from tests.workers.test_watchdog import child_of, is_playing

HANGING = [sys.executable, "-m", "tests.workers.hanging"]
WORKER = [*HANGING, "playing", "1000", "1000"]

COUNT = "(local.set $i (i32.add (local.get $i) (i32.const 1))) (br_if $next (i32.lt_u (local.get $i)"
SLOW = modules.module(
    core=f"(func $think (local $i i32) (loop $next {COUNT} (i32.const 200000000)))))", decide="(call $think)"
)
"""It thinks for 600 ms of fuel or so, and then plays the first action."""


def start_qualification(arena: Arena) -> str:
    """Upload the slow module; its qualification, which is running."""
    arena.upload("slow", SLOW)
    name = str(arena.tournaments.qualify("toepen", "slow", "1")["tournament"])
    wait_until(lambda: arena.tournaments.step(name).state == "running")
    return name


def child_that_plays(worker: Process, jobs: RqJobs, name: str) -> int:
    """The process of the worker, when it has made some decisions in a group, and not all."""
    jobs.play_more_groups(name, 0, "olga")
    wait_until(lambda: is_playing(jobs))
    child = child_of(worker)
    begun = processor_seconds(child)
    wait_until(lambda: processor_seconds(child) > begun + 1.5)
    return child


def play_to_the_end(arena: Arena, jobs: RqJobs, name: str) -> None:
    """Request the groups again and again, until the tournament is over."""

    def is_over() -> bool:
        jobs.play_more_groups(name, 0, "olga")
        return bool(arena.tournaments.step(name).state == "finished")

    wait_until(is_over, pause=0.5)


@pytest.mark.nightly("processes")
def test_a_worker_killed_in_the_middle_of_a_game_changes_nothing(
    store: EmbeddedStore, tmp_path: Path
) -> None:
    arena = Arena(store.url)
    try:
        name = start_qualification(arena)
        jobs = RqJobs(store.url)
        with Process(WORKER, tmp_path, REDIS_URL=store.url) as worker:
            first = child_that_plays(worker, jobs, name)
            assert arena.tournaments.view(name)["state"] == "running"
            os.kill(first, signal.SIGKILL)
            play_to_the_end(arena, jobs, name)
        assert arena.tournaments.view(name)["voids"] == []
        records = [json.loads(record) for record in arena.tournaments.records(name)]
        assert len(records) == 2
        for record in records:
            assert verify(record) == []
            replayed = replay_bots(record, {("slow", "1"): sandboxed_spec("slow", "1", SLOW)})
            assert (replayed.difference, replayed.missing) == ("", [])
            assert replayed.decisions > 5
    finally:
        arena.live.close()


@pytest.mark.nightly("processes")
def test_a_worker_stopped_in_the_middle_of_a_game_changes_nothing(
    store: EmbeddedStore, tmp_path: Path
) -> None:
    """It is stopped for longer than it may be silent, or sleep in a call, or than a group is leased."""
    arena = Arena(store.url)
    try:
        name = start_qualification(arena)
        tournament, _ = arena.tournaments.lifecycle.load(name)
        (row,) = [PlannedGroup.loads(*row) for row in arena.store.tournaments.plan(name)]
        sandbox = SandboxedBots(arena.accounts, arena.service.runtimes)
        sandbox.check()
        alone = play_local_group(tournament.local_group(row, sandbox), arena.now_ms)
        jobs = RqJobs(store.url)
        with Process([*HANGING, "playing", "2", "2"], tmp_path, REDIS_URL=store.url) as worker:
            first = child_that_plays(worker, jobs, name)
            os.kill(first, signal.SIGSTOP)
            time.sleep(6)
            assert arena.tournaments.view(name)["state"] == "running"
            os.kill(first, signal.SIGCONT)
            play_to_the_end(arena, jobs, name)
            assert child_of(worker) == first
        assert arena.tournaments.view(name)["voids"] == []
        hashes = [json.loads(record)["hash"] for record in arena.tournaments.records(name)]
        assert hashes == [json.loads(record)["hash"] for record in alone.records]
        assert arena.accounts.bot("slow").suspended is None
    finally:
        arena.live.close()


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.nightly("processes")
def test_a_game_of_another_owner_does_not_wait_for_ten_hostile_modules(tmp_path: Path) -> None:
    """Two workers play groups of the modules, and a live worker plays the game."""
    kinds = ("memory.grow that fails", "ref.func", "loads from 64 MiB", "table.grow", "fd_write to no file")
    with Service(tmp_path, workers=2) as service:
        olga = service.client(service.client().sign_up("olga"))
        ana = service.client(service.client().sign_up("ana"))

        def play() -> tuple[float, float]:
            """Play a game; return the seconds until its record was there, on the clock and of the processor
            time that the two workers used meanwhile.
            """
            since, used = time.monotonic(), sum(map(processor_seconds, service.pids("worker")))
            game = ana.create_game("truco", [{"house": "rookie"}] * 4)["game"]
            assert ana.record(game, wait=True)["canonical"]["faults"] == []
            used = sum(map(processor_seconds, service.pids("worker"))) - used
            return time.monotonic() - since, used

        play()
        alone = median(play()[0] for _ in range(5))
        for number in range(10):
            wasm = hostile.DECIDING[kinds[number % len(kinds)]][2]()
            olga.create_bot(f"hostile-{number}", wait=PATIENCE, module=wasm)
        beside = [play() for _ in range(20)]
        seconds, used = map(sorted, zip(*beside, strict=True))
        print(f"\nalone {alone:.2f} s; beside {median(seconds):.2f} s, at most {seconds[-1]:.2f} s, in which")
        print(f"the workers used {median(used):.2f} s of processor time, up to {used[-1]:.2f} s")
        # The workers were inside late calls, and no game waited until one of them ended.
        assert used[-1] < MOST_PROCESSOR_SECONDS
