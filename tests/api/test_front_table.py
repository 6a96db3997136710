"""The table on the front page: which game it shows, and what the page knows of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from api.pages.front_table import FrontTables
from arena.ops.service import Service
from tests.api.arenas import announce, play
from tests.api.conftest import Account
from tests.api.contract import ContractClient
from tests.api.players import play_out
from tests.api.test_game_pages import CARD, new_game, seats
from tests.api.test_web_pages import NASTY, Page, read


@pytest.fixture(autouse=True)
def nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.pages.front_table.LIVE_SECONDS", 0)
    monkeypatch.setattr("api.pages.front_table.LATEST_SECONDS", 0)


def table_data(page: Page) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(page.html.partition('id="data">')[2].partition("</script>")[0])
    return data


def games_of(page: Page) -> list[str]:
    return [link.removeprefix("/games/") for link in page.links if link.startswith("/games/")]


def test_before_the_first_game(anybody: ContractClient) -> None:
    page = read(anybody, "/")
    assert "No game has been played yet." in page.html
    assert 'aria-label="An empty table"' in page.html
    assert games_of(page) == []


@pytest.mark.parametrize("kind", ["truco", "toepen"])
def test_a_live_game_comes_before_a_finished_one(
    kind: str, register: Callable[..., Account], owner: Account, anybody: ContractClient
) -> None:
    over, players = new_game(kind, register, owner, prefix="first")
    play_out(players)
    assert games_of(read(anybody, "/")) == [over]
    game, players = new_game(kind, register, owner, prefix="next")
    events: list[dict[str, Any]] = []
    while not any(event["type"] == "play" for event in events):
        for player in players:
            player.step()
        events = anybody.get(f"/v1/games/{game}/events").json["events"]
    page = read(anybody, "/")
    assert games_of(page) == [game]
    assert ">live</span>" in page.html
    data = table_data(page)
    assert data["stream"] == f"/games/{game}/table"
    assert set(CARD.findall(json.dumps(data["picture"]))) <= set(CARD.findall(json.dumps(events)))
    view = anybody.get(f"/v1/games/{game}").json
    assert data["picture"]["awaiting"] == view["awaiting"]
    # The script and the server's drawing show the same cards.
    drawn = page.html.partition('<svg class="small-table"')[2].partition('<div class="board')[0]
    assert drawn.count('class="next-card"') + len(data["picture"]["lying"]) > 0
    for _, card, _ in data["picture"]["lying"]:
        assert f'href="#suit-{card[1]}"' in drawn
    assert drawn.count('class="small-plate') == len(data["names"])


def test_a_finished_game_has_its_result_and_its_last_hand(
    register: Callable[..., Account], owner: Account, anybody: ContractClient
) -> None:
    game, players = new_game("truco", register, owner)
    play_out(players)
    page = read(anybody, "/")
    assert ">latest</span>" in page.html
    outcome = anybody.get(f"/v1/games/{game}").json["outcome"]
    data = table_data(page)
    won = [name for name, place in zip(data["names"], outcome["places"], strict=True) if place == 1]
    assert f"won by {' and '.join(won)}" in re.sub(r"<[^>]+>", "", page.html)
    assert data["picture"]["score"] == outcome["scores"][:2]
    assert data["stream"] is None
    picture = data["start"]
    assert picture != data["picture"]
    for step in data["steps"]:
        picture = picture | step
    assert picture == data["picture"]
    assert {step.get("hand", picture["hand"]) for step in data["steps"]} == {picture["hand"]}


def test_the_latest_game_may_be_of_a_tournament(
    app: Flask, admin: ContractClient, anybody: ContractClient
) -> None:
    body = {"name": NASTY, "kind": "toepen", "format": "round_robin", "preset": "duel@1", "groups": 1}
    event = announce(admin, {**body, "house": ["rookie", "random", "rookie+2"]})
    play(app.extensions["botequim"], event)
    groups = anybody.get(f"/v1/tournaments/{event}/groups").json["groups"]
    (game,) = games_of(read(anybody, "/"))
    assert game in groups[-1]["games"]
    read(anybody, f"/games/{game}")


def test_closed_games_are_not_shown(
    register: Callable[..., Account], owner: Account, anybody: ContractClient
) -> None:
    bots = [register("one"), register("two")]
    body = {"kind": "truco", "seats": seats(bots) * 2, "visibility": "private"}
    assert owner.client.post("/v1/games", json=body).status_code == 201
    page = read(anybody, "/")
    assert games_of(page) == []
    assert "No game has been played yet." in page.html


def test_the_table_is_kept_for_a_moment(
    services: Service,
    register: Callable[..., Account],
    owner: Account,
    anybody: ContractClient,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("api.pages.front_table.LIVE_SECONDS", 3600)
    game, _ = new_game("truco", register, owner)
    assert games_of(read(anybody, "/")) == [game]

    def fail(*_: Any, **__: Any) -> None:
        raise AssertionError("the page read the store for a table that it had")

    monkeypatch.setattr(services.live, "list", fail)
    monkeypatch.setattr(services.live, "events", fail)
    assert games_of(read(anybody, "/")) == [game]


def test_only_new_events_of_a_live_game_are_read(
    services: Service, register: Callable[..., Account], owner: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, players = new_game("truco", register, owner)
    starts = []
    read_events = services.live.events

    def counted(game: str, *arguments: Any, start: int = 0, **others: Any) -> dict[str, Any]:
        starts.append(start)
        return read_events(game, *arguments, start=start, **others)

    monkeypatch.setattr(services.live, "events", counted)
    tables = FrontTables(services.live, services.tournaments, services.moderation)
    before = tables.table()
    for player in players:
        player.step()
        player.step()
    after = tables.table()
    assert before is not None
    assert after is not None
    assert before.game == after.game
    assert starts[0] == 0 < starts[-1]


def test_private_games_hide_no_live_game(
    register: Callable[..., Account], owner: Account, anybody: ContractClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.pages.front_table._LOOKED_AT", 2)
    monkeypatch.setattr("arena.store.paging._READS_PER_PAGE", 1)
    game, _ = new_game("truco", register, owner)
    bots = [register(f"private-{number}") for number in range(2)]
    body = {"kind": "truco", "seats": seats(bots) * 2, "visibility": "private"}
    for _ in range(6):
        assert owner.client.post("/v1/games", json=body).status_code == 201
    shown = [games_of(read(anybody, "/")) for _ in range(8)]
    # It is found after some looks, and then stays.
    assert shown[:3].count([]) < 3
    assert shown[-1] == shown[-2] == [game]
