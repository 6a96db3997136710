"""What admins do about owners and their texts, and what is logged."""

from __future__ import annotations

from collections.abc import Callable

from flask import Flask

from arena.ops.service import Service
from tests.api.arenas import announce
from tests.api.conftest import Account
from tests.api.contract import ContractClient
from tests.api.pages import Browser

WHY = "Two accounts of one person."


def test_a_suspended_owner(
    app: Flask,
    owner: Account,
    register: Callable[..., Account],
    sign_up: Callable[..., Account],
    admin: ContractClient,
    anybody: ContractClient,
) -> None:
    services: Service = app.extensions["botequim"]
    bot = register("anas-bot")
    browser = Browser(app)
    browser.sign_in(owner.token)
    link = owner.client.post("/v1/owners/me/sign-in-links").json["url"].partition("code=")[2]
    cup = announce(admin, {"name": "Cup", "kind": "toepen", "format": "swiss"})
    services.invitations.allow("ana", 1)
    (invited,) = services.invitations.create("ana", 1)
    template = {"name": "Daily", "kind": "toepen", "format": "swiss", "entry_s": 60}
    daily = {"id": "daily", "cron": "0 12 * * *", "tournament": template}
    assert owner.client.post("/v1/schedules", json=daily).status_code == 201
    body = {"reason": WHY}
    assert owner.client.put("/v1/admin/owners/ana/suspension", json=body).json["code"] == "forbidden"
    suspended = admin.put("/v1/admin/owners/ana/suspension", json=body)
    assert suspended.json["suspended"]["reason"] == WHY
    for client in (owner.client, bot.client):
        path = "/v1/owners/me" if client is owner.client else "/v1/turns"
        refused = client.get(path)
        assert (refused.status_code, refused.json["code"]) == (403, "owner_suspended")
        assert WHY in refused.json["detail"]
    # Nor on pages.
    assert browser.get("/account").status_code == 303
    for values in ({"token": owner.token}, {"code": link}):
        page = Browser(app).send("/sign-in", values)
        assert (page.status_code, WHY in page.text) == (422, True)
    # Nobody seats or enters its bots.
    entered = admin.post(f"/v1/tournaments/{cup}/entries", json={"bot": "anas-bot"})
    assert (entered.status_code, entered.json["code"]) == (403, "owner_suspended")
    seats = [{"bot": "anas-bot"}, {"open": True}]
    seated = admin.post("/v1/games", json={"kind": "toepen", "seats": seats})
    assert seated.json["code"] == "owner_suspended"
    # What it has left has no effect.
    invitation = anybody.post("/v1/owners", json={"name": "zeca", "invitation": invited.code})
    assert invitation.json["code"] == "invalid_invitation"
    services.store.schedules.change("daily", lambda row: {**row, "next_ms": 1})
    assert services.schedules.fire() == []
    assert services.schedules.view("daily")["skipped"]["reason"] == "the owner ana is suspended"
    # Admins see whom, and lift it.
    found = admin.get("/v1/admin/suspensions").json
    assert [one["name"] for one in found["owners"]] == ["ana"]
    assert [one["name"] for one in found["bots"]] == ["anas-bot"]
    assert admin.delete("/v1/admin/suspensions/anas-bot").json["code"] == "suspension_not_found"
    assert admin.delete("/v1/admin/owners/ana/suspension").status_code == 204
    assert admin.delete("/v1/admin/owners/ana/suspension").json["code"] == "suspension_not_found"
    assert admin.put("/v1/admin/owners/nobody/suspension", json=body).json["code"] == "owner_not_found"
    assert owner.client.get("/v1/owners/me").status_code == 200
    assert bot.client.get("/v1/turns").status_code == 200
    assert admin.get("/v1/admin/suspensions").json == {"bots": [], "owners": []}
    assert services.accounts.bot("anas-bot").is_active
    logged = [(one["admin"], one["action"], one["subject"], one["detail"]) for one in entries(admin)]
    assert ("admin", "suspend owner", "owner ana", WHY) in logged
    assert ("admin", "lift suspension", "owner ana", "") in logged


def entries(admin: ContractClient) -> list[dict[str, str]]:
    found: list[dict[str, str]] = admin.get("/v1/admin/audit").json["entries"]
    return found


def test_hidden_texts(
    app: Flask,
    owner: Account,
    register: Callable[..., Account],
    admin: ContractClient,
    anybody: ContractClient,
) -> None:
    register("anas-bot", description="You all play badly.")
    cup = announce(owner.client, {"name": "Bad words", "kind": "toepen", "format": "swiss"})
    owner.client.post(f"/v1/tournaments/{cup}/entries", json={"bot": "anas-bot"})
    texts = "/v1/admin/hidden-texts"

    def hide(of: str, id: str, text: str) -> dict[str, str]:
        reply = admin.post(texts, json={"of": of, "id": id, "text": text, "reason": "Rude."})
        assert reply.status_code == 201, reply.text
        found: dict[str, str] = reply.json
        return found

    assert owner.client.post(texts, json={}).json["code"] == "forbidden"
    assert hide("bot", "anas-bot", "description")["shown"] == ""
    for client in (anybody, owner.client):
        assert client.get("/v1/bots/anas-bot").json["description"] == ""
    assert "You all play badly." not in anybody.get("/bots/anas-bot").text
    # The owner cannot undo that.
    owner.client.patch("/v1/bots/anas-bot", json={"description": "Really badly."})
    assert anybody.get("/v1/bots/anas-bot").json["description"] == ""
    shown = hide("tournament", cup, "name")["shown"]
    assert shown.startswith("hidden-")
    owners = hide("owner", "ana", "name")["shown"]
    view = anybody.get(f"/v1/tournaments/{cup}").json
    assert (view["name"], view["created_by"]) == (shown, owners)
    # Who owns a bot needs the name, to act on it.
    for client, name in ((anybody, owners), (owner.client, "ana"), (admin, "ana")):
        assert client.get("/v1/bots/anas-bot").json["owner"] == name
    for path in (f"/tournaments/{cup}", "/tournaments", "/feeds/announcements.atom", "/v1/tournaments"):
        page = anybody.get(path).text
        assert "Bad words" not in page, path
        assert shown in page, path
    found = admin.get(texts).json["texts"]
    assert [(one["of"], one["text"], one["reason"], one["by"]) for one in found] == [
        ("bot", "description", "Rude.", "admin"),
        ("owner", "name", "Rude.", "admin"),
        ("tournament", "name", "Rude.", "admin"),
    ]
    # Again: the same is shown.
    assert hide("tournament", cup, "name")["shown"] == shown
    for of, id, text in (
        ("bot", "anas-bot", "description"),
        ("tournament", cup, "name"),
        ("owner", "ana", "name"),
    ):
        path = f"{texts}?of={of}&id={id}&text={text}"
        assert admin.delete(path).status_code == 204
        assert admin.delete(path).json["code"] == "text_not_hidden"
    assert anybody.get("/v1/bots/anas-bot").json["description"] == "Really badly."
    assert anybody.get(f"/v1/tournaments/{cup}").json["name"] == "Bad words"
    nothing = {"of": "owner", "id": "ana", "text": "description", "reason": "None."}
    assert admin.post(texts, json=nothing).json["code"] == "text_not_found"
    missing = {"of": "bot", "id": "nobody", "text": "name", "reason": "None."}
    assert admin.post(texts, json=missing).json["code"] == "bot_not_found"


def test_an_owner_with_a_hidden_name_organises_on_the_pages(
    browser: Browser, owner: Account, admin: ContractClient, register: Callable[..., Account]
) -> None:
    register("anas-bot")
    cup = announce(owner.client, {"name": "Cup", "kind": "toepen", "format": "swiss"})
    league = owner.client.post("/v1/series", json={"name": "League"}).json
    hidden = {"of": "owner", "id": "ana", "text": "name", "reason": "Rude."}
    shown = admin.post("/v1/admin/hidden-texts", json=hidden).json["shown"]
    path = f"/tournaments/{cup}"
    page = browser.get(path).text
    assert (shown in page, f"{path}/edit" in page, "<option>anas-bot</option>" in page) == (True, True, True)
    assert browser.send(f"{path}/edit", {"name": "New cup"}, page=f"{path}/edit").location == path
    assert owner.client.get(f"/v1{path}").json["name"] == "New cup"
    assert "Owner who organises it with you" in browser.get(f"{path}/invitations").text
    assert "New cup" in browser.get("/account").text
    assert 'method="post"' in browser.get(f"/series/{league['id']}").text


def test_what_organisers_do_is_logged(
    app: Flask, owner: Account, register: Callable[..., Account], admin: ContractClient
) -> None:
    register("anas-bot")
    cup = announce(owner.client, {"name": "Friday", "kind": "toepen", "format": "swiss"})
    owner.client.post(f"/v1/tournaments/{cup}/entries", json={"bot": "anas-bot"})
    owner.client.post(f"/v1/tournaments/{cup}/cancel", json={"reason": "Rain."})
    page = announce(owner.client, {"name": "Saturday", "kind": "toepen", "format": "swiss"})
    browser = Browser(app)
    browser.sign_in(owner.token)
    browser.send(f"/tournaments/{page}/cancel", {"reason": "Snow."}, page=f"/tournaments/{page}")
    logged = [(one["admin"], one["action"], one["subject"], one["detail"]) for one in entries(admin)]
    assert ("ana", "cancel tournament", f"tournament {cup}", "Rain.") in logged
    assert ("ana", "cancel tournament", f"tournament {page}", "Snow.") in logged
    created = [detail for who, action, _, detail in logged if (who, action) == ("ana", "create tournament")]
    assert ["Saturday" in created[0], "Friday" in created[1]] == [True, True]
    # Players are not organisers.
    assert not any("enter" in action for _, action, *_ in logged)


def test_names_are_replaced_where_they_are_names(services: Service) -> None:
    board = {
        "kind": "toepen",
        "rows": [{"name": "toepen", "version": "1"}],
        "titles": {"on": {"holders": ["toepen"]}},
    }
    assert services.moderation.apply(board) is board
    shown = services.moderation.delete_name("bot", "toepen")
    owner = services.moderation.delete_name("owner", "ana")
    assert services.moderation.delete_name("bot", "toepen") == shown
    # The kind of game, and the names of tournaments, are none of a bot.
    assert services.moderation.apply(board) == {
        "kind": "toepen",
        "rows": [{"name": shown, "version": "1"}],
        "titles": {"on": {"holders": [shown]}},
    }
    group = {"players": ["toepen", "rookie"], "score": {"toepen": 1.0, "rookie": 0.0}, "forfeits": ["toepen"]}
    assert services.moderation.apply(group) == {
        "players": [shown, "rookie"],
        "score": {shown: 1.0, "rookie": 0.0},
        "forfeits": [shown],
    }
    cup = {
        "id": "c",
        "name": "toepen",
        "format": "swiss",
        "created_by": "ana",
        "organisers": ["ana"],
        "version": 3,
    }
    assert services.moderation.apply(cup) == {**cup, "created_by": owner, "organisers": [owner]}
    matchups = {"bot": "toepen", "opponent": "rookie", "worst": "toepen"}
    assert services.moderation.apply(matchups) == {"bot": shown, "opponent": "rookie", "worst": shown}
