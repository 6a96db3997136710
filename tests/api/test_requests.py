"""What is wrong with a request is told in a problem document, whatever is wrong."""

from __future__ import annotations

import ast
import json
import logging
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from flask import Flask

from api.app import create_app
from api.http.edge import SMALL_BODY
from api.http.errors import ERRORS, RESULTS, errors_page
from api.openapi import examples
from api.schemas.games import GameSchema
from api.schemas.turns import ResultSchema
from arena.bots.transports import TRANSPORTS
from arena.ops.logs import JsonFormatter
from arena.ops.settings import HttpSettings, Limit, Settings
from arena.store.embedded import EmbeddedStore
from tests.api.conftest import Account
from tests.api.contract import ContractClient, contract_client

ROOT = Path(__file__).parent.parent.parent


# Bodies


@pytest.mark.parametrize(
    ("data", "media", "status", "code"),
    [
        (b"{", "application/json", 400, "malformed_json"),
        (b"", "application/json", 400, "malformed_json"),
        (b"\xff\xfe", "application/json", 400, "malformed_json"),
        (b'{"name": "\xff"}', "application/json", 400, "malformed_json"),
        (b'{"name": NaN}', "application/json", 400, "malformed_json"),
        (b'{"name": "ana"} x', "application/json", 400, "malformed_json"),
        (b"[" * 60_000, "application/json", 400, "malformed_json"),
        (b"[" * 40 + b"]" * 40, "application/json", 400, "malformed_json"),
        (b'{"a":' * 40 + b"1" + b"}" * 40, "application/json", 400, "malformed_json"),
        (b'{"name": "ana"}', "text/plain", 415, "unsupported_media_type"),
        (b'{"name": "ana"}', "application/xml", 415, "unsupported_media_type"),
        (b"name=ana", "application/x-www-form-urlencoded", 415, "unsupported_media_type"),
        (b'{"name": "ana"}', None, 415, "unsupported_media_type"),
        (b"[]", "application/json", 422, "invalid"),
        (b"null", "application/json", 422, "invalid"),
        (b'"ana"', "application/json", 422, "invalid"),
        (b"{}", "application/json", 422, "invalid"),
        (b'{"name": 5}', "application/json", 422, "invalid"),
        (b'{"name": null}', "application/json", 422, "invalid"),
        (b'{"name": ["ana"]}', "application/json", 422, "invalid"),
        (b'{"name": "ana", "nane": "ana"}', "application/json", 422, "invalid"),
    ],
)
def test_bad_bodies(anybody: ContractClient, data: bytes, media: str | None, status: int, code: str) -> None:
    response = anybody.post("/v1/owners", data=data, content_type=media)
    assert response.status_code == status
    assert response.json["code"] == code
    assert response.content_type == "application/problem+json"


def test_the_deepest_body_that_is_read(anybody: ContractClient) -> None:
    response = anybody.post("/v1/owners", data=b"[" * 32 + b"]" * 32, content_type="application/json")
    assert response.status_code == 422


def test_brackets_in_texts_are_no_depth(owner: Account) -> None:
    body = {"name": "zap-bot", "description": "[{" * 100}
    assert owner.client.post("/v1/bots", json=body).status_code == 201


def test_a_body_too_large(anybody: ContractClient) -> None:
    body = json.dumps({"name": "a" * SMALL_BODY})
    response = anybody.post("/v1/owners", data=body, content_type="application/json")
    assert response.status_code == 413
    assert response.json["code"] == "body_too_large"


def test_what_is_wrong_is_named(anybody: ContractClient, owner: Account, admin: ContractClient) -> None:
    wrong = owner.client.post("/v1/bots", json={"name": "zap-bot", "transport": "pigeon"}).json
    assert (wrong["field"], wrong["expected"]) == ("transport", "one of: " + ", ".join(TRANSPORTS))
    unknown = anybody.post("/v1/owners", json={"name": "ana-2", "age": 5}).json
    assert (unknown["field"], unknown["expected"]) == ("age", "one of name, invitation")
    several = owner.client.post("/v1/bots", json={"transport": 5, "version": ""}).json
    assert several["field"]
    assert {more["field"] for more in several["more"]} | {several["field"]} == {
        "name",
        "transport",
        "version",
    }
    truth = admin.put("/v1/admin/owners/ana/admin", json={"admin": 1}).json
    assert truth["field"] == "admin"


def test_one_field_selects_the_schema(owner: Account) -> None:
    game = examples()["createGame"]["responses"]["201"]
    assert GameSchema().dump(game) == game
    for body, detail in (
        ([], "must be an object"),
        ({}, "kind: missing data"),
        ({"kind": None}, "kind: missing data"),
        ({"kind": 5}, "kind: not a valid string"),
        ({"kind": "chess"}, "'chess'"),
        ({"kind": "toepen", "seats": []}, "seats: must be 2 to 8 seats"),
    ):
        problem = owner.client.post("/v1/games", json=body).text
        assert detail in problem, problem


# Queries and addresses


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("limit=ten", "limit"),
        ("limit=1.5", "limit"),
        ("limit=1&limit=2", "limit"),
        ("cursor=", "cursor"),
        ("nonsense=1", "nonsense"),
    ],
)
def test_bad_queries(anybody: ContractClient, query: str, field: str) -> None:
    response = anybody.get(f"/v1/bots?{query}")
    assert response.status_code == 422
    assert response.json["field"] == field


def test_no_such_address(anybody: ContractClient) -> None:
    for path in ("/nothing", "/v1/nothing", "/v1/owners/", "/v1/bots/a/b/c", "/docs/none.js"):
        response = anybody.get(path)
        assert response.status_code == 404
        assert response.json["code"] == "not_found"


def test_no_such_method(anybody: ContractClient) -> None:
    response = anybody.delete("/v1/owners")
    assert response.status_code == 405
    assert response.json["code"] == "method_not_allowed"
    assert response.headers["Allow"] == "OPTIONS, POST"


def test_a_crash_is_a_problem_too(settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    app = create_app(settings)

    @app.get("/crash")
    def crash() -> None:
        raise RuntimeError("the secret of the house")

    response = contract_client(app).get("/crash", headers={"X-Request-Id": "mine-1"})
    assert response.status_code == 500
    assert response.json["code"] == "internal_error"
    assert response.json["request_id"] == response.headers["X-Request-Id"] == "mine-1"
    assert "secret" not in response.text
    assert "the secret of the house" in caplog.text


def test_while_the_store_is_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.store.connection._PATIENCE", (0.0,))
    client = contract_client(create_app(Settings(f"unix://{tmp_path}/nothing.sock")))
    response = client.post("/v1/owners", json={"name": "ana"})
    assert response.status_code == 503
    assert response.json["code"] == "store_unavailable"
    assert response.headers["Retry-After"] == "1"
    assert client.get("/readyz").status_code == 503
    assert client.get("/healthz").status_code == 200


@pytest.mark.parametrize("given", ["bad id", "x" * 65, "a\x7fb", ""])
def test_a_strange_request_id_is_replaced(anybody: ContractClient, given: str) -> None:
    response = anybody.get("/healthz", headers={"X-Request-Id": given})
    assert response.headers["X-Request-Id"] not in ("", given)


# The list of codes


def told_codes(path: Path) -> Iterator[str]:
    """Every error code in a source: ``code = "..."`` in error classes and ``code="..."`` in calls."""
    text = path.read_text()
    if not re.search(r"\bcode\b *[:=]", text):
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ClassDef):
            for statement in node.body:
                if (
                    isinstance(statement, ast.Assign | ast.AnnAssign)
                    and ast.unparse(statement).startswith(("code = ", "code: "))
                    and isinstance(statement.value, ast.Constant)
                    # Rows have a field of this name.
                    and statement.value.value is not None
                ):
                    yield statement.value.value
        elif isinstance(node, ast.Call):
            for keyword in node.keywords:
                if keyword.arg == "code" and isinstance(keyword.value, ast.Constant):
                    yield keyword.value.value


OFFLINE = {
    "invalid_archive",
    "data_folder_in_use",
    "game_not_over",
    "inconsistent_hidden",
    "inconsistent_turn",
    "invalid_assignment",
    "invalid_backup",
    "invalid_date",
    "invalid_draw",
    "invalid_groups",
    "invalid_seed",
    "invalid_setting",
    "invalid_store_url",
    "no_features",
    "not_a_store",
    "other_runtime",
    "runtime_replaced",
    "server_fault",
    "store_failed",
    "store_not_empty",
    "too_few_bots",
    "unreadable_file",
}
"""Codes of settings, of files and of parts that no request reaches."""


def test_every_code_is_in_the_list() -> None:
    """Those of the API and of all that it uses; and nothing is in the list that nobody tells."""
    folders = [
        ROOT / "api",
        *(
            ROOT / "arena" / name
            for name in (
                "accounts",
                "events",
                "games",
                "inputs",
                "live",
                "people",
                "play",
                "store",
                "tournaments",
                "webhook_messages",
                "webhooks",
            )
        ),
    ]
    folders += [ROOT / "arena" / "records" / "archive", ROOT / "arena" / "replays"]
    sources = [path for folder in folders for path in folder.rglob("*.py")]
    sources += [
        ROOT / "arena" / name
        for name in (
            "errors.py",
            "bots/games.py",
            "ops/rate_limits.py",
            "ops/settings.py",
            "ratings/series_rules.py",
        )
    ]
    told = {code for path in sources for code in told_codes(path)}
    assert told - ERRORS.keys() - RESULTS.keys() == OFFLINE & told
    assert told >= OFFLINE
    # These are told by status, some of them by the server.
    assert ERRORS.keys() - told == {"not_found", "method_not_allowed", "uri_too_long", "headers_too_large"}
    assert ResultSchema.type_schemas.keys() == RESULTS.keys()


def test_the_page_of_errors_is_current() -> None:
    assert (ROOT / "docs" / "errors.md").read_text() == errors_page()


def test_errors_have_their_page(anybody: ContractClient) -> None:
    page = anybody.get("/docs/errors").text
    for code in ERRORS:
        assert f'id="{code}"' in page


# Limits


def test_sign_ups_are_limited_per_address(settings: Settings, clean_store: EmbeddedStore) -> None:
    limits = {**settings.http.limits, "sign_ups_per_address": Limit(2, 600)}
    app = create_app(Settings(settings.redis_url, http=HttpSettings(limits=limits, proxies=1)))
    client = contract_client(app)
    here, there = {"X-Forwarded-For": "192.0.2.1"}, {"X-Forwarded-For": "192.0.2.2"}
    assert client.post("/v1/owners", json={"name": "ana-1"}, headers=here).status_code == 201
    assert client.post("/v1/owners", json={"name": "ana-2"}, headers=here).status_code == 201
    refused = client.post("/v1/owners", json={"name": "ana-3"}, headers=here)
    assert refused.status_code == 429
    assert refused.json["limit"] == "sign_ups_per_address"
    assert refused.json["allowed"] == "2/600"
    assert 290 <= refused.json["retry_after"] <= 300
    assert refused.headers["Retry-After"] == str(refused.json["retry_after"])
    assert client.post("/v1/owners", json={"name": "ana-3"}, headers=there).status_code == 201


def test_a_caller_cannot_choose_its_address(settings: Settings, clean_store: EmbeddedStore) -> None:
    """Without a proxy in front the header counts for nothing."""
    limits = {**settings.http.limits, "sign_ups_per_address": Limit(1, 600)}
    client = contract_client(create_app(Settings(settings.redis_url, http=HttpSettings(limits=limits))))
    for number, status in enumerate((201, 429)):
        address = {"X-Forwarded-For": f"192.0.2.{number}"}
        response = client.post("/v1/owners", json={"name": f"ana-{number}"}, headers=address)
        assert response.status_code == status


def test_requests_are_limited_per_token(settings: Settings, owner: Account) -> None:
    limits = {**settings.http.limits, "requests_per_token": Limit(30, 600)}
    client = contract_client(
        create_app(Settings(settings.redis_url, http=HttpSettings(limits=limits))), owner.token
    )
    statuses = [client.get("/v1/owners/me").status_code for _ in range(32)]
    assert statuses == [200] * 30 + [429] * 2


def test_a_fast_limit_is_taken_in_lots_and_still_holds(settings: Settings, owner: Account) -> None:
    limits = {**settings.http.limits, "requests_per_token": Limit(200, 10)}
    client = contract_client(
        create_app(Settings(settings.redis_url, http=HttpSettings(limits=limits))), owner.token
    )
    began = time.monotonic()
    passed = [client.get("/v1/owners/me").status_code for _ in range(1000)].count(200)
    assert 200 <= passed <= 200 + 20 * (time.monotonic() - began) + 2


# Logs


def test_requests_are_logged_without_tokens(
    app: Flask, owner: Account, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "botequim.request")
    client = contract_client(app, owner.token)
    client.get(f"/v1/bots/{owner.token}", headers={"X-Request-Id": "find-me"})
    client.get(f"/v1/bots?owner={owner.token}")
    formatter = JsonFormatter("api")
    lines = [formatter.format(record) for record in caplog.records]
    secret = owner.token.split("_", 3)[3]
    assert not any(secret in line for line in lines)
    entry = json.loads(lines[0])
    assert entry["status"] == 404
    assert entry["code"] == "bot_not_found"
    assert entry["who"] == "owner:ana"
    assert entry["operation"] == "getBot"
    assert entry["message"].startswith("GET /v1/bots/btq_o_ana [cut]")


def test_an_exception_is_logged_without_tokens(owner: Account) -> None:
    try:
        raise ValueError(f"Authorization: Bearer {owner.token}")
    except ValueError as error:
        record = logging.LogRecord("x", logging.ERROR, "", 0, "it broke: %s", (owner.token,), None)
        record.exc_info = (type(error), error, error.__traceback__)
    line = JsonFormatter("api").format(record)
    assert owner.token.split("_", 3)[3] not in line
    assert "ValueError" in json.loads(line)["exception"]


# Metrics and headers


def test_metrics(anybody: ContractClient, owner: Account) -> None:
    anybody.get("/v1/bots")
    text = anybody.get("/metrics").text
    assert 'botequim_requests_total{operation="listBots",status="200"}' in text
    assert "botequim_request_seconds_bucket" in text


def test_everything_says_not_to_sniff_or_store(
    anybody: ContractClient, sign_up: Callable[..., Account]
) -> None:
    response = anybody.post("/v1/owners", json={"name": "ana-9"})
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
