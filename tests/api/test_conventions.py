"""What holds for all operations: rate limits, links to next pages, ETags, webhooks."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask
from jsonschema import Draft202012Validator, FormatChecker

from api.app import create_app
from api.http.contract import Blueprint
from api.openapi import document
from api.openapi.capture import checking
from arena.ops.settings import DEFAULT_LIMITS, HttpSettings, Limit, Settings
from arena.store.embedded import EmbeddedStore
from arena.webhook_messages.content import message, turn_message
from arena.webhook_messages.signing import headers, new_secret
from tests.api.conftest import ADMIN_TOKEN, Account
from tests.api.contract import Contract, ContractClient, contract_client

GAME = {"kind": "toepen", "seats": [{"open": True}, {"house": "rookie"}]}


# Rate limits


@pytest.fixture
def limited(clean_store: EmbeddedStore) -> Flask:
    """An app with small limits."""
    limits: dict[str, Limit | None] = dict.fromkeys(DEFAULT_LIMITS)
    limits |= {"games_per_owner": Limit(3, 3600), "requests_per_token": Limit(50, 3600)}
    return create_app(Settings(clean_store.url, http=HttpSettings(limits=limits)))


def test_what_is_left_of_a_limit(limited: Flask) -> None:
    token = contract_client(limited).post("/v1/owners", json={"name": "ana"}).json["token"]
    ana = contract_client(limited, token)
    for left in (2, 1):
        made = ana.post("/v1/games", json=GAME)
        assert made.headers["RateLimit-Policy"] == '"games_per_owner";q=3;w=3600'
        found = re.fullmatch(r'"games_per_owner";r=(\d+);t=(\d+)', made.headers["RateLimit"])
        assert found is not None
        assert int(found[1]) == left
        assert 1200 * (3 - left) - 120 < int(found[2]) <= 1200 * (3 - left)
    refused = ana.post("/v1/games", json={"kind": "chess"})
    assert refused.status_code == 404
    assert refused.headers["RateLimit"].startswith('"games_per_owner";r=0;t=')
    limit = ana.post("/v1/games", json=GAME)
    assert limit.status_code == 429
    assert limit.headers["RateLimit"].startswith('"games_per_owner";r=0;t=')
    assert limit.headers["RateLimit-Policy"] == '"games_per_owner";q=3;w=3600'
    assert int(limit.headers["Retry-After"]) <= int(limit.headers["RateLimit"].rpartition("=")[2])
    other = ana.get("/v1/games")
    assert "RateLimit" not in other.headers


def test_a_limit_of_all_requests(limited: Flask) -> None:
    token = contract_client(limited).post("/v1/owners", json={"name": "ana"}).json["token"]
    ana = contract_client(limited, token)
    replies = [ana.get("/v1/games") for _ in range(51)]
    assert [reply.status_code for reply in replies] == 50 * [200] + [429]
    assert replies[-1].headers["RateLimit-Policy"] == '"requests_per_token";q=50;w=3600'
    assert replies[-1].headers["RateLimit"].startswith('"requests_per_token";r=0;t=')


# Links


def followed(client: ContractClient, path: str) -> Iterator[Any]:
    """The pages of a list, by their links."""
    while path:
        page = client.get(path)
        assert page.status_code == 200, page.text
        yield page
        found = re.search(r'<([^>]*)>; rel="next"', page.headers.get("Link", ""))
        path = found[1] if found else ""


def test_a_page_links_to_the_next_one(owner: Account, register: Callable[..., Account]) -> None:
    names = [f"bot-{number}" for number in range(5)]
    for name in names:
        register(name)
    pages = list(followed(owner.client, "/v1/bots?limit=2&owner=ana"))
    assert [bot["name"] for page in pages for bot in page.json["bots"]] == names
    assert len(pages) == 3
    assert pages[0].headers["Link"] == '</v1/bots?limit=2&owner=ana&cursor=bot-1>; rel="next"'


def test_pages_of_events_and_records(owner: Account, app: Flask) -> None:
    seats = [{"house": "rookie"}, {"house": "random"}]
    game = owner.client.post("/v1/games", json={**GAME, "seats": seats, "rules": {"lives": 1}}).json["game"]
    live = app.extensions["botequim"].live
    live.move_house_bots(game)
    pages = list(followed(owner.client, f"/v1/games/{game}/events?limit=3"))
    numbers = [event["n"] for page in pages for event in page.json["events"]]
    assert numbers == list(range(len(numbers)))
    assert len(pages) > 2
    records = list(followed(owner.client, "/v1/records?limit=1"))
    assert [json.loads(page.data)["canonical"]["game"] for page in records if page.data] == [game]


def test_every_page_in_the_document_links(app: Flask) -> None:
    for part in app.blueprints.values():
        for operation in part.operations if isinstance(part, Blueprint) else ():
            if operation.query is not None and "cursor" in operation.query().fields:
                assert operation.is_paged
                shown = document(app)["paths"][operation.path][operation.method.lower()]
                assert "Link" in shown["responses"]["200"]["headers"]


# ETags


def test_what_can_be_polled_has_an_etag(
    owner: Account, register: Callable[..., Account], admin: ContractClient, app: Flask
) -> None:
    register("zap-bot")
    game = owner.client.post("/v1/games", json=GAME).json["game"]
    with checking(app):
        source = "def choose(turn):\n    return turn['legal_actions'][0]\n"
        body = {"name": "valete", "transport": "uploaded", "source": source}
        upload = owner.client.post("/v1/bots", json=body).json["upload"]["id"]
    cup = {"name": "Cup", "kind": "toepen", "format": "round_robin", "house": ["rookie", "random"]}
    made = owner.client.post("/v1/tournaments", json=cup).json["id"]
    template = {"name": "Daily", "kind": "toepen", "format": "round_robin", "house": ["rookie", "random"]}
    admin.post("/v1/schedules", json={"id": "daily", "cron": "0 12 * * *", "tournament": template})
    polled = [
        "/v1/games",
        f"/v1/games/{game}",
        f"/v1/games/{game}/events",
        "/v1/tournaments",
        f"/v1/tournaments/{made}",
        f"/v1/tournaments/{made}/standings",
        f"/v1/tournaments/{made}/groups",
        "/v1/bots",
        "/v1/bots/zap-bot",
        "/v1/bots/valete/uploads",
        f"/v1/bots/valete/uploads/{upload}",
        "/v1/bots/valete/versions/1/qualifications",
        "/v1/schedules",
        "/v1/schedules/daily",
        "/v1/leaderboards",
        "/v1/leaderboards/toepen/sealed",
        "/v1/leaderboards/toepen/sealed/history",
        "/v1/records/changes",
    ]
    for path in polled:
        first = owner.client.get(path)
        assert first.status_code == 200, (path, first.text)
        etag = first.headers["ETag"]
        again = owner.client.get(path, headers={"If-None-Match": etag})
        assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", etag), path
        assert "no-cache" in again.headers["Cache-Control"]
        other = owner.client.get(path, headers={"If-None-Match": 'W/"other"'})
        assert (other.status_code, other.data) == (200, first.data), path


def test_an_etag_changes_with_what_it_is_of(owner: Account, register: Callable[..., Account]) -> None:
    register("zap-bot")
    etag = owner.client.get("/v1/bots/zap-bot").headers["ETag"]
    owner.client.patch("/v1/bots/zap-bot", json={"description": "Calls truco."})
    changed = owner.client.get("/v1/bots/zap-bot", headers={"If-None-Match": etag})
    assert changed.status_code == 200
    assert changed.json["description"] == "Calls truco."
    assert changed.headers["ETag"] != etag
    assert changed.headers["Vary"] == "Authorization"


def test_turns_and_errors_have_no_etag(register: Callable[..., Account], anybody: ContractClient) -> None:
    bot = register("zap-bot")
    for response in (
        bot.client.get("/v1/turns"),
        bot.client.post("/v1/turns", json={}),
        anybody.get("/v1/bots/nobody"),
    ):
        assert "ETag" not in response.headers
        assert response.headers["Cache-Control"] == "no-store"


# Webhooks


def test_messages_are_as_the_document_says(
    owner: Account, register: Callable[..., Account], one_app: Flask
) -> None:
    bots = [register("zap-bot"), register("copas-bot")]
    response = owner.client.post("/v1/games", json={**GAME, "seats": [{"bot": bot.name} for bot in bots]})
    assert response.status_code == 201, response.text
    turns = [turn for bot in bots for turn in bot.client.get("/v1/turns").json["turns"]]
    contract, spec = Contract(one_app), document(one_app)
    sent = [turn_message(turn, 5000) for turn in turns]
    sent += [turn_message(turn, 5000, {"status": "malformed", "faults": 1}) for turn in turns]
    assert sent
    for kind, bodies in (("turn", sent), ("ping", [message("ping", {"challenge": "x"})])):
        for body in bodies:
            where = f"/webhooks/{kind}/post/requestBody/content/application~1json/schema"
            contract.valid(json.loads(body), where)
    signed = headers([new_secret()], b"{}")
    documented = spec["webhooks"]["turn"]["post"]["parameters"]
    names = {spec["components"]["parameters"][one["$ref"].rpartition("/")[2]]["name"] for one in documented}
    assert names == signed.keys()
    reply = spec["webhooks"]["turn"]["post"]["responses"]["200"]["content"]["application/json"]["schema"]
    check = Draft202012Validator(reply, format_checker=FormatChecker())
    assert check.is_valid({"action": "play:7D"})
    assert check.is_valid({"action": None})
    assert not check.is_valid({})
    assert ADMIN_TOKEN not in json.dumps(spec["webhooks"])
