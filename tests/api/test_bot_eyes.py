"""A bot's token sees what the bot may see, and nothing that only its owner may."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from arena.ops.service import Service
from tests.api.arenas import announce
from tests.api.conftest import Account
from tests.api.contract import ContractClient
from tests.api.test_lost_rights import CUP, private_game
from tests.api.test_private_qualifications import NO_TOURNAMENT, OF_GAMES, OF_TOURNAMENTS, same


@pytest.fixture
def bot(register: Callable[..., Account]) -> Account:
    """A bot of ana, whose token may have been stolen."""
    return register("ana-bot")


@pytest.fixture
def sister(register: Callable[..., Account]) -> Account:
    """Another bot of ana."""
    return register("ana-two")


def test_a_hidden_tournament_of_its_owner(owner: Account, bot: Account) -> None:
    event = announce(owner.client, {**CUP, "house": ["rookie"]})
    for method, path, body in OF_TOURNAMENTS.values():
        same(bot.client, event, NO_TOURNAMENT, method, f"/v1/tournaments/{{tournament}}{path}", body)
    series = owner.client.post("/v1/series", json={"name": "Season", "tournaments": [event]}).json["id"]
    for path in ("", "/table"):
        same(bot.client, series, NO_TOURNAMENT, "get", f"/v1/series/{{tournament}}{path}", None)
    for path in ("tournaments", "series"):
        assert bot.client.get(f"/v1/{path}").json[path] == []
        assert len(owner.client.get(f"/v1/{path}").json[path]) == 1
    # It enters by its owner's right, and then takes part.
    owner.client.post(f"/v1/tournaments/{event}/invitations", json={"owners": ["ana"]})
    entered = bot.client.post(f"/v1/tournaments/{event}/entries", json={"bot": "ana-bot"})
    assert entered.status_code == 200
    assert bot.client.get(f"/v1/tournaments/{event}").json["id"] == event


def test_a_private_game_of_a_sister(owner: Account, bot: Account, sister: Account, services: Service) -> None:
    game = private_game(owner, sister)
    for method, path, body in OF_GAMES.values():
        if "/bots/" not in path and "join" not in path:
            same(bot.client, game, "no-such-game", method, path, body)
    assert bot.client.get("/v1/games").json["games"] == []
    assert bot.client.get("/v1/bots/ana-two/games").json["games"] == []
    for client in (owner.client, sister.client):
        assert client.get(f"/v1/games/{game}").status_code == 200
        assert [one["game"] for one in client.get("/v1/bots/ana-two/games").json["games"]] == [game]
    while turns := services.live.turns("ana-two", rights=False).turns:
        answers = [{"turn": turn["turn"], "action": turn["legal_actions"][-1]} for turn in turns]
        services.live.answer("ana-two", [{**answer, "note": "hmm"} for answer in answers])
    assert sister.client.get(f"/v1/games/{game}/record").status_code == 200
    assert bot.client.get(f"/v1/games/{game}/record").json["code"] == "game_not_found"


def test_it_joins_a_private_game_of_its_owner(owner: Account, bot: Account, sister: Account) -> None:
    body = {"kind": "toepen", "visibility": "private", "seats": [{"bot": "ana-two"}, {"open": True}]}
    game = owner.client.post("/v1/games", json=body).json["game"]
    assert bot.client.get(f"/v1/games/{game}").status_code == 404
    assert bot.client.post(f"/v1/games/{game}/join", json={}).status_code == 200
    assert bot.client.get(f"/v1/games/{game}").status_code == 200


def test_the_notes_of_a_sister(owner: Account, bot: Account, sister: Account, services: Service) -> None:
    body = {"kind": "toepen", "seats": [{"bot": "ana-two"}, {"house": "rookie"}], "rules": {"lives": 1}}
    game = owner.client.post("/v1/games", json=body).json["game"]
    while services.live.summary(game)["state"] == "running":
        services.live.move_house_bots(game)
        turns = services.live.turns("ana-two", rights=False).turns
        answers = [{"turn": one["turn"], "action": one["legal_actions"][0], "note": "hmm"} for one in turns]
        services.live.answer("ana-two", answers)
    path = f"/v1/bots/ana-two/games/{game}/notes"
    assert bot.client.get(path).json["code"] == "notes_not_found"
    for client in (owner.client, sister.client):
        assert client.get(path).json["notes"]


def test_the_webhook_of_a_sister(
    owner: Account, bot: Account, admin: ContractClient, services: Service
) -> None:
    url = "https://example.org/secret-path"
    _, token = services.accounts.register_bot("ana", "ana-hook", transport="webhook", url=url, secret="x")
    hook = {"Authorization": f"Bearer {token}"}
    assert bot.client.get("/v1/bots/ana-hook").json["webhook"] is None
    assert owner.client.get("/v1/bots/ana-hook").json["webhook"]["url"] == url
    assert bot.client.get("/v1/bots/ana-hook", headers=hook).json["webhook"]["url"] == url
