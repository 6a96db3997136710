"""What a GET touches does not grow with what the service stores, once its page is full."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from flask import Flask
from flask.testing import FlaskClient

from api.app import create_app
from arena.ops.jobs import InlineJobs
from arena.ops.service import Service
from arena.ops.settings import DEFAULT_LIMITS, HttpSettings, Settings
from arena.store.connection import SingleRedis
from arena.store.embedded import EmbeddedStore
from benchmarks.pages import NOT_MEASURED, PATHS, LargeService, requests
from tests.api.pages import Browser
from tests.api.server import ADMIN_TOKEN
from tests.conftest import register

DAY_MS = 86_400_000
FULL = 110
"""As many of each kind as fill every page."""

WHOLE = ("/metrics", "/v1/owners/me/export", "/v1/records/all?kind=toepen")
"""Downloads of everything, in pieces, and figures, which count what there is."""

OWN = 5


class Hall(NamedTuple):
    app: Flask
    services: Service
    token: str
    world: LargeService


class Touched(NamedTuple):
    """The rows and bytes that the database returned, and the bytes of the answer."""

    rows: int
    read: int
    sent: int


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    with EmbeddedStore(tmp_path_factory.mktemp("bounded")) as store:
        register(store.url)
        http = HttpSettings(limits=dict.fromkeys(DEFAULT_LIMITS), upload_wait=0)
        jobs = InlineJobs()
        app = create_app(Settings(store.url, admin_token=ADMIN_TOKEN, http=http), jobs)
        services: Service = app.extensions["botequim"]
        _, token = services.accounts.sign_up("ana")
        cup = services.tournaments.create(
            {
                "name": "Cup",
                "kind": "truco",
                "preset": "paulista-2@1",
                "format": "round_robin",
                "groups": 1,
                "house": ["rookie", "random"],
                "opens_ms": services.store.clock().now_ms,
                "locks_ms": services.store.clock().now_ms + 1,
            },
            "ana",
        )["id"]
        while services.tournaments.step(cup).state != "finished":
            services.tournaments.play_local_groups(cup, 60)
        game = services.tournaments.groups(cup, limit=1).items[0]["games"][0]
        live = services.live.create("truco", seats=[{"house": "rookie"}] * 4)["game"]
        jobs.run_pending(services)
        fill(services, 0)
        announced = services.tournaments.newest_present(200)[-1]["id"]
        yield Hall(
            app, services, token, LargeService("ana", token, "bot-0", cup, announced, game, game, live)
        )


def fill(services: Service, start: int) -> None:
    """Add as many of each kind as fill every page: a few of ana, all others of other owners."""
    now_ms = services.store.clock().now_ms
    for number in range(start, start + FULL):
        owner = "ana" if number < OWN else f"owner-{number}"
        if number >= OWN:
            services.accounts.sign_up(owner)
        services.accounts.register_bot(owner, f"bot-{number}")
        for hidden in (False, True):
            who: dict[str, Any] = {"hidden": True, "who": "invited"} if hidden else {}
            services.tournaments.create(
                {
                    "name": f"Cup {number}",
                    "description": "d" * 1000,
                    "kind": "toepen",
                    "format": "round_robin",
                    "opens_ms": now_ms + DAY_MS,
                    "locks_ms": now_ms + 2 * DAY_MS + number,
                    **who,
                },
                owner,
            )
        for visibility in ("public", "private"):
            seats = [{"open": True}] * 4
            services.live.create("truco", seats=seats, created_by=owner, visibility=visibility)


@pytest.fixture
def replies(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """All replies of the database."""
    found: list[Any] = []
    run = SingleRedis.run

    def counted(self: SingleRedis, commands: Any) -> list[Any]:
        got = run(self, commands)
        found.extend(got)
        return got

    monkeypatch.setattr(SingleRedis, "run", counted)
    return found


def touched(hall: Hall, clients: dict[str, FlaskClient], replies: list[Any]) -> dict[str, Touched]:
    """What each request touches."""
    found = {}
    for one in requests(hall.world):
        headers = {"Authorization": f"Bearer {hall.token}"} if one.who == "owner" else {}
        replies.clear()
        answer = clients[one.who].get(one.path, headers=headers)
        size = len(answer.get_data())
        assert answer.status_code in (200, 202, 404), (one, answer.get_data()[:300])
        found[f"{one.who} {one.path}".strip()] = Touched(len(replies), len(repr(replies)), size)
    return found


@pytest.mark.costly(20, "every page of the service, twice")
def test_no_request_touches_more_when_more_is_stored(
    hall: Hall, replies: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    # No worker draws an image here, and the table of the front page is read at every request.
    monkeypatch.setattr("api.pages.previews.WAIT_SECONDS", 0)
    for name in ("LIVE_SECONDS", "LATEST_SECONDS"):
        monkeypatch.setattr(f"api.pages.front_table.{name}", 0)
    browser = Browser(hall.app)
    browser.sign_in(hall.token)
    clients = {"": hall.app.test_client(), "owner": hall.app.test_client(), "signed in": browser.client}
    touched(hall, clients, replies)
    before = touched(hall, clients, replies)
    fill(hall.services, FULL)
    after = touched(hall, clients, replies)
    grown = {
        path: (one, after[path])
        for path, one in before.items()
        if not path.endswith(WHOLE)
        if any(more > 1.1 * less + 300 for less, more in zip(one, after[path], strict=True))
    }
    assert grown == {}
    large = {path: one for path, one in after.items() if one.rows > 700 or one.read > 1_000_000}
    assert {path for path in large if not path.endswith(WHOLE)} == set()


def test_every_page_and_download_is_measured(hall: Hall) -> None:
    adapter = hall.app.url_map.bind("localhost")
    measured = {adapter.match(one.path.partition("?")[0])[0] for one in requests(hall.world)}
    pages = {rule.endpoint for rule in hall.app.url_map.iter_rules() if "GET" in (rule.methods or ())}
    assert pages - measured == NOT_MEASURED.keys()
    assert PATHS.keys() == {"", "owner", "signed in"}
