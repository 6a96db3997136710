"""Lists while one of their rows has fields that nobody knows, or cannot be read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from flask import Flask
from flask.testing import FlaskClient
from redis import Redis

from arena.ops.service import Service
from arena.store.embedded import EmbeddedStore
from arena.store.rows import LEFT_OUT
from tests.api.arenas import announce, now_ms
from tests.api.conftest import Account
from tests.api.contract import ContractClient

VALUES: tuple[Any, ...] = (None, "x", [], {}, [1], {"a": 1}, -1, True)
"""What a damaged row may hold instead of any value."""


@pytest.fixture(autouse=True)
def nothing_left_out() -> None:
    LEFT_OUT.clear()


@pytest.fixture
def database(clean_store: EmbeddedStore) -> Iterator[Redis]:
    with Redis.from_url(clean_store.url) as connection:
        yield connection


def damaged(row: Any) -> Iterator[bytes]:
    """The row without each of its fields, with other values for it, and what is no row at all."""
    for name in row:
        yield orjson.dumps({key: value for key, value in row.items() if key != name})
        for value in VALUES:
            yield orjson.dumps({**row, name: value})
    yield from (b"", b"{", b"[]", b"null", b'"x"', b"1", b"{}", b'{"format":99}', b"\xff")


def check_lists(app: Flask, paths: list[str], good: str, data: bytes) -> None:
    # Values of a damaged row that happen to be readable are not held against the document.
    client = FlaskClient(app, app.response_class)
    for path in paths:
        response = client.get(path)
        assert response.status_code == 200, (path, data, response.text)
        assert good in response.text, (path, data)


def test_games(app: Flask, owner: Account, database: Redis) -> None:
    body = {"kind": "toepen", "rules": {"seats": 2}, "seats": [{"open": True}] * 2}
    bad, good = (owner.client.post("/v1/games", json=body).json["game"] for _ in range(2))
    row = orjson.loads(database.hget(f"{{g:{bad}}}", "m") or b"")
    for data in damaged(row):
        database.hset(f"{{g:{bad}}}", "m", data)
        database.zadd("live:games:state:waiting", {bad: row["created_ms"]})
        check_lists(app, ["/v1/games", "/v1/games?state=waiting", "/v1/games?kind=toepen"], good, data)
    assert f"game {bad}" in LEFT_OUT


def test_tournaments(app: Flask, owner: Account, database: Redis) -> None:
    body = {"name": "Cup", "kind": "truco", "format": "round_robin", "house": ["rookie", "random"]}
    bad, good = (announce(owner.client, {**body, "locks_ms": now_ms() + 3_600_000}) for _ in range(2))
    row = orjson.loads(database.hget(f"{{t:{bad}}}", "m") or b"")
    nested = [
        *damaged(row),
        *(orjson.dumps({**row, "spec": orjson.Fragment(data or b"1")}) for data in damaged(row["spec"])),
    ]
    for data in nested:
        database.hset(f"{{t:{bad}}}", "m", data)
        check_lists(
            app,
            ["/v1/tournaments", "/v1/tournaments?state=entry", "/tournaments", "/"],
            good,
            data,
        )
    assert f"tournament {bad}" in LEFT_OUT


def test_schedules(app: Flask, admin: ContractClient, database: Redis) -> None:
    template = {"name": "Cup", "kind": "truco", "format": "round_robin", "house": ["rookie", "random"]}
    for name in ("bad", "good"):
        body = {"id": name, "cron": "0 * * * *", "tournament": template}
        assert admin.post("/v1/schedules", json=body).status_code == 201
    row = orjson.loads(database.hget("{schedules}", "bad") or b"")
    service: Service = app.extensions["botequim"]
    for data in damaged({**row, "next_ms": 1}):
        database.hset("{schedules}", "bad", data)
        database.hset("{schedules}", "good", orjson.dumps({**row, "id": "good", "next_ms": 1}))
        check_lists(app, ["/v1/schedules"], '"good"', data)
        assert "good-0" in service.schedules.fire(), data
        database.hset("{schedules}", "good", orjson.dumps({**row, "id": "good"}))
    assert "schedules 'bad'" in LEFT_OUT


def test_bots(app: Flask, owner: Account, database: Redis) -> None:
    for name in ("bad-bot", "good-bot"):
        assert owner.client.post("/v1/bots", json={"name": name}).status_code == 201
    row = {name.decode(): value for name, value in database.hgetall("{b:bad-bot}").items()}
    for field in row:
        database.delete("{b:bad-bot}")
        database.hset("{b:bad-bot}", mapping={name: value for name, value in row.items() if name != field})
        check_lists(app, ["/v1/bots"], "good-bot", field.encode())
    database.hset("{b:bad-bot}", mapping={**row, "created": "x"})
    check_lists(app, ["/v1/bots"], "good-bot", b"created")
    database.hset("{b:bad-bot}", mapping={**row, "avatar": "owl"})
    check_lists(app, ["/v1/bots"], "bad-bot", b"avatar")
    for data in damaged([]):
        database.hset("{b:good-bot}:versions", "2", data)
        assert [version["label"] for version in owner.client.get("/v1/bots/good-bot").json["versions"]] == [
            "1"
        ]
