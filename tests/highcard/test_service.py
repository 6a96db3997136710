"""High card through all of the service, in one process."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from arena.cli import run
from arena.ops.service import Service
from arena.records.verify import verify
from tests.api.arenas import announce, play
from tests.api.conftest import Account
from tests.api.contract import ContractClient
from tests.api.players import Player

SOURCE = """
def choose(turn):
    return max(turn["legal_actions"], key=lambda action: "789TJQKA".index(action[5]))
"""


@pytest.fixture
def services(app: Flask) -> Service:
    """The app's."""
    found: Service = app.extensions["botequim"]
    return found


def test_local_games_are_recorded_verified_narrated_and_rated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(tmp_path / "games.jsonl")
    arguments = ["highcard", "regular", "rookie", "random", "--rule", "seats=3", "--rule", "hands=2"]
    assert run(["play", *arguments, "--groups", "40", "--seed", "x", "--jobs", "1", "--records", file]) == 0
    assert "regular" in capsys.readouterr().out
    assert run(["verify", file, "--jobs", "1"]) == 0
    capsys.readouterr()
    first = json.loads(Path(file).read_text().splitlines()[0])
    assert [player["version"] for player in first["canonical"]["players"]] == ["1.1.0", "1.0.0", "1.0.0"]
    assert run(["replay", file, "--number", "1"]) == 0
    story = capsys.readouterr().out
    assert "takes the trick." in story
    assert "The game goes to" in story
    assert run(["leaderboard", file, "--kind", "highcard"]) == 0
    board = capsys.readouterr().out
    assert board.index("regular") < board.index("rookie")


def test_a_wrong_deal_is_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "games.jsonl"
    assert run(["play", "highcard", "rookie", "regular", "--groups", "1", "--records", str(file)]) == 0
    record = json.loads(file.read_text().splitlines()[0])
    (_, deal), *_ = record["canonical"]["actions"]
    record["canonical"]["actions"][0][1] = "deal:" + deal[-2:] + deal[5:-2]
    assert verify(record)
    capsys.readouterr()


def test_a_live_game_over_http(
    services: Service, owner: Account, register_bot: Callable[..., Account], anybody: ContractClient
) -> None:
    bot = register_bot("hc-bot")
    seats = [{"bot": bot.name}, {"house": "regular"}, {"open": True}]
    made = owner.client.post("/v1/games", json={"kind": "highcard", "seats": seats, "rules": {"hands": 2}})
    assert made.status_code == 201, made.text
    game = made.json["game"]
    assert made.json["rules"] == {"seats": 3, "hands": 2}
    other = register_bot("hc-other")
    assert other.client.post(f"/v1/games/{game}/join", json={}).json["seat"] == 2
    players = [Player(exchange_with(account.client)) for account in (bot, other)]
    for _ in range(60):
        for player in players:
            player.step()
        services.live.move_house_bots(game)
    assert all(not player.refused for player in players)
    shown = anybody.get(f"/v1/games/{game}").json
    assert shown["state"] == "finished"
    assert shown["observation"]["held"] == [0, 0, 0]
    assert anybody.get(f"/v1/games/{game}/events?limit=1000").json["over"] is True
    services.live.finish(game)
    record = anybody.get(f"/v1/games/{game}/record").json
    assert verify(record) == []
    assert record["canonical"]["players"][1] == {"name": "regular", "version": "1.1.0"}
    assert [json.loads(line) for line in anybody.get("/v1/records?kind=highcard").text.splitlines()] == [
        record
    ]


def test_wrong_requests_name_the_game(owner: Account) -> None:
    seats = [{"house": "rookie"}] * 5
    assert owner.client.post("/v1/games", json={"kind": "highcard", "seats": seats}).status_code == 422
    shark = {"kind": "highcard", "seats": [{"house": "shark"}, {"house": "rookie"}]}
    assert owner.client.post("/v1/games", json=shark).json["code"] == "invalid_seats"
    cup = {"kind": "highcard", "name": "Cup", "format": "round_robin", "house": ["rookie", "shark"]}
    assert owner.client.post("/v1/tournaments", json=cup).json["code"] == "invalid_tournament"
    rules = {"kind": "highcard", "seats": seats[:2], "rules": {"lives": 3}}
    assert owner.client.post("/v1/games", json=rules).json["code"] == "invalid_option"


@pytest.mark.usefixtures("checker")
@pytest.mark.system
def test_a_tournament_with_an_uploaded_bot_its_board_and_its_pages(
    services: Service, owner: Account, admin: ContractClient, anybody: ContractClient
) -> None:
    body = {"name": "highest", "transport": "uploaded", "source": SOURCE}
    assert owner.client.post("/v1/bots", json=body).status_code == 201
    path = "/v1/bots/highest/versions/1/qualifications"
    begun = owner.client.post(path, json={"kind": "highcard"}).json
    play(services, begun["tournament"])
    (qualified,) = owner.client.get(path).json["qualifications"]
    assert (qualified["kind"], qualified["state"]) == ("highcard", "qualified")

    fields = {
        "name": "High Cup",
        "kind": "highcard",
        "format": "round_robin",
        "groups": 3,
        "division": "sealed",
        "house": ["rookie", "regular", "random"],
        "auto_enter": True,
    }
    event = announce(admin, fields)
    play(services, event, seconds=300)
    view = anybody.get(f"/v1/tournaments/{event}").json
    assert view["state"] == "finished"
    rows = anybody.get(f"/v1/tournaments/{event}/standings").json["rows"]
    assert {row["name"]: row["version"] for row in rows}["highest"] == "1"
    assert len(rows) == 4
    records = anybody.get(f"/v1/tournaments/{event}/records").text.splitlines()
    assert len(records) == 6 * 3 * 2
    assert all(verify(json.loads(line)) == [] for line in records)

    assert services.boards.publish("highcard", "sealed")
    board = anybody.get("/v1/leaderboards/highcard/sealed").json
    assert {row["name"] for row in board["rows"]} == {"highest", "rookie", "regular", "random"}
    assert board["titles"] == {}
    for page in ("/", "/leaderboards/highcard", "/tournaments", f"/tournaments/{event}"):
        text = anybody.get(page).text
        assert "highcard" in text, page
    assert "highest" in anybody.get("/leaderboards/highcard").text


def test_the_document_describes_the_game(anybody: ContractClient) -> None:
    schemas = anybody.contract.document["components"]["schemas"]
    _, own = schemas["HighcardTurn"]["allOf"]
    assert own["properties"]["observation"] == {"$ref": "#/components/schemas/HighCardObservation"}
    assert "highcard" in schemas["NewGame"]["discriminator"]["mapping"]


def exchange_with(client: ContractClient) -> Callable[..., Mapping[str, Any]]:
    def exchange(query: Mapping[str, Any], answers: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        response = client.post("/v1/turns", query_string=query, json={"answers": answers})
        assert response.status_code == 200, response.text
        found: Mapping[str, Any] = response.json
        return found

    return exchange
