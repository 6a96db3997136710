"""Registering webhooks over HTTP, every response held against the OpenAPI document."""

from __future__ import annotations

import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from flask import Flask

from api.app import create_app
from arena.ops.settings import DEFAULT_LIMITS, HttpSettings, Limit, Settings
from arena.store.embedded import EmbeddedStore
from arena.webhook_messages.signing import new_secret
from arena.webhooks.addresses import Policy
from tests.api.contract import ContractClient, contract_client
from tests.webhooks.parts import LOOPBACK, SECRET, Arena, bad_receiver, handler, python_receiver, reply

ADMIN = "the-admin-token-of-the-tests-0123456789"

Ask = Callable[..., Any]


def app_with(store: EmbeddedStore, policy: Policy, checks: Limit | None = None) -> Flask:
    limits = {**dict.fromkeys(DEFAULT_LIMITS), "webhook_checks_per_owner": checks}
    return create_app(
        Settings(store.url, admin_token=ADMIN, webhooks=policy, http=HttpSettings(limits=limits))
    )


def sign_up(app: Flask, name: str) -> ContractClient:
    token = contract_client(app).post("/v1/owners", json={"name": name}).json["token"]
    return contract_client(app, token)


@pytest.fixture(scope="module")
def one_app(store: EmbeddedStore) -> Flask:
    return app_with(store, LOOPBACK)


@pytest.fixture
def app(one_app: Flask, clean_store: EmbeddedStore) -> Flask:
    return one_app


@pytest.fixture
def owner(app: Flask) -> ContractClient:
    return sign_up(app, "ana")


def webhook(url: str, **more: Any) -> dict[str, Any]:
    return {"name": "sota-bot", "transport": "webhook", "url": url, **more}


def test_a_webhook_is_registered_after_a_signed_ping(app: Flask, owner: ContractClient) -> None:
    """The sample receiver answers nothing that is not signed with its secret."""
    with python_receiver() as url:
        made = owner.post("/v1/bots", json=webhook(url, secret=SECRET, rights=True))
    assert made.status_code == 201
    assert made.json["webhook_secret"] == SECRET
    assert made.json["token"].startswith("btq_b_sota-bot_")
    shown = {
        "url": url,
        "rights": True,
        "circuit": "closed",
        "failures": 0,
        "open_until_ms": None,
        "last_error": None,
        "last_error_ms": None,
        "last_ok_ms": None,
    }
    assert made.json["bot"]["webhook"] == shown
    assert owner.get("/v1/bots/sota-bot").json["webhook"] == shown
    assert contract_client(app, ADMIN).get("/v1/bots/sota-bot").json["webhook"] == shown


def test_url_and_circuit_are_for_the_owner_and_the_secret_is_hidden(
    app: Flask, owner: ContractClient
) -> None:
    with python_receiver() as url:
        owner.post("/v1/bots", json=webhook(url, secret=SECRET))
    for client in (contract_client(app), sign_up(app, "bia")):
        reply_ = client.get("/v1/bots/sota-bot")
        assert reply_.json["webhook"] is None
        assert url not in reply_.text
        assert reply_.json["versions"][0]["transport"] == "webhook"
    for path in ("/v1/bots/sota-bot", "/v1/bots", "/v1/owners/me"):
        assert SECRET not in owner.get(path).text


def test_without_a_secret_one_is_made_and_shown_once(owner: ContractClient) -> None:
    signatures = []

    def answer(to: BaseHTTPRequestHandler, body: bytes) -> None:
        signatures.append(to.headers["webhook-signature"])
        reply(to, {"challenge": json.loads(body)["data"]["challenge"]})

    with handler(answer) as url:
        secret = owner.post("/v1/bots", json=webhook(url)).json["webhook_secret"]
        assert secret.startswith("whsec_")
        added = owner.post(
            "/v1/bots/sota-bot/versions", json={"label": "2", "transport": "webhook", "url": url + "second"}
        )
        assert added.status_code == 201
        assert added.json["webhook_secret"] is None
        assert owner.get("/v1/bots/sota-bot").json["webhook"]["url"] == url + "second"
        again = {"label": "3", "transport": "webhook", "url": url, "secret": SECRET}
        refused = owner.post("/v1/bots/sota-bot/versions", json=again)
        assert (refused.status_code, refused.json["code"]) == (422, "invalid_webhook_secret")
    assert len(signatures) == 2


def test_a_polling_bot_becomes_a_webhook_bot(owner: ContractClient) -> None:
    owner.post("/v1/bots", json={"name": "sota-bot"})
    assert owner.get("/v1/bots/sota-bot").json["webhook"] is None
    none = owner.post("/v1/bots/sota-bot/webhook/secret", json={})
    assert (none.status_code, none.json["code"]) == (409, "no_webhook")
    with python_receiver() as url:
        body = {"label": "2", "transport": "webhook", "url": url, "secret": SECRET}
        assert owner.post("/v1/bots/sota-bot/versions", json=body).json["webhook_secret"] == SECRET
    assert owner.get("/v1/bots/sota-bot").json["webhook"]["url"] == url
    assert owner.post("/v1/bots/sota-bot/versions", json={"label": "3"}).json["webhook_secret"] is None
    assert owner.get("/v1/bots/sota-bot").json["webhook"] is None


def test_a_secret_is_replaced_by_its_owner(app: Flask, owner: ContractClient) -> None:
    with python_receiver() as url:
        owner.post("/v1/bots", json=webhook(url, secret=SECRET))
    path = "/v1/bots/sota-bot/webhook/secret"
    made = owner.post(path, json={})
    assert made.status_code == 201
    assert made.json["secret"] != SECRET
    assert made.json["previous_until_ms"] > 0
    own = new_secret()
    assert owner.post(path, json={"secret": own}).json["secret"] == own
    assert owner.post(path, json={"secret": own}).json["previous_until_ms"] is None
    bad = owner.post(path, json={"secret": "whsec_short"})
    assert (bad.status_code, bad.json["code"]) == (422, "invalid_webhook_secret")
    other = sign_up(app, "bia").post(path, json={})
    assert (other.status_code, other.json["code"]) == (403, "forbidden")


@pytest.mark.parametrize("way", ["hang_up", "redirect", "failing", "garbage", "gigabyte", "no_http"])
def test_a_webhook_that_does_not_answer_a_ping_is_not_registered(owner: ContractClient, way: str) -> None:
    with bad_receiver(way) as url:
        refused = owner.post("/v1/bots", json=webhook(url))
        assert (refused.status_code, refused.json["code"]) == (422, "webhook_failed")
        assert refused.json["field"] == "url"
        assert "\n" not in refused.json["detail"]
        assert owner.get("/v1/bots/sota-bot").status_code == 404
        assert owner.get("/v1/bots").json["bots"] == []
        owner.post("/v1/bots", json={"name": "sota-bot"})
        body = {"label": "2", "transport": "webhook", "url": url}
        assert owner.post("/v1/bots/sota-bot/versions", json=body).json["code"] == "webhook_failed"
        assert owner.get("/v1/bots/sota-bot").json["version"] == "1"


def test_a_receiver_with_another_secret_is_not_registered(owner: ContractClient) -> None:
    with python_receiver(new_secret()) as url:
        refused = owner.post("/v1/bots", json=webhook(url, secret=SECRET))
    assert refused.json["code"] == "webhook_failed"
    assert "status 401" in refused.json["detail"]


@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        ({"url": "ftp://bot.example/"}, "invalid_webhook_url", "url"),
        ({"url": "http://10.0.0.1/"}, "webhook_address", "url"),
        ({"url": "https://169.254.169.254/latest/meta-data/"}, "webhook_address", "url"),
        ({"url": "https://[::ffff:10.0.0.1]/"}, "webhook_address", "url"),
        ({"url": "https://nothing.invalid/"}, "webhook_failed", "url"),
        ({"url": "https://bot.example/", "secret": "mine"}, "invalid_webhook_secret", "secret"),
        ({"url": ""}, "invalid", "url"),
        ({}, "invalid_webhook_url", "url"),
        ({"transport": "remote", "url": "https://bot.example/"}, "invalid_webhook_url", "url"),
        ({"transport": "remote", "rights": True}, "invalid_webhook_url", "rights"),
        ({"transport": "remote", "secret": SECRET}, "invalid_webhook_url", "secret"),
        ({"transport": "pigeon"}, "invalid", "transport"),
    ],
)
def test_invalid_webhooks_are_rejected(
    owner: ContractClient, body: dict[str, Any], code: str, field: str
) -> None:
    refused = owner.post("/v1/bots", json={"name": "sota-bot", "transport": "webhook", **body})
    assert (refused.status_code, refused.json["code"], refused.json["field"]) == (422, code, field)


def test_plain_http_and_loopback_need_the_operator(clean_store: EmbeddedStore) -> None:
    owner = sign_up(app_with(clean_store, Policy()), "ana")
    with python_receiver() as url:
        assert owner.post("/v1/bots", json=webhook(url)).json["code"] == "invalid_webhook_url"
        secure = url.replace("http://", "https://")
        assert owner.post("/v1/bots", json=webhook(secure)).json["code"] == "webhook_address"


def test_checks_are_limited(clean_store: EmbeddedStore) -> None:
    owner = sign_up(app_with(clean_store, LOOPBACK, Limit(2, 3600)), "ana")
    with bad_receiver("hang_up") as url:
        codes = [owner.post("/v1/bots", json=webhook(url)).json["code"] for _ in range(3)]
    assert codes == ["webhook_failed", "webhook_failed", "rate_limited"]


def test_the_owner_sees_why_the_circuit_is_open(owner: ContractClient, arena: Arena) -> None:
    with python_receiver() as url:
        owner.post("/v1/bots", json=webhook(url, secret=SECRET))
        now = arena.store.games.clock().now_ms
        for number in range(5):
            arena.webhooks.failed(
                "sota-bot", "1", now, f"attempt {number}", "it replied with a redirect (302)"
            )
        seen = owner.get("/v1/bots/sota-bot").json["webhook"]
        assert seen["circuit"] in ("open", "half_open")
        assert seen["failures"] == 5
        assert seen["open_until_ms"] == now + 2000
        assert seen["last_error"] == "it replied with a redirect (302)"
        assert seen["last_error_ms"] == now
        # A new version that answers begins anew.
        body = {"label": "2", "transport": "webhook", "url": url}
        assert owner.post("/v1/bots/sota-bot/versions", json=body).status_code == 201
        assert owner.get("/v1/bots/sota-bot").json["webhook"]["circuit"] == "closed"
