"""Tournaments by invitation: owners and links, co-organisers; and hidden ones, of which nobody else sees
anything: not by any operation, page, feed or file.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from arena.cli import run
from arena.events.guests import MAX_LINKS
from arena.live.header import Viewer
from arena.ops.service import Service
from tests.api.arenas import announce as announce_now
from tests.api.arenas import lock, now_ms
from tests.api.conftest import Account
from tests.api.contract import ContractClient, contract_client
from tests.api.pages import Browser
from tests.api.test_private_qualifications import NO_TOURNAMENT, OF_GAMES, OF_TOURNAMENTS, operations, same
from tests.api.test_web_pages import BROWSER, check_page
from tests.live.clock import skip
from tests.waiting import PATIENCE

HOUR = 3_600_000
NAME = "Hush-hush contest"
CUP: dict[str, Any] = {
    "name": NAME,
    "kind": "toepen",
    "format": "round_robin",
    "rules": {"seats": 2, "lives": 1},
    "who": "invited",
    "description": "Whisper-text",
}


@pytest.fixture
def pia(sign_up: Callable[..., Account]) -> Account:
    return sign_up("pia")


def enter(account: Account, event: str, bot: str) -> tuple[int, str | None]:
    answer = account.client.post(f"/v1/tournaments/{event}/entries", json={"bot": bot})
    return answer.status_code, answer.json.get("code")


# Invitations


def test_invited_owners_enter_their_bots(
    owner: Account, pia: Account, register: Callable[..., Account], anybody: ContractClient
) -> None:
    register("ana-bot")
    register("pia-bot", of=pia)
    event = announce_now(owner.client, {**CUP, "invited_owners": ["ana"], "house": ["rookie"]})
    where = f"/v1/tournaments/{event}"
    assert "guests" not in (view := anybody.get(where).json)
    assert "pia" not in str(view)
    assert enter(owner, event, "ana-bot") == (200, None)
    assert enter(pia, event, "pia-bot") == (403, "not_invited")
    found = owner.client.post(f"{where}/invitations", json={"owners": ["pia", "pia"]}).json
    assert found == {"owners": ["ana", "pia"], "organisers": [], "links": []}
    assert enter(pia, event, "pia-bot") == (200, None)
    assert owner.client.delete(f"{where}/invitations/owners/pia").json["owners"] == ["ana"]
    # The entry stays, but cannot be changed any more.
    assert enter(pia, event, "pia-bot") == (403, "not_invited")
    assert "pia-bot" in {one["bot"] for one in anybody.get(where).json["entries"]}
    unknown = owner.client.post(f"{where}/invitations", json={"owners": ["nobody"]})
    assert (unknown.status_code, unknown.json["code"], unknown.json["field"]) == (
        404,
        "owner_not_found",
        "owners",
    )
    for client in (pia.client, register("zap-bot").client):
        assert client.get(f"{where}/invitations").json["code"] == "forbidden"


def test_invitations_are_for_tournaments_of_the_invited(owner: Account) -> None:
    event = announce_now(owner.client, {**CUP, "who": "anyone"})
    for path, body in (("/invitations", {"owners": ["ana"]}), ("/invitations/links", {})):
        answer = owner.client.post(f"/v1/tournaments/{event}{path}", json=body)
        assert (answer.json["code"], answer.json["field"]) == ("invalid_tournament", "who")


def test_a_link_invites_whoever_has_it(
    services: Service, owner: Account, pia: Account, sign_up: Callable[..., Account]
) -> None:
    event = announce_now(owner.client, {**CUP, "hidden": True})
    where = f"/v1/tournaments/{event}"
    link = owner.client.post(f"{where}/invitations/links", json={}).json
    assert len(link["code"]) >= 22
    assert link["url"].endswith(f"/tournaments/{event}/invitation?code={link['code']}")
    assert link["expires_ms"] == owner.client.get(where).json["locks_ms"]
    (row,) = services.tournaments.store.load([event])
    assert row is not None
    assert link["code"].encode() not in row.meta
    for _ in range(2):
        accepted = pia.client.post(f"{where}/invitations/accept", json={"code": link["code"]})
        assert (accepted.status_code, accepted.json["name"]) == (200, NAME)
    found = owner.client.get(f"{where}/invitations").json
    assert (found["owners"], [one["accepted"] for one in found["links"]]) == (["pia"], [1])
    assert link["code"] not in str(found)
    # Another one knows neither a wrong nor a revoked code from a tournament that does not exist.
    teo = sign_up("teo")
    for code in ("wrong", ""):
        same(teo.client, event, NO_TOURNAMENT, "post", ACCEPT, {"code": code or "x"})
    assert owner.client.delete(f"{where}/invitations/links/{link['id']}").json["links"] == []
    same(teo.client, event, NO_TOURNAMENT, "post", ACCEPT, {"code": link["code"]})
    assert pia.client.get(where).status_code == 200
    again = pia.client.post(f"{where}/invitations/accept", json={"code": link["code"]})
    assert (again.status_code, again.json["code"]) == (410, "link_expired")


ACCEPT = "/v1/tournaments/{tournament}/invitations/accept"


def test_a_link_also_accepts_the_invitation_by_name(owner: Account, pia: Account) -> None:
    event = announce_now(owner.client, {**CUP, "hidden": True, "invited_owners": ["pia"]})
    where = f"/v1/tournaments/{event}/invitations"
    link = owner.client.post(f"{where}/links", json={}).json
    assert pia.client.get("/v1/tournaments").json["tournaments"] == []
    for _ in range(2):
        assert pia.client.post(f"{where}/accept", json={"code": link["code"]}).status_code == 200
    assert pia.client.get("/v1/owners/me").json["tournament_invitations"] == []
    assert [one["id"] for one in pia.client.get("/v1/tournaments").json["tournaments"]] == [event]
    found = owner.client.get(where).json
    assert (found["owners"], [one["accepted"] for one in found["links"]]) == (["pia"], [1])


def test_links_expire_and_are_bounded(services: Service, owner: Account, pia: Account) -> None:
    event = announce_now(owner.client, CUP)
    links, accept = (f"/v1/tournaments/{event}/invitations/{name}" for name in ("links", "accept"))
    soon = owner.client.post(links, json={"expires_ms": services.store.clock().now_ms + 600_000}).json
    skip(services.live, 600_001)
    try:
        assert pia.client.post(accept, json={"code": soon["code"]}).json["code"] == "link_expired"
        past = owner.client.post(links, json={"expires_ms": soon["expires_ms"]})
        assert (past.status_code, past.json["field"]) == (422, "expires_ms")
        # The expired one does not count.
        for _ in range(MAX_LINKS):
            assert owner.client.post(links, json={}).status_code == 201
        full = owner.client.post(links, json={})
        assert (full.status_code, full.json["code"]) == (409, "quota_exceeded")
    finally:
        skip(services.live, -600_001)


def test_a_row_without_invitations_names_none(services: Service, owner: Account) -> None:
    event = announce_now(owner.client, {**CUP, "who": "anyone"})
    (row,) = services.tournaments.store.load([event])
    assert row is not None
    assert not any(name in row.meta for name in (b"guests", b"links", b"organisers", b"edits"))


# Co-organisers


def test_co_organisers(
    owner: Account, pia: Account, sign_up: Callable[..., Account], register: Callable[..., Account]
) -> None:
    register("ana-bot")
    event = announce_now(owner.client, {**CUP, "hidden": True, "invited_owners": ["ana"]})
    where = f"/v1/tournaments/{event}"
    assert enter(owner, event, "ana-bot") == (200, None)
    assert pia.client.get(where).status_code == 404
    for client, organisers in ((owner.client, []), (pia.client, ["pia"]), (owner.client, ["pia"])):
        assert client.put(f"{where}/organisers/pia").json["organisers"] == organisers
    assert owner.client.put(f"{where}/organisers/ana").json["organisers"] == ["pia"]
    assert owner.client.put(f"{where}/organisers/nobody").json["code"] == "owner_not_found"
    changed = pia.client.patch(where, json={"description": "New"})
    assert changed.json["edits"][-1]["by"] == "pia"
    teo = sign_up("teo")
    assert pia.client.post(f"{where}/invitations", json={"owners": ["teo"]}).json["owners"] == ["ana", "teo"]
    assert enter(pia, event, "rookie") == (200, None)
    assert pia.client.delete(f"{where}/entries/rookie").status_code == 200
    # Not what belongs to the owner of the tournament or of the bots.
    for path in ("/organisers/ana", "/organisers/nobody"):
        assert pia.client.delete(where + path).json["code"] == "forbidden"
    assert owner.client.delete(f"{where}/organisers/ana").json["code"] == "forbidden"
    assert pia.client.put(f"{where}/organisers/teo").json["code"] == "forbidden"
    assert teo.client.put(f"{where}/organisers/teo").json["code"] == "forbidden"
    assert pia.client.delete(f"{where}/entries/ana-bot").json["code"] == "forbidden"
    for method, path in (
        ("POST", "/v1/bots/ana-bot/token"),
        ("GET", "/v1/bots/ana-bot/versions/1/source"),
        ("GET", "/v1/bots/ana-bot/versions/1/qualifications"),
        ("GET", f"/v1/bots/ana-bot/games/{event}-r1-p1-g1-1/log"),
        ("DELETE", "/v1/bots/ana-bot"),
    ):
        assert pia.client.open(path, method=method).status_code in (403, 404), path
    clone = pia.client.post(f"{where}/clone", json={"locks_ms": now_ms() + HOUR}).json
    assert (clone["created_by"], clone["organisers"], clone["hidden"]) == ("pia", [], True)
    assert clone["id"].startswith("q-")
    assert teo.client.get(f"/v1/tournaments/{clone['id']}").status_code == 200
    assert pia.client.post(f"{where}/cancel", json={"reason": "Rain."}).json["state"] == "cancelled"
    assert pia.client.delete(f"{where}/organisers/pia").status_code == 204
    assert pia.client.get(where).status_code == 404


# Hidden tournaments


@pytest.fixture
def played(
    services: Service, owner: Account, register: Callable[..., Account], sign_up: Callable[..., Account]
) -> tuple[str, list[str]]:
    """A hidden tournament with local and live groups that is over; its games."""
    register("ana-bot")
    guest = sign_up("guest")
    register("guest-bot", of=guest)
    body = {**CUP, "hidden": True, "invited_owners": ["ana", "guest"], "house": ["rookie", "random"]}
    event = announce_now(owner.client, body)
    for account, bot in ((owner, "ana-bot"), (guest, "guest-bot")):
        services.store.qualifications.add(f"toepen/{bot}/1", ["qualified", "q-x-1", 1, 0, "", None, ""])
        assert enter(account, event, bot) == (200, None)
    lock(services, event)

    def over() -> bool:
        services.tournaments.play_local_groups(event)
        return services.tournaments.step(event).state == "finished"

    drive(services, ["ana-bot", "guest-bot"], over)
    groups = services.tournaments.groups(event).items
    assert {group["mirrored"] for group in groups} == {True, False}
    assert {group["state"] for group in groups} == {"done"}
    return event, [game for group in groups for game in group["games"]]


def drive(services: Service, bots: list[str], done: Callable[[], bool]) -> None:
    """Let the bots answer their turns, and the house bots move, until ``done``."""
    deadline = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < deadline
        for bot in bots:
            for game in services.live.list(bot=bot, state="running", viewer=Viewer(admin=True)).items:
                services.live.move_house_bots(game["game"])
            turns = services.live.turns(bot, rights=False).turns
            answers = [{"turn": turn["turn"], "action": turn["legal_actions"][0]} for turn in turns]
            services.live.answer(bot, answers)


FOUND = (
    "/",
    "/account",
    "/bots/ana-bot",
    "/bots/guest-bot",
    "/docs/search?q=hush",
    "/feeds/announcements.atom",
    "/feeds/results.atom",
    "/leaderboards/toepen",
    "/leaderboards/toepen/sealed",
    "/metrics",
    "/robots.txt",
    "/sitemap.xml",
    "/tournaments",
)
"""Pages and files that show several things; those that do not exist yet show nothing."""


def test_strangers_see_nothing_of_a_hidden_tournament(
    app: Flask,
    played: tuple[str, list[str]],
    anybody: ContractClient,
    pia: Account,
    register: Callable[..., Account],
) -> None:
    event, games = played
    assert event.startswith("q-")
    browser = Browser(app)
    browser.sign_in(pia.token)
    for client in (anybody, pia.client, register("pia-bot", of=pia).client):
        for method, path, body in OF_TOURNAMENTS.values():
            same(client, event, NO_TOURNAMENT, method, "/v1/tournaments/{tournament}" + path, body)
        for form in ("csv", "text"):
            same(
                client,
                event,
                NO_TOURNAMENT,
                "get",
                f"/v1/tournaments/{{tournament}}/standings?format={form}",
                None,
            )
        same(client, event, NO_TOURNAMENT, "get", "/v1/tournaments/{tournament}?since=0&wait=0.1", None)
        for game in (games[0], games[-1]):
            for name, (method, path, body) in OF_GAMES.items():
                if name != "getLog":
                    same(client, game, game.replace(event, NO_TOURNAMENT), method, path, body)
        for path in listing(app):
            shown = client.get(path)
            leaks(shown.get_data(as_text=True), event, path)
    for where in ("", "/edit", "/invitations"):
        assert browser.get(f"/tournaments/{event}{where}").status_code == 404
    for game in games:
        assert browser.get(f"/games/{game}").status_code == 404
    for path in FOUND:
        leaks(browser.get(path).text, event, path)


def listing(app: Flask) -> list[str]:
    """The operations that need no name of one thing, and those that list by names that a stranger knows."""
    found = [path for path, name in operations(app) if name.startswith(("list", "download", "get"))]
    plain = [path for path in found if "{" not in path]
    assert {"/v1/tournaments", "/v1/games", "/v1/records", "/v1/records/all", "/v1/records/changes"} <= set(
        plain
    )
    known = {"kind": "toepen", "division": "open", "bot": "ana-bot", "owner": "ana", "version": "1"}
    named = []
    for path in found:
        names = re.findall(r"{(\w+)}", path)
        if names and all(name in known for name in names):
            named.append(path.format(**known))
    assert any(path.startswith("/v1/leaderboards/") for path in named)
    more = ["/v1/games?bot=ana-bot", "/v1/games?state=finished&limit=100", "/v1/tournaments?state=over",
            "/v1/tournaments?state=finished&kind=toepen", "/v1/records?kind=toepen"]  # fmt: skip
    return [*plain, *named, *more]


def leaks(text: str, event: str, path: str) -> None:
    for secret in (event, NAME, "Whisper-text"):
        assert secret not in text, (path, secret)


def test_who_takes_part_sees_it(
    app: Flask,
    played: tuple[str, list[str]],
    owner: Account,
    pia: Account,
    admin: ContractClient,
    anybody: ContractClient,
) -> None:
    event, games = played
    where = f"/v1/tournaments/{event}"
    for client in (owner.client, pia.client):
        assert client.put(f"{where}/organisers/pia").status_code == 200
    guest = contract_client(app, admin.post("/v1/admin/owners/guest/token").json["token"])
    bot = contract_client(app, owner.client.post("/v1/bots/ana-bot/token").json["token"])
    for client in (owner.client, pia.client, guest, bot, admin):
        for path in ("", "/standings", "/groups", "/records", "/results.csv", "/events"):
            assert client.get(where + path).status_code == 200, path
        assert event in {one["id"] for one in client.get("/v1/tournaments").json["tournaments"]}
        for game in games:
            assert client.get(f"/v1/games/{game}/record").status_code == 200
    browser = Browser(app)
    browser.sign_in(pia.token)
    assert NAME in check_page(browser.get(f"/tournaments/{event}", headers=BROWSER)).html
    assert NAME in browser.get("/tournaments").text
    assert NAME in browser.get("/account").text


def test_a_hidden_tournament_becomes_public_before_the_first_entry(
    owner: Account, anybody: ContractClient
) -> None:
    event = announce_now(owner.client, {**CUP, "hidden": True})
    assert anybody.get("/v1/tournaments").json["tournaments"] == []
    assert owner.client.patch(f"/v1/tournaments/{event}", json={"hidden": False}).json["hidden"] is False
    assert [one["name"] for one in anybody.get("/v1/tournaments").json["tournaments"]] == [NAME]
    assert anybody.get(f"/v1/tournaments/{event}").status_code == 200
    assert "Hush" in anybody.get("/feeds/announcements.atom").text


def test_hidden_tournaments_are_not_rated(admin: ContractClient) -> None:
    body = {**CUP, "rules": {"seats": 2}, "hidden": True}
    assert admin.post("/v1/tournaments", json=body).json["rated"] is False
    assert admin.post("/v1/tournaments", json={**body, "rated": True}).json["field"] == "rated"


# Pages and commands


def test_organisers_invite_on_a_page(
    app: Flask, owner: Account, pia: Account, sign_up: Callable[..., Account]
) -> None:
    event = announce_now(owner.client, {**CUP, "hidden": True})
    where = f"/tournaments/{event}/invitations"
    ana, other = Browser(app), Browser(app)
    ana.sign_in(owner.token)
    other.sign_in(pia.token)
    sign_up("teo")
    assert f'href="{where}"' in check_page(ana.get(f"/tournaments/{event}", headers=BROWSER)).html
    assert ana.send(where, {"owners": "teo"}).location == where
    refused = ana.send(where, {"owners": "nobody"})
    assert refused.status_code == 404
    assert "nobody" in check_page(refused).html
    made = ana.send(f"{where}/link", page=where)
    code = re.search(r"invitation\?code=([\w-]+)", check_page(made).html)
    assert code is not None
    assert code[1] not in ana.get(where).text
    link = f"/tournaments/{event}/invitation?code={code[1]}"
    assert NAME in check_page(other.get(link, headers=BROWSER)).html
    assert other.get(f"/tournaments/{event}").status_code == 404
    assert other.get(f"/tournaments/{event}/invitation?code=x").status_code == 404
    accepted = other.send(f"/tournaments/{event}/invitation", {"code": code[1]}, page=link)
    assert accepted.location == f"/tournaments/{event}"
    assert other.get(f"/tournaments/{event}").status_code == 200
    assert other.get(where).status_code == 403
    html = check_page(ana.get(where, headers=BROWSER)).html
    assert ">pia</a>" in html
    assert "accepted 1 time<" in html
    ident = re.search(r'name="link" value="(\w+)"', html)
    assert ident is not None
    assert ana.send(f"{where}/revoke", {"link": ident[1]}, page=where).location == where
    assert ana.send(f"{where}/remove", {"owner": "teo"}, page=where).location == where
    organisers = f"/tournaments/{event}/organisers"
    assert ana.send(organisers, {"owner": "pia"}, page=where).location == where
    found = owner.client.get(f"/v1/tournaments/{event}/invitations").json
    assert found == {"owners": ["pia"], "organisers": ["pia"], "links": []}
    assert other.send(organisers, {"owner": "pia"}, page="/account").location == where
    assert other.get(where).status_code == 200
    assert other.send(f"{organisers}/remove", {"owner": "pia"}, page=where).location == "/account"
    assert owner.client.get(f"/v1/tournaments/{event}").json["organisers"] == []


def test_the_commands(
    owner: Account,
    pia: Account,
    online: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    event = announce_now(owner.client, {**CUP, "hidden": True})
    monkeypatch.setenv("BOTEQUIM_TOKEN", owner.token)
    assert run(["tournament", "invite", event, *online]) == 0
    assert capsys.readouterr().out == ""
    assert run(["tournament", "organisers", event, *online]) == 0
    assert capsys.readouterr().out == "ana\n"
    monkeypatch.setenv("BOTEQUIM_TOKEN", pia.token)
    assert run(["tournament", "results", event, *online]) == 2
    assert "there is no tournament" in capsys.readouterr().err
