"""Pages of games: replays of finished ones, and tables that spectators watch."""

from __future__ import annotations

import itertools
import json
import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask import Flask

from arena.replays.live_table import LiveTable
from arena.replays.page import embedded_json
from arena.store.embedded import EmbeddedStore
from tests.api.arenas import announce, play
from tests.api.conftest import Account
from tests.api.contract import ContractClient
from tests.api.pages import Browser
from tests.api.players import Player, play_out
from tests.api.server import Server
from tests.api.test_web_pages import NASTY, read
from tests.waiting import PATIENCE

RULES = {"truco": {}, "toepen": {"seats": 3, "lives": 3}}
CARD = re.compile(r"\b[2-9TJQKA][CDHS]\b")


def seats(bots: list[Account]) -> list[dict[str, str]]:
    return [{"bot": bot.name} for bot in bots]


def new_game(
    kind: str, register: Callable[..., Account], owner: Account, prefix: str = "bot"
) -> tuple[str, list[Player]]:
    bots = [register(f"{prefix}-{number}") for number in range(2 if kind == "truco" else 3)]
    body = {"kind": kind, "rules": RULES[kind], "seats": seats(bots) * (2 if kind == "truco" else 1)}
    game = owner.client.post("/v1/games", json=body)
    assert game.status_code == 201, game.text
    return game.json["game"], [
        Player(
            lambda query, answers, bot=bot: (
                bot.client.post("/v1/turns", json={"answers": answers}, query_string=query).json
            ),
            seed,
        )
        for seed, bot in enumerate(bots)
    ]


@pytest.mark.parametrize("kind", ["truco", "toepen"])
def test_a_game_is_watched_and_then_replayed(
    kind: str, register: Callable[..., Account], owner: Account, anybody: ContractClient
) -> None:
    game, players = new_game(kind, register, owner)
    for player in players:
        player.step()
    page = read(anybody, f"/games/{game}")
    assert "watch-page.js" in page.html
    assert "hidden" in page.html
    # Nothing but the layout names a card before the stream is open.
    data = json.loads(page.html.partition('id="data">')[2].partition("</script>")[0])
    assert not CARD.findall(json.dumps(data["picture"]))

    play_out(players)
    page = read(anybody, f"/games/{game}")
    assert "replay-page.js" in page.html
    assert "Deal not checked yet" in page.headings
    record = anybody.get(f"/v1/games/{game}/record").json
    assert record["hash"] in page.html


def test_the_end_is_told_before_the_record_is_public(app: Flask, anybody: ContractClient) -> None:
    live = app.extensions["botequim"].live
    seats = [{"house": "random"}, {"house": "rookie"}]
    group = {"id": "friendly", "index": 0, "size": 2, "mirrored": False}
    game = live.create("toepen", seats=seats, rules={"seats": 2}, group=group)["game"]
    live.move_house_bots(game)
    page = anybody.get(f"/games/{game}", headers={"Accept": "text/html"}).text
    assert re.search(r"<strong>(random|rookie) won with \d+ (life|lives) left\.</strong>", page)
    assert "is public when the group of the game is over" in page
    stopped = live.create("toepen", seats=seats, rules={"seats": 2})["game"]
    live.void(stopped, "corrupt_state")
    page = anybody.get(f"/games/{stopped}", headers={"Accept": "text/html"}).text
    assert "The game was stopped." in page
    assert "is public when" not in page


def test_the_games_of_a_tournament(app: Flask, admin: ContractClient, anybody: ContractClient) -> None:
    body = {"kind": "truco", "format": "round_robin", "groups": 1, "house": ["rookie", "random"]}
    event = announce(admin, {"name": "Cup", **body})
    play(app.extensions["botequim"], event)
    page = read(anybody, f"/tournaments/{event}?tab=groups")
    last, *games = [link for link in page.links if link.startswith("/games/")]
    assert last == games[-1], "the page leads to the last game"
    groups = anybody.get(f"/v1/tournaments/{event}/groups").json["groups"]
    assert games == [f"/games/{game}" for group in groups for game in group["games"]]
    replay = read(anybody, games[0])
    assert "game 1 of 2 with these deals" in replay.html


@pytest.mark.parametrize("path", ["/games/nothing", "/games/nothing/table", "/games/<b>"])
def test_games_that_are_not_there(anybody: ContractClient, path: str) -> None:
    read(anybody, path, 404)


def test_a_game_is_cancelled_on_its_page(app: Flask, owner: Account, anybody: ContractClient) -> None:
    body = {"kind": "toepen", "rules": {"seats": 2}, "seats": [{"house": "rookie"}, {"open": True}]}
    game = owner.client.post("/v1/games", json=body).json["game"]
    form = f'action="/games/{game}/cancel"'
    assert form not in anybody.get(f"/games/{game}", headers={"Accept": "text/html"}).text
    browser = Browser(app)
    browser.sign_in(owner.token)
    assert form in browser.get(f"/games/{game}").text
    response = browser.send(f"/games/{game}/cancel", {"reason": "Nobody came."}, page=f"/games/{game}")
    assert response.status_code == 303
    text = browser.get(f"/games/{game}").text
    assert "Cancelled by its creator: Nobody came." in text
    assert form not in text


def test_a_game_that_waits_for_players(owner: Account, anybody: ContractClient) -> None:
    body = {"kind": "toepen", "rules": {"seats": 2}, "seats": [{"house": "rookie"}, {"open": True}]}
    game = owner.client.post("/v1/games", json=body)
    assert game.status_code == 201, game.text
    page = read(anybody, f"/games/{game.json['game']}")
    assert "The game waits for players." in page.html
    assert "watch-page.js" not in page.html


def test_a_private_game_is_shown_to_nobody(
    register: Callable[..., Account], owner: Account, anybody: ContractClient
) -> None:
    bots = [register("one"), register("two")]
    body = {"kind": "truco", "seats": seats(bots) * 2, "visibility": "private"}
    game = owner.client.post("/v1/games", json=body).json["game"]
    hidden = anybody.get(f"/games/{game}").status_code
    assert hidden >= 400
    assert anybody.get(f"/games/{game}/table").status_code == hidden


def test_the_creator_of_a_private_game_cancels_it_on_its_page(
    app: Flask, register: Callable[..., Account], sign_up: Callable[..., Account], owner: Account
) -> None:
    register("one")
    body = {"kind": "toepen", "rules": {"seats": 2}, "seats": [{"bot": "one"}, {"house": "rookie"}]}
    game = owner.client.post("/v1/games", json={**body, "visibility": "private"}).json["game"]
    other = Browser(app)
    other.sign_in(sign_up("bia").token)
    assert other.get(f"/games/{game}").status_code == 404
    assert other.send(f"/games/{game}/cancel", {"reason": ""}, page="/account").status_code == 404
    browser = Browser(app)
    browser.sign_in(owner.token)
    text = browser.get(f"/games/{game}").text
    assert "This game is private, so it cannot be watched." in text
    # There is no stream of a private game.
    assert "watch-page.js" not in text
    sent = browser.send(f"/games/{game}/cancel", {"reason": "Too slow."}, page=f"/games/{game}")
    assert sent.status_code == 303
    text = browser.get(f"/games/{game}").text
    assert "Cancelled by its creator: Too slow." in text
    assert f'action="/games/{game}/cancel"' not in text


@pytest.mark.parametrize("kind", ["truco", "toepen"])
def test_spectators_are_sent_no_hidden_card(
    kind: str, register: Callable[..., Account], owner: Account, anybody: ContractClient
) -> None:
    moves, public = 0, set[str]()
    # Games can end within a few moves.
    for number in itertools.count():
        game, players = new_game(kind, register, owner, prefix=f"bot-{number}")
        table = LiveTable(anybody.get(f"/v1/games/{game}").json)
        start, over = 0, False
        while not over:
            for player in players:
                player.step()
                page = anybody.get(f"/v1/games/{game}/events?start={start}").json
                start, over = page["next"], page["over"]
                public |= set(CARD.findall(json.dumps(page["events"])))
                changes = table.take(page["events"], [])
                moves += len(changes)
                assert set(CARD.findall(json.dumps(changes))) <= public
                assert all(len(json.dumps(change)) < 2000 for change in changes)
        if moves > 20 and public:
            return


def test_a_picture_with_nasty_names_is_data() -> None:
    seats = [{"name": NASTY}, {"name": None}]
    table = LiveTable({"kind": "toepen", "rules": {"seats": 2}, "seats": seats})
    assert table.players == [NASTY, "open"]
    assert "<" not in embedded_json({"names": table.form.names})


# Over HTTP


@pytest.fixture
def server(clean_store: EmbeddedStore) -> Iterator[Server]:
    with Server(clean_store.url, BOTEQUIM_SWEEP="1") as running:
        yield running


def test_all_spectators_of_a_game_see_its_moves_and_its_end(server: Server) -> None:
    owner = server.sign_up("ana")
    tokens = server.register(owner, "one", "two")
    body = {"kind": "truco", "seats": [{"bot": "one"}, {"bot": "two"}] * 2}
    game = server.request("POST", "/v1/games", body, owner).json["game"]

    everybody = threading.Barrier(6)

    def watch() -> dict[str, Any]:
        picture: dict[str, Any] = {}
        for message in server.stream(f"/games/{game}/table"):
            if message.kind == "table":
                picture = message.data["picture"]
                assert [seat for seat, left_ms in message.data["clocks"] if left_ms > 0] != []
                everybody.wait(PATIENCE)
            elif message.kind == "moves":
                for change in message.data["changes"]:
                    picture |= change
                if message.data["over"]:
                    return picture
        raise AssertionError("the stream ended before the game")

    with ThreadPoolExecutor(5) as pool:
        watchers = [pool.submit(watch) for _ in range(5)]
        everybody.wait(PATIENCE)
        play_out([server.player(token, seed) for seed, token in enumerate(tokens)])
        seen = [watcher.result() for watcher in watchers]
    outcome = server.request("GET", f"/v1/games/{game}").json["outcome"]
    assert all(picture["score"] == [outcome["scores"][0], outcome["scores"][1]] for picture in seen)
    # A late spectator gets the table as it was left.
    late = list(server.stream(f"/games/{game}/table"))
    assert [message.kind for message in late if message.kind != "ping"] == ["table"]
    assert late[0].data["over"] is True
