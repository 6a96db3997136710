"""Qualifications are private: whatever can show a game, a record or a tournament shows them to the owner of
the bot and to admins, and to others exactly what it shows of one that does not exist.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from api.openapi import document
from arena.live.header import Viewer
from arena.ops.service import Service
from tests.api.arenas import play
from tests.api.conftest import Account
from tests.api.contract import ContractClient, contract_client
from tests.waiting import PATIENCE

pytestmark = pytest.mark.system

SOURCE = "def choose(turn):\n    print('my secret')\n    return turn['legal_actions'][0]\n"
METHODS = ("get", "post", "put", "patch", "delete")
NO_TOURNAMENT = "q-0123456789abcdef-1"


class Qualified:
    """A qualification that is over: its tournament and games, and who may see it."""

    def __init__(self, tournament: str, games: list[str]) -> None:
        self.tournament = tournament
        self.games = games


@pytest.fixture
def played(
    services: Service, owner: Account, register: Callable[..., Account], checker: None
) -> dict[str, Qualified]:
    """One of an uploaded bot, played by a worker, and one of a bot that polls, played in live games."""
    found = {}
    upload = {"name": "ana-upload", "transport": "uploaded", "source": SOURCE}
    assert owner.client.post("/v1/bots", json=upload).status_code == 201
    register("ana-bot")
    for bot in ("ana-upload", "ana-bot"):
        path = f"/v1/bots/{bot}/versions/1/qualifications"
        event = owner.client.post(path, json={"kind": "toepen"}).json["tournament"]
        if bot == "ana-upload":
            play(services, event)
        else:
            play_live(services, event, bot)
        (group,) = services.tournaments.groups(event).items
        assert group["state"] == "done"
        found[bot] = Qualified(event, group["games"])
    return found


def play_live(services: Service, event: str, bot: str) -> None:
    """Until the qualification of a bot that polls is over."""
    deadline = time.monotonic() + PATIENCE
    while services.tournaments.step(event).state != "finished":
        assert time.monotonic() < deadline
        for game in services.live.list(bot=bot, state="running", viewer=Viewer(admin=True)).items:
            services.live.move_house_bots(game["game"])
        turns = services.live.turns(bot, rights=False).turns
        answers = [{"turn": turn["turn"], "action": turn["legal_actions"][0]} for turn in turns]
        services.live.answer(bot, answers)


@pytest.fixture
def strangers(
    app: Flask, sign_up: Callable[..., Account], register: Callable[..., Account], anybody: ContractClient
) -> list[ContractClient]:
    """Nobody, another owner, and a bot of another owner."""
    other = sign_up("pia")
    return [anybody, other.client, register("pia-bot", other).client]


@pytest.fixture
def friends(app: Flask, owner: Account, admin: ContractClient) -> list[ContractClient]:
    """The owner, and an admin."""
    return [owner.client, admin]


OF_TOURNAMENTS: dict[str, tuple[str, str, Any]] = {
    "getTournament": ("get", "", None),
    "streamTournament": ("get", "/events", None),
    "enterTournament": ("post", "/entries", {"bot": "rookie"}),
    "leaveTournament": ("delete", "/entries/ana-bot", None),
    "cloneTournament": ("post", "/clone", {"locks_ms": 2_000_000_000_000}),
    "getResults": ("get", "/results.csv", None),
    "subscribeToTournament": ("post", "/subscriptions", {"url": "https://example.org/"}),
    "listSubscriptions": ("get", "/subscriptions", None),
    "deleteSubscription": ("delete", "/subscriptions/x", None),
    "pingSubscription": ("post", "/subscriptions/x/ping", None),
    "listGuests": ("get", "/invitations", None),
    "inviteOwners": ("post", "/invitations", {"owners": ["ana"]}),
    "uninviteOwner": ("delete", "/invitations/owners/ana", None),
    "createInvitationLink": ("post", "/invitations/links", {}),
    "revokeInvitationLink": ("delete", "/invitations/links/x", None),
    "acceptInvitation": ("post", "/invitations/accept", {"code": "x"}),
    "addOrganiser": ("put", "/organisers/ana", None),
    "removeOrganiser": ("delete", "/organisers/ana", None),
    "editTournament": ("patch", "", {"name": "Mine"}),
    "cancelTournament": ("post", "/cancel", {"reason": "rain"}),
    "getStandings": ("get", "/standings", None),
    "listGroups": ("get", "/groups", None),
    "downloadTournamentRecords": ("get", "/records", None),
}
OF_GAMES: dict[str, tuple[str, str, Any]] = {
    "getGame": ("get", "/v1/games/{game}", None),
    "joinGame": ("post", "/v1/games/{game}/join", {}),
    "resignGame": ("post", "/v1/games/{game}/resign", {}),
    "cancelGame": ("post", "/v1/games/{game}/cancel", None),
    "listEvents": ("get", "/v1/games/{game}/events", None),
    "streamEvents": ("get", "/v1/games/{game}/events/stream", None),
    "getRecord": ("get", "/v1/games/{game}/record", None),
    "getNotes": ("get", "/v1/bots/ana-upload/games/{game}/notes", None),
    "publishNotes": ("patch", "/v1/bots/ana-upload/games/{game}/notes", {"published": True}),
    "getLog": ("get", "/v1/bots/ana-upload/games/{game}/log", None),
    "annulGame": ("post", "/v1/admin/games/{game}/annul", {"reason": "rain"}),
}
LISTS = {
    "listGames": "/v1/games?limit=100",
    "listBotGames": "/v1/bots/ana-upload/games",
    "listTournaments": "/v1/tournaments",
    "downloadRecords": "/v1/records",
    "downloadAllRecords": "/v1/records/all",
    "listRecordChanges": "/v1/records/changes",
    "listLeaderboards": "/v1/leaderboards",
    "getLeaderboard": "/v1/leaderboards/toepen/open",
    "getHistory": "/v1/leaderboards/toepen/open/history",
}
PAGES = (
    "/",
    "/tournaments",
    "/bots/ana-upload",
    "/bots/ana-bot",
    "/leaderboards/toepen",
    "/leaderboards/toepen/sealed",
    "/metrics",
)


def operations(app: Flask) -> Iterator[tuple[str, str]]:
    for path, item in document(app)["paths"].items():
        yield from ((path, item[method]["operationId"]) for method in METHODS if method in item)


def test_every_operation_that_names_a_game_or_tournament_is_here(one_app: Flask) -> None:
    found = {name for path, name in operations(one_app) if "{tournament}" in path or "{game}" in path}
    assert found == {*OF_TOURNAMENTS, *OF_GAMES}
    assert {name for _, name in operations(one_app)} >= set(LISTS)


def same(client: ContractClient, hidden: str, unknown: str, method: str, path: str, body: Any) -> None:
    """Require that a client sees of ``hidden`` what it sees of what does not exist."""
    found = [
        sent(client, method, path.format(game=name, tournament=name), body) for name in (hidden, unknown)
    ]
    shown = [
        answer.get_data(as_text=True).replace(name, "?")
        for answer, name in zip(found, (hidden, unknown), strict=True)
    ]
    assert found[0].status_code == found[1].status_code in (401, 403, 404)
    assert without_request(shown[0]) == without_request(shown[1])


def without_request(problem: str) -> list[str]:
    return [part for part in problem.split(",") if "request_id" not in part]


def sent(client: ContractClient, method: str, path: str, body: Any) -> TestResponse:
    return (
        client.open(path, method=method.upper(), json=body)
        if body is not None
        else client.open(path, method=method.upper())
    )


@pytest.mark.parametrize("bot", ["ana-upload", "ana-bot"])
def test_strangers_see_nothing(
    bot: str, played: dict[str, Qualified], strangers: list[ContractClient]
) -> None:
    own = played[bot]
    for client in strangers:
        for method, path, body in OF_TOURNAMENTS.values():
            same(client, own.tournament, NO_TOURNAMENT, method, "/v1/tournaments/{tournament}" + path, body)
        waiting = "/v1/tournaments/{tournament}?since=0&wait=0.1"
        same(client, own.tournament, NO_TOURNAMENT, "get", waiting, None)
        for form in ("csv", "text"):
            table = f"/v1/tournaments/{{tournament}}/standings?format={form}"
            same(client, own.tournament, NO_TOURNAMENT, "get", table, None)
        same(client, own.tournament, NO_TOURNAMENT, "get", "/tournaments/{tournament}", None)
        for game in own.games:
            unknown = game.replace(own.tournament, NO_TOURNAMENT)
            for method, path, body in OF_GAMES.values():
                same(client, game, unknown, method, path, body)
        same(
            client,
            f"{own.tournament}-r1-p1-g1",
            f"{NO_TOURNAMENT}-r1-p1-g1",
            "post",
            "/v1/admin/games/{game}/annul",
            {"reason": "rain"},
        )
        for path in (*LISTS.values(), f"/v1/games?bot={bot}", "/v1/games?state=finished", *PAGES):
            answer = client.get(path)
            assert answer.status_code == 200, answer.text
            assert own.tournament not in answer.get_data(as_text=True), path


@pytest.mark.parametrize("bot", ["ana-upload", "ana-bot"])
def test_the_owner_and_admins_see_it(
    bot: str, played: dict[str, Qualified], friends: list[ContractClient]
) -> None:
    own = played[bot]
    for client in friends:
        for path in ("", "/events", "/standings", "/standings?format=csv", "/groups", "/records"):
            answer = client.get(f"/v1/tournaments/{own.tournament}{path}")
            assert answer.status_code == 200, path
        page = client.get(f"/tournaments/{own.tournament}")
        assert bot in page.get_data(as_text=True)
        entries = client.get(f"/v1/tournaments/{own.tournament}").json["entries"]
        assert {entry["bot"] for entry in entries} == {"rookie", bot}
        for game in own.games:
            record = client.get(f"/v1/games/{game}/record")
            assert record.json["canonical"]["game"] == game
            assert record.json["info"]["rated"] is False
            if bot == "ana-bot":
                assert client.get(f"/v1/games/{game}").json["visibility"] == "private"
                assert client.get(f"/v1/games/{game}/events").status_code == 200
            else:
                assert client.get(f"/v1/bots/{bot}/games/{game}/log").json["seats"]
        listed = {game["game"] for game in client.get(f"/v1/games?bot={bot}").json["games"]}
        assert listed == (set(own.games) if bot == "ana-bot" else set())


def test_the_bot_itself_sees_its_games(app: Flask, played: dict[str, Qualified], owner: Account) -> None:
    token = owner.client.post("/v1/bots/ana-bot/token").json["token"]
    bot = contract_client(app, token)
    for game in played["ana-bot"].games:
        assert bot.get(f"/v1/games/{game}/record").status_code == 200
    assert bot.get(f"/v1/tournaments/{played['ana-bot'].tournament}").status_code == 200


def test_an_entry_does_not_say_why_the_version_did_not_qualify(
    services: Service,
    admin: ContractClient,
    owner: Account,
    register: Callable[..., Account],
    anybody: ContractClient,
) -> None:
    register("ana-bot")
    row = ["failed", "q-x-1", 1, 0, "forfeited game q-x-1-r1-p1-g1-1: a secret", None, "a secret"]
    services.store.qualifications.add("toepen/ana-bot/1", row)
    cup = {"name": "Cup", "kind": "toepen", "rules": {"seats": 2}, "format": "round_robin"}
    event = admin.post("/v1/tournaments", json=cup).json["id"]
    assert owner.client.post(f"/v1/tournaments/{event}/entries", json={"bot": "ana-bot"}).status_code == 200
    services.store.qualifications.change("toepen/ana-bot/1", lambda _: row)
    services.tournaments.step(event)
    (entry,) = anybody.get(f"/v1/tournaments/{event}").json["entries"]
    assert entry["status"] == "failed"
    assert entry["reason"] == "the version did not qualify; its owner can see why"
    (shown,) = owner.client.get("/v1/bots/ana-bot/versions/1/qualifications").json["qualifications"]
    assert "a secret" in shown["reason"]
