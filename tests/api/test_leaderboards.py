"""Leaderboards over HTTP: empty, published, the same as from the downloaded records."""

from __future__ import annotations

import csv
import io
import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from arena.cli import run
from arena.ops.service import Service
from tests.api.arenas import announce, play
from tests.api.conftest import Account
from tests.api.contract import ContractClient

PATH = "/v1/leaderboards/toepen/sealed"


@pytest.fixture
def published(app: Flask, admin: ContractClient) -> None:
    """A tournament of house bots was played, and its board published."""
    services: Service = app.extensions["botequim"]
    body = {
        "name": "Cup",
        "kind": "toepen",
        "format": "round_robin",
        "rules": {"seats": 2, "lives": 2},
        "groups": 4,
        "house": ["rookie", "random", "rookie+2"],
    }
    play(services, announce(admin, body))
    assert services.boards.publish("toepen", "sealed")


def test_boards_are_empty_before_anybody_has_played(anybody: ContractClient) -> None:
    boards = anybody.get("/v1/leaderboards").json["leaderboards"]
    assert [(board["kind"], board["division"]) for board in boards] == [
        ("truco", "sealed"),
        ("truco", "open"),
        ("toepen", "sealed"),
        ("toepen", "open"),
    ]
    board = anybody.get(PATH).json
    assert (board["rows"], board["groups"], board["published_ms"]) == ([], 0, None)
    assert anybody.get(f"{PATH}/history").json["points"] == []


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/v1/leaderboards/chess/sealed", 422, "kind_not_found"),
        ("/v1/leaderboards/toepen/shut", 404, "division_not_found"),
        ("/v1/leaderboards/toepen/shut/history", 404, "division_not_found"),
        ("/v1/leaderboards/toepen", 404, "not_found"),
    ],
)
def test_boards_that_are_not(anybody: ContractClient, path: str, status: int, code: str) -> None:
    response = anybody.get(path)
    assert (response.status_code, response.json["code"]) == (status, code)


def test_the_command_gives_the_published_board(
    published: None, anybody: ContractClient, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "records.jsonl"
    file.write_bytes(anybody.get("/v1/records").data)
    for form in ("json", "csv", "text"):
        options = ["--kind", "toepen", "--division", "sealed", "--format", form]
        assert run(["leaderboard", str(file), *options]) == 0
        printed = capsys.readouterr().out
        told = anybody.get(f"{PATH}?format={form}")
        if form == "json":
            board = told.json
            assert abs(board.pop("published_ms") / 1000 - time.time()) < 600
            assert board.pop("cursor") is None
            assert board == json.loads(printed)["boards"][0]
        elif form == "csv":
            assert told.mimetype == "text/csv"
            assert told.text == printed
        else:
            assert told.mimetype == "text/plain"
            assert printed.startswith(told.text)


def test_what_a_board_says(published: None, anybody: ContractClient) -> None:
    board = anybody.get(PATH).json
    names = {row["name"] for row in board["rows"]}
    assert names == {"rookie", "random", "rookie+2"}
    (anchor,) = [row for row in board["rows"] if row["name"] == "rookie"]
    assert (anchor["rating"], anchor["low"], anchor["high"]) == (1500, 1500, 1500)
    assert board["groups"] == 12
    rows = list(csv.DictReader(io.StringIO(anybody.get(f"{PATH}?format=csv").text)))
    assert [(row["name"], float(row["rating"])) for row in rows] == [
        (row["name"], row["rating"]) for row in board["rows"]
    ]
    listed = anybody.get("/v1/leaderboards").json["leaderboards"]
    assert [one["groups"] for one in listed] == [0, 0, 12, 0]


def test_the_history_has_a_point_per_day_and_bot(published: None, anybody: ContractClient) -> None:
    points = anybody.get(f"{PATH}/history").json["points"]
    board = anybody.get(PATH).json
    days = {point["day"] for point in points}
    assert len(days) == 1
    assert abs((datetime.fromisoformat(days.pop()).replace(tzinfo=UTC) - datetime.now(UTC)).days) <= 1
    assert {point["name"]: point["rating"] for point in points} == {
        row["name"]: row["rating"] for row in board["rows"]
    }
    only = anybody.get(f"{PATH}/history?bot=random").json["points"]
    assert [point["name"] for point in only] == ["random"]


def pages(client: ContractClient, path: str, key: str, limit: int) -> list[list[dict[str, Any]]]:
    """The ``key`` of every page."""
    found, cursor = [], ""
    while True:
        page = client.get(f"{path}{'&' if '?' in path else '?'}limit={limit}{cursor}").json
        found.append(page[key])
        if page["cursor"] is None:
            return found
        cursor = f"&cursor={page['cursor']}"


def test_boards_history_and_standings_come_in_pages(published: None, anybody: ContractClient) -> None:
    (event,) = [one["id"] for one in anybody.get("/v1/tournaments").json["tournaments"]]
    for path, key in [
        (PATH, "rows"),
        (f"{PATH}/history", "points"),
        (f"/v1/tournaments/{event}/standings", "rows"),
        (f"/v1/tournaments/{event}/standings", "crosstable"),
    ]:
        whole = anybody.get(path).json[key]
        assert len(whole) == 3
        assert pages(anybody, path, key, 1) == [[one] for one in whole]
        assert pages(anybody, path, key, 2) == [whole[:2], whole[2:]]
        assert pages(anybody, path, key, 3) == [whole]
        for wrong in ("cursor=x", "cursor=-1", "cursor=1-x"):
            if wrong != "cursor=1-x" or key == "points":
                assert anybody.get(f"{path}?{wrong}").json["code"] == "invalid_cursor"
        assert anybody.get(f"{path}?limit=201").json["field"] == "limit"
    one = pages(anybody, f"{PATH}/history?bot=random", "points", 1)
    assert [[point["name"] for point in page] for page in one] == [["random"]]


def test_what_has_not_changed_is_not_sent_again(
    published: None, anybody: ContractClient, owner: Account, app: Flask
) -> None:
    (event,) = [one["id"] for one in anybody.get("/v1/tournaments").json["tournaments"]]
    paths = [PATH, f"{PATH}?format=csv", f"{PATH}/history", f"/v1/tournaments/{event}/standings"]
    tags = {}
    for path in paths:
        first = anybody.get(path)
        assert first.headers["Cache-Control"] == "no-cache"
        tags[path] = first.headers["ETag"]
        again = anybody.get(path, headers={"If-None-Match": tags[path]})
        assert (again.status_code, again.data) == (304, b"")
    services: Service = app.extensions["botequim"]
    services.boards.renew("toepen", "sealed")
    assert services.boards.publish("toepen", "sealed")
    for path in paths[:3]:
        again = anybody.get(path, headers={"If-None-Match": tags[path]})
        assert again.status_code == 200
        assert again.headers["ETag"] != tags[path]


def test_the_page_of_a_division_goes_on_where_the_last_one_ended(
    published: None, anybody: ContractClient
) -> None:
    names = [row["name"] for row in anybody.get(PATH).json["rows"]]
    page = anybody.get("/leaderboards/toepen/sealed?cursor=2")
    assert page.status_code == 200
    assert names[2] in page.text
    assert f">{names[0]}</th>" not in page.text
    assert "First page" in page.text
    assert "More bots" not in page.text
    assert anybody.get("/leaderboards/toepen/shut").status_code == 404
