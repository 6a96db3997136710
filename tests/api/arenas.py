"""Tournaments for the tests: announced to begin at once, and played as the workers do."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flask import Flask

from arena.ops.service import Service
from arena.sandbox.runtime import sandbox_engine
from tests.api.contract import ContractClient
from tests.live.clock import close_entry
from tests.waiting import PATIENCE


@contextmanager
def checking(app: Flask) -> Iterator[None]:
    """Check uploads as a worker does, in a thread of this process."""
    sandbox_engine()
    uploads = app.extensions["botequim"].uploads
    stop = threading.Event()

    def check() -> None:
        while not stop.wait(0.02):
            for bot, upload in uploads.due():
                uploads.check(bot, upload)

    thread = threading.Thread(target=check)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def announce(client: ContractClient, body: dict[str, Any]) -> str:
    """Announce a tournament, by default with an entry that is open until the test ends it; its id."""
    response = client.post("/v1/tournaments", json={"locks_ms": now_ms() + 3_600_000, **body})
    assert response.status_code == 201, response.text
    event: str = response.json["id"]
    return event


def lock(services: Service, event: str) -> None:
    """End the entry."""
    if services.tournaments.view(event)["state"] == "entry":
        close_entry(services.tournaments, event)


def play(services: Service, event: str, seconds: float = PATIENCE) -> None:
    """Until the tournament is over."""
    lock(services, event)
    deadline = time.monotonic() + seconds
    while (state := services.tournaments.step(event).state) not in ("finished", "cancelled"):
        assert time.monotonic() < deadline, state
        if not services.tournaments.play_local_groups(event).groups:
            time.sleep(0.02)
