"""Games and turns over HTTP, in process: every reply is held against the contract."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from flask import Flask

from arena.ops.service import Service
from arena.records.verify import verify
from tests.api.conftest import Account
from tests.api.contract import ContractClient, contract_client
from tests.api.players import Player, play_out

KINDS = ("truco", "toepen")


def exchange_with(client: ContractClient) -> Callable[..., Mapping[str, Any]]:
    def exchange(query: Mapping[str, Any], answers: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        response = client.post("/v1/turns", query_string=dict(query), json={"answers": answers})
        assert response.status_code == 200, response.text
        body: Mapping[str, Any] = response.json
        return body

    return exchange


@pytest.fixture
def bots(register: Callable[..., Account]) -> list[Account]:
    return [register(f"bot-{letter}") for letter in "abcd"]


@pytest.fixture
def new_game(owner: Account, bots: list[Account]) -> Callable[..., dict[str, Any]]:
    def make(kind: str = "toepen", seats: list[dict[str, Any]] | None = None, **more: Any) -> dict[str, Any]:
        seats = seats or [{"bot": bot.name} for bot in bots]
        response = owner.client.post("/v1/games", json={"kind": kind, "seats": seats, **more})
        assert response.status_code == 201, response.text
        game: dict[str, Any] = response.json
        return game

    return make


def first_turn(bots: list[Account]) -> tuple[Account, dict[str, Any]]:
    """The bot that must act, and its turn."""
    for bot in bots:
        for turn in bot.client.get("/v1/turns").json["turns"]:
            if not turn["optional"]:
                return bot, turn
    raise AssertionError("nobody has a turn")


def answer(bot: Account, turn: str, action: Any) -> dict[str, Any]:
    response = bot.client.post("/v1/turns", json={"answers": [{"turn": turn, "action": action}]})
    assert response.status_code == 200, response.text
    result: dict[str, Any] = response.json["results"][0]
    return result


# Whole games


@pytest.mark.costly(6, "plays to the end over HTTP, and looks at all that is shown")
@pytest.mark.parametrize("kind", KINDS)
def test_a_whole_game(
    kind: str, bots: list[Account], new_game: Callable[..., dict[str, Any]], anybody: ContractClient
) -> None:
    game = new_game(kind)["game"]
    players = [Player(exchange_with(bot.client), seed) for seed, bot in enumerate(bots)]
    play_out(players)
    assert all(not player.refused for player in players)
    shown = anybody.get(f"/v1/games/{game}").json
    assert shown["state"] == "finished"
    assert sorted(shown["outcome"]["places"])[0] == 1
    record = anybody.get(f"/v1/games/{game}/record").json
    verify(record)
    assert [player["name"] for player in record["canonical"]["players"]] == [bot.name for bot in bots]
    logged = [action for action in record["canonical"]["actions"] if action[0] >= 0]
    assert len(logged) >= sum(player.accepted for player in players)
    lines = anybody.get(f"/v1/records?kind={kind}").text.splitlines()
    assert [json.loads(line) for line in lines] == [record]
    events = anybody.get(f"/v1/games/{game}/events?limit=1000").json
    assert events["over"] is True
    assert [event["n"] for event in events["events"]] == sorted({event["n"] for event in events["events"]})


def test_no_seat_sees_another_seats_cards(
    bots: list[Account], new_game: Callable[..., dict[str, Any]], anybody: ContractClient
) -> None:
    """What is dealt to others is never in a turn, a view or an event of a seat."""
    game = new_game("toepen")["game"]
    hands = [bot.client.get(f"/v1/games/{game}").json["observation"]["hand"] for bot in bots]
    for seat, bot in enumerate(bots):
        others = {card for other, hand in enumerate(hands) if other != seat for card in hand}
        for path in (f"/v1/games/{game}", f"/v1/games/{game}/events", "/v1/turns"):
            text = bot.client.get(path).text
            assert not [card for card in others if f'"{card}"' in text]
    spectator = anybody.get(f"/v1/games/{game}").text
    assert not [card for hand in hands for card in hand if f'"{card}"' in spectator]


def test_a_cursor_brings_only_what_is_new(bots: list[Account], new_game: Callable[..., Any]) -> None:
    new_game("toepen")
    bot, turn = first_turn(bots)
    page = bot.client.get("/v1/turns").json
    assert [other["turn"] for other in page["turns"]] == [turn["turn"]]
    again = bot.client.get("/v1/turns", query_string={"after": page["cursor"]}).json
    assert again["turns"] == []
    assert bot.client.get("/v1/turns?limit=1").json["turns"] == page["turns"] or page["turns"]


# Answers


def test_what_becomes_of_answers(bots: list[Account], new_game: Callable[..., Any]) -> None:
    new_game("toepen")
    bot, turn = first_turn(bots)
    other = next(account for account in bots if account is not bot)
    legal = turn["legal_actions"]
    assert answer(bot, "no-turn", "play:7D")["status"] == "unknown_turn"
    assert answer(bot, "game.99.99", "play:7D")["status"] == "unknown_turn"
    assert answer(other, turn["turn"], legal[0])["status"] == "unknown_turn"
    illegal = answer(bot, turn["turn"], "play:XX")
    assert illegal["status"] == "illegal_action"
    assert illegal["legal_actions"] == legal
    assert illegal["faults"] == 1
    malformed = answer(bot, turn["turn"], 7)
    assert malformed["status"] == "malformed"
    assert malformed["faults"] == 2
    accepted = answer(bot, turn["turn"], legal[0])
    assert accepted["status"] == "accepted"
    assert accepted["repeated"] is False
    again = answer(bot, turn["turn"], legal[0])
    assert again == {**accepted, "repeated": True, "version": again["version"]}
    different = next((action for action in legal if action != legal[0]), "play:XX")
    assert answer(bot, turn["turn"], different)["status"] == "turn_already_answered"


@pytest.mark.parametrize(
    "rubbish",
    [None, 5, "x", [], {}, {"turn": 5}, {"turn": "x"}, {"action": "x"}, {"turn": None, "action": None}],
)
def test_rubbish_does_not_harm_its_neighbours(
    bots: list[Account], new_game: Callable[..., Any], rubbish: Any
) -> None:
    new_game("toepen")
    bot, turn = first_turn(bots)
    good = {"turn": turn["turn"], "action": turn["legal_actions"][0]}
    results = bot.client.post("/v1/turns", json={"answers": [rubbish, good, rubbish]}).json["results"]
    assert [result["status"] == "accepted" for result in results] == [False, True, False]
    assert {results[0]["status"], results[2]["status"]} <= {"malformed", "unknown_turn"}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ([], None),
        ("x", None),
        (None, None),
        ({"answers": {}}, "answers"),
        ({"answers": None}, "answers"),
        ({"answers": [], "after": "x"}, "after"),
        ({"answer": []}, "answer"),
        ({"answers": [None] * 1001}, "answers"),
    ],
)
def test_bodies_of_no_shape(bots: list[Account], body: Any, field: str | None) -> None:
    data = json.dumps(body)
    response = bots[0].client.post("/v1/turns", data=data, content_type="application/json")
    assert response.status_code == 422
    assert response.json.get("field") == field


@pytest.mark.parametrize("after", ["x", "0", "-1", "zz-1", "ffff"])
def test_cursors_from_elsewhere(bots: list[Account], after: str) -> None:
    response = bots[0].client.post("/v1/turns", query_string={"after": after}, json={})
    assert response.status_code in (200, 422)
    if response.status_code == 422:
        assert response.json["code"] == "invalid_cursor"


def test_a_cursor_that_is_too_long_is_told_by_its_field(bots: list[Account]) -> None:
    response = bots[0].client.post("/v1/turns", query_string={"after": "-" * 300}, json={})
    assert (response.status_code, response.json["field"]) == (422, "after")


@pytest.mark.parametrize(
    "query", ["wait=-1", "wait=61", "wait=nan", "wait=x", "limit=0", "rights=maybe", "x=1"]
)
def test_bad_queries_for_turns(bots: list[Account], query: str) -> None:
    assert bots[0].client.post(f"/v1/turns?{query}", json={}).status_code == 422
    assert bots[0].client.get(f"/v1/turns?{query}").status_code == 422


# Making games


@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        ({}, "invalid", "kind"),
        ({"kind": "bridge", "seats": []}, "kind_not_found", "kind"),
        ({"kind": 5, "seats": []}, "invalid", "kind"),
        ({"kind": "truco"}, "invalid", "seats"),
        ({"kind": "truco", "seats": [{"open": True}] * 3}, "invalid_option", "rules.seats"),
        ({"kind": "truco", "seats": [{"open": True}] * 2}, "invalid_option", "rules.exchange"),
        ({"kind": "truco", "seats": [{"open": True}] * 5}, "invalid", "seats"),
        ({"kind": "toepen", "seats": [{"open": True}] * 9}, "invalid", "seats"),
        ({"kind": "toepen", "seats": [{"open": False}] * 2}, "invalid", "seats.0.open"),
        ({"kind": "toepen", "seats": [{}, {}]}, "invalid", "seats.0"),
        ({"kind": "toepen", "seats": [{"open": True, "bot": "bot-a"}] * 2}, "invalid", "seats.0"),
        ({"kind": "toepen", "seats": [{"house": "nobody"}] * 2}, "invalid", "seats.0.house"),
        ({"kind": "toepen", "seats": [{"bot": "nobody"}] * 2}, "bot_not_found", "bot"),
        ({"kind": "toepen", "seats": ["bot-a", "bot-b"]}, "invalid", "seats.0"),
        ({"kind": "toepen", "seats": [{"open": True}] * 2, "rules": {"seats": 3}}, "invalid_seats", "seats"),
        (
            {"kind": "toepen", "seats": [{"open": True}] * 2, "rules": {"lives": 0}},
            "invalid_option",
            "rules.lives",
        ),
        (
            {"kind": "truco", "seats": [{"open": True}] * 4, "rules": {"lives": 3}},
            "invalid_option",
            "rules.lives",
        ),
        ({"kind": "toepen", "seats": [{"open": True}] * 2, "rules": []}, "invalid", "rules"),
        (
            {"kind": "toepen", "seats": [{"open": True}] * 2, "clock": {"per_turn_ms": 1}},
            "invalid",
            "clock.per_turn_ms",
        ),
        (
            {"kind": "toepen", "seats": [{"bot": "bot-a", "nonce": "a b"}, {"open": True}]},
            "invalid",
            "seats.0.nonce",
        ),
        ({"kind": "toepen", "seats": [{"open": True}] * 2, "visibility": "secret"}, "invalid", "visibility"),
        ({"kind": "toepen", "seats": [{"open": True}] * 2, "rated": True}, "invalid", "rated"),
    ],
)
def test_games_that_cannot_be(
    owner: Account, bots: list[Account], body: dict[str, Any], code: str, field: str
) -> None:
    response = owner.client.post("/v1/games", json=body)
    assert response.json["code"] == code, response.text
    assert response.json["field"] == field, response.text
    assert owner.client.get("/v1/games").json["games"] == []


def test_whose_bots_may_be_seated(
    owner: Account, bots: list[Account], sign_up: Callable[..., Account], admin: ContractClient
) -> None:
    seats = [{"bot": "bot-a"}, {"bot": "bot-b"}]
    stranger = sign_up("bia")
    body = {"kind": "toepen", "seats": seats}
    refused = stranger.client.post("/v1/games", json=body)
    assert (refused.status_code, refused.json["code"]) == (403, "forbidden")
    assert admin.post("/v1/games", json=body).status_code == 201
    made = bots[2].client.post("/v1/games", json=body)
    assert made.status_code == 201
    assert made.json["created_by"] == "ana"
    assert made.json["rules"]["seats"] == 2
    owner.client.patch("/v1/bots/bot-a", json={"state": "withdrawn"})
    assert owner.client.post("/v1/games", json=body).json["code"] == "bot_withdrawn"


def test_the_current_version_plays(owner: Account, bots: list[Account], new_game: Callable[..., Any]) -> None:
    owner.client.post("/v1/bots/bot-a/versions", json={"label": "2.0"})
    seats = new_game("toepen")["seats"]
    assert [seat["version"] for seat in seats] == ["2.0", "1", "1", "1"]


# Open seats


def test_join_and_start(
    bots: list[Account],
    new_game: Callable[..., Any],
    sign_up: Callable[..., Account],
    register: Callable[..., Account],
) -> None:
    game = new_game("toepen", [{"open": True}, {"bot": "bot-a"}, {"open": True}])["game"]
    guest = register("guest-bot", of=sign_up("bia"))
    joined = guest.client.post(f"/v1/games/{game}/join", json={"seat": 2, "nonce": "luck"}).json
    assert (joined["seat"], joined["state"]) == (2, "waiting")
    assert guest.client.post(f"/v1/games/{game}/join", json={}).json["seat"] == 2
    taken = bots[1].client.post(f"/v1/games/{game}/join", json={"seat": 2})
    assert (taken.status_code, taken.json["code"]) == (409, "seat_taken")
    joined = bots[1].client.post(f"/v1/games/{game}/join", json={}).json
    assert (joined["seat"], joined["state"]) == (0, "running")
    late = bots[2].client.post(f"/v1/games/{game}/join", json={})
    assert late.json["code"] == "game_not_open"


def test_withdrawn_bots_do_not_join(
    owner: Account, bots: list[Account], new_game: Callable[..., Any]
) -> None:
    game = new_game("toepen", [{"open": True}, {"open": True}])["game"]
    owner.client.patch("/v1/bots/bot-a", json={"state": "withdrawn"})
    assert bots[0].client.post(f"/v1/games/{game}/join", json={}).json["code"] == "bot_withdrawn"


def test_cancel(
    owner: Account,
    bots: list[Account],
    new_game: Callable[..., Any],
    sign_up: Callable[..., Account],
    admin: ContractClient,
) -> None:
    game = new_game("toepen", [{"open": True}, {"open": True}])["game"]
    assert sign_up("bia").client.post(f"/v1/games/{game}/cancel").json["code"] == "forbidden"
    assert bots[0].client.post(f"/v1/games/{game}/cancel").json["state"] == "cancelled"
    again = bots[0].client.post(f"/v1/games/{game}/cancel")
    assert (again.status_code, again.json["reason"]) == (200, "cancelled by its creator")
    another = new_game("toepen", [{"open": True}, {"open": True}])["game"]
    assert admin.post(f"/v1/games/{another}/cancel").json["state"] == "cancelled"
    assert admin.get("/v1/admin/audit").json["entries"][0]["action"] == "cancel game"


def test_a_creator_ends_a_running_game_of_own_bots(owner: Account, new_game: Callable[..., Any]) -> None:
    game = new_game("toepen", [{"bot": "bot-a"}, {"house": "rookie"}])["game"]
    ended = owner.client.post(f"/v1/games/{game}/cancel", query_string={"reason": "It takes too long."}).json
    assert (ended["state"], ended["reason"]) == ("void", "cancelled by its creator: It takes too long.")
    assert owner.client.get(f"/v1/games/{game}").json["awaiting"] == []
    page = owner.client.get(f"/games/{game}", headers={"Accept": "text/html"}).text
    assert "Cancelled by its creator: It takes too long. Nobody won." in page


def test_a_running_game_with_others_bots_is_ended_by_admins_only(
    owner: Account,
    new_game: Callable[..., Any],
    sign_up: Callable[..., Account],
    register: Callable[..., Account],
    admin: ContractClient,
) -> None:
    game = new_game("toepen", [{"bot": "bot-a"}, {"open": True}])["game"]
    register("guest-bot", of=sign_up("bia")).client.post(f"/v1/games/{game}/join", json={})
    refused = owner.client.post(f"/v1/games/{game}/cancel").json
    assert refused["code"] == "forbidden"
    assert "resign" in refused["expected"]
    ended = admin.post(f"/v1/games/{game}/cancel", query_string={"reason": "A test."}).json
    assert (ended["state"], ended["reason"]) == ("void", "cancelled by the admin admin: A test.")
    assert admin.post(f"/v1/games/{game}/cancel").json["code"] == "game_not_open"


def test_an_admin_ends_all_games_of_an_owner(
    owner: Account, new_game: Callable[..., Any], admin: ContractClient
) -> None:
    games = [new_game("toepen")["game"], new_game("toepen", [{"open": True}, {"open": True}])["game"]]
    name = owner.client.get("/v1/owners/me").json["name"]
    path = f"/v1/admin/owners/{name}/games/cancel"
    assert owner.client.post(path, json={"reason": "No."}).json["code"] == "forbidden"
    assert sorted(admin.post(path, json={"reason": "Too many."}).json["games"]) == sorted(games)
    assert admin.post(path, json={"reason": "Too many."}).json["games"] == []
    states = [owner.client.get(f"/v1/games/{game}").json["state"] for game in games]
    assert states == ["void", "cancelled"]
    entry = admin.get("/v1/admin/audit").json["entries"][0]
    assert (entry["action"], entry["subject"], entry["detail"]) == (
        "cancel games",
        f"owner {name}",
        "Too many.",
    )
    assert (
        admin.post("/v1/admin/owners/nobody/games/cancel", json={"reason": "x"}).json["code"]
        == "owner_not_found"
    )


def test_games_of_a_suspended_owner_end_unless_others_play_in_them(
    owner: Account,
    new_game: Callable[..., Any],
    sign_up: Callable[..., Account],
    register: Callable[..., Account],
    admin: ContractClient,
    services: Service,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = [new_game("toepen", [{"bot": "bot-a"}, {"house": "rookie"}])["game"] for _ in range(2)]
    house = new_game("truco", [{"house": "rookie"}] * 4)["game"]
    waiting = new_game("toepen", [{"house": "rookie"}, {"open": True}])["game"]
    shared = new_game("toepen", [{"bot": "bot-a"}, {"open": True}])["game"]
    guest = register("guest-bot", of=sign_up("bia"))
    guest.client.post(f"/v1/games/{shared}/join", json={})
    name = owner.client.get("/v1/owners/me").json["name"]
    # The process is killed after the first game.
    cancel, killed = services.live.cancel, []

    def once(*args: Any, **options: Any) -> Any:
        if killed:
            raise KeyboardInterrupt
        killed.append(args)
        return cancel(*args, **options)

    monkeypatch.setattr(services.live, "cancel", once)
    with pytest.raises(KeyboardInterrupt):
        services.suspensions.suspend_owner(name, "Spam.", "admin", 0)
    monkeypatch.undo()
    assert admin.put(f"/v1/admin/owners/{name}/suspension", json={"reason": "Spam."}).status_code == 200
    found = {game: services.live.header(game) for game in (*own, house, waiting, shared)}
    states = {game: (header.state, header.reason) for game, header in found.items()}
    ended = "its creator was suspended"
    assert states == {
        **dict.fromkeys((*own, house), ("void", ended)),
        waiting: ("cancelled", ended),
        shared: ("running", None),
    }


def test_a_game_that_begins_while_it_is_ended_goes_on_only_with_others(
    owner: Account,
    new_game: Callable[..., Any],
    sign_up: Callable[..., Account],
    register: Callable[..., Account],
    services: Service,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seats = [{"house": "rookie"}, {"open": True}]
    own, shared = [new_game("toepen", seats)["game"] for _ in range(2)]
    name = owner.client.get("/v1/owners/me").json["name"]
    register("guest-bot", of=sign_up("bia"))
    cancel = services.live.cancel

    def begin_first(game: str, why: str, *, running: bool) -> Any:
        if not running:
            services.live.join(game, "bot-a" if game == own else "guest-bot")
        return cancel(game, why, running=running)

    monkeypatch.setattr(services.live, "cancel", begin_first)
    services.game_cancellation.end_own(name, "A test.")
    assert services.live.header(own).state == "void"
    assert services.live.header(shared).state == "running"
    assert services.live.unfinished(name) == [shared]
    monkeypatch.undo()
    services.live.cancel(shared, running=True)
    assert services.live.unfinished(name) == []


def test_resign(bots: list[Account], new_game: Callable[..., Any], register: Callable[..., Account]) -> None:
    game = new_game("toepen")["game"]
    stranger = register("guest-bot")
    assert stranger.client.post(f"/v1/games/{game}/resign", json={}).json["code"] == "not_seated"
    assert bots[0].client.post(f"/v1/games/{game}/resign", json={"seat": 3}).json["code"] == "not_seated"
    for bot in bots:
        assert bot.client.post(f"/v1/games/{game}/resign", json={}).status_code in (200, 409)
    shown = bots[0].client.get(f"/v1/games/{game}").json
    assert shown["state"] == "finished"
    over = bots[0].client.post(f"/v1/games/{game}/resign", json={})
    assert over.json["code"] == "game_not_running"


# Looking


def test_etags(bots: list[Account], new_game: Callable[..., Any], anybody: ContractClient) -> None:
    game = new_game("toepen")["game"]
    first = anybody.get(f"/v1/games/{game}")
    etag = first.headers["ETag"]
    assert etag.startswith(f'W/"{first.json["version"]}-')
    same = anybody.get(f"/v1/games/{game}", headers={"If-None-Match": etag})
    assert same.status_code == 304
    assert same.data == b""
    mine = bots[0].client.get(f"/v1/games/{game}", headers={"If-None-Match": etag})
    assert mine.status_code == 200
    assert mine.json["seat"] == 0
    unchanged = anybody.get(f"/v1/games/{game}?since={first.json['version']}")
    assert unchanged.status_code == 204
    bot, turn = first_turn(bots)
    answer(bot, turn["turn"], turn["legal_actions"][0])
    changed = anybody.get(f"/v1/games/{game}", headers={"If-None-Match": etag})
    assert changed.status_code == 200
    assert anybody.get(f"/v1/games/{game}?since={first.json['version']}").status_code == 200


def test_only_ones_own_seat(
    bots: list[Account], new_game: Callable[..., Any], anybody: ContractClient
) -> None:
    game = new_game("toepen")["game"]
    assert bots[0].client.get(f"/v1/games/{game}?seat=0").json["seat"] == 0
    for client in (anybody, bots[1].client):
        for path in (f"/v1/games/{game}", f"/v1/games/{game}/events", f"/v1/games/{game}/events/stream"):
            refused = client.get(f"{path}?seat=0")
            assert (refused.status_code, refused.json["code"]) == (403, "not_seated")


def test_private_games(
    owner: Account,
    bots: list[Account],
    new_game: Callable[..., Any],
    anybody: ContractClient,
    sign_up: Callable[..., Account],
    admin: ContractClient,
) -> None:
    game = new_game("toepen", visibility="private")["game"]
    stranger = sign_up("bia").client
    for client, status in (
        (anybody, 404),
        (stranger, 404),
        (owner.client, 200),
        (bots[0].client, 200),
        (admin, 200),
    ):
        for path in (f"/v1/games/{game}", f"/v1/games/{game}/events"):
            assert client.get(path).status_code == status
        assert bool(client.get("/v1/games").json["games"]) is (status == 200)
    assert anybody.get(f"/v1/games/{game}/events/stream").status_code == 404
    assert anybody.get(f"/v1/games/{game}/record").status_code == 404


def test_no_such_game(anybody: ContractClient, bots: list[Account]) -> None:
    for game in ("nothing", "a" * 64, "a" * 65, "%7Bx%7D", "a.b"):
        for path in ("", "/events", "/events/stream", "/record"):
            assert anybody.get(f"/v1/games/{game}{path}").status_code == 404
        assert bots[0].client.post(f"/v1/games/{game}/join", json={}).status_code == 404
        assert bots[0].client.post(f"/v1/games/{game}/resign", json={}).status_code == 404
        assert bots[0].client.post(f"/v1/games/{game}/cancel").status_code == 404


def test_record_of_a_game_that_goes_on(new_game: Callable[..., Any], anybody: ContractClient) -> None:
    game = new_game("truco")["game"]
    refused = anybody.get(f"/v1/games/{game}/record")
    assert (refused.status_code, refused.json["code"]) == (409, "record_not_ready")


def test_the_moment_between_the_end_and_the_record(
    app: Flask, bots: list[Account], new_game: Callable[..., Any], anybody: ContractClient, monkeypatch: Any
) -> None:
    requested: list[str] = []
    monkeypatch.setattr(app.extensions["botequim"].jobs, "finish_game", requested.append)
    game = new_game("truco")["game"]
    for bot in bots[:4]:
        bot.client.post(f"/v1/games/{game}/resign", json={})
    assert requested == [game]
    assert anybody.get(f"/v1/games/{game}").json["state"] == "finished"
    refused = anybody.get(f"/v1/games/{game}/record")
    assert (refused.status_code, refused.json["code"]) == (409, "record_not_ready")
    assert "is still being written" in refused.json["detail"]
    assert 'data-seconds="1"' in anybody.get(f"/games/{game}", headers={"Accept": "text/html"}).text
    app.extensions["botequim"].live.finish(game)
    assert anybody.get(f"/v1/games/{game}/record").status_code == 200
    assert "data-seconds" not in anybody.get(f"/games/{game}", headers={"Accept": "text/html"}).text


def test_lists_of_games(bots: list[Account], new_game: Callable[..., Any], anybody: ContractClient) -> None:
    running = [new_game("toepen")["game"] for _ in range(3)]
    waiting = new_game("truco", [{"bot": "bot-a"}, *[{"open": True}] * 3])["game"]

    def listed(**query: Any) -> list[str]:
        found: list[str] = []
        while True:
            page = anybody.get("/v1/games", query_string=query).json
            found += [game["game"] for game in page["games"]]
            if page["cursor"] is None:
                return found
            query["cursor"] = page["cursor"]

    assert listed() == listed(limit=1) == [waiting, *reversed(running)]
    assert listed(kind="truco") == listed(state="waiting") == [waiting]
    assert listed(state="running", kind="toepen", limit=2) == list(reversed(running))
    assert listed(bot="bot-b") == list(reversed(running))
    assert listed(bot="bot-a", state="waiting") == [waiting]
    assert anybody.get("/v1/games?cursor=nonsense").json["code"] == "invalid_cursor"
    assert anybody.get("/v1/games?kind=bridge").status_code == 422


@pytest.mark.nightly("contract")
def test_records_in_parts(bots: list[Account], new_game: Callable[..., Any], anybody: ContractClient) -> None:
    assert anybody.get("/v1/records").text == ""
    games = [new_game("toepen", [{"bot": "bot-a"}, {"bot": "bot-b"}])["game"] for _ in range(3)]
    play_out([Player(exchange_with(bot.client), 1) for bot in bots[:2]])
    found = []
    after = None
    while True:
        query = {"limit": 2, **({} if after is None else {"after": after})}
        part = anybody.get("/v1/records", query_string=query)
        after = part.headers["X-Next"]
        lines = part.text.splitlines()
        if not lines:
            assert after == query["after"], "the next records come after these"
            break
        found += [json.loads(line)["canonical"]["game"] for line in lines]
    assert sorted(found) == sorted(games)
    assert anybody.get("/v1/records?after=nonsense").json["code"] == "invalid_cursor"


def test_a_token_for_one_bot_only(app: Flask, owner: Account, bots: list[Account]) -> None:
    assert owner.client.get("/v1/turns").json["code"] == "forbidden"
    assert owner.client.post("/v1/turns", json={}).json["code"] == "forbidden"
    assert contract_client(app).post("/v1/turns", json={}).json["code"] == "missing_token"


def test_too_many_seats_are_refused_before_they_are_checked(owner: Account) -> None:
    refused = owner.client.post("/v1/games", json={"kind": "toepen", "seats": [{"no": "seat"}] * 300})
    assert refused.status_code == 422
    assert refused.json["detail"] == "seats: must be 2 to 8 seats, not 300"
    assert "more" not in refused.json
