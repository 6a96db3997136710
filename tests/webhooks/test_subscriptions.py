"""Webhooks that follow a tournament: signed, retried, bounded, only for those who see it."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from flask import Flask

from api.app import create_app
from arena.accounts.accounts import Principal
from arena.ops.jobs import InlineJobs
from arena.ops.service import Service
from arena.ops.settings import DEFAULT_LIMITS, HttpSettings, Settings
from arena.store.embedded import EmbeddedStore
from arena.webhook_messages.signing import sign
from arena.webhooks import subscriptions
from arena.webhooks.addresses import Policy
from arena.webhooks.subscriptions import MAX_FAILURES
from tests.api.arenas import announce, play
from tests.api.contract import ContractClient, contract_client
from tests.api.pages import Browser
from tests.api.test_web_pages import BROWSER, check_page
from tests.live.clock import skip
from tests.webhooks.parts import LOOPBACK, SECRET, handler, reply
from tests.webhooks.test_api import sign_up

CUP = {"name": "Cup", "kind": "toepen", "format": "round_robin", "rules": {"seats": 2, "lives": 1},
       "house": ["rookie", "random"]}  # fmt: skip
PAUSE = 10_001


@pytest.fixture
def app(clean_store: EmbeddedStore) -> Iterator[Flask]:
    """An app of this test alone, since its clock is put forward."""
    http = HttpSettings(limits=dict.fromkeys(DEFAULT_LIMITS))
    app = create_app(Settings(clean_store.url, webhooks=LOOPBACK, http=http), InlineJobs())
    yield app
    app.extensions["botequim"].close()


@pytest.fixture
def service(app: Flask) -> Service:
    found: Service = app.extensions["botequim"]
    return found


@pytest.fixture
def owner(app: Flask) -> ContractClient:
    return sign_up(app, "ana")


class Receiver:
    """What was posted to a URL. ``status``: of its replies to everything but pings."""

    def __init__(self) -> None:
        self.status = 200
        self.messages: list[dict[str, Any]] = []
        self.tries = 0
        self.url = ""

    def take(self, to: BaseHTTPRequestHandler, body: bytes) -> None:
        stamp, name = to.headers["webhook-timestamp"], to.headers["webhook-id"]
        assert to.headers["webhook-signature"] == sign(SECRET, name, int(stamp), body)
        message = json.loads(body)
        if message["type"] == "ping":
            reply(to, message["data"])
            return
        self.tries += 1
        if self.status == 200:
            self.messages.append(message)
        reply(to, {}, self.status)

    @property
    def types(self) -> list[str]:
        return [message["type"] for message in self.messages]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    found = Receiver()
    with handler(found.take) as found.url:
        yield found


def deliver(service: Service) -> None:
    """What the tick and the jobs do, after the pause between two looks."""
    skip(service.live, PAUSE)
    for name in service.subscriptions.due():
        service.jobs.deliver_announcements(name)
    jobs = service.jobs
    assert isinstance(jobs, InlineJobs)
    for job in jobs.pending:
        if job.name == "deliver_announcements":
            service.run(job)
            del jobs._pending[job]


def subscribe(client: ContractClient, event: str, receiver: Receiver) -> dict[str, Any]:
    body = {"url": receiver.url, "secret": SECRET}
    made = client.post(f"/v1/tournaments/{event}/subscriptions", json=body)
    assert made.status_code == 201, made.text
    found: dict[str, Any] = made.json
    return found


def test_what_is_announced_is_posted_once(
    service: Service, owner: ContractClient, receiver: Receiver
) -> None:
    event = announce(owner, CUP)
    made = subscribe(owner, event, receiver)
    assert made["secret"] == SECRET
    deliver(service)
    # What was announced before is not news.
    assert receiver.types == []
    owner.patch(f"/v1/tournaments/{event}", json={"name": "Great cup", "groups": 2})
    deliver(service)
    deliver(service)
    (message,) = receiver.messages
    assert message["type"] == "tournament.edited"
    assert message["data"]["text"] == "Edited: name, groups."
    assert (message["data"]["tournament"], message["data"]["name"]) == (event, "Great cup")
    play(service, event)
    deliver(service)
    deliver(service)
    assert receiver.types == ["tournament.edited", "tournament.locked", "tournament.finished"]
    (shown,) = owner.get(f"/v1/tournaments/{event}/subscriptions").json["subscriptions"]
    assert (shown["state"], shown["error"], shown["url"]) == ("ended", None, receiver.url)
    assert SECRET not in str(shown)
    assert service.subscriptions.due() == []


def test_a_post_that_fails_is_repeated_for_a_while(
    service: Service, owner: ContractClient, receiver: Receiver
) -> None:
    event = announce(owner, CUP)
    subscribe(owner, event, receiver)
    receiver.status = 500
    owner.patch(f"/v1/tournaments/{event}", json={"name": "Great cup"})
    deliver(service)
    assert receiver.tries == 1
    deliver(service)
    # The pause has grown.
    assert receiver.tries == 1
    receiver.status = 200
    deliver(service)
    assert receiver.types == ["tournament.edited"]
    receiver.status = 500
    owner.patch(f"/v1/tournaments/{event}", json={"name": "Cup"})
    receiver.tries = 0
    for _ in range(MAX_FAILURES + 3):
        skip(service.live, PAUSE * 2**MAX_FAILURES)
        deliver(service)
    assert receiver.tries == MAX_FAILURES
    (shown,) = owner.get(f"/v1/tournaments/{event}/subscriptions").json["subscriptions"]
    assert (shown["state"], shown["failures"]) == ("failed", MAX_FAILURES)
    assert "500" in shown["error"]


def test_a_slow_receiver_holds_no_worker(
    service: Service, owner: ContractClient, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = announce(owner, CUP)
    made, other = subscribe(owner, event, receiver), subscribe(owner, event, receiver)
    # One post takes all the time of a job.
    monkeypatch.setattr(subscriptions, "_JOB_SECONDS", 0.0)
    for name in ("One", "Two"):
        owner.patch(f"/v1/tournaments/{event}", json={"name": name})
    skip(service.live, PAUSE)
    assert len(service.subscriptions.due()) == 1
    posted: list[int] = []

    def meanwhile(to: BaseHTTPRequestHandler, body: bytes) -> None:
        posted.append(len(body))
        # What other workers were queued meanwhile has nothing to do.
        for one in (made, other):
            service.subscriptions.deliver(one["id"])
        assert service.subscriptions.due() == []
        skip(service.live, 3_000)
        time.sleep(0.01)
        reply(to, {})

    with handler(meanwhile) as url:
        for one in (made, other):
            service.store.subscriptions.change(one["id"], lambda row: {**row, "url": url})
        (first,) = service.subscriptions.due()
        service.subscriptions.deliver(first)
        assert len(posted) == 1
        # The receivers of its owner rest.
        assert service.subscriptions.due() == []
        for number in (2, 3, 4):
            skip(service.live, PAUSE)
            (due,) = service.subscriptions.due()
            service.subscriptions.deliver(due)
            assert len(posted) == number
            skip(service.live, PAUSE)
        for name in (made["id"], other["id"]):
            service.subscriptions.deliver(name)
    # Each announcement once to each of the two.
    assert len(posted) == 4
    one, two = (row["sent"] for row in service.store.subscriptions.all().values())
    assert one == two


def test_what_has_ended_is_deleted_after_a_week(
    service: Service, owner: ContractClient, receiver: Receiver
) -> None:
    event = announce(owner, CUP)
    subscribe(owner, event, receiver)
    play(service, event)
    deliver(service)
    deliver(service)
    assert [row["next_ms"] for row in service.store.subscriptions.all().values()] == [None]
    skip(service.live, 8 * 24 * 3_600_000)
    assert service.subscriptions.due() == []
    assert service.store.subscriptions.all() == {}


def test_only_who_sees_a_tournament_follows_it(
    app: Flask, service: Service, owner: ContractClient, receiver: Receiver
) -> None:
    event = announce(owner, {**CUP, "hidden": True, "who": "invited"})
    where = f"/v1/tournaments/{event}"
    pia = sign_up(app, "pia")
    body = {"url": receiver.url, "secret": SECRET}
    assert pia.post(f"{where}/subscriptions", json=body).json["code"] == "tournament_not_found"
    assert owner.post(f"{where}/invitations", json={"owners": ["pia"]}).status_code == 200
    mine, hers = subscribe(owner, event, receiver), subscribe(pia, event, receiver)
    assert [one["id"] for one in pia.get(f"{where}/subscriptions").json["subscriptions"]] == [hers["id"]]
    other = pia.delete(f"{where}/subscriptions/{mine['id']}")
    assert (other.status_code, other.json["code"]) == (404, "subscription_not_found")
    assert owner.delete(f"{where}/invitations/owners/pia").status_code == 200
    owner.patch(where, json={"name": "Secret cup"})
    deliver(service)
    assert receiver.types == ["tournament.edited"]
    assert owner.delete(f"{where}/subscriptions/{mine['id']}").status_code == 204
    owner.patch(where, json={"name": "Cup"})
    deliver(service)
    assert receiver.types == ["tournament.edited"]
    assert service.store.subscriptions.all() == {}


def test_each_post_needs_the_right_of_that_moment(
    app: Flask, service: Service, owner: ContractClient, receiver: Receiver
) -> None:
    event = announce(owner, {**CUP, "hidden": True, "who": "invited"})
    pia = sign_up(app, "pia")
    service.accounts.set_admin("pia", True)
    subscribe(pia, event, receiver)
    service.accounts.set_admin("pia", False)
    owner.patch(f"/v1/tournaments/{event}", json={"description": "Not for pia"})
    deliver(service)
    assert receiver.messages == []
    assert service.store.subscriptions.all() == {}


def test_nothing_is_posted_for_an_owner_who_may_not_act(
    app: Flask, service: Service, owner: ContractClient, receiver: Receiver
) -> None:
    event = announce(owner, CUP)
    pia = sign_up(app, "pia")
    subscribe(pia, event, receiver)
    service.suspensions.suspend_owner("pia", "rain", "admin", 0)
    owner.patch(f"/v1/tournaments/{event}", json={"description": "One"})
    deliver(service)
    assert receiver.messages == []
    service.suspensions.lift_of_owner("pia")
    deliver(service)
    assert receiver.types == ["tournament.edited"]
    assert pia.delete("/v1/owners/me/token").status_code == 204
    owner.patch(f"/v1/tournaments/{event}", json={"description": "Two"})
    deliver(service)
    assert receiver.types == ["tournament.edited"]


def test_addresses_are_checked_and_the_ping_must_be_answered(
    clean_store: EmbeddedStore, owner: ContractClient, receiver: Receiver
) -> None:
    event = announce(owner, CUP)
    path = f"/v1/tournaments/{event}/subscriptions"
    with handler(lambda to, body: reply(to, {})) as deaf:
        assert owner.post(path, json={"url": deaf}).json["code"] == "webhook_failed"
    assert owner.post(path, json={"url": "ftp://example.org/"}).json["code"] == "invalid_webhook_url"
    bad = owner.post(path, json={"url": receiver.url, "secret": "x"})
    assert bad.json["code"] == "invalid_webhook_secret"
    http = HttpSettings(limits=dict.fromkeys(DEFAULT_LIMITS))
    strict = create_app(Settings(clean_store.url, webhooks=Policy(http=True), http=http), InlineJobs())
    token = owner.environ_base["HTTP_AUTHORIZATION"].removeprefix("Bearer ")
    refused = contract_client(strict, token).post(path, json={"url": receiver.url})
    assert refused.json["code"] == "webhook_address"
    strict.extensions["botequim"].close()


def test_a_ping_lets_one_that_has_failed_go_on(
    app: Flask, service: Service, owner: ContractClient, receiver: Receiver
) -> None:
    event = announce(owner, {**CUP, "locks_ms": service.store.clock().now_ms + 86_400_000})
    name = subscribe(owner, event, receiver)["id"]
    where = f"/v1/tournaments/{event}/subscriptions/{name}/ping"
    assert owner.post(where).json["state"] == "active"
    owner.patch(f"/v1/tournaments/{event}", json={"name": "Great cup"})
    service.store.subscriptions.change(name, lambda row: {**row, "failures": MAX_FAILURES - 1})
    receiver.status = 500
    deliver(service)
    (shown,) = owner.get(f"/v1/tournaments/{event}/subscriptions").json["subscriptions"]
    assert (shown["state"], shown["failures"]) == ("failed", MAX_FAILURES)
    receiver.status = 200
    skip(service.live, PAUSE)
    assert service.subscriptions.due() == []
    pinged = owner.post(where).json
    assert (pinged["state"], pinged["failures"], pinged["error"]) == ("active", 0, None)
    deliver(service)
    assert receiver.types == ["tournament.edited"]
    pia = sign_up(app, "pia")
    assert pia.post(where).json["code"] == "subscription_not_found"
    with handler(lambda to, body: reply(to, {})) as deaf:
        service.store.subscriptions.change(name, lambda row: {**row, "url": deaf})
        assert owner.post(where).json["code"] == "webhook_failed"


# Pages


def test_the_page_of_an_owner(
    app: Flask, service: Service, owner: ContractClient, receiver: Receiver
) -> None:
    event = announce(owner, CUP)
    browser = Browser(app)
    path = f"/tournaments/{event}/subscriptions"
    assert browser.get(path, headers=BROWSER).status_code == 303
    browser.sign_in(owner.environ_base["HTTP_AUTHORIZATION"].removeprefix("Bearer "))
    assert path in browser.get(f"/tournaments/{event}").text
    assert "None of your webhooks" in check_page(browser.get(path, headers=BROWSER)).html

    for values, said in (
        ({"url": "ftp://example.org/"}, "URL: "),
        ({"url": receiver.url, "secret": "x"}, "Signing secret: "),
        ({"url": ""}, "URL: "),
    ):
        refused = browser.send(path, values)
        assert refused.status_code == 422
        assert said in check_page(refused).html
    assert service.store.subscriptions.all() == {}

    made = check_page(browser.send(path, {"url": receiver.url, "secret": SECRET})).html
    assert receiver.url in made
    # The owner has it.
    assert SECRET not in made
    service.tournaments.organising.edit(event, {"name": "Great cup"}, by=Principal("owner", "ana", "ana"))
    receiver.status = 500
    deliver(service)
    shown = check_page(browser.get(path, headers=BROWSER)).html
    assert "the last 1 post failed: " in shown
    assert "status 500" in check_page(browser.get("/account", headers=BROWSER)).html

    (name,) = service.store.subscriptions.all()
    pinged = browser.send(f"/tournaments/{event}/ping", {"subscription": name}, page=path)
    assert "has answered a ping" in check_page(pinged).html
    gone = browser.send(f"/tournaments/{event}/unsubscribe", {"subscription": name}, page=path)
    assert (gone.status_code, gone.location) == (303, path)
    assert service.store.subscriptions.all() == {}
    again = browser.send(f"/tournaments/{event}/unsubscribe", {"subscription": name}, page=path)
    assert again.status_code == 404


def test_a_new_secret_is_shown_once(app: Flask, owner: ContractClient) -> None:
    event = announce(owner, CUP)
    browser = Browser(app)
    browser.sign_in(owner.environ_base["HTTP_AUTHORIZATION"].removeprefix("Bearer "))
    path = f"/tournaments/{event}/subscriptions"
    with handler(lambda to, body: reply(to, json.loads(body)["data"])) as url:
        shown = check_page(browser.send(path, {"url": url})).html
    (secret,) = re.findall(r"whsec_[A-Za-z0-9+/=]+", shown)
    assert secret not in browser.get(path).text


def test_who_does_not_see_a_tournament_cannot_follow_it(app: Flask, owner: ContractClient) -> None:
    event = announce(owner, {**CUP, "who": "invited", "hidden": True})
    pia = Browser(app)
    pia.sign_in(sign_up(app, "pia").environ_base["HTTP_AUTHORIZATION"].removeprefix("Bearer "))
    path = f"/tournaments/{event}/subscriptions"
    assert pia.get(path, headers=BROWSER).status_code == 404
    assert pia.send(path, {"url": "http://127.0.0.1:9/"}, page="/account").status_code == 404
