"""Owners, bots and tokens: who may do what, and that nothing secret is kept or told twice."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask

from arena.accounts import accounts as accounts_module
from arena.accounts.accounts import Accounts
from arena.accounts.default_limits import Quotas
from arena.ops.service import Service
from arena.store.amounts import Stored
from arena.store.connection import connect
from arena.store.embedded import EmbeddedStore
from arena.store.repositories import open_store
from tests.api.conftest import Account
from tests.api.contract import ContractClient, contract_client
from tests.api.pages import Browser
from tests.live.arenas import rate


def code(response: object) -> str:
    return response.json["code"]  # type: ignore[attr-defined, no-any-return]


# Owners


def test_sign_up_and_look(anybody: ContractClient, owner: Account) -> None:
    assert owner.token.startswith("btq_o_ana_")
    me = owner.client.get("/v1/owners/me").json
    assert me["name"] == "ana"
    assert me["admin"] is False
    assert me.pop("quotas")["bytes"]["used"] == 0
    assert me.pop("budgets")["groups"]["used"] == 0
    assert me.pop("invitations") == {"used": 0, "most": 0, "left": 0}
    assert (me.pop("bot_invitations"), me.pop("tournament_invitations")) == ([], [])
    assert me.pop("invitable") is True
    assert me.pop("identity") is None
    assert me.pop("recovery_ms") >= me["created_ms"]
    assert me.pop("proven_ms") > me["created_ms"]
    assert anybody.get("/v1/owners/ana").json == me


def test_a_name_is_taken_once(anybody: ContractClient, owner: Account) -> None:
    response = anybody.post("/v1/owners", json={"name": "ana"})
    assert response.status_code == 409
    assert code(response) == "name_taken"
    assert response.json["field"] == "name"


@pytest.mark.parametrize("name", ["", "ab", "Ana", "1ana", "ana-", "-ana", "a" * 33, "ana\n", "ana_b", "ána"])
def test_a_name_against_the_rules(anybody: ContractClient, name: str) -> None:
    response = anybody.post("/v1/owners", json={"name": name})
    assert response.status_code == 422
    assert response.json["field"] == "name"
    assert "3 to 32" in response.json["expected"]


def test_unknown_owner(anybody: ContractClient) -> None:
    assert code(anybody.get("/v1/owners/nobody")) == "owner_not_found"
    assert code(anybody.get("/v1/owners/NOT%20A%20NAME")) == "owner_not_found"


def test_a_replaced_token_ends(owner: Account, app: Flask) -> None:
    new = owner.client.post("/v1/owners/me/token").json["token"]
    assert code(owner.client.get("/v1/owners/me")) == "invalid_token"
    assert contract_client(app, new).get("/v1/owners/me").json["name"] == "ana"


def test_a_revoked_owner_needs_an_admin(owner: Account, admin: ContractClient, app: Flask) -> None:
    assert owner.client.delete("/v1/owners/me/token").status_code == 204
    assert owner.client.get("/v1/owners/me").status_code == 401
    new = admin.post("/v1/admin/owners/ana/token").json["token"]
    assert contract_client(app, new).get("/v1/owners/me").status_code == 200


# Tokens


@pytest.mark.parametrize(
    "header",
    [
        "Basic YTpi",
        "Bearer",
        "Bearer ",
        "Bearer nonsense",
        "Bearer btq_o_ana_",
        "Bearer btq_o_ana_" + "x" * 43,
        "Bearer btq_b_ana_" + "x" * 43,
        "Bearer btq_o_nobody_" + "x" * 43,
        "Bearer btq_o_AN A_x",
        "Bearer \xff\xfe",
    ],
)
def test_bad_tokens(anybody: ContractClient, owner: Account, header: str) -> None:
    response = anybody.get("/v1/owners/me", headers={"Authorization": header})
    assert response.status_code == 401
    assert code(response) == "invalid_token"
    assert response.headers["WWW-Authenticate"].startswith("Bearer")


def test_no_token(anybody: ContractClient) -> None:
    response = anybody.get("/v1/owners/me")
    assert response.status_code == 401
    assert code(response) == "missing_token"


def test_scopes(owner: Account, register: Callable[..., Account], admin: ContractClient) -> None:
    bot = register("zap-bot")
    assert code(bot.client.get("/v1/owners/me")) == "forbidden"
    assert code(bot.client.post("/v1/bots", json={"name": "another"})) == "forbidden"
    assert code(owner.client.get("/v1/admin/audit")) == "forbidden"
    assert code(admin.get("/v1/owners/me")) == "forbidden"


def test_a_token_in_the_address_is_not_taken(owner: Account, anybody: ContractClient) -> None:
    assert anybody.get(f"/v1/bots?token={owner.token}").status_code == 422
    assert anybody.get(f"/v1/owners/me?access_token={owner.token}").status_code == 401


def test_tokens_are_stored_as_hashes(
    clean_store: EmbeddedStore, owner: Account, register: Callable[..., Account]
) -> None:
    bot = register("zap-bot")
    connection = connect(clean_store.url, ())
    (keys,) = connection.run([("KEYS", "*")])
    for key in keys:
        (kind,) = connection.run([("TYPE", key)])
        dump = b""
        if kind == b"hash":
            (fields,) = connection.run([("HGETALL", key)])
            dump = b"".join(fields)
        for token in (owner.token, bot.token):
            secret = token.split("_", 3)[3].encode()
            assert len(secret) == 43
            assert secret not in dump
            assert secret not in key
    connection.close()


def test_another_process_notices_within_five_seconds(
    clean_store: EmbeddedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two processes: one revokes, the other goes by its memory for at most five seconds."""

    class Clock:
        now = 100.0

        def monotonic(self) -> float:
            return self.now

        def time_ns(self) -> int:
            return 0

    clock = Clock()
    monkeypatch.setattr(accounts_module, "time", clock)
    here = Accounts(open_store(clean_store.url).accounts)
    there = Accounts(open_store(clean_store.url).accounts)
    _, token = here.sign_up("ana")
    assert here.check(token).name == there.check(token).name == "ana"
    here.revoke_owner_token("ana")
    with pytest.raises(accounts_module.InvalidToken):
        here.check(token)
    clock.now += 4.9
    assert there.check(token).name == "ana"
    clock.now += 0.2
    with pytest.raises(accounts_module.InvalidToken):
        there.check(token)


def test_a_repeated_call_after_a_broken_connection_is_no_conflict(clean_store: EmbeddedStore) -> None:
    """The connection may send a command twice; making an account must not then say that the name is taken."""
    store = open_store(clean_store.url).accounts
    assert store.create_owner("ana", "hash", {"created": "1"})
    assert store.create_owner("ana", "hash", {"created": "1"})
    assert not store.create_owner("ana", "other", {"created": "1"})
    most = Stored(1, 2, 10)
    assert store.add_version("nobody", "1", "x", most) == ("unknown", 0)
    assert store.create_bot("zap", "ana", "hash", {"state": "active"}, "1", "one")
    assert store.add_version("zap", "2", "two", most) == ("added", 0)
    assert store.add_version("zap", "2", "two", most) == ("added", 0)
    assert store.add_version("zap", "2", "other", most) == ("exists", 0)
    assert store.add_version("zap", "3", "three", most) == ("full", 0)


# Bots


def test_register_a_bot(owner: Account, register: Callable[..., Account], anybody: ContractClient) -> None:
    bot = register("zap-bot", version="0.1", description="plays fast")
    assert bot.token.startswith("btq_b_zap-bot_")
    shown = anybody.get("/v1/bots/zap-bot").json
    assert shown["owner"] == "ana"
    assert shown["version"] == "0.1"
    assert shown["description"] == "plays fast"
    assert [version["label"] for version in shown["versions"]] == ["0.1"]
    assert shown["versions"][0]["transport"] == "remote"


@pytest.mark.parametrize("name", ["rookie", "random", "shark"])
def test_names_of_the_house(owner: Account, name: str) -> None:
    response = owner.client.post("/v1/bots", json={"name": name})
    assert response.status_code == 409
    assert "house" in response.json["detail"]


@pytest.mark.parametrize("name", ["rookie", "random", "shark", "admin"])
def test_names_that_nobody_may_take(owner: Account, anybody: ContractClient, name: str) -> None:
    for response in (
        anybody.post("/v1/owners", json={"name": name}),
        owner.client.post("/v1/bots", json={"name": name}),
    ):
        assert response.status_code == 409
        assert code(response) == "name_taken"


def test_bot_names_are_unique(sign_up: Callable[..., Account], register: Callable[..., Account]) -> None:
    register("zap-bot")
    other = sign_up("bia")
    assert code(other.client.post("/v1/bots", json={"name": "zap-bot"})) == "name_taken"
    assert other.client.get("/v1/bots?owner=bia").json["bots"] == []


def test_too_many_bots(owner: Account, register: Callable[..., Account]) -> None:
    most = Quotas().owner.bots
    for number in range(most):
        register(f"bot-{number:03}")
    response = owner.client.post("/v1/bots", json={"name": "one-more"})
    assert response.status_code == 409
    assert code(response) == "quota_exceeded"
    problem = response.json
    assert (problem["quota"], problem["most"], problem["used"], problem["left"]) == (
        "owner_bots",
        most,
        most,
        0,
    )
    bots = {"used": most, "most": most, "left": 0}
    assert owner.client.get("/v1/owners/me").json["quotas"]["bots"] == bots
    owner.client.delete("/v1/bots/bot-000")
    assert owner.client.post("/v1/bots", json={"name": "one-more"}).status_code == 201


def test_list_in_pages(
    owner: Account, sign_up: Callable[..., Account], register: Callable[..., Account], anybody: ContractClient
) -> None:
    other = sign_up("bia")
    for number in range(7):
        register(f"bot-{number}", of=owner if number % 2 else other)
    found = []
    cursor = None
    while True:
        page = anybody.get(
            "/v1/bots", query_string={"limit": 3, **({"cursor": cursor} if cursor else {})}
        ).json
        found += [bot["name"] for bot in page["bots"]]
        cursor = page["cursor"]
        if cursor is None:
            break
    assert found == [f"bot-{number}" for number in range(7)]
    mine = anybody.get("/v1/bots?owner=ana").json["bots"]
    assert [bot["name"] for bot in mine] == ["bot-1", "bot-3", "bot-5"]


def test_versions_never_change(
    owner: Account, register: Callable[..., Account], anybody: ContractClient
) -> None:
    register("zap-bot")
    assert owner.client.post("/v1/bots/zap-bot/versions", json={"label": "2.0"}).status_code == 201
    again = owner.client.post("/v1/bots/zap-bot/versions", json={"label": "2.0"})
    assert code(again) == "version_exists"
    shown = anybody.get("/v1/bots/zap-bot").json
    assert shown["version"] == "2.0"
    assert [version["label"] for version in shown["versions"]] == ["1", "2.0"]


def test_withdraw_and_return(owner: Account, register: Callable[..., Account]) -> None:
    register("zap-bot")
    assert owner.client.patch("/v1/bots/zap-bot", json={"state": "withdrawn"}).json["state"] == "withdrawn"
    assert owner.client.patch("/v1/bots/zap-bot", json={"state": "active"}).json["state"] == "active"
    assert owner.client.patch("/v1/bots/zap-bot", json={}).json["state"] == "active"


def test_a_deleted_bot_leaves_only_its_name(
    owner: Account, register: Callable[..., Account], anybody: ContractClient, clean_store: EmbeddedStore
) -> None:
    bot = register("zap-bot", description="secret plans")
    assert owner.client.delete("/v1/bots/zap-bot").status_code == 204
    assert code(anybody.get("/v1/bots/zap-bot")) == "bot_not_found"
    assert code(owner.client.delete("/v1/bots/zap-bot")) == "bot_not_found"
    assert bot.client.get("/v1/bots").status_code == 401
    assert anybody.get("/v1/bots").json["bots"] == []
    assert code(owner.client.post("/v1/bots", json={"name": "zap-bot"})) == "name_taken"
    assert code(owner.client.post("/v1/bots/zap-bot/token")) == "bot_not_found"
    connection = connect(clean_store.url, ())
    (left,) = connection.run([("HGETALL", "{b:zap-bot}")])
    assert dict(zip(left[::2], left[1::2], strict=True)) == {b"name": b"zap-bot", b"state": b"deleted"}
    connection.close()


def test_a_deleted_bot_that_is_rated_stays_listed_as_withdrawn(
    owner: Account, register: Callable[..., Account], admin: ContractClient, app: Flask
) -> None:
    bot = register("zap-bot", description="secret plans")
    services: Service = app.extensions["botequim"]
    rate(services.store, "zap-bot")
    for _ in range(2):
        answer = owner.client.delete("/v1/bots/zap-bot")
        assert answer.status_code == 200
        shown = answer.json
        assert (shown["state"], shown["version"], shown["versions"]) == ("withdrawn", "1", [])
        assert (shown["owner"], shown["description"], shown["datasets"]) == ("ana", "", False)
    assert owner.client.get("/v1/bots").json["bots"][0]["state"] == "withdrawn"
    assert owner.client.get("/v1/owners/me").json["quotas"]["bots"]["used"] == 1
    assert bot.client.get("/v1/bots").status_code == 401
    for refused in (
        owner.client.patch("/v1/bots/zap-bot", json={"state": "active"}),
        owner.client.post("/v1/bots/zap-bot/token"),
        owner.client.post("/v1/bots/zap-bot/versions", json={"label": "2"}),
        owner.client.put("/v1/bots/zap-bot/owners/bia"),
        admin.patch("/v1/bots/zap-bot", json={"state": "active"}),
    ):
        assert code(refused) == "bot_not_found"
    assert code(owner.client.post("/v1/bots", json={"name": "zap-bot"})) == "name_taken"
    seats = [{"bot": "zap-bot"}, {"open": True}, {"bot": "zap-bot"}, {"open": True}]
    assert code(owner.client.post("/v1/games", json={"kind": "truco", "seats": seats})) == "bot_withdrawn"
    browser = Browser(app)
    browser.sign_in(owner.token)
    assert "listed for its results" in browser.get("/account").text
    assert "its results remain" in browser.get("/bots/zap-bot").text
    assert browser.get("/bots/zap-bot/settings").status_code == 404
    assert owner.client.delete("/v1/owners/me?confirm=ana").status_code == 200
    assert code(admin.get("/v1/bots/zap-bot")) == "bot_not_found"


def test_the_audit_log_says_what_became_of_a_deleted_bot(
    owner: Account,
    sign_up: Callable[..., Account],
    register: Callable[..., Account],
    admin: ContractClient,
    services: Service,
) -> None:
    for bot in ("rated", "unrated", "own"):
        register(bot)
    rate(services.store, "rated")
    assert sign_up("bia").client.delete("/v1/bots/rated").status_code == 403
    assert code(admin.delete("/v1/bots/nobody")) == "bot_not_found"
    assert owner.client.delete("/v1/bots/own").status_code == 204
    assert admin.delete("/v1/bots/unrated").status_code == 204
    assert admin.delete("/v1/bots/rated").status_code == 200
    log = admin.get("/v1/admin/audit").json["entries"]
    assert [(one["action"], one["subject"]) for one in log] == [
        ("withdraw bot", "bot rated"),
        ("delete bot", "bot unrated"),
    ]


def test_only_the_owner_and_admins(
    owner: Account, sign_up: Callable[..., Account], register: Callable[..., Account], admin: ContractClient
) -> None:
    register("zap-bot")
    stranger = sign_up("bia").client
    for response in (
        stranger.patch("/v1/bots/zap-bot", json={"state": "withdrawn"}),
        stranger.delete("/v1/bots/zap-bot"),
        stranger.post("/v1/bots/zap-bot/token"),
        stranger.delete("/v1/bots/zap-bot/token"),
        stranger.post("/v1/bots/zap-bot/versions", json={"label": "9"}),
    ):
        assert response.status_code == 403
        assert code(response) == "forbidden"
    assert admin.patch("/v1/bots/zap-bot", json={"state": "withdrawn"}).status_code == 200
    assert admin.delete("/v1/bots/zap-bot/token").status_code == 204


def test_rotate_and_revoke_bot_tokens(owner: Account, register: Callable[..., Account], app: Flask) -> None:
    bot = register("zap-bot")
    new = owner.client.post("/v1/bots/zap-bot/token").json["token"]
    assert bot.client.get("/v1/bots").status_code == 401
    fresh = contract_client(app, new)
    assert fresh.get("/v1/bots").status_code == 200
    assert owner.client.delete("/v1/bots/zap-bot/token").status_code == 204
    assert fresh.get("/v1/bots").status_code == 401


# Admins


def test_an_owner_becomes_an_admin_and_leaves_notes(
    owner: Account, sign_up: Callable[..., Account], register: Callable[..., Account], admin: ContractClient
) -> None:
    bia = sign_up("bia")
    register("zap-bot")
    assert admin.put("/v1/admin/owners/bia/admin", json={"admin": True}).json["admin"] is True
    assert bia.client.patch("/v1/bots/zap-bot", json={"state": "withdrawn"}).status_code == 200
    assert bia.client.post("/v1/admin/owners/ana/token").status_code == 201
    assert admin.put("/v1/admin/owners/bia/admin", json={"admin": False}).json["admin"] is False
    assert code(bia.client.get("/v1/admin/audit")) == "forbidden"
    entries = admin.get("/v1/admin/audit").json["entries"]
    assert [(entry["admin"], entry["action"], entry["subject"], entry["detail"]) for entry in entries] == [
        ("admin", "set admin", "owner bia", "false"),
        ("bia", "issue owner token", "owner ana", ""),
        ("bia", "change bot", "bot zap-bot", "state=withdrawn"),
        ("admin", "set admin", "owner bia", "true"),
    ]


def test_the_audit_log_in_pages(admin: ContractClient) -> None:
    for number in range(5):
        assert code(admin.post(f"/v1/admin/owners/nobody{number}/token")) == "owner_not_found"
    first = admin.get("/v1/admin/audit?limit=3").json
    second = admin.get("/v1/admin/audit", query_string={"limit": 3, "cursor": first["cursor"]}).json
    subjects = [entry["subject"] for entry in first["entries"] + second["entries"]]
    assert subjects == [f"owner nobody{number}" for number in (4, 3, 2, 1, 0)]
    assert second["cursor"] is None
    assert code(admin.get("/v1/admin/audit?cursor=nonsense")) == "invalid_cursor"
