"""What the pages of leaderboards let one choose: which bots, and whose line stands out."""

from __future__ import annotations

import re

import orjson
import pytest
from flask import Flask

from api.pages.history import board_plot, pushed_apart
from arena.events.histories import BotHistory
from arena.ops.service import Service
from arena.play.board_names import rank_text
from tests.api.arenas import play_rated
from tests.api.conftest import Account
from tests.api.contract import ContractClient
from tests.api.test_web_pages import read

PATH = "/leaderboards/truco/sealed"
TABLE = "Truco, uploaded bots: 6 groups, 12 records"


@pytest.fixture
def rated(app: Flask, admin: ContractClient, monkeypatch: pytest.MonkeyPatch) -> Service:
    """House bots, ranked after two groups, on a board with points of an earlier day."""
    monkeypatch.setattr("arena.ratings.board.SETTLED_GROUPS", 2)
    services = play_rated(app.extensions["botequim"], admin, groups=2)
    day, names = "2026-11-01", ["random", "rookie", "rookie+2"]
    sheet = orjson.dumps([[name, "0.0.1", 1400, 1300, 1500, False] for name in names])
    points = ("HSET", "{board:truco/sealed}:points", day, orjson.dumps(names[:1]), f"{day}/0", sheet)
    services.store._connection.run([("HSET", "{board:truco/sealed}:days", day, b"{}"), points])
    services.compute_matchups("truco", "sealed", "base@1")
    return services


def shown(anybody: ContractClient, query: str) -> set[str]:
    """The bots in all tables of ratings."""
    page = read(anybody, f"{PATH}?{query}")
    return {row["bot"] for caption in page.captions for row in page.rows(caption) if "rating" in row}


def test_the_filters_choose_bots(rated: Service, anybody: ContractClient, owner: Account) -> None:
    everybody = {"rookie", "random", "rookie+2"}
    assert shown(anybody, "") == shown(anybody, "house=true") == shown(anybody, "owner=") == everybody
    assert shown(anybody, "provisional=false") == everybody
    for query in ("house=false", "provisional=true", "owner=nobody", f"owner={owner.name}"):
        assert shown(anybody, query) == set()
    assert "No ranked bot matches the filters." in read(anybody, f"{PATH}?house=false").html
    for wrong in ("house=maybe", "versions=old", "owner=a&owner=b"):
        assert anybody.get(f"{PATH}?{wrong}").status_code == 422


def test_the_bots_of_an_owner(
    rated: Service, anybody: ContractClient, owner: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner.client.post("/v1/bots", json={"name": "random-of-ana"})
    board = rated.boards.published("truco", "sealed")
    assert board is not None
    monkeypatch.setitem(board.data["rows"][0], "name", "random-of-ana")
    assert shown(anybody, f"owner={owner.name}") == {"random-of-ana"}
    assert shown(anybody, f"owner={owner.name}&house=true") == set()
    assert shown(anybody, "house=false") == {"random-of-ana"}


def test_chips_change_one_filter_and_keep_the_others(rated: Service, anybody: ContractClient) -> None:
    page = read(anybody, f"{PATH}?house=true&owner=ana&preset=base@1")
    assert f"{PATH}?owner=ana" in page.links, "pressed again it is off"
    assert f"{PATH}?owner=ana&house=true&provisional=true" in page.links
    assert "/leaderboards/truco?owner=ana&house=true" in page.links, "it stays in the other views"
    assert f"{PATH}?owner=ana&house=true&columns=all#sealed" in page.links
    all_columns = read(anybody, f"{PATH}?house=true&columns=all")
    assert f"{PATH}?house=true#sealed" in all_columns.links
    assert f"{PATH}?columns=all" in all_columns.links, "all bots"
    assert anybody.get(f"{PATH}?columns=some").status_code == 422
    both = read(anybody, "/leaderboards/truco?house=true")
    assert "/leaderboards/truco?house=true&versions=all" in both.links


def test_filters_stay_in_the_paging(
    rated: Service, anybody: ContractClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.pages.boards.BOTS_AT_ONCE", 2)
    first = read(anybody, f"{PATH}?house=true")
    assert f"{PATH}?cursor=2&house=true" in first.links
    second = read(anybody, f"{PATH}?cursor=2&house=true")
    assert f"{PATH}?house=true" in second.links
    assert len(second.rows(TABLE)) == 1


def test_earlier_versions_stand_below_the_bot(
    rated: Service, anybody: ContractClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = rated.boards.published("truco", "sealed")
    assert board is not None
    row = board.data["rows"][1]
    versions = [*row["versions"], {**row["versions"][0], "version": "old"}]
    monkeypatch.setitem(row, "versions", versions)
    rows = read(anybody, f"{PATH}?versions=all").rows(TABLE)
    assert [(one["rank"], one["version"]) for one in rows if one["bot"] == row["name"]] == [
        (rank_text(row["rank"], row["worst_rank"], "–"), row["version"]),
        ("–", "old"),
    ]
    assert len(read(anybody, PATH).rows(TABLE)) == 3


def test_a_bracket_joins_bots_that_the_games_cannot_tell_apart(
    rated: Service, anybody: ContractClient
) -> None:
    board = rated.boards.published("truco", "sealed")
    assert board is not None
    assert {(row["rank"], row["worst_rank"]) for row in board.data["rows"]} == {(1, 3)}, (
        "two groups tell little"
    )
    html = read(anybody, PATH).html
    assert re.findall(r'<i class="(lane-0[ a-z]*)"', html) == ["lane-0 first", "lane-0", "lane-0 last"]
    for query in ("house=true", "versions=all"):
        assert "lane-" not in read(anybody, f"{PATH}?{query}").html


def test_the_history_of_a_board_is_drawn_twice(rated: Service, anybody: ContractClient) -> None:
    assert "board-plot" not in read(anybody, PATH).html, "it is behind the switch"
    html = read(anybody, f"{PATH}?columns=all").html
    assert html.count('class="history board-plot') == 2
    best = anybody.get("/v1/leaderboards/truco/sealed").json["rows"][0]["name"]
    assert f"{best} stands out" in html
    page = read(anybody, f"{PATH}?bot=random&second=rookie&house=true")
    assert "random and rookie stand out" in page.html
    assert page.html.count('class="line first"') == page.html.count('class="line second"') == 2
    assert f"{PATH}?house=true&bot=rookie%2B2&second=random#history-sealed" in page.links
    assert "stands out" in read(anybody, f"{PATH}?bot=nobody").html


def test_the_drawing_waits_for_the_worker(rated: Service, anybody: ContractClient) -> None:
    rated.store._connection.run([("SET", "{board:truco/sealed}:recent", b'[["rookie"]]')])
    assert "board-plot" not in read(anybody, f"{PATH}?columns=all").html
    rated.histories.update("truco", "sealed")
    assert "board-plot" in read(anybody, f"{PATH}?columns=all").html


def test_a_bot_that_is_not_among_the_first_is_read(rated: Service, anybody: ContractClient) -> None:
    rated.store._connection.run([("SET", "{board:truco/sealed}:recent", b"[]")])
    assert "random stands out" in read(anybody, f"{PATH}?bot=random").html


def series(name: str, *ratings: float, start: int = 10) -> BotHistory:
    days = range(start, start + len(ratings))
    return BotHistory(
        name, [(f"2026-11-{day}", own, own - 100, own + 100) for day, own in zip(days, ratings, strict=True)]
    )


def test_the_lines_of_a_board() -> None:
    drawn = board_plot(
        [series("a", 1400, 1500, 1600), series("b", 1600, start=12), series("gone", 1500, start=1)],
        "a",
        "b",
        days=3,
        pixels=300,
    )
    assert drawn is not None
    assert (drawn.axis.low, drawn.axis.high) == (1300, 1700)
    assert [(line.name, line.role, line.points) for line in drawn.lines] == [
        ("b", "second", "100,25"),
        ("a", "first", "0,75 50,50 100,25"),
    ]
    assert drawn.band == "0,50 50,25 100,0 100,50 50,75 0,100"
    assert sorted(line.label for line in drawn.lines) == [25, 30]
    assert board_plot([series("a", 1500)], "a", None, days=30, pixels=300) is None


@pytest.mark.parametrize(
    ("heights", "expected"),
    [
        ([10, 50], [10, 50]),
        ([10, 12, 13], [10, 15, 20]),
        ([97, 98, 100], [90, 95, 100]),
        ([0, 0, 99, 100], [0, 5, 95, 100]),
    ],
)
def test_names_are_pushed_apart(heights: list[float], expected: list[float]) -> None:
    named = {str(number): height for number, height in enumerate(heights)}
    assert list(pushed_apart(named, 5).values()) == expected


def test_a_bot_is_shown_with_its_owner(
    rated: Service, anybody: ContractClient, owner: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner.client.post("/v1/bots", json={"name": "random-of-ana"})

    def owners() -> dict[str, str]:
        board = rated.boards.published("truco", "sealed")
        assert board is not None
        for row, name in zip(board.data["rows"], ("random-of-ana", "gone"), strict=False):
            monkeypatch.setitem(row, "name", name)
        return {row["bot"]: row["owner"] for row in read(anybody, PATH).rows(TABLE)}

    found = owners()
    assert (found.pop("random-of-ana"), found.pop("gone"), set(found.values())) == (
        owner.name,
        "–",
        {"the house"},
    )
    assert f"/owners/{owner.name}" in read(anybody, PATH).links
    # A hidden name of an owner is not shown here either.
    shown = rated.moderation.delete_name("owner", owner.name)
    assert owners()["random-of-ana"] == shown
