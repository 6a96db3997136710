"""A real database and the real app for the tests of the API."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import pytest
from flask import Flask

from api.app import create_app
from api.openapi.capture import checking
from arena.client import Client
from arena.client.http import _Reply
from arena.ops.jobs import Job, JobName
from arena.ops.service import Service
from arena.ops.settings import DEFAULT_LIMITS, HttpSettings, Settings
from arena.store.embedded import EmbeddedStore
from queues.rq_jobs import BackgroundJobs, RqJobs
from tests.api.contract import ContractClient, contract_client
from tests.api.pages import Browser
from tests.api.server import ADMIN_TOKEN
from tests.waiting import PATIENCE


@pytest.fixture(scope="session")
def settings(store: EmbeddedStore) -> Settings:
    """The settings of the tests' app: no limits, and patience with uploads on a busy machine."""
    http = HttpSettings(limits=dict.fromkeys(DEFAULT_LIMITS), upload_wait=PATIENCE)
    return Settings(store.url, admin_token=ADMIN_TOKEN, http=http)


class PromptJobs(BackgroundJobs):
    """Jobs that no worker runs; but the records of games and their pages are there at once, as if one was
    idle.
    """

    service: Service

    def request(self, job: Job) -> None:
        """Forward ``job`` soon, or run it."""
        if job.name in (
            JobName.FINISH_GAME,
            JobName.PREPARE_REPLAY,
            JobName.DRAW_PREVIEW,
            JobName.WRITE_EXPORT,
        ):
            self.service.run(job)
        else:
            super().request(job)


@pytest.fixture(scope="session")
def one_app(settings: Settings) -> Flask:
    """The app of the session."""
    jobs = PromptJobs(RqJobs(settings.queue_url))
    app = create_app(settings, jobs)
    jobs.service = app.extensions["botequim"]
    return app


@pytest.fixture
def app(one_app: Flask, clean_store: EmbeddedStore) -> Flask:
    """The app on an empty database."""
    one_app.extensions["botequim-front"].clear()
    services = one_app.extensions["botequim"]
    services.moderation.forget()
    services.store.presence.forget()
    return one_app


@pytest.fixture
def services(app: Flask) -> Service:
    """What the app calls."""
    return cast(Service, app.extensions["botequim"])


@pytest.fixture
def checker(app: Flask) -> Iterator[None]:
    """Somebody checks uploads while the test runs."""
    with checking(app):
        yield


@pytest.fixture
def anybody(app: Flask) -> ContractClient:
    """A client without a token."""
    return contract_client(app)


@pytest.fixture
def admin(app: Flask) -> ContractClient:
    """A client with the admin token."""
    return contract_client(app, ADMIN_TOKEN)


@dataclass
class Account:
    """A name, its token, and a client that sends it."""

    name: str
    token: str
    client: ContractClient


@pytest.fixture
def sign_up(app: Flask) -> Callable[..., Account]:
    """Makes owners."""
    numbers = itertools.count(1)

    def make(name: str | None = None) -> Account:
        name = name or f"owner-{next(numbers)}"
        response = contract_client(app).post("/v1/owners", json={"name": name})
        assert response.status_code == 201, response.text
        token = response.json["token"]
        return Account(name, token, contract_client(app, token))

    return make


@pytest.fixture
def owner(sign_up: Callable[..., Account]) -> Account:
    """An owner."""
    return sign_up("ana")


@pytest.fixture
def browser(app: Flask, owner: Account) -> Browser:
    """The browser of ``owner``, who has signed in."""
    browser = Browser(app)
    browser.sign_in(owner.token)
    return browser


@pytest.fixture
def register(app: Flask, owner: Account) -> Callable[..., Account]:
    """Makes bots, of ``owner`` unless told otherwise."""

    def make(name: str, of: Account = owner, **more: str) -> Account:
        response = of.client.post("/v1/bots", json={"name": name, **more})
        assert response.status_code == 201, response.text
        token = response.json["token"]
        return Account(name, token, contract_client(app, token))

    return make


@pytest.fixture
def online(anybody: ContractClient, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Commands reach this service; the options that they need."""

    def once(
        self: Client,
        method: str,
        target: str,
        data: bytes | None,
        headers: Mapping[str, str],
        repeatable: bool,
    ) -> _Reply:
        reply = anybody.open(target, method=method, headers=dict(headers), data=data)
        return _Reply(reply.status_code, cast(Any, reply.headers), reply.data)

    monkeypatch.setattr("arena.client.http.HttpClient._once", once)
    monkeypatch.setattr("arena.client.games._RECORDS_AT_ONCE", 5)
    return ["--url", "http://arena"]
