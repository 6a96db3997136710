"""Lists while one of their rows has fields that nobody knows, or cannot be read."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import orjson
import pytest
from flask import Flask
from flask.testing import FlaskClient
from redis import Redis

from arena.ops.service import Service
from arena.store.embedded import EmbeddedStore
from arena.store.rows import LEFT_OUT
from tests.api.arenas import announce, now_ms, play
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
    """The row without each of its fields, with other values for it, and values that are not rows."""
    is_object = isinstance(row, dict)
    fields: dict[Any, Any] = dict(row.items() if is_object else enumerate(row))
    for name in fields:
        others = {key: value for key, value in fields.items() if key != name}
        for changed in (others, *({**fields, name: value} for value in VALUES)):
            yield orjson.dumps(changed if is_object else [*changed.values()])
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


@pytest.mark.nightly("boards")
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
        check_lists(app, ["/v1/tournaments", "/v1/tournaments?state=entry", "/tournaments", "/"], good, data)
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


def check_single(app: Flask, path: str, data: object) -> None:
    """What cannot be shown is said to be that, and nothing inside the service leaves it."""
    response = FlaskClient(app, app.response_class).get(path)
    if response.status_code != 200:
        assert response.json is not None
        assert response.json["code"] == "corrupt_state", (path, data, response.text)
        assert response.json["detail"] == "the stored data of this resource cannot be read"


def test_owners(app: Flask, owner: Account, database: Redis) -> None:
    key = "{o:ana}"
    row = database.hgetall(key)
    for fields in ({**row, b"created": b"x"}, {**row, b"admin": b"yes"}, {**row, b"avatar": b"owl"}):
        database.hset(key, mapping=fields)
        check_single(app, "/v1/owners/ana", fields)
        database.delete(key)
    for name in row:
        database.hset(key, mapping={other: value for other, value in row.items() if other != name})
        check_single(app, "/v1/owners/ana", name) if name != b"name" else None
        database.delete(key)


def test_bots_alone(app: Flask, owner: Account, register: Callable[..., Account], database: Redis) -> None:
    bot = register("some-bot")
    row = {name.decode(): value for name, value in database.hgetall("{b:some-bot}").items()}
    for field in row:
        database.hdel("{b:some-bot}", field)
        check_single(app, "/v1/bots/some-bot", field)
        assert bot.client.get("/v1/turns").status_code in (200, 401, 500)
        database.hset("{b:some-bot}", mapping=row)
    versions = {name.decode(): value for name, value in database.hgetall("{b:some-bot}:versions").items()}
    for data in damaged(orjson.loads(versions["1"])):
        database.hset("{b:some-bot}:versions", "1", data)
        response = owner.client.get("/v1/bots/some-bot")
        assert response.status_code == 200, (data, response.text)
        assert owner.client.get("/v1/bots").json["bots"][0]["name"] == "some-bot"


def test_the_audit_log(app: Flask, admin: ContractClient, owner: Account, database: Redis) -> None:
    for at in ("x", "", "1e3"):
        database.xadd("audit", {"at": at, "admin": "bad", "action": "a", "subject": "s", "detail": ""})
        assert admin.put("/v1/admin/owners/ana/admin", json={"admin": True}).status_code == 200
        database.xadd("audit", {"newer": "field"})
        page = admin.get("/v1/admin/audit?limit=2").json
        assert [entry["subject"] for entry in page["entries"]] == ["owner ana"]
        page = admin.get(f"/v1/admin/audit?limit=1&cursor={page['cursor']}").json
        assert page["entries"] == []
    assert any(name.endswith("of the audit log") for name in LEFT_OUT)


def test_webhooks(app: Flask, database: Redis) -> None:
    store = app.extensions["botequim"].store.webhooks
    good = store.failed("good-bot", "1", 5, "", "no")
    assert good is None
    for field in ("failures", "until", "error_ms", "ok_ms"):
        database.delete("{b:bad-bot}:hook")
        database.hset("{b:bad-bot}:hook", field, "x")
        bad, other = store.circuits(["bad-bot", "good-bot"], 10)
        assert (bad.state, bad.failures, other.failures) == ("closed", 0, 1)
    assert "webhook of bad-bot" in LEFT_OUT


@pytest.fixture
def played(services: Service, admin: ContractClient, database: Redis) -> str:
    """A tournament of three groups on a published board."""
    body = {
        "name": "Cup",
        "kind": "toepen",
        "format": "round_robin",
        "preset": "duel@1",
        "house": ["rookie", "random", "rookie+2"],
    }
    event = announce(admin, body)
    play(services, event)
    assert services.boards.publish("toepen", "sealed")
    return event


@pytest.mark.system
def test_groups(app: Flask, played: str, database: Redis) -> None:
    key = f"{{t:{played}}}"
    ids = [name.decode() for name in database.lrange(f"{key}:order", 0, -1)]
    for part in ("groups", "results"):
        row = database.hget(f"{key}:{part}", ids[0])
        assert row is not None
        values = orjson.loads(row)
        for data in (*damaged(values), b"[]", orjson.dumps(values[:3]), b"[1,2,3,4,5,6,7,8]"):
            database.hset(f"{key}:{part}", ids[0], data)
            check_lists(
                app, [f"/v1/tournaments/{played}/groups", f"/tournaments/{played}?tab=groups"], ids[1], data
            )
        assert f"group {played}-{ids[0]}" in LEFT_OUT
        database.hset(f"{key}:{part}", ids[0], orjson.dumps([*values, "newer"]))
        check_lists(app, [f"/v1/tournaments/{played}/groups"], ids[0], b"newer")
    for data in damaged({"group": "g", "attempt": 0, "reason": "r", "at_ms": 1}):
        database.rpush(f"{key}:voids", data)
        check_lists(app, [f"/v1/tournaments/{played}", f"/tournaments/{played}"], '"', data)


@pytest.mark.nightly("boards")
def test_tournaments_alone(app: Flask, played: str, database: Redis) -> None:
    key = f"{{t:{played}}}"
    row = orjson.loads(database.hget(key, "m") or b"")
    final = [orjson.dumps({**row, "final": orjson.Fragment(data or b"1")}) for data in damaged(row["final"])]
    rows = row["final"]["rows"]
    nested = [
        orjson.dumps({**row, "final": {**row["final"], "rows": [orjson.Fragment(data or b"1"), *rows[1:]]}})
        for data in damaged(rows[0])
    ]
    for data in (*damaged(row), *final, *nested):
        database.hset(key, "m", data)
        visitor = FlaskClient(app, app.response_class)
        if b'"visibility":"x"' in (data or b""):
            # Nobody has the right to see it.
            assert visitor.get(f"/v1/tournaments/{played}").status_code == 404
            assert visitor.get(f"/tournaments/{played}").status_code == 404
            continue
        for part in ("", "/standings", "/groups"):
            check_single(app, f"/v1/tournaments/{played}{part}", data)
        assert FlaskClient(app, app.response_class).get("/v1/tournaments").status_code == 200
        page = FlaskClient(app, app.response_class).get(f"/tournaments/{played}")
        assert page.status_code == 200 or "corrupt_state" in page.text, data
    database.hset(key, "m", orjson.dumps(row))
    for field in ("v", "n", "games"):
        before = database.hget(key, field)
        database.hset(key, field, "x")
        check_single(app, f"/v1/tournaments/{played}", field)
        assert FlaskClient(app, app.response_class).get("/v1/tournaments").json == {
            "tournaments": [],
            "cursor": None,
        }
        database.hset(key, field, before or b"0")


def test_live_standings(app: Flask, admin: ContractClient, database: Redis) -> None:
    body = {"name": "Cup", "kind": "truco", "format": "round_robin", "house": ["rookie", "random"]}
    event = announce(admin, body)
    key = f"{{t:{event}}}:standings"
    good = {"data": b"{}", "changes": b"1", "at_ms": b"1", "cost_ms": b"1"}
    for name in good:
        for value in (b"x", b"[]", b"\xff"):
            database.hset(key, mapping={**good, name: value})
            check_lists(app, [f"/v1/tournaments/{event}/standings"], "queued", value)
            check_lists(app, [f"/tournaments/{event}"], event, value)
    assert f"standings of {event}" in LEFT_OUT


BOARD_PATHS = ["/v1/leaderboards", "/leaderboards/toepen", "/"]
BOARD = "/v1/leaderboards/toepen/sealed"


@pytest.mark.nightly("boards")
def test_boards(app: Flask, played: str, database: Redis) -> None:
    key = "{board:toepen/sealed}"
    fields = database.hgetall(key)
    board = orjson.loads(fields[b"board"])
    more = [BOARD, f"{BOARD}?format=csv", f"{BOARD}?format=text", f"{BOARD}/history"]
    boards = [*damaged(board)]
    for data in damaged(board["rows"][0]):
        rows = [orjson.Fragment(data or b"1"), *board["rows"][1:]]
        boards.append(orjson.dumps({**board, "rows": rows}))
    for data in damaged(board["rows"][0]["versions"][0]):
        row = {**board["rows"][0], "versions": [orjson.Fragment(data or b"1")]}
        boards.append(orjson.dumps({**board, "rows": [row]}))
    for number, data in enumerate(boards):
        database.hset(key, mapping={"board": data, "at": number + 5})
        check_lists(app, BOARD_PATHS, "truco", data)
        check_lists(app, more, "", data)
    assert "board toepen/sealed" in LEFT_OUT
    database.hset(key, mapping=fields)
    for field in ("place", "at", "cost"):
        database.hset(key, field, "x")
        check_lists(app, [*BOARD_PATHS, *more], "", field.encode())
        assert app.extensions["botequim"].boards.due() == []
        assert ("truco", "sealed", "base@1") in app.extensions["botequim"].boards.ages()
        assert FlaskClient(app, app.response_class).get("/metrics").status_code == 200
        database.hset(key, mapping=fields)
    newer = {**board, "wins": 1, "rows": [{**board["rows"][0], "wins": 1}]}
    newer["rows"][0]["versions"] = [{**newer["rows"][0]["versions"][0], "wins": 1}]
    database.hset(key, mapping={"board": orjson.dumps(newer), "at": 3})
    check_lists(app, [BOARD, *BOARD_PATHS[1:], *more], board["rows"][0]["name"], b"newer")


def test_history(app: Flask, played: str, database: Redis) -> None:
    (day,) = database.hkeys("{board:toepen/sealed}:days")
    key, sheet = "{board:toepen/sealed}:points", day + b"/0"
    good = {field: database.hget(key, field) or b"" for field in (day, sheet)}
    name = orjson.loads(good[sheet])[0][0]
    paths = [f"{BOARD}/history", f"{BOARD}/history?bot={name}"]
    bad = (b"", b"{", b"1", b"null", b"[1]", b"[[]]", b'[["a",1]]', b"[[1,2]]", b"\xff", b'{"a":1}')
    for field, data in product(good, bad):
        database.hset(key, field, data)
        check_lists(app, paths, "", data)
        database.hset(key, field, good[field])
    assert f"points of toepen/sealed on {day.decode()}" in LEFT_OUT
    rows = [[*row, "more"] for row in orjson.loads(good[sheet])]
    database.hset(key, sheet, orjson.dumps(rows))
    check_lists(app, paths, name, b"newer")


def test_a_board_is_published_without_a_result_that_cannot_be_read(
    services: Service, admin: ContractClient, played: str, database: Redis
) -> None:
    results = f"{{t:{played}}}:results"
    group = database.hkeys(results)[0]
    before = services.boards.read("toepen", "sealed")
    assert before is not None
    for data in (b"{", b"[1]", b"[1,2,3,4,5,6,7,8]", b'"x"'):
        database.hset(results, group, data)
        services.boards.renew("toepen", "sealed")
        assert services.boards.publish("toepen", "sealed")
        board = services.boards.read("toepen", "sealed")
        assert board is not None
        assert board["groups"] == before["groups"] - 1
        suspicions = admin.get("/v1/admin/suspicions?kind=toepen&division=sealed")
        assert suspicions.status_code == 200
    assert f"result of {played}-{group.decode()}" in LEFT_OUT


def test_records(app: Flask, played: str, database: Redis) -> None:
    packs = f"{{t:{played}}}:records"
    first, *others = sorted(database.hkeys(packs))
    pack = database.hget(packs, first) or b""
    client = FlaskClient(app, app.response_class)
    everything = client.get("/v1/records").data.count(b"\n")
    for data in (b"", b"x", pack[:40], pack[:-9] + b"\0" * 9, pack[:30] + b"\xff" * 40 + pack[70:]):
        database.hset(packs, first, data)
        for path in ("/v1/records", "/v1/records?kind=toepen", f"/v1/tournaments/{played}/records"):
            response = client.get(path)
            assert response.status_code == 200, (path, data)
            assert response.data.count(b"\n") == everything * len(others) // (len(others) + 1), (path, data)
    assert f"records of {played}-{first.decode()}" in LEFT_OUT


def test_logs_of_uploads(
    app: Flask, owner: Account, register: Callable[..., Account], database: Redis
) -> None:
    register("some-bot")
    for data in (b"", b"x", gzip.compress(b"{"), gzip.compress(b"[]")[:-3]):
        database.set("{b:some-bot}:journal:g1", data)
        response = owner.client.get("/v1/bots/some-bot/games/g1/log")
        assert (response.status_code, response.json["code"]) == (404, "log_not_found")


def test_qualifications(
    app: Flask, owner: Account, register: Callable[..., Account], database: Redis
) -> None:
    register("some-bot")
    path = "/v1/bots/some-bot/versions/1/qualifications"
    row = ["failed", "q-1", 1, 5, "", None, ""]
    for data in (b"{", b"[]", b"1", *(orjson.dumps([*row[:n], [1], *row[n + 1 :]]) for n in range(7))):
        database.hset("{qualified}", "truco/some-bot/1", data)
        assert owner.client.get(path).json == {"qualifications": []}
        response = owner.client.post(path, json={"kind": "truco"})
        assert (response.status_code, response.json["code"]) == (500, "corrupt_state"), data
    database.hset("{qualified}", "truco/some-bot/1", orjson.dumps([*row, {"newer": 1}]))
    assert owner.client.post(path, json={"kind": "truco"}).status_code == 200
    stored = orjson.loads(database.hget("{qualified}", "truco/some-bot/1") or b"")
    assert (stored[0], stored[2], stored[7:]) == ("qualifying", 2, [{"newer": 1}])
