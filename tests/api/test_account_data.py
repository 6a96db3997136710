"""What is stored about an owner: its export, and what is left after its deletion."""

from __future__ import annotations

import gzip
import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

import pytest
import redis
from flask import Flask

from api.app import create_app
from api.openapi.capture import checking
from arena.inputs.roster import Person
from arena.ops.service import Service
from arena.ops.settings import Settings
from arena.store.embedded import EmbeddedStore
from queues.rq_jobs import RqJobs
from tests.api.arenas import announce, play
from tests.api.conftest import ADMIN_TOKEN, Account, PromptJobs
from tests.api.contract import ContractClient, contract_client
from tests.api.pages import Browser
from tests.service import botequim, environment

SOURCE = """
MARK = 'the source of ana'


def choose(turn):
    print('the log of ana')
    return turn['legal_actions'][0]
"""
WEBHOOK_SECRET = "whsec_" + "A" * 32


@dataclass
class Hall:
    """A service with an archive, in which ana has played and others have too."""

    app: Flask
    services: Service
    archive: Path
    owner: Account
    other: Account
    admin: ContractClient
    anybody: ContractClient
    cup: str = ""
    game: str = ""


@pytest.fixture
def hall(settings: Settings, clean_store: EmbeddedStore, tmp_path: Path) -> Iterator[Hall]:
    archive = tmp_path / "archive"
    jobs = PromptJobs(RqJobs(settings.queue_url))
    app = create_app(replace(settings, archive=str(archive)), jobs)
    services: Service = app.extensions["botequim"]
    jobs.service = services
    # The archive belongs to this database.
    services.store.identity.check()
    anybody, admin = contract_client(app), contract_client(app, ADMIN_TOKEN)
    bias = anybody.post("/v1/owners", json={"name": "bia"}).json["token"]
    # Bia's roster has ana's name, and ana has a roster of her own.
    services.invitations.allow("bia", 1)
    (invited,) = services.invitations.create("bia", [Person("Ana Silva", "", "silva@school.example")])
    _, token = services.invitations.sign_up("ana", invited.code)
    services.invitations.allow("ana", 1)
    services.invitations.create("ana", [Person("Zeca Pereira", "", "zeca@school.example")])
    found = Hall(
        app,
        services,
        archive,
        Account("ana", token, contract_client(app, token)),
        Account("bia", bias, contract_client(app, bias)),
        admin,
        anybody,
    )
    yield found
    services.close()


def upload(hall: Hall) -> None:
    """Ana's uploaded bot, which has qualified."""
    body = {"name": "anas-bot", "transport": "uploaded", "source": SOURCE, "description": "Plays first."}
    with checking(hall.app):
        made = hall.owner.client.post("/v1/bots", json=body)
    assert made.status_code == 201, made.text
    path = "/v1/bots/anas-bot/versions/1/qualifications"
    asked = hall.owner.client.post(path, json={"kind": "toepen"})
    assert asked.status_code in (200, 201, 202), asked.text
    play(hall.services, asked.json["tournament"])


def play_cup(hall: Hall) -> None:
    """A rated cup, with the boards and what is shown beside them."""
    cup = {"name": "Cup", "kind": "toepen", "format": "round_robin", "groups": 2, "preset": "duel@1"}
    hall.cup = announce(hall.admin, {**cup, "division": "sealed", "house": ["rookie", "random"]})
    entered = hall.owner.client.post(f"/v1/tournaments/{hall.cup}/entries", json={"bot": "anas-bot"})
    assert entered.status_code in (200, 201), entered.text
    play(hall.services, hall.cup)
    for _ in range(2):
        hall.services.boards.publish("toepen", "sealed")
    hall.services.compute_matchups("toepen", "sealed", "duel@1")
    groups = hall.anybody.get(f"/v1/tournaments/{hall.cup}/groups").json["groups"]
    (hall.game, *_) = [group["games"][0] for group in groups if "anas-bot" in group["players"]]


def stored(store: EmbeddedStore) -> bytes:
    """Every key of the database with all that it holds, as text as far as it was compressed."""
    client = redis.Redis.from_url(store.url)
    found: list[bytes] = []
    for key in client.scan_iter(count=1000):
        found.append(key)
        match client.type(key):
            case b"string":
                found.append(client.get(key))
            case b"hash":
                found += [part for pair in client.hgetall(key).items() for part in pair]
            case b"list":
                found += client.lrange(key, 0, -1)
            case b"set":
                found += client.smembers(key)
            case b"zset":
                found += client.zrange(key, 0, -1)
            case b"stream":
                found += [part for _, row in client.xrange(key) for pair in row.items() for part in pair]
            case other:
                raise AssertionError(f"{key!r} is a {other!r}")
    client.close()
    return b"\n".join(map(plain, found))


def archived(folder: Path) -> bytes:
    """All files of the archive."""
    return b"\n".join(plain(path.read_bytes()) for path in sorted(folder.rglob("*")) if path.is_file())


def plain(data: bytes) -> bytes:
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def secrets_of(hall: Hall, *tokens: str) -> dict[str, bytes]:
    return {
        **{token[:12]: sha256(token.encode()).hexdigest().encode() for token in (hall.owner.token, *tokens)},
        "source": b"the source of ana",
        "log": b"the log of ana",
        "description": b"Plays first.",
        "secret": WEBHOOK_SECRET.encode(),
        "webhook": b"bots.example",
        "name": b"Silva",
        "e-mail": b"silva@school.example",
        "roster": b"Pereira",
        "e-mails": b"zeca@school.example",
    }


@pytest.mark.system
def test_the_export_has_everything_but_secrets(hall: Hall) -> None:
    upload(hall)
    declared = {"model": "Some Model 3", "game_cost": 0.25}
    assert hall.owner.client.patch("/v1/bots/anas-bot", json=declared).status_code == 200
    play_cup(hall)
    own = announce(hall.owner.client, {"name": "Ana's", "kind": "truco", "format": "swiss"})
    exported = hall.owner.client.get("/v1/owners/me/export").json
    assert exported["owner"]["name"] == "ana"
    (bot,) = exported["bots"]
    assert (bot["name"], bot["description"]) == ("anas-bot", "Plays first.")
    assert {name: bot[name] for name in declared} == declared
    assert bot["notes"] == []
    (version,) = bot["versions"]
    assert (version["source"], version["sha256"]) == (SOURCE, sha256(SOURCE.encode()).hexdigest())
    assert [one["state"] for one in version["qualifications"]] == ["qualified"]
    assert "the log of ana" in json.dumps(bot["logs"])
    assert [one["id"] for one in exported["tournaments"]] == [own]
    assert hall.cup in [entry["tournament"] for entry in exported["entries"]]
    assert [one["email"] for one in exported["invitations"]] == ["zeca@school.example"]
    assert exported["subscriptions"] == []
    text = json.dumps(exported)
    assert "btq_" not in text
    assert sha256(hall.owner.token.encode()).hexdigest() not in text
    # The page has the same, and only for ana.
    browser = Browser(hall.app)
    assert browser.get("/account/export").status_code == 303
    browser.sign_in(hall.owner.token)
    assert "Download the file" in browser.get("/account/export").text
    page = browser.get("/account/export/file")
    assert page.headers["Content-Disposition"] == 'attachment; filename="botequim-ana.json"'
    assert page.json["bots"] == exported["bots"]


@pytest.mark.system
def test_after_a_deletion_nothing_is_left_but_records(
    hall: Hall, clean_store: EmbeddedStore, tmp_path: Path
) -> None:
    upload(hall)
    play_cup(hall)
    bia = hall.other.client
    bia.post("/v1/bots", json={"name": "bias-bot"})
    made = hall.owner.client.post("/v1/bots", json={"name": "ana-live"}).json["token"]
    hall.services.accounts.set_signing_secret("ana-live", WEBHOOK_SECRET)
    hall.services.accounts.add_version(
        "ana-live", "2", "webhook", url="https://bots.example/ana", secret=WEBHOOK_SECRET
    )
    hall.services.accounts.make_current("ana-live", "1")
    # What is open: a game, entries in the cups of others, and a cup of ana's own with an entry of bia's.
    seats = [{"bot": "ana-live"}, {"bot": "ana-live"}, {"house": "rookie"}]
    running = hall.owner.client.post("/v1/games", json={"kind": "toepen", "seats": seats}).json["game"]
    waiting = hall.owner.client.post(
        "/v1/games", json={"kind": "toepen", "seats": [{"bot": "ana-live"}, {"open": True}]}
    ).json["game"]
    live = {"kind": "toepen", "format": "swiss", "division": "open"}
    theirs = announce(bia, {"name": "Bia's", **live})
    assert bia.put(f"/v1/tournaments/{theirs}/organisers/ana").status_code < 300
    assert hall.owner.client.put(f"/v1/tournaments/{theirs}/organisers/ana").json["organisers"] == ["ana"]
    assert (
        hall.owner.client.post(f"/v1/tournaments/{theirs}/entries", json={"bot": "ana-live"}).status_code
        < 300
    )
    own = announce(hall.owner.client, {"name": "Ana's", **live})
    browser = Browser(hall.app)
    browser.sign_in(hall.owner.token)
    hall.owner.client.post("/v1/owners/me/sign-in-links")
    marks = secrets_of(hall, made)
    before = stored(clean_store)
    assert all(mark in before for mark in marks.values()), [
        k for k, mark in marks.items() if mark not in before
    ]
    record = hall.anybody.get(f"/v1/games/{hall.game}/record").text

    # Only with the name.
    for confirm in ("", "?confirm=anna"):
        refused = hall.owner.client.delete(f"/v1/owners/me{confirm}")
        assert refused.status_code == 422
    assert refused.json["code"] == "not_confirmed"
    deleted = hall.owner.client.delete("/v1/owners/me?confirm=ana")
    assert deleted.status_code == 200, deleted.text
    shown = deleted.json["shown"]
    assert shown.startswith("deleted-")

    # Nothing works any more, and nobody can take the names.
    hall.services.accounts._remembered.clear()
    for client in (hall.owner.client, contract_client(hall.app, made)):
        assert (
            client.get("/v1/turns" if client is not hall.owner.client else "/v1/owners/me").status_code == 401
        )
    assert browser.get("/account").status_code == 303
    assert hall.anybody.get("/v1/owners/ana").status_code == 404
    assert hall.anybody.get("/v1/bots/anas-bot").status_code == 404
    assert hall.anybody.post("/v1/owners", json={"name": "ana"}).json["code"] == "name_taken"
    assert bia.post("/v1/bots", json={"name": "anas-bot"}).json["code"] == "name_taken"

    # What was open has ended: games of ana's own at once, others by the rules for leaving.
    assert hall.anybody.get(f"/v1/games/{waiting}").json["state"] == "cancelled"
    game = hall.anybody.get(f"/v1/games/{running}").json
    assert [seat["name"] == "rookie" or seat["name"].startswith("deleted-") for seat in game["seats"]] == [
        True
    ] * 3
    assert "ana" not in game["created_by"]
    assert (game["state"], game["reason"]) == ("void", "the account of its creator was deleted")
    view = hall.anybody.get(f"/v1/tournaments/{theirs}").json
    assert view["organisers"] == [shown]
    (entry,) = view["entries"]
    assert (entry["status"], entry["reason"], entry["owner"]) == ("withdrawn", "left", shown)
    cancelled = hall.anybody.get(f"/v1/tournaments/{own}").json
    assert (cancelled["state"], cancelled["created_by"]) == ("cancelled", shown)

    # The database, and the archive after everything has moved there.
    after = stored(clean_store)
    assert [name for name, mark in marks.items() if mark in after] == []
    assert hall.services.archiver().run() > 0
    files = archived(hall.archive)
    assert hall.game.encode() in files
    assert [name for name, mark in marks.items() if mark in files + stored(clean_store)] == []

    # Records verify as they are; everything that shows names shows others.
    assert hall.anybody.get(f"/v1/games/{hall.game}/record").text == record
    (tmp_path / "record.json").write_text(record)
    verified = subprocess.run(
        botequim("verify", "record.json"), cwd=tmp_path, env=environment(), capture_output=True, text=True
    )
    assert (verified.returncode, "all verified" in verified.stdout) == (0, True), verified.stderr
    for path in (
        f"/v1/tournaments/{hall.cup}",
        f"/v1/tournaments/{hall.cup}/groups",
        f"/v1/tournaments/{hall.cup}/standings",
        f"/v1/tournaments/{hall.cup}/standings?format=csv",
        f"/v1/tournaments/{hall.cup}/standings?format=text",
        "/v1/leaderboards/toepen/sealed",
        "/v1/leaderboards/toepen/sealed?format=csv",
        "/v1/leaderboards/toepen/sealed?format=text",
        "/v1/leaderboards/toepen/sealed/history",
        "/v1/leaderboards/toepen/sealed/styles",
        f"/tournaments/{hall.cup}",
        "/leaderboards/toepen/sealed",
        f"/games/{hall.game}",
        "/feeds/results.atom",
    ):
        reply = hall.anybody.get(path)
        assert reply.status_code == 200, path
        assert "anas-bot" not in reply.text, path
        assert "deleted-" in reply.text, path
    for path in (
        "/",
        "/tournaments",
        "/feeds/announcements.atom",
        "/v1/games",
        "/v1/bots",
        "/v1/tournaments",
    ):
        reply = hall.anybody.get(path)
        assert reply.status_code == 200, path
        assert "anas-bot" not in reply.text, path
        assert "ana-live" not in reply.text, path


def test_a_deletion_that_was_interrupted_continues(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    for bot in ("one-bot", "two-bot"):
        hall.owner.client.post("/v1/bots", json={"name": bot})
    data, deletion = hall.services.account_data, hall.services.bot_deletion
    remove = deletion.remove

    def once(bot: str) -> None:
        if bot == "two-bot":
            raise KeyboardInterrupt
        remove(bot)

    monkeypatch.setattr(deletion, "remove", once)
    with pytest.raises(KeyboardInterrupt):
        data.delete("ana", "ana")
    monkeypatch.undo()
    shown = hall.services.moderation.name("owner", "ana")
    assert hall.owner.client.delete("/v1/owners/me?confirm=ana").json == {"shown": shown}
    assert hall.anybody.get("/v1/bots").json["bots"] == []


def test_the_page_asks_for_the_name(hall: Hall) -> None:
    browser = Browser(hall.app)
    browser.sign_in(hall.owner.token)
    assert "/account/delete" in browser.get("/account").text
    refused = browser.send("/account/delete", {"confirm": "bia"})
    assert (refused.status_code, "does not match the name of the account" in refused.text) == (422, True)
    done = browser.send("/account/delete", {"confirm": "ana"})
    assert (done.status_code, "deleted-" in done.text) == (200, True)
    assert browser.get("/account").status_code == 303
    assert hall.anybody.get("/v1/owners/ana").status_code == 404
