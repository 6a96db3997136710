"""The pages of bots."""

from __future__ import annotations

import re
from html import unescape
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from flask import Flask

from arena.events.boards import Boards
from arena.live.service import LiveGames
from arena.ops.service import Service
from arena.play.board_names import rank_text
from arena.play.bot_results import opponents, result_words
from arena.records.archive.objects import ArchiveUnavailable
from arena.store.paging import Page as PageOfItems
from tests.api.arenas import play_anew, play_rated
from tests.api.conftest import Account
from tests.api.contract import ContractClient
from tests.api.test_web_pages import BROWSER, NASTY, read, whole


@pytest.fixture
def rated(app: Flask, admin: ContractClient, monkeypatch: pytest.MonkeyPatch) -> Service:
    """House bots, ranked after two groups, on a published board with matchups."""
    monkeypatch.setattr("arena.ratings.board.SETTLED_GROUPS", 2)
    return play_rated(app.extensions["botequim"], admin, groups=2)


def test_the_page_shows_what_the_api_returns(rated: Service, anybody: ContractClient) -> None:
    page = read(anybody, "/bots/random")
    assert "by the house" in page.html
    (address,) = re.findall(r'href="([^"]+)"[^>]*>Play against it<', page.html)
    assert parse_qs(urlsplit(unescape(address)).query) == {"game": ["truco"], "seat1": ["house:random"]}
    board = anybody.get("/v1/leaderboards/truco/sealed").json
    (row,) = [row for row in board["rows"] if row["name"] == "random"]
    (shown,) = page.rows("Rating in Truco, uploaded bots")
    ranks = rank_text(row["rank"], row["worst_rank"], "–")
    assert (shown["rank"], shown["bot"], shown["version"]) == (ranks, "random", row["version"])
    assert (shown["rating"], shown["interval"]) == (
        whole(row["rating"]),
        f"{whole(row['low'])} to {whole(row['high'])}",
    )
    versions = page.rows("Versions in Truco, uploaded bots")
    assert [(one["version"], one["games"], one["faults"]) for one in versions] == [
        (one["version"], str(one["games"]), str(one["faults"])) for one in row["versions"]
    ]
    pairs = anybody.get("/v1/leaderboards/truco/sealed/matchups").json["pairs"]
    own = {pair["opponent"]: pair for pair in pairs if pair["bot"] == "random"}
    own |= {
        pair["bot"]: {**pair, "share": 1 - pair["share"], "low": 1 - pair["high"], "high": 1 - pair["low"]}
        for pair in pairs
        if pair["opponent"] == "random"
    }
    met = page.rows("Share of the games in Truco, uploaded bots")
    assert [one["opponent"] for one in met] == [one["name"] for one in board["rows"] if one != row]
    for one in met:
        pair = own[one["opponent"]]
        assert float(one["share"]) == pytest.approx(pair["share"], abs=0.006)
        assert [float(bound) for bound in one["interval"].split(" to ")] == pytest.approx(
            [pair["low"], pair["high"]], abs=0.006
        )
        assert one["groups"] == str(pair["groups"])
    assert "is drawn from the second day on" in page.html
    assert {"/bots/rookie", "/leaderboards/truco/sealed"} <= set(page.links)


def test_the_history_has_its_last_days(
    rated: Service, anybody: ContractClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    days = [
        {
            "day": f"2026-11-{day}",
            "name": "random",
            "version": "1" if day < 13 else "2",
            "rating": 1200.0 + day,
            "low": 1100.0,
            "high": 1300.0,
            "provisional": False,
        }
        for day in range(10, 16)
    ]

    def history(self: Boards, *name: str, bot: str, cursor: str | None) -> PageOfItems:
        return PageOfItems(days[:4], "more") if cursor is None else PageOfItems(days[4:], None)

    monkeypatch.setattr(Boards, "history", history)
    monkeypatch.setattr("api.pages.bots.HISTORY_DAYS", 5)
    page = read(anybody, "/bots/random")
    shown = page.rows("History in Truco, uploaded bots, at most the last 5 days")
    assert [row["day"] for row in shown] == [f"2026-11-{day}" for day in (15, 14, 13, 12, 11)]
    assert shown[0]["rating"] == "1215"
    assert 'aria-label="Rating of random in Truco, uploaded bots from 2026-11-11, 1211' in page.html
    assert page.html.count("<polyline") == 1


def test_a_bot_without_games(owner: Account, anybody: ContractClient) -> None:
    body = {"name": "novato", "version": "v1", "transport": "remote", "description": NASTY}
    assert owner.client.post("/v1/bots", json=body).status_code == 201
    page = read(anybody, "/bots/novato")
    assert page.headings[0] == "novato"
    assert f'by <a href="/owners/{owner.name}">{owner.name}</a> · version v1' in page.html
    assert NASTY not in page.html
    assert "on no leaderboard yet" in page.html
    assert "No public game yet: it plays over HTTP" in page.html
    (version,) = page.rows("All versions")
    assert (version["version"], version["transport"], version["new games"]) == ("v1", "remote", "plays them")


def test_only_public_games_are_shown(owner: Account, anybody: ContractClient) -> None:
    body = {"name": "novato", "version": "v1", "transport": "remote"}
    assert owner.client.post("/v1/bots", json=body).status_code == 201
    seats: list[dict[str, Any]] = [{"bot": "novato"}, {"house": "rookie"}] * 2
    for visibility in ("public", "private"):
        game = {"kind": "truco", "seats": seats, "visibility": visibility}
        response = owner.client.post("/v1/games", json=game)
        assert response.status_code == 201, response.text
    (shown,) = read(anybody, "/bots/novato").rows("Newest first")
    assert (shown["game"], shown["against"], shown["result"]) == ("Truco", "rookie", "running")


def test_games_are_filtered_by_kind_and_result(owner: Account, anybody: ContractClient) -> None:
    assert owner.client.post("/v1/bots", json={"name": "novato"}).status_code == 201
    for kind, others in (("truco", 3), ("toepen", 1), ("toepen", 3)):
        game = {"kind": kind, "rules": {"seats": 1 + others} if kind == "toepen" else {}}
        game["seats"] = [{"bot": "novato"}, *[{"house": "rookie"}] * others]
        response = owner.client.post("/v1/games", json=game)
        assert response.status_code == 201, response.text

    def kinds(query: str) -> list[str]:
        rows = read(anybody, f"/bots/novato{query}").rows("Newest first")
        return [row["game"].partition(" ")[0] for row in rows]

    assert kinds("") == ["Toepen", "Toepen", "Truco"]
    assert kinds("?kind=truco") == ["Truco"]
    assert kinds("?kind=toepen&result=running") == ["Toepen", "Toepen"]
    assert kinds("?kind=toepen&preset=duel@1") == ["Toepen"]
    assert kinds("?against=rookie") == ["Toepen", "Toepen", "Truco"]
    for query in ("result=won", "against=shark"):
        page = read(anybody, f"/bots/novato?{query}")
        assert "None of the games that are kept of it is one of these" in page.html
    assert anybody.get("/bots/novato?kind=chess").status_code == 422


def test_the_games_that_the_arena_played_are_shown(
    services: Service, admin: ContractClient, anybody: ContractClient
) -> None:
    play_anew(services, admin, groups=2)
    page = read(anybody, "/bots/random")
    shown = page.rows("Newest first")
    found = anybody.get("/v1/bots/random/games").json["games"]
    assert [row["result"] for row in shown] == [result_words(game) for game in found]
    assert [row["against"] for row in shown] == [opponents(game)[0]["name"] for game in found]
    assert {(row["when"], row["tournament"], row["game"]) for row in shown} == {("just now", "Cup", "Truco")}
    (event,) = {game["tournament"]["id"] for game in found}
    assert {f"/games/{game['game']}?of=random" for game in found} < set(page.links)
    assert {f"/tournaments/{event}", f"/tournaments/{event}?bot=random#groups"} < set(page.links)
    # The exact time is there when one points at it.
    assert re.search(r'<time datetime="[0-9T:+-]+" title="[0-9 :-]+ UTC">just now</time>', page.html)
    replay = anybody.get(f"/games/{found[0]['game']}", headers=BROWSER)
    assert replay.status_code == 200
    assert anybody.get("/v1/bots/nobody/games").json["code"] == "bot_not_found"


def test_head_to_heads_lead_to_games(rated: Service, anybody: ContractClient) -> None:
    query = "against=rookie&kind=truco&preset=base@1"
    for path in ("/bots/random", "/leaderboards/truco/sealed/matchups"):
        assert f"/bots/random?{query}#games" in [unquote(link) for link in read(anybody, path).links]
    page = read(anybody, f"/bots/random?{query}")
    rows = page.rows("Newest first")
    assert {row["against"] for row in rows} == {"rookie"}
    assert len(rows) == len(anybody.get("/v1/bots/random/games?against=rookie").json["games"]) == 4


def test_the_games_of_a_day(services: Service, admin: ContractClient, anybody: ContractClient) -> None:
    play_anew(services, admin, groups=2)
    (day,) = services.bot_games.days("random")
    page = read(anybody, "/bots/random")
    (chip,) = [link for link in page.links if f"day={day}" in link]
    shown = read(anybody, chip.partition("#")[0]).rows("Newest first")
    assert len(shown) == len(anybody.get(f"/v1/bots/random/games?day={day}").json["games"]) == 8
    against = anybody.get(f"/v1/bots/random/games?day={day}&against=rookie").json["games"]
    assert len(against) == 4
    assert {opponents(game)[0]["name"] for game in against} == {"rookie"}
    assert anybody.get("/v1/bots/random/games?day=2020-01-01").json["games"] == []
    for wrong in ("2020-13-01", "today", ""):
        assert anybody.get(f"/v1/bots/random/games?day={wrong}").status_code == 422


def test_cells_of_a_crosstable_lead_to_groups(rated: Service, anybody: ContractClient) -> None:
    (event,) = [one["id"] for one in anybody.get("/v1/tournaments?bot=random").json["tournaments"]]
    page = read(anybody, f"/tournaments/{event}?tab=crosstable")
    cells = [link for link in page.links if "against=" in link and link.endswith("#groups")]
    assert f"/tournaments/{event}?bot=random&against=rookie%2B2#groups" in cells
    # Each of three against two others.
    assert len(cells) == 6
    for link in cells:
        bot, against = parse_qs(urlsplit(link).query)["bot"], parse_qs(urlsplit(link).query)["against"]
        rows = read(anybody, link.partition("#")[0]).rows("All their groups")
        assert len(rows) == 2
        assert {frozenset(row["players"].split(" – ")) for row in rows} == {frozenset([*bot, *against])}
    alone = read(anybody, f"/tournaments/{event}?bot=random")
    assert len(alone.rows("All their groups")) == 4
    nobody = read(anybody, f"/tournaments/{event}?bot=random&against=shark")
    assert "No group of" in nobody.html


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({}, "It is entered in"),
        ({"tournaments": False}, "its owner wants it to take part in no scheduled one"),
        ({"state": "withdrawn"}, "the bot is withdrawn, and gets no new ones"),
    ],
)
def test_why_an_uploaded_bot_has_no_games(
    owner: Account, anybody: ContractClient, checker: None, change: dict[str, Any], why: str
) -> None:
    source = "def choose(turn):\n    return turn['legal_actions'][0]\n"
    body = {"name": "novato", "transport": "uploaded", "source": source}
    assert owner.client.post("/v1/bots", json=body).status_code == 201
    if change:
        assert owner.client.patch("/v1/bots/novato", json=change).status_code == 200
    assert why in read(anybody, "/bots/novato").html


def test_ratings_are_shown_while_the_archive_is_away(
    owner: Account, anybody: ContractClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: Any, **options: Any) -> PageOfItems:
        raise ArchiveUnavailable("away")

    body = {"name": "novato", "version": "v1", "transport": "remote"}
    assert owner.client.post("/v1/bots", json=body).status_code == 201
    monkeypatch.setattr(LiveGames, "list", away)
    page = read(anybody, "/bots/novato")
    assert "The list of games cannot be read now" in page.html
    assert page.rows("All versions")


def test_a_deleted_bot(rated: Service, anybody: ContractClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.pages.bots.house_source", lambda _: None)
    page = read(anybody, "/bots/random")
    assert "The bot has been deleted; its results remain." in page.html
    assert page.rows("Rating in Truco, uploaded bots")
