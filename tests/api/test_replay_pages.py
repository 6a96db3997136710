"""Replay pages of the service: prepared once by a job, shown sheet by sheet, and cheap whoever asks."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from api.pages import replays as replay_pages
from arena.ops.jobs import Job, JobName
from arena.ops.service import Service
from arena.records.record import Record, dumps
from arena.store.connection import SingleRedis
from tests.api.contract import ContractClient
from tests.replays.games import long_record, played

GAME = "4f00000000000000aa"


@pytest.fixture
def jobs(app: Flask, monkeypatch: pytest.MonkeyPatch) -> list[Job]:
    """The jobs that pages request, which nobody runs; pages do not wait for them."""
    requested: list[Job] = []
    monkeypatch.setattr(app.extensions["botequim"].jobs, "request", requested.append)
    monkeypatch.setattr(replay_pages, "WAIT_SECONDS", 0.0)
    return requested


@pytest.fixture
def finished(services: Service, monkeypatch: pytest.MonkeyPatch) -> Callable[[Record], str]:
    """Makes a record that of a public game of the service."""

    def make(record: Record) -> str:
        canonical = record["canonical"]
        canonical["game"] = GAME
        line = dumps(record).encode()
        reads: list[str] = []

        def read(game: str, viewer: object) -> bytes:
            reads.append(game)
            return line

        monkeypatch.setattr(services.tournaments, "record", read)
        monkeypatch.setattr(services.tournaments, "check_record", lambda game, viewer: None)
        monkeypatch.setattr(make, "reads", reads, raising=False)
        return f"/games/{GAME}"

    return make


@pytest.fixture
def traffic(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The bytes of all replies of the database."""
    sizes: list[int] = []
    run = SingleRedis.run

    def counted(self: SingleRedis, commands: Any) -> list[Any]:
        replies = run(self, commands)
        sizes.append(len(repr(replies)))
        return replies

    monkeypatch.setattr(SingleRedis, "run", counted)
    return sizes


def prepare(services: Service, jobs: list[Job]) -> None:
    """As a worker does."""
    services.run(next(job for job in jobs if job.name == JobName.PREPARE_REPLAY))


def test_a_page_shows_the_result_until_a_job_has_prepared_it_once(
    services: Service, anybody: ContractClient, jobs: list[Job], finished: Callable[[Record], str]
) -> None:
    path = finished(played("toepen", {"seats": 2}))
    for _ in range(2):
        page = anybody.get(path).text
        assert re.search(r'class="facts">Toepen · \d+ hands? · won by (ana|bia)', page)
        assert "The moves are being prepared" in page
        assert '<noscript><meta http-equiv="refresh"' in page
        assert "replay-page.js" not in page
    assert {job.name for job in jobs} == {JobName.PREPARE_REPLAY}
    assert len(set(jobs)) == 1, "every request asks again, for the same job"
    prepare(services, jobs)
    jobs.clear()
    page = anybody.get(path).text
    assert "replay-page.js" in page
    assert 'id="move-1"' in page
    assert "refresh" not in page
    assert 'id="sheets"' not in page
    assert jobs == []
    services.prepare_replay(GAME, "")
    assert anybody.get(path).text.count('id="move-1"') == 1


@pytest.mark.costly(10, "prepares 10,000 moves")
def test_no_request_touches_the_whole_of_the_longest_game(
    services: Service,
    anybody: ContractClient,
    jobs: list[Job],
    finished: Callable[[Record], str],
    traffic: list[int],
) -> None:
    record = long_record(10_000)
    assert len(record["canonical"]["actions"]) >= 10_000
    path = finished(record)
    assert "The moves are being prepared" in anybody.get(path).text
    reads = finished.reads  # type: ignore[attr-defined]
    reads.clear()
    assert "The moves are being prepared" in anybody.get(path).text
    # The result is in the cache, so that a page that waits reads no record.
    assert reads == []
    prepare(services, jobs)
    sizes = []
    for query in ("", "?hand=7", "?hand=999999", "?hand=x", "?move=5000"):
        traffic.clear()
        page = anybody.get(path + query).text
        sizes.append((len(page), sum(traffic), len(traffic)))
        assert 'id="sheets"' in page
        assert page.count("<details open>") == 1
    assert reads == []
    assert max(size for size, *_ in sizes) < 200_000
    assert max(read for _, read, _ in sizes) < 50_000
    assert max(count for *_, count in sizes) <= 10
    assert services.store.prepared.bytes() < 2 << 20
    page = anybody.get(f"{path}?move=5000").text
    assert 'id="move-5000"' in page
    (on,) = re.findall(r'rel="next" href="(\?hand=\d+)"', page)
    following = anybody.get(path + on).text
    assert f"<b>Hand {on.partition('=')[2]}</b>" in following
    (back,) = re.findall(r'rel="prev" href="(\?hand=\d+)"', following)
    assert anybody.get(path + back).text == page.replace("?move=5000", back)


def test_the_address_of_a_visitor_pays_and_can_run_out(
    services: Service, anybody: ContractClient, jobs: list[Job], finished: Callable[[Record], str]
) -> None:
    path = finished(played("toepen", {"seats": 2}))
    anybody.get(path)
    address = services.payers.of_address("127.0.0.1")
    (job,) = set(jobs)
    assert job.args == (GAME, address)
    prepare(services, jobs)
    assert anybody.get(path).text.count('id="move-1"') == 1
    services.budgets.charge(address, 10.0 * services.settings.guest_ms)
    # What is prepared is shown to everybody.
    assert anybody.get(path).status_code == 200
    services.store.prepared.put(f"replay:{GAME}", {"frame": b""})
    refused = anybody.get(path)
    assert refused.status_code == 429
    assert "won by" in refused.text
    assert "processor time per day" in refused.text
    assert "refresh" not in refused.text


def test_hidden_names_are_in_no_prepared_page(
    services: Service, anybody: ContractClient, jobs: list[Job], finished: Callable[[Record], str]
) -> None:
    path = finished(played("toepen", {"seats": 2}))
    anybody.get(path)
    prepare(services, jobs)
    assert "ana" in anybody.get(path).text
    shown = services.moderation.delete_name("bot", "ana")
    jobs.clear()
    page = anybody.get(path).text
    assert "The moves are being prepared" in page
    assert shown in page
    prepare(services, jobs)
    page = anybody.get(path).text
    assert 'id="move-1"' in page
    assert shown in page
    assert not re.search(r"\bana\b", page)


@pytest.mark.parametrize("late", [False, True])
def test_a_job_that_is_overtaken_by_a_new_name_leaves_the_page_to_the_next_one(
    services: Service,
    anybody: ContractClient,
    jobs: list[Job],
    finished: Callable[[Record], str],
    monkeypatch: pytest.MonkeyPatch,
    late: bool,
) -> None:
    path = finished(played("toepen", {"seats": 2}))
    anybody.get(path)
    put_sheets = services.replays._put_sheets
    names: list[str] = []

    def hide() -> None:
        names.append(services.moderation.delete_name("bot", "ana"))
        assert "The moves are being prepared" in anybody.get(path).text
        if not late:
            # The job of the new request leaves the page to the worker that prepares it.
            services.prepare_replay(GAME, "")
        assert services.store.prepared.parts(f"replay:{GAME}", ("index",)) == [None]

    def overtaken(*arguments: Any) -> Any:
        monkeypatch.setattr(services.replays, "_put_sheets", put_sheets)
        if not late:
            hide()
        hands = put_sheets(*arguments)
        if late:
            hide()
        jobs.clear()
        return hands

    monkeypatch.setattr(services.replays, "_put_sheets", overtaken)
    prepare(services, jobs)
    assert services.store.prepared.parts(f"replay:{GAME}", ("index", "luck", "hand:1", "busy")) == [None] * 4
    assert {job.name for job in jobs} == {JobName.PREPARE_REPLAY}, "it requests the job again"
    prepare(services, jobs)
    page = anybody.get(path).text
    assert 'id="move-1"' in page
    assert names[0] in page
    assert not re.search(r"\bana\b", page)


def test_the_oldest_pages_make_room(services: Service) -> None:
    pages = services.store.prepared
    most, pages.most_bytes = pages.most_bytes, 10_000
    try:
        for number in range(8):
            pages.put(f"page-{number}", {"one": b"x" * 1000, "two": b"y" * 1000})
            # The order is that of milliseconds.
            time.sleep(0.002)
        kept = [number for number in range(8) if pages.parts(f"page-{number}", ("one",)) != [None]]
        assert kept == [4, 5, 6, 7]
        assert pages.bytes() == 4 * 2 * 1100
        pages.put("page-5", {"one": b"z", "two": b""})
        assert pages.parts("page-5", ("one", "two")) == [b"z", None]
        assert pages.bytes() == 3 * 2 * 1100 + 101
    finally:
        pages.most_bytes = most
