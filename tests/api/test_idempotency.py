"""``Idempotency-Key``: what creates something is carried out once, and a repeat gets the same reply."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from flask import Flask
from marshmallow import fields

from api.http import contract
from api.http.contract import ApiOperation, Blueprint
from api.schemas.common import UnionSchema
from arena.accounts.allowances import StorageQuotas
from arena.accounts.default_limits import Quotas
from arena.store.amounts import Stored
from arena.store.connection import SingleRedis
from arena.store.embedded import EmbeddedStore
from tests.api.conftest import Account
from tests.api.contract import ContractClient
from tests.api.server import Server
from tests.waiting import PATIENCE, wait_until

KEY = {"Idempotency-Key": "a-key"}
GAME = {"kind": "toepen", "seats": [{"open": True}, {"house": "rookie"}]}
CUP = {"name": "Cup", "kind": "toepen", "format": "round_robin", "house": ["rookie", "random"]}


SECRETS = {"token", "secret", "recovery_code", "webhook_secret", "code"}


def paths(returns: Any) -> set[tuple[str, ...]]:
    """The fields of a response, with those of what is in it."""
    found: set[tuple[str, ...]] = set()
    if isinstance(returns, type) and not issubclass(returns, UnionSchema):
        for name, field in returns().fields.items():
            found.add((name,))
            inner = field.inner if isinstance(field, fields.List) else field
            if isinstance(inner, fields.Nested):
                found |= {(name, *path) for path in paths(type(inner.schema))}
    return found


def operations(app: Flask) -> list[ApiOperation]:
    return [one for part in app.blueprints.values() if isinstance(part, Blueprint) for one in part.operations]


def post(client: ContractClient, path: str, body: Any, key: str = "a-key") -> Any:
    return client.post(path, json=body, headers={"Idempotency-Key": key})


def test_a_repeat_creates_nothing_and_gets_the_same_reply(owner: Account) -> None:
    first, again = (post(owner.client, "/v1/games", GAME) for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.data == again.data
    assert again.content_type == first.content_type == "application/json"
    assert "Idempotent-Replayed" not in first.headers
    assert again.headers["Idempotent-Replayed"] == "true"
    assert len(owner.client.get("/v1/games").json["games"]) == 1
    assert post(owner.client, "/v1/games", GAME, "another").json["game"] != first.json["game"]


def test_the_order_of_fields_does_not_matter(owner: Account) -> None:
    bodies = (
        '{"kind": "toepen", "seats": [{"open": true}, {"house": "rookie"}]}',
        '{"seats":[{"open":true},{"house":"rookie"}],"kind":"toepen"}',
    )
    games = {
        owner.client.post("/v1/games", data=body, content_type="application/json", headers=KEY).json["game"]
        for body in bodies
    }
    assert len(games) == 1


def test_a_default_of_a_later_version_does_not_matter(owner: Account, monkeypatch: Any) -> None:
    """What was sent counts, and not what it was loaded to."""
    first = post(owner.client, "/v1/games", GAME)
    load = contract.load
    monkeypatch.setattr(contract, "load", lambda schema, sent: {**load(schema, sent), "later": True})
    again = post(owner.client, "/v1/games", GAME)
    assert (again.status_code, again.data) == (201, first.data)
    # The default itself is something else that is sent.
    other = post(owner.client, "/v1/games", {**GAME, "visibility": "public"})
    assert other.json["code"] == "idempotency_key_reused"


def test_another_request_under_the_same_key_is_an_error(owner: Account) -> None:
    post(owner.client, "/v1/games", GAME)
    refused = post(owner.client, "/v1/games", {**GAME, "rules": {"lives": 3}})
    assert (refused.status_code, refused.json["code"]) == (422, "idempotency_key_reused")
    assert refused.json["field"] == "Idempotency-Key"
    # Another operation has keys of its own.
    assert post(owner.client, "/v1/tournaments", CUP).status_code == 201


def test_another_address_of_one_operation_is_another_request(owner: Account, register: Any) -> None:
    for name in ("zap-bot", "ouros-bot"):
        register(name)
    added = post(owner.client, "/v1/bots/zap-bot/versions", {"label": "2"})
    assert added.status_code == 201
    refused = post(owner.client, "/v1/bots/ouros-bot/versions", {"label": "2"})
    assert refused.json["code"] == "idempotency_key_reused"


def test_keys_belong_to_a_credential(
    owner: Account, sign_up: Callable[..., Account], register: Callable[..., Account], admin: ContractClient
) -> None:
    clients = [owner.client, sign_up("bia").client, register("zap-bot").client, admin]
    games = [post(client, "/v1/games", GAME) for client in clients]
    assert len({made.json["game"] for made in games}) == 4
    for client, made in zip(clients, games, strict=True):
        assert post(client, "/v1/games", GAME).data == made.data


def test_what_was_refused_is_not_kept(owner: Account, register: Callable[..., Account]) -> None:
    wrong = {**GAME, "seats": [{"bot": "zap-bot"}, {"open": True}]}
    assert post(owner.client, "/v1/games", wrong).status_code == 404
    register("zap-bot")
    assert post(owner.client, "/v1/games", wrong).status_code == 201
    assert post(owner.client, "/v1/games", wrong).headers["Idempotent-Replayed"] == "true"


def test_an_error_of_the_service_is_not_kept(owner: Account, app: Flask, monkeypatch: Any) -> None:
    live = app.extensions["botequim"].live

    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("a fault")

    with monkeypatch.context() as patch:
        patch.setattr(live, "create", fail)
        assert post(owner.client, "/v1/games", GAME).status_code == 500
    assert post(owner.client, "/v1/games", GAME).status_code == 201


def test_a_second_request_while_the_first_runs(owner: Account, app: Flask, monkeypatch: Any) -> None:
    live = app.extensions["botequim"].live
    create, seconds = live.create, []

    def create_slowly(*args: Any, **options: Any) -> Any:
        seconds.append(post(owner.client, "/v1/games", GAME))
        return create(*args, **options)

    monkeypatch.setattr(live, "create", create_slowly)
    first = post(owner.client, "/v1/games", GAME)
    assert first.status_code == 201
    (second,) = seconds
    assert (second.status_code, second.json["code"]) == (409, "idempotency_key_in_use")
    assert second.headers["Retry-After"] == str(second.json["retry_after"]) == "1"
    assert post(owner.client, "/v1/games", GAME).data == first.data


def test_secrets_are_not_stored(owner: Account, admin: ContractClient, clean_store: EmbeddedStore) -> None:
    issued = [
        (owner.client, "/v1/bots", {"name": "zap-bot"}, "POST /v1/bots/zap-bot/token"),
        (owner.client, "/v1/bots/zap-bot/token", None, "POST /v1/bots/zap-bot/token with another key"),
        (owner.client, "/v1/owners/me/sign-in-links", None, "POST /v1/owners/me/sign-in-links with another"),
        (admin, "/v1/admin/owners/ana/token", None, "POST /v1/admin/owners/ana/token with another key"),
    ]
    for client, path, body, rotation in issued:
        first = post(client, path, body)
        assert first.status_code == 201, first.text
        again = post(client, path, body)
        assert (again.status_code, again.json["code"]) == (409, "secret_already_issued")
        assert again.json["expected"].startswith(rotation)
        secret = first.json.get("token") or first.json["url"].rpartition("/")[2]
        assert secret not in _dump(clean_store)
    assert "zap-bot" in _dump(clean_store)


def test_a_version_with_a_signing_secret(
    owner: Account, register: Callable[..., Account], app: Flask, monkeypatch: Any
) -> None:
    register("zap-bot")
    plain = [post(owner.client, "/v1/bots/zap-bot/versions", {"label": "2"}) for _ in range(2)]
    assert plain[0].data == plain[1].data
    monkeypatch.setattr(app.extensions["botequim"].webhooks, "check", lambda *_: None)
    body = {"label": "3", "transport": "webhook", "url": "https://bots.example/zap"}
    made = post(owner.client, "/v1/bots/zap-bot/versions", body, "hook")
    assert made.json["webhook_secret"].startswith("whsec_")
    again = post(owner.client, "/v1/bots/zap-bot/versions", body, "hook")
    assert again.json["expected"] == "POST /v1/bots/zap-bot/webhook/secret for a new one"


def test_an_upload_that_is_still_checked(
    owner: Account, register: Callable[..., Account], app: Flask
) -> None:
    register("zap-bot")
    http = app.extensions["botequim"].settings.http
    before = http.upload_wait
    object.__setattr__(http, "upload_wait", 0)
    try:
        first, again = (
            owner.client.post(
                "/v1/bots/zap-bot/versions?label=2",
                data=b"def choose(turn):\n    return turn['legal_actions'][0]\n",
                content_type="text/x-python",
                headers=KEY,
            )
            for _ in range(2)
        )
    finally:
        object.__setattr__(http, "upload_wait", before)
    assert (first.status_code, again.status_code) == (202, 202)
    assert first.data == again.data
    assert first.headers["Location"] == again.headers["Location"]
    other = owner.client.post(
        "/v1/bots/zap-bot/versions?label=2", data=b"#", content_type="text/x-python", headers=KEY
    )
    assert other.json["code"] == "idempotency_key_reused"


@pytest.mark.parametrize("key", ["", "x" * 256, "caf\xe9", "a\tb"])
def test_bad_keys(owner: Account, key: str) -> None:
    refused = post(owner.client, "/v1/games", GAME, key)
    assert (refused.status_code, refused.json["code"]) == (422, "invalid")
    assert refused.json["field"] == "Idempotency-Key"
    assert "255" in refused.json["expected"]
    assert owner.client.get("/v1/games").json["games"] == []
    assert post(owner.client, "/v1/games", GAME, "x" * 255).status_code == 201


def test_a_sign_up_takes_no_key(anybody: ContractClient) -> None:
    assert post(anybody, "/v1/owners", {"name": "ana"}).status_code == 201
    assert post(anybody, "/v1/owners", {"name": "ana"}).json["code"] == "name_taken"
    assert post(anybody, "/v1/owners", {"name": "bia"}).status_code == 201


def test_replies_count_in_the_quota(owner: Account, app: Flask, monkeypatch: Any) -> None:
    made = post(owner.client, "/v1/games", GAME)
    used = owner.client.get("/v1/owners/me").json["quotas"]["bytes"]["used"]
    assert len(made.data) < used < len(made.data) + 500
    accounts = app.extensions["botequim"].accounts
    small = Quotas(owner=Stored(50, 50, used + 100))
    monkeypatch.setattr(accounts, "quotas", StorageQuotas(accounts._store, small))
    assert post(owner.client, "/v1/games", GAME, "second").status_code == 201
    again = post(owner.client, "/v1/games", GAME, "second")
    assert (again.status_code, again.json["code"]) == (409, "reply_not_kept")
    assert len(owner.client.get("/v1/games").json["games"]) == 2


def test_no_body_is_stored(owner: Account, clean_store: EmbeddedStore) -> None:
    assert post(owner.client, "/v1/tournaments", CUP).status_code == 201
    keyed = [text for name, text in _rows(clean_store) if ":reply:" in name]
    assert len(keyed) == 1
    assert re.search(r"[0-9a-f]{64}", keyed[0])
    assert not [name for name, _ in _rows(clean_store) if "a-key" in name]


def test_all_that_create_take_a_key(app: Flask) -> None:
    """And what shows a secret says so."""
    takes = {one.id for one in operations(app) if one.takes_key}
    created = {one.id for one in operations(app) if one.method == "POST" and one.status == 201}
    assert takes == created - {"signUp", "recoverOwner"} | {"qualify"}
    for one in operations(app):
        # The code of an error is no secret.
        shown = {path for path in paths(one.returns) if path[-1] in SECRETS} - {("upload", "code")}
        told = {*one.secret, *(("webhook_secret",) if one.secret else ())}
        assert not one.takes_key or {path[0] for path in shown} <= told, one.id


def test_a_process_that_is_killed_does_not_block_a_key(owner: Account, clean_store: EmbeddedStore) -> None:
    """It dies while it waits for the answer of a webhook."""
    pinged, over = threading.Event(), threading.Event()

    class Silent(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            pinged.set()
            over.wait()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    receiver = ThreadingHTTPServer(("127.0.0.1", 0), Silent)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    settings = {"BOTEQUIM_WEBHOOK_HTTP": "1", "BOTEQUIM_WEBHOOK_NETWORKS": "127.0.0.0/8"}
    body = {"name": "zap", "transport": "webhook", "url": f"http://127.0.0.1:{receiver.server_port}/"}
    try:
        with Server(clean_store.url, **settings) as server:
            asking = threading.Thread(target=_send, args=(server, body, owner.token))
            asking.start()
            assert pinged.wait(120)
            assert server.process is not None
            os.killpg(server.process.pid, signal.SIGKILL)
            server.process.wait()
            asking.join()
    finally:
        over.set()
        receiver.shutdown()
    (row,) = [name for name, _ in _rows(clean_store) if ":reply:" in name] or ["gone"]
    database = SingleRedis(clean_store.url, ())
    (left,) = database.run([("PTTL", row)])
    assert left <= 30_000
    # That time passes.
    database.run([("PEXPIRE", row, 1)])
    wait_until(lambda: post(owner.client, "/v1/bots", {"name": "zap"}).status_code == 201)
    database.close()


def _send(server: Server, body: Any, token: str) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    headers = {**KEY, "Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    try:
        connection.request("POST", "/v1/bots", json.dumps(body), headers)
        connection.getresponse()
    except (OSError, http.client.HTTPException):
        # The server was killed.
        return
    finally:
        connection.close()


def _rows(store: EmbeddedStore) -> list[tuple[str, str]]:
    """All keys of the database that hold a hash, and the text of each."""
    database = SingleRedis(store.url, ())
    (names,) = database.run([("KEYS", "*")])
    kinds = database.run([("TYPE", name) for name in names])
    found = []
    for name, kind in zip(names, kinds, strict=True):
        if kind in (b"hash", "hash"):
            (values,) = database.run([("HGETALL", name)])
            found.append((name.decode(errors="replace"), repr(values)))
    database.close()
    return found


def _dump(store: EmbeddedStore) -> str:
    return repr(_rows(store))
