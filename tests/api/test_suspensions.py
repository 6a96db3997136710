"""Suspended bots over HTTP: what the owner sees, what is refused, and what admins do."""

from __future__ import annotations

from collections.abc import Callable

from flask import Flask

from arena.accounts.versions import Suspension
from tests.api.arenas import announce
from tests.api.conftest import Account
from tests.api.contract import ContractClient

WHY = {"reason": "it hung", "at_ms": 1_700_000_000_000, "tournament": "cup", "group": "r1-p1-g1"}


def test_a_suspended_bot(
    app: Flask,
    owner: Account,
    register: Callable[..., Account],
    sign_up: Callable[..., Account],
    anybody: ContractClient,
    admin: ContractClient,
) -> None:
    bot = register("bot-a")
    register("bot-b")
    open_game = {"kind": "toepen", "seats": [{"open": True}, {"open": True}]}
    game = owner.client.post("/v1/games", json=open_game).json["game"]
    cup = announce(owner.client, {"name": "Cup", "kind": "toepen", "format": "round_robin"})
    app.extensions["botequim"].suspensions.suspend("bot-a", Suspension(**WHY))  # type: ignore[arg-type]
    # The owner and admins see why.
    for client in (owner.client, admin):
        assert client.get("/v1/bots/bot-a").json["suspended"] == WHY
        assert client.get("/v1/bots/bot-b").json["suspended"] is None
    for client in (anybody, sign_up("bia").client):
        assert client.get("/v1/bots/bot-a").json["suspended"] is None
    # The owner cannot seat it, nor lift that.
    assert owner.client.patch("/v1/bots/bot-a", json={"state": "active"}).json["suspended"] == WHY
    for refused in (
        owner.client.post("/v1/games", json={"kind": "toepen", "seats": [{"bot": "bot-a"}, {"open": True}]}),
        bot.client.post(f"/v1/games/{game}/join", json={}),
        owner.client.post(f"/v1/tournaments/{cup}/entries", json={"bot": "bot-a"}),
        owner.client.post("/v1/bots/bot-a/versions/1/qualifications", json={"kind": "toepen"}),
    ):
        assert (refused.status_code, refused.json["code"]) == (409, "bot_suspended")
        assert refused.json["detail"] == "bot-a is suspended: it hung"
    assert owner.client.get("/v1/admin/suspensions").json["code"] == "forbidden"
    assert owner.client.delete("/v1/admin/suspensions/bot-a").json["code"] == "forbidden"
    # Admins look at it.
    (found,) = admin.get("/v1/admin/suspensions").json["bots"]
    assert (found["name"], found["owner"], found["suspended"]) == ("bot-a", "ana", WHY)
    assert "botequim_suspended_bots 1.0" in anybody.get("/metrics").text
    assert admin.delete("/v1/admin/suspensions/bot-a").status_code == 204
    again = admin.delete("/v1/admin/suspensions/bot-a")
    assert (again.status_code, again.json["code"]) == (404, "suspension_not_found")
    assert admin.delete("/v1/admin/suspensions/nobody").json["code"] == "bot_not_found"
    assert admin.get("/v1/admin/suspensions").json == {"bots": [], "owners": []}
    assert "botequim_suspended_bots 0.0" in anybody.get("/metrics").text
    logged = admin.get("/v1/admin/audit").json["entries"]
    assert ("lift suspension", "bot bot-a") in [(entry["action"], entry["subject"]) for entry in logged]
    assert owner.client.get("/v1/bots/bot-a").json["suspended"] is None
    assert bot.client.post(f"/v1/games/{game}/join", json={}).status_code == 200
