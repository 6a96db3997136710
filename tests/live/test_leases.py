"""The lease of a local group lasts as long as its worker plays it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from functools import partial

import pytest

from arena.events import local_groups, uploaded_bots
from arena.events.local_groups import LEASE_MS, Played
from arena.sandbox.bot import sandboxed_spec
from arena.sandbox.limits import SandboxLimits
from arena.sandbox.progress import CALL, PROGRESS
from tests.live.arenas import Arena
from tests.live.clock import skip
from tests.sandbox import hostile, modules
from tests.waiting import wait_until

SLOW = modules.module(decide=modules.looping(hostile.GROWS))
"""Each decision takes six seconds of processor time, all of it in one call."""

STEPS = 4


@pytest.fixture
def arenas(single_url: str) -> Iterator[list[Arena]]:
    """Two workers on one database."""
    opened = [Arena(single_url), Arena(single_url)]
    yield opened
    for arena in opened:
        arena.live.close()


@pytest.mark.nightly("kills")
def test_the_lease_is_renewed_during_a_long_call(
    arenas: list[Arena], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_groups, "RENEW_SECONDS", 0.05)
    monkeypatch.setattr(local_groups, "BATCH_SECONDS", 1000.0)
    # One long decision per game.
    once = partial(sandboxed_spec, limits=SandboxLimits(game_ms=2_000))
    monkeypatch.setattr(uploaded_bots, "sandboxed_spec", once)
    first, second = arenas
    first.upload("slow", SLOW)
    name = first.tournaments.qualify("toepen", "slow", "1")["tournament"]
    wait_until(lambda: first.tournaments.step(name).state == "running")
    played: list[Played] = []
    worker = threading.Thread(target=lambda: played.append(first.tournaments.play_local_groups(name)))
    worker.start()

    def leased_until_ms() -> float:
        return lease_of(first, name)

    def long_call() -> bool:
        """Whether a call runs that is not the short one of loading."""
        found = PROGRESS.step(CALL)
        time.sleep(0.5)
        return found.seconds > 0 and PROGRESS.step(CALL) == found and leased_until_ms() > first.now_ms()

    wait_until(long_call)
    call = PROGRESS.step(CALL)
    passed_ms = 0
    for _ in range(STEPS):
        lease = leased_until_ms()
        for arena in arenas:
            skip(arena.live, LEASE_MS // 2)
        passed_ms += LEASE_MS // 2
        wait_until(lambda lease=lease: leased_until_ms() >= lease + LEASE_MS // 4)  # type: ignore[misc]
        assert second.tournaments.play_local_groups(name) == Played(0, False, False)
    assert PROGRESS.step(CALL) == call, "this was not one call"
    assert passed_ms > LEASE_MS
    worker.join()
    assert [one.groups for one in played] == [1]
    assert len(list(first.tournaments.records(name))) == 2
    assert second.tournaments.play_local_groups(name).groups == 0


def lease_of(arena: Arena, name: str) -> float:
    """The end of the lease of the only group of a tournament."""
    ((_, until_ms),) = arena.store.tournaments._connection.run(
        [("ZRANGE", f"{{t:{name}}}:due", 0, -1, "WITHSCORES")]
    )
    return float(until_ms)
