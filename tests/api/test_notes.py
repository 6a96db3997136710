"""Notes on moves: for the bot's owner after the game, for others only once they are published."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask

from arena.live.turns import MAX_NOTE
from arena.ops.service import Service
from arena.records.verify import verify
from arena.store.connection import SingleRedis
from arena.store.embedded import EmbeddedStore
from arena.store.notes import KEPT_MS, MOST_OF_BOT, MOST_OF_GAME, NoteStore
from arena.store.repositories import open_store
from tests.api.conftest import Account
from tests.api.contract import ContractClient
from tests.api.pages import Browser

SECRET = "the ace of spades is gone"


@pytest.fixture
def ana_one(register: Callable[..., Account]) -> Account:
    """A bot of ana."""
    return register("ana-one")


@pytest.fixture
def teo(sign_up: Callable[..., Account]) -> Account:
    """Another owner."""
    return sign_up("teo")


@pytest.fixture
def teo_one(register: Callable[..., Account], teo: Account) -> Account:
    """The opponent."""
    return register("teo-one", of=teo)


@pytest.fixture
def game(owner: Account, ana_one: Account, teo_one: Account) -> str:
    """A game of the two that has begun."""
    seats = [{"bot": "ana-one"}, {"open": True}]
    body = {"kind": "toepen", "seats": seats, "rules": {"lives": 5}}
    made = owner.client.post("/v1/games", json=body).json["game"]
    assert teo_one.client.post(f"/v1/games/{made}/join", json={}).status_code == 200
    return str(made)


def rounds(noting: Account, other: Account) -> Iterator[None]:
    """Play the only game to its end, with a note on every move of the first bot."""
    moved = 1
    while moved:
        moved = 0
        for bot in (noting, other):
            turns = [turn for turn in bot.client.get("/v1/turns").json["turns"] if not turn["optional"]]
            answers = [{"turn": turn["turn"], "action": turn["legal_actions"][0]} for turn in turns]
            if bot is noting:
                answers = [{**one, "note": f"{SECRET}, {one['action']}"} for one in answers]
            if answers:
                results = bot.client.post("/v1/turns", json={"answers": answers}).json["results"]
                assert [one["status"] for one in results] == ["accepted"] * len(answers)
                moved += len(answers)
        yield


def play(noting: Account, other: Account) -> None:
    for _ in rounds(noting, other):
        pass


def seen(client: ContractClient, game: str) -> str:
    """All that can be read about a game, as one text."""
    paths = [
        f"/v1/games/{game}",
        f"/v1/games/{game}/events",
        f"/v1/games/{game}/record",
        f"/v1/bots/ana-one/games/{game}/notes",
        "/v1/games",
        "/v1/records",
        "/v1/records/all",
        "/v1/bots/ana-one",
        f"/games/{game}",
        "/bots/ana-one",
    ]
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    replay = client.post("/mcp", json={**call, "params": {"name": "replay", "arguments": {"game": game}}})
    return "\n".join([replay.text, *(client.get(path).text for path in paths)])


def turn_of(ana_one: Account, teo_one: Account) -> Any:
    """The first turn of ana's bot; the other one moves before if it begins."""
    while not (turns := ana_one.client.get("/v1/turns?rights=false").json["turns"]):
        for turn in teo_one.client.get("/v1/turns?rights=false").json["turns"]:
            answer = {"turn": turn["turn"], "action": turn["legal_actions"][0]}
            teo_one.client.post("/v1/turns", json={"answers": [answer]})
    return turns[0]


def notes_of(client: ContractClient, game: str) -> Any:
    return client.get(f"/v1/bots/ana-one/games/{game}/notes")


def test_nobody_reads_a_note_before_the_end_and_only_the_owner_afterwards(
    app: Flask,
    owner: Account,
    ana_one: Account,
    teo: Account,
    teo_one: Account,
    anybody: ContractClient,
    admin: ContractClient,
    game: str,
) -> None:
    others = [teo.client, teo_one.client, anybody, admin]
    for number, _ in enumerate(rounds(ana_one, teo_one)):
        if number != 1:
            continue
        assert anybody.get(f"/v1/games/{game}").json["state"] == "running"
        for client in (owner.client, ana_one.client, *others):
            assert SECRET not in seen(client, game)
            assert notes_of(client, game).json["code"] == "record_not_ready"
            assert SECRET not in client.get("/v1/turns").text
    for client in others:
        assert SECRET not in seen(client, game)
        assert notes_of(client, game).json["code"] == "notes_not_found"
    record = anybody.get(f"/v1/games/{game}/record").json
    verify(record)
    own = [
        (after, seat, action)
        for after, (seat, action, *_) in enumerate(record["canonical"]["actions"])
        if seat == 0
    ]
    for client in (owner.client, ana_one.client):
        found = notes_of(client, game).json
        assert [(one["after"], one["seat"], one["action"]) for one in found["notes"]] == own
        assert {one["note"] for one in found["notes"]} == {f"{SECRET}, {action}" for _, _, action in own}
        assert not found["published"]
        assert f"(ana-one noted: {SECRET}, " in seen(client, game)


def test_published_notes_are_for_all_until_they_are_hidden(
    app: Flask,
    owner: Account,
    ana_one: Account,
    teo: Account,
    teo_one: Account,
    anybody: ContractClient,
    admin: ContractClient,
    game: str,
) -> None:
    path = f"/v1/bots/ana-one/games/{game}/notes"
    assert owner.client.patch(path, json={"published": True}).json["code"] == "record_not_ready"
    play(ana_one, teo_one)
    for client in (teo.client, admin):
        assert client.patch(path, json={"published": True}).json["code"] == "forbidden"
    browser = Browser(app)
    browser.sign_in(owner.token)
    page = browser.get(f"/games/{game}").text
    assert SECRET in page
    assert "Only you see the notes." in page
    form = f"/bots/ana-one/games/{game}/notes"
    assert browser.send(form, {"published": "1"}, page=f"/games/{game}").status_code == 303
    assert "Everybody who can see this game sees the notes." in browser.get(f"/games/{game}").text
    for client in (anybody, teo_one.client):
        assert notes_of(client, game).json["published"]
        assert SECRET in client.get(f"/games/{game}").text
    assert SECRET not in anybody.get(f"/v1/games/{game}/record").text
    hidden = admin.patch(path, json={"published": False}).json
    assert (hidden["published"], hidden["notes"]) == (False, [])
    assert notes_of(anybody, game).json["code"] == "notes_not_found"
    assert SECRET not in anybody.get(f"/games/{game}").text
    assert owner.client.patch(path, json={"published": True}).json["notes"]
    assert owner.client.patch(path, json={"published": False}).json["notes"]


def test_a_note_that_is_none_changes_nothing(ana_one: Account, teo_one: Account, game: str) -> None:
    turn = turn_of(ana_one, teo_one)
    answer = {"turn": turn["turn"], "action": turn["legal_actions"][0]}
    for note in ("n" * (MAX_NOTE + 1), 5, ["n"]):
        reply = ana_one.client.post("/v1/turns", json={"answers": [{**answer, "note": note}]}).json
        (result,) = reply["results"]
        assert result["status"] == "malformed"
        assert f"at most {MAX_NOTE} characters" in result["message"]
        assert "faults" not in result
    for note in (None, "", "n" * MAX_NOTE):
        (result,) = ana_one.client.post("/v1/turns", json={"answers": [{**answer, "note": note}]}).json[
            "results"
        ]
        assert result["status"] == "accepted"


def test_an_illegal_answer_leaves_no_note(
    owner: Account, ana_one: Account, teo_one: Account, game: str
) -> None:
    turn = turn_of(ana_one, teo_one)
    wrong = {"turn": turn["turn"], "action": "play:XX", "note": "a mistake"}
    ana_one.client.post("/v1/turns", json={"answers": [wrong]})
    play(ana_one, teo_one)
    assert "a mistake" not in notes_of(owner.client, game).text


def test_notes_count_and_go_with_the_account(
    services: Service, owner: Account, ana_one: Account, teo_one: Account, anybody: ContractClient, game: str
) -> None:
    before = owner.client.get("/v1/owners/me").json["quotas"]["bytes"]["used"]
    play(ana_one, teo_one)
    noted = notes_of(owner.client, game).json["notes"]
    size = sum(len(one["note"].encode()) for one in noted)
    assert owner.client.get("/v1/owners/me").json["quotas"]["bytes"]["used"] > before + size
    (bot,) = owner.client.get("/v1/owners/me/export").json["bots"]
    assert bot["notes"] == [
        {
            "game": game,
            "published": False,
            "notes": [{"after": one["after"], "note": one["note"]} for one in noted],
        }
    ]
    owner.client.patch(f"/v1/bots/ana-one/games/{game}/notes", json={"published": True})
    assert owner.client.delete("/v1/owners/me?confirm=ana").status_code == 200
    assert services.live.notes.find(["ana-one"], game) == {}
    assert SECRET not in seen(anybody, game)


def test_notes_go_with_the_bot(
    services: Service, owner: Account, ana_one: Account, teo_one: Account, game: str
) -> None:
    play(ana_one, teo_one)
    assert owner.client.delete("/v1/bots/ana-one").status_code == 204
    assert services.live.notes.find(["ana-one"], game) == {}
    assert list(services.live.notes.all("ana-one")) == []


@pytest.fixture
def notes(clean_store: EmbeddedStore) -> Iterator[NoteStore]:
    store = open_store(clean_store.url)
    yield store.notes
    store.close()


def test_what_a_bot_notes_is_bounded(notes: NoteStore, clean_store: EmbeddedStore) -> None:
    text = "é" * MAX_NOTE
    notes.add("bot", "first", {1: "short"})
    notes.add("bot", "first", {1: "another", 2: "second"})
    assert notes.find(["bot"], "first")["bot"].notes == {1: "short", 2: "second"}
    notes.add("bot", "long", dict.fromkeys(range(1000), text))
    stored = sum(len(one.encode()) for one in notes.find(["bot"], "long")["bot"].notes.values())
    assert MOST_OF_GAME * 0.9 < stored < MOST_OF_GAME
    games = 2 * MOST_OF_BOT // MOST_OF_GAME
    for number in range(games):
        notes.add("bot", f"g{number:03}", dict.fromkeys(range(1000), text))
    left = [one.game for one in notes.all("bot")]
    assert left == [f"g{number:03}" for number in range(games - len(left), games)]
    assert len(left) * MOST_OF_GAME <= MOST_OF_BOT + MOST_OF_GAME
    database = SingleRedis(clean_store.url, ())
    keys = [key.decode() for key in database.run([("KEYS", "{b:bot}:notes*")])[0]]
    assert len(keys) == 1 + len(left)
    assert all(0 < ttl <= KEPT_MS for ttl in database.run([("PTTL", key) for key in keys]))
    database.close()


def test_the_note_of_an_agent_is_checked_by_its_tool(ana_one: Account, teo_one: Account, game: str) -> None:
    turn = turn_of(ana_one, teo_one)
    arguments = {"turn": turn["turn"], "action": turn["legal_actions"][0], "note": "n" * (MAX_NOTE + 1)}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    body = {**call, "params": {"name": "act", "arguments": arguments}}
    result = ana_one.client.post("/mcp", json=body).json["result"]
    assert result["isError"]
    assert re.match(r"invalid: note: .*1000", result["content"][0]["text"])
