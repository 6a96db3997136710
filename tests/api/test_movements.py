"""What moved since yesterday: on boards, on the page of a bot, and since the last visit of an owner."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from html import unescape
from types import SimpleNamespace
from typing import Any

import orjson
import pytest
from flask import Flask

from arena.events.visits import PAUSE_MS
from arena.ops.service import Service
from arena.play.board_names import rank_text
from arena.store.amounts import DAY_MS
from tests.api.arenas import play_rated
from tests.api.conftest import Account
from tests.api.contract import ContractClient
from tests.api.pages import Browser
from tests.api.test_web_pages import BROWSER, Page, check_page, read

PATH = "/leaderboards/truco/sealed"
KEY = "{board:truco/sealed}"


@pytest.fixture
def rated(app: Flask, admin: ContractClient, monkeypatch: pytest.MonkeyPatch) -> Service:
    """House bots, ranked after two groups; the board has no point of an earlier day."""
    monkeypatch.setattr("arena.ratings.board.SETTLED_GROUPS", 2)
    return play_rated(app.extensions["botequim"], admin, groups=2)


def rows(services: Service) -> Mapping[str, Mapping[str, Any]]:
    board = services.boards.read("truco", "sealed")
    assert board is not None
    return {row["name"]: row for row in board["rows"]}


def put(services: Service, ago: int, points: Mapping[str, list[Any]]) -> None:
    """Store the points of an earlier day."""
    at_ms = services.store.clock().now_ms - ago * DAY_MS
    day = datetime.fromtimestamp(at_ms / 1000, UTC).date().isoformat()
    sheet = orjson.dumps([[name, *points[name]] for name in sorted(points)])
    values = ("HSET", f"{KEY}:points", day, orjson.dumps([min(points)]), f"{day}/0", sheet)
    services.store._connection.run([("HSET", f"{KEY}:days", day, b"{}"), values])


def point(row: Mapping[str, Any], rating: float, rank: int | None, groups: int) -> list[Any]:
    """The point of a bot which had a rating lower by ``rating``, another rank, and fewer groups."""
    return [row["version"], row["rating"] - rating, 1300, 1500, False, rank, row["groups"] - groups]


def pause(services: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the time pass after which a look begins a new visit. Other cases share the clock of the service."""
    visits = services.visits
    later_ms = visits._clock().now_ms + PAUSE_MS
    monkeypatch.setattr(visits, "_clock", lambda: SimpleNamespace(now_ms=later_ms))


def text(page: Page, start: str) -> str:
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page.html.partition(start)[2])))


def test_a_row_says_what_moved(rated: Service, anybody: ContractClient) -> None:
    now = rows(rated)
    assert "since yesterday" not in read(anybody, PATH).html, "there is no earlier day"
    rank = now["random"]["rank"]
    put(
        rated,
        2,
        {
            "random": point(now["random"], 8, rank + 3, 2),
            "rookie": point(now["rookie"], 0, now["rookie"]["rank"], 0),
            "rookie+2": ["0.0.1", 1400, 1300, 1500, False, 1, 9],
        },
    )
    page = read(anybody, PATH)
    tables = [page.rows(caption) for caption in page.captions]
    cells = {
        row["bot"]: row["since yesterday"] for rows in tables for row in rows if "since yesterday" in row
    }
    assert cells == {
        "random": f"+8, 2 groups from rank {rank + 3}",
        "rookie": "–",
        "rookie+2": f"new, {now['rookie+2']['groups']} groups",
    }
    last = text(read(anybody, "/bots/random"), 'id="last-day"')
    assert f"+8, 2 groups from rank {rank + 3}" in last.replace(" ,", ",").partition("Rating in")[0]
    # The API has the same figures.
    points = anybody.get(f"/v1{PATH}/history?bot=random").json["points"]
    assert [one["groups"] for one in points] == [now["random"]["groups"] - 2, now["random"]["groups"]]
    assert [one["rank"] for one in points] == [rank + 3, rank]


def test_points_of_an_earlier_version_of_the_program_have_a_rating_only(
    rated: Service, anybody: ContractClient
) -> None:
    now = rows(rated)
    put(rated, 2, {name: point(row, -3, 1, 0)[:5] for name, row in now.items()})
    page = read(anybody, PATH)
    assert ">\N{MINUS SIGN}3</strong></td>" in page.html
    points = anybody.get(f"/v1{PATH}/history?bot=random").json["points"]
    assert (points[0]["groups"], points[0]["rank"]) == (None, None)


def test_what_was_provisional_did_not_change(rated: Service, anybody: ContractClient) -> None:
    """Its rating then is a figure that nobody should read."""
    now = rows(rated)
    put(rated, 2, {name: [*point(row, 300, None, 1)[:4], True, None, 1] for name, row in now.items()})
    assert "+300" not in read(anybody, PATH).html
    last = text(read(anybody, "/bots/random"), 'id="last-day"')
    assert "new, 3 groups" in last.replace(" ,", ",").partition("Rating in")[0]


def test_a_hidden_name_moves_like_any_other(rated: Service, anybody: ContractClient) -> None:
    put(rated, 2, {name: point(row, 8, None, 2) for name, row in rows(rated).items()})
    shown = rated.moderation.delete_name("bot", "random")
    assert shown != "random"
    page = read(anybody, PATH)
    assert "new, " not in text(page, "<table")
    assert shown in page.html


def test_an_owner_sees_what_happened_since_the_last_visit(
    rated: Service, browser: Browser, owner: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner.client.post("/v1/bots", json={"name": "ana-bot"})
    board = rated.boards.published("truco", "sealed")
    assert board is not None
    row = board.data["rows"][0]
    monkeypatch.setitem(row, "name", "ana-bot")

    def news() -> str:
        page = check_page(browser.get("/account", headers=BROWSER))
        return text(page, 'id="news"').partition("Your bots")[0]

    assert news() == "", "the first visit"
    monkeypatch.setitem(row, "rating", row["rating"] + 31)
    assert news() == "", "it is still the first visit"
    pause(rated, monkeypatch)
    assert "Nothing moved." in news()
    pause(rated, monkeypatch)
    monkeypatch.setitem(row, "rating", row["rating"] + 12)
    monkeypatch.setitem(row, "groups", row["groups"] + 59)
    monkeypatch.setitem(row, "faults", row["faults"] + 1)
    for _ in range(2):
        # However often the page is loaded.
        found = news().replace(" ,", ",")
        ranks = rank_text(row["rank"], row["worst_rank"], "–")
        assert f"ana-bot +12, 59 groups, now rank {ranks} in Truco, uploaded bots · 1 fault" in found
    pause(rated, monkeypatch)
    assert "Nothing moved." in news()
    assert rated.visits.exported(owner.name)
    rated.account_data.delete(owner.name, owner.name)
    assert rated.visits.exported(owner.name) is None


def test_the_list_of_a_visit_is_bounded(rated: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    bots = ["random", "rookie", "rookie+2"]
    monkeypatch.setattr("arena.events.visits.MOST_ITEMS", 2)
    assert rated.visits.look("ana", []) is None
    pause(rated, monkeypatch)
    found = rated.visits.look("ana", bots)
    assert found is not None
    assert (len(found.items), found.more) == (2, 1)
