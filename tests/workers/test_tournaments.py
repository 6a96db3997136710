"""Tournaments played by real workers on a real database."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from arena.ops.service import open_service
from arena.ops.settings import Settings
from arena.ratings.board import board
from arena.ratings.results import collect
from arena.records.verify import verify
from arena.store.embedded import EmbeddedStore
from queues.rq_jobs import RqJobs
from tests.live.clock import close_entry
from tests.live.playing import Choose, bot_loop, random_player
from tests.service import Process
from tests.waiting import wait_until

WORKER = [sys.executable, "-m", "workers"]
SCHEDULER = [*WORKER, "--scheduler"]
RULES: dict[str, dict[str, Any]] = {"truco": {}, "toepen": {"seats": 2}}


@pytest.fixture
def arena(store: EmbeddedStore) -> Iterator[Arena]:
    opened = Arena(store.url)
    yield opened
    opened.live.close()


@pytest.fixture
def service(arena: Arena, store: EmbeddedStore, tmp_path: Path) -> Iterator[None]:
    """A worker and two schedulers, which log nothing but the jobs that are done."""
    with ExitStack() as stack:
        started = [
            stack.enter_context(Process(command, tmp_path, REDIS_URL=store.url))
            for command in (WORKER, SCHEDULER, SCHEDULER)
        ]
        yield
        for process in started:
            assert process.process.poll() is None
    for process in started:
        logged = [json.loads(line) for line in process.lines]
        assert [line for line in logged if line["level"] != "info"] == []


class Arena:
    """The parts, as the API has them."""

    def __init__(self, url: str) -> None:
        service = open_service(Settings(url), RqJobs(url))
        self.live = service.live
        self.accounts = service.accounts
        self.tournaments = service.tournaments
        self.boards = service.boards
        self.schedules = service.schedules

    def wait(self, name: str, state: str = "finished", seconds: float = 400) -> dict[str, Any]:
        """The tournament as soon as it is in that state."""
        deadline = time.monotonic() + seconds
        view = self.tournaments.view(name)
        while view["state"] != state:
            assert time.monotonic() < deadline, view
            assert view["state"] != "cancelled", view
            view = self.tournaments.wait(name, view["version"], 5) or view
        return view

    @contextmanager
    def playing(self, bots: Mapping[str, Choose]) -> Iterator[None]:
        """The bots play, each in a thread."""
        over = threading.Event()
        threads = [
            threading.Thread(target=bot_loop, args=(self.live, name, choose, over.is_set))
            for name, choose in bots.items()
        ]
        sweeper = threading.Thread(target=self.live.sweeper().run, args=(over,))
        for thread in (*threads, sweeper):
            thread.start()
        try:
            yield
        finally:
            over.set()
            for thread in (*threads, sweeper):
                thread.join()


def fields(kind: str, **options: Any) -> dict[str, Any]:
    settings = {"name": "The Test", "kind": kind, "format": "round_robin", "groups": 3}
    return {**settings, "house": ["random", "rookie", "regular"], "rules": RULES[kind], **options}


def statuses(arena: Arena, name: str) -> set[str]:
    return {entry["status"] for entry in arena.tournaments.view(name)["entries"]}


def in_ms(seconds: float) -> int:
    return time.time_ns() // 1_000_000 + int(1000 * seconds)


def records_of(arena: Arena, name: str) -> list[dict[str, Any]]:
    records = [json.loads(line) for line in arena.tournaments.records(name)]
    assert all(verify(record) == [] for record in records)
    return records


@pytest.mark.parametrize("kind", [pytest.param("truco", marks=pytest.mark.nightly("processes")), "toepen"])
@pytest.mark.system
def test_house_bots_play_a_round_robin_unattended(kind: str, arena: Arena, service: None) -> None:
    made = arena.tournaments.create(
        fields(kind, locks_ms=in_ms(3600)), "", tournament_id="cup", seed=bytes(32)
    )
    assert made["state"] == "entry"
    assert made["seed"] is None
    arena.tournaments.leave("cup", "regular")
    arena.tournaments.enter("cup", "regular")
    close_entry(arena.tournaments, "cup")
    seen = arena.wait("cup")
    assert seen["seed"] == "00" * 32
    assert seen["progress"]["done"] == seen["progress"]["planned"] == 9
    table = arena.tournaments.standings("cup").table
    assert [row.groups for row in table.rows] == [6, 6, 6]
    assert table.records_hash == seen["records_hash"]
    records = records_of(arena, "cup")
    assert len(records) == 18 == seen["progress"]["games"]
    groups = arena.tournaments.groups("cup").items
    assert {group["state"] for group in groups} == {"done"}
    games = [game for group in groups for game in group["games"]]
    assert sorted(games) == sorted(record["canonical"]["game"] for record in records)
    # A group shows what its records say.
    assert collect(records)[0].id == "cup-r1-p1-g1"
    for group, result in zip(sorted(groups, key=lambda group: group["id"]), collect(records), strict=True):
        assert {player.name: result.score(player) for player in result.players} == group["score"]
    # The board that is published is the one that anybody makes of the download.
    wait_until(lambda: (arena.boards.read(kind, "sealed") or {"groups": 0})["groups"] == 9)
    downloaded = [json.loads(line) for _, line in arena.live.iter_records(kind=kind)]
    assert len(downloaded) == 18
    published = arena.boards.read(kind, "sealed")
    assert published is not None
    del published["published_ms"]
    assert json.loads(json.dumps(board(collect(downloaded), kind, "sealed").as_json())) == published
    points = arena.boards.history(kind, "sealed", bot="random").items
    assert [point["name"] for point in points] == ["random"] * len(points)
    assert points


@pytest.mark.nightly("processes")
@pytest.mark.parametrize("kind", ["truco", "toepen"])
def test_bots_qualify_and_play_live_against_each_other_and_the_house(
    kind: str, arena: Arena, service: None
) -> None:
    for owner in ("ann", "bob"):
        arena.accounts.sign_up(owner)
        for number in (1, 2):
            arena.accounts.register_bot(owner, f"{owner}-{number}")
    names = ("ann-1", "ann-2", "bob-1", "bob-2")
    made = arena.tournaments.create(
        fields(kind, locks_ms=in_ms(3600), groups=1, house=["random", "rookie"], per_owner=2), ""
    )
    with arena.playing({name: random_player(number) for number, name in enumerate(names)}):
        entry = arena.tournaments.enter(made["id"], "ann-1", nonce="mine")
        assert entry["status"] == "qualifying"
        for name in names[1:]:
            arena.tournaments.enter(made["id"], name)
        wait_until(lambda: statuses(arena, made["id"]) == {"qualified"})
        close_entry(arena.tournaments, made["id"])
        seen = arena.wait(made["id"])
    assert {entry["status"] for entry in seen["entries"]} == {"qualified"}
    # Of 15 pairs the two of one owner are left out.
    assert seen["progress"]["done"] == 13
    assert all(row.faults == 0 for row in arena.tournaments.standings(made["id"]).table.rows)
    records = records_of(arena, made["id"])
    assert len(records) == 2 * 13
    assert sum(record["canonical"]["group"]["mirrored"] for record in records) == 2
    assert all(len(arena.live.list(bot=name, state="running").items) == 0 for name in names)
    for division, groups in (("open", 12), ("sealed", 1)):
        wait_until(lambda d=division, n=groups: (arena.boards.read(kind, d) or {"groups": 0})["groups"] == n)  # type: ignore[misc]
    downloaded = [json.loads(line) for _, line in arena.live.iter_records(kind=kind)]
    for division in ("open", "sealed"):
        published = arena.boards.read(kind, division)
        assert published is not None
        del published["published_ms"]
        supplement = arena.boards.supplement(kind, division)
        recomputed = board(collect(downloaded), kind, division, supplement=supplement)
        assert json.loads(json.dumps(recomputed.as_json())) == published
