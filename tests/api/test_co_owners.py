"""Owners who share a bot: invitations, what co-owners may do, and what counts together."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from click.testing import CliRunner
from flask import Flask

from arena.accounts.co_owners import MOST_OF_BOT, NotCoOwner
from arena.cli import botequim
from arena.events.tournament import Tournament
from arena.ops.service import Service
from arena.store.tournaments import NewGroup, TournamentRow
from tests.api.arenas import announce, lock, play
from tests.api.conftest import Account
from tests.api.contract import ContractClient
from tests.api.pages import Browser
from tests.api.test_web_pages import check_page

CUP: dict[str, Any] = {"name": "Cup", "kind": "toepen", "preset": "duel@1", "format": "round_robin"}


@pytest.fixture
def bia(sign_up: Callable[..., Account]) -> Account:
    return sign_up("bia")


@pytest.fixture
def shared(owner: Account, bia: Account, register: Callable[..., Account]) -> Account:
    """A bot of ana that bia shares."""
    bot = register("shared")
    assert owner.client.put("/v1/bots/shared/owners/bia").status_code == 200
    assert bia.client.put("/v1/bots/shared/owners/bia").status_code == 200
    return bot


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json["code"]


def test_nobody_shares_a_bot_unasked(
    owner: Account, bia: Account, register: Callable[..., Account], anybody: ContractClient, services: Service
) -> None:
    register("shared")
    path = "/v1/bots/shared/owners"
    assert code(bia.client.put(f"{path}/bia")) == (404, "not_co_owner")
    assert code(bia.client.put(f"{path}/ana")) == (403, "forbidden")
    assert code(owner.client.put(f"{path}/nobody")) == (404, "owner_not_found")
    assert bia.client.get("/v1/owners/me").json["bot_invitations"] == []
    for _ in range(2):
        invited = owner.client.put(f"{path}/bia").json
        assert invited == {"owner": "ana", "co_owners": [], "invited": ["bia"]}
    assert anybody.get("/v1/bots/shared").json["co_owners"] == []
    assert bia.client.get("/v1/owners/me").json["bot_invitations"] == ["shared"]
    assert code(bia.client.post("/v1/bots/shared/versions", json={"label": "2"})) == (403, "forbidden")
    # Declined, invited again, taken back, and accepted too late.
    assert bia.client.delete(f"{path}/bia").status_code == 204
    assert owner.client.put(f"{path}/bia").status_code == 200
    assert owner.client.delete(f"{path}/bia").status_code == 204
    assert code(bia.client.put(f"{path}/bia")) == (404, "not_co_owner")
    assert owner.client.put(f"{path}/bia").status_code == 200
    for _ in range(2):
        assert bia.client.put(f"{path}/bia").json["co_owners"] == ["bia"]
    assert bia.client.get("/v1/owners/me").json["bot_invitations"] == []
    assert anybody.get("/v1/bots/shared").json["co_owners"] == ["bia"]
    assert [bot["name"] for bot in anybody.get("/v1/bots?owner=bia").json["bots"]] == ["shared"]
    entries, _ = services.accounts.audited()
    # What changes nothing is not in the log.
    done = [(one.admin, one.action, one.detail) for one in entries if one.subject == "bot shared"]
    assert done.count(("bia", "accept bot", "")) == 1
    assert done.count(("ana", "invite co-owner", "bia")) == 3


def test_what_co_owners_may_do(
    owner: Account, bia: Account, shared: Account, sign_up: Callable[..., Account]
) -> None:
    caio = sign_up("caio")
    path = "/v1/bots/shared"
    assert bia.client.post(f"{path}/versions", json={"label": "2"}).status_code == 201
    assert bia.client.get(f"{path}/uploads").status_code == 200
    assert bia.client.get(f"{path}/versions/2/qualifications").status_code == 200
    assert code(bia.client.get(f"{path}/games/nothing/log")) == (404, "log_not_found")
    event = announce(owner.client, CUP)
    entered = bia.client.post(f"/v1/tournaments/{event}/entries", json={"bot": "shared"})
    assert (entered.json["owner"], entered.json["co_owners"]) == ("ana", ["bia"])
    assert bia.client.delete(f"/v1/tournaments/{event}/entries/shared").status_code == 200
    game = {"kind": "toepen", "rules": {"seats": 2}, "seats": [{"bot": "shared"}, {"house": "rookie"}]}
    assert bia.client.post("/v1/games", json=game).status_code == 201
    assert code(caio.client.post("/v1/games", json=game)) == (403, "forbidden")
    hook = {"label": "3", "transport": "webhook", "url": "https://bots.example/x"}
    for answer in (
        bia.client.delete(path),
        bia.client.patch(path, json={"state": "withdrawn"}),
        bia.client.post(f"{path}/token"),
        bia.client.delete(f"{path}/token"),
        bia.client.post(f"{path}/webhook/secret", json={}),
        bia.client.post(f"{path}/versions", json=hook),
        bia.client.put(f"{path}/owners/caio"),
        caio.client.get(f"{path}/owners"),
        caio.client.get(f"{path}/uploads"),
        caio.client.delete(f"{path}/owners/bia"),
    ):
        assert code(answer) == (403, "forbidden"), answer.text
    assert "ana" in bia.client.delete(path).json["expected"]
    assert code(bia.client.delete(f"{path}/owners/ana")) == (403, "forbidden")
    assert code(owner.client.delete(f"{path}/owners/ana")) == (404, "not_co_owner")
    assert owner.client.delete(f"{path}/owners/bia").status_code == 204
    assert code(bia.client.post(f"{path}/versions", json={"label": "4"})) == (403, "forbidden")
    assert bia.client.get("/v1/bots?owner=bia").json["bots"] == []


def test_who_is_removed_withdraws_no_entry(owner: Account, bia: Account, shared: Account) -> None:
    event = announce(owner.client, CUP)
    entries = f"/v1/tournaments/{event}/entries"
    assert bia.client.post(entries, json={"bot": "shared"}).status_code == 200
    assert owner.client.delete("/v1/bots/shared/owners/bia").status_code == 204
    assert code(bia.client.delete(f"{entries}/shared")) == (403, "forbidden")
    assert owner.client.delete(f"{entries}/shared").status_code == 200


def test_an_invitation_that_was_taken_back_meanwhile(
    owner: Account, bia: Account, register: Callable[..., Account], services: Service
) -> None:
    register("shared")
    store = services.store.accounts
    assert owner.client.put("/v1/bots/shared/owners/bia").status_code == 200
    checked = services.co_owners.check

    def taken_back(bot: str, name: str) -> None:
        checked(bot, name)
        store.remove_co_owner(bot, name)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(services.co_owners, "check", taken_back)
        assert store.add_co_owner("shared", "nobody", 1) is False
        with pytest.raises(NotCoOwner):
            services.co_owners.accept("shared", "bia")
    assert services.accounts.bot("shared").co_owners == ()
    assert bia.client.get("/v1/owners/me").json["quotas"]["bots"]["used"] == 0
    assert bia.client.get("/v1/bots?owner=bia").json["bots"] == []


def test_a_full_quota_of_one_owner(
    owner: Account, bia: Account, shared: Account, services: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    quotas = services.accounts.quotas
    few = quotas._quotas._replace(owner=quotas._quotas.owner._replace(versions=1))
    monkeypatch.setattr(quotas, "_quotas", few)
    refused = bia.client.post("/v1/bots/shared/versions", json={"label": "2"})
    assert code(refused) == (409, "quota_exceeded")
    assert refused.json["detail"].startswith("the quota of ana, an owner of the bot")
    assert (refused.json["quota"], refused.json["most"]) == ("owner_versions", 1)
    assert "used" not in refused.json


def test_a_shared_bot_counts_in_all_quotas(
    owner: Account, bia: Account, shared: Account, register: Callable[..., Account], services: Service
) -> None:
    register("own", of=bia)

    def used(account: Account) -> tuple[int, int]:
        quotas = account.client.get("/v1/owners/me").json["quotas"]
        return quotas["bots"]["used"], quotas["versions"]["used"]

    store, most = services.store.accounts, services.accounts.quotas._quotas.owner

    def taken(name: str) -> tuple[int, int]:
        """What is known without counting."""
        return store.take(name, type(most)(0, 0, 0), most)[1][:2]

    assert (used(owner), used(bia)) == ((1, 1), (2, 2)) == (taken("ana"), taken("bia"))
    assert bia.client.post("/v1/bots/shared/versions", json={"label": "2"}).status_code == 201
    assert (used(owner), used(bia)) == ((1, 2), (2, 3)) == (taken("ana"), taken("bia"))
    assert bia.client.delete("/v1/bots/shared/owners/bia").status_code == 204
    assert (used(owner), used(bia)) == ((1, 2), (1, 1)) == (taken("ana"), taken("bia"))
    assert owner.client.put("/v1/bots/shared/owners/bia").status_code == 200
    assert bia.client.put("/v1/bots/shared/owners/bia").status_code == 200
    assert owner.client.delete("/v1/bots/shared").status_code == 204
    assert (used(owner), used(bia)) == ((0, 0), (1, 1)) == (taken("ana"), taken("bia"))


def test_a_bot_has_few_co_owners(owner: Account, sign_up: Callable[..., Account], shared: Account) -> None:
    for n in range(MOST_OF_BOT - 1):
        sign_up(f"guest-{n}")
        assert owner.client.put(f"/v1/bots/shared/owners/guest-{n}").status_code == 200
    sign_up("late")
    refused = owner.client.put("/v1/bots/shared/owners/late")
    assert (code(refused), refused.json["quota"]) == ((409, "quota_exceeded"), "co_owners")


# Tournaments


def test_bots_that_share_an_owner_count_together(
    owner: Account,
    bia: Account,
    shared: Account,
    register: Callable[..., Account],
    sign_up: Callable[..., Account],
) -> None:
    register("own", of=bia)
    caio = sign_up("caio")
    register("other", of=caio)
    event = announce(
        owner.client, {**CUP, "per_owner": 1, "who": "invited", "invited_owners": ["bia", "caio"]}
    )
    entries = f"/v1/tournaments/{event}/entries"
    assert owner.client.post(entries, json={"bot": "shared"}).status_code == 200
    refused = bia.client.post(entries, json={"bot": "own"})
    assert code(refused) == (409, "too_many_of_owner")
    assert "ana+bia" in refused.json["detail"]
    assert caio.client.post(entries, json={"bot": "other"}).status_code == 200


def test_owners_at_the_lock_decide(
    owner: Account, bia: Account, register: Callable[..., Account], services: Service, anybody: ContractClient
) -> None:
    register("first")
    register("second", of=bia)
    event = announce(owner.client, {**CUP, "per_owner": 1, "house": ["rookie", "random"]})
    for account, bot in ((owner, "first"), (bia, "second")):
        assert account.client.post(f"/v1/tournaments/{event}/entries", json={"bot": bot}).status_code == 200

    def qualified(tournament: Tournament, row: TournamentRow) -> Sequence[NewGroup]:
        for entry in tournament.entries:
            entry.status = "qualified"
        return ()

    services.tournaments.lifecycle.change(event, qualified)
    assert owner.client.put("/v1/bots/first/owners/bia").status_code == 200
    assert bia.client.put("/v1/bots/first/owners/bia").status_code == 200
    lock(services, event)
    services.tournaments.step(event)
    view = anybody.get(f"/v1/tournaments/{event}").json
    assert view["state"] == "running"
    found = {one["bot"]: one for one in view["entries"]}
    assert (found["first"]["co_owners"], found["first"]["status"]) == (["bia"], "qualified")
    assert found["second"]["status"] == "withdrawn"
    assert "share bots" in found["second"]["reason"]


def test_a_party_counts_once_in_a_series(owner: Account, services: Service, anybody: ContractClient) -> None:
    event = announce(owner.client, {**CUP, "house": ["rookie", "random", "regular"]})
    play(services, event)
    owners = {"regular": ("ana", ["bia"]), "rookie": ("bia", []), "random": ("caio", [])}

    def own(tournament: Tournament, row: TournamentRow) -> Sequence[NewGroup]:
        for entry in tournament.entries:
            entry.owner, entry.co_owners = owners[entry.name]
        return ()

    services.tournaments.lifecycle.change(event, own)
    places = {
        row["name"]: row["place"] for row in anybody.get(f"/v1/tournaments/{event}/standings").json["rows"]
    }
    best = next(name for name in places if name in ("regular", "rookie"))
    by_party = sorted([(places[best], {"regular": "ana", "rookie": "bia"}[best]), (places["random"], "caio")])
    points = (4, 4) if places[best] == places["random"] else (5, 3)
    made = owner.client.post(
        "/v1/series", json={"name": "Autumn", "tournaments": [event], "points": [5, 3]}
    ).json
    table = anybody.get(f"/v1/series/{made['id']}/table").json
    assert [(row["points"], row["name"]) for row in table["rows"]] == [
        (one, name) for one, (_, name) in zip(points, by_party, strict=True)
    ]
    rows = list(csv.DictReader(io.StringIO(anybody.get(f"/v1/tournaments/{event}/results.csv").text)))
    assert {row["bot"]: row["co_owners"] for row in rows} == {"regular": "bia", "rookie": "", "random": ""}


# Accounts


def test_suspensions(
    owner: Account, bia: Account, shared: Account, admin: ContractClient, anybody: ContractClient
) -> None:
    assert admin.put("/v1/admin/owners/bia/suspension", json={"reason": "Spam."}).status_code == 200
    assert code(bia.client.get("/v1/bots/shared/uploads")) == (403, "owner_suspended")
    assert owner.client.get("/v1/bots/shared").json["suspended"] is None
    assert admin.delete("/v1/admin/owners/bia/suspension").status_code == 204
    assert admin.put("/v1/admin/owners/ana/suspension", json={"reason": "Spam."}).status_code == 200
    assert bia.client.get("/v1/bots/shared").json["suspended"]["reason"] == "Spam."
    assert admin.delete("/v1/bots/shared/owners/bia").status_code == 204
    assert anybody.get("/v1/bots/shared").json["co_owners"] == []


def test_deletions_and_exports(
    owner: Account, bia: Account, shared: Account, register: Callable[..., Account], anybody: ContractClient
) -> None:
    register("second")
    assert owner.client.put("/v1/bots/second/owners/bia").status_code == 200
    export = bia.client.get("/v1/owners/me/export").json
    assert (export["bots"], export["shared_bots"], export["bot_invitations"]) == ([], ["shared"], ["second"])
    (bot,) = [one for one in owner.client.get("/v1/owners/me/export").json["bots"] if one["name"] == "shared"]
    assert bot["co_owners"] == ["bia"]
    event = announce(owner.client, CUP)
    assert owner.client.post(f"/v1/tournaments/{event}/entries", json={"bot": "shared"}).status_code == 200
    assert bia.client.delete("/v1/owners/me?confirm=bia").status_code == 200
    known = owner.client.get("/v1/bots/shared/owners").json
    assert known == {"owner": "ana", "co_owners": [], "invited": []}
    assert owner.client.get("/v1/bots/second/owners").json["invited"] == []
    (entry,) = anybody.get(f"/v1/tournaments/{event}").json["entries"]
    assert entry["status"] == "qualifying"
    assert entry["co_owners"][0].startswith("deleted-")


def test_the_bot_goes_with_its_owner(
    owner: Account, bia: Account, shared: Account, anybody: ContractClient
) -> None:
    assert owner.client.delete("/v1/owners/me?confirm=ana").status_code == 200
    assert anybody.get("/v1/bots/shared").status_code == 404
    me = bia.client.get("/v1/owners/me").json
    assert me["quotas"]["bots"]["used"] == 0
    assert bia.client.get("/v1/owners/me/export").json["shared_bots"] == []


# Pages and the command


def test_the_pages(
    app: Flask, owner: Account, bia: Account, register: Callable[..., Account], services: Service
) -> None:
    register("shared")
    ana, guest = Browser(app), Browser(app)
    ana.sign_in(owner.token)
    guest.sign_in(bia.token)
    settings = "/bots/shared/settings"
    assert guest.get(settings).status_code == 403
    sent = ana.send("/bots/shared/owners", {"owner": "nobody"}, page=settings)
    assert (sent.status_code, "there is no owner" in sent.text.lower()) == (404, True)
    assert ana.send("/bots/shared/owners", {"owner": "bia"}, page=settings).location == settings
    assert "invited" in check_page(ana.get(settings)).html
    account = check_page(guest.get("/account")).html
    assert "Invitations to share a bot" in account
    assert guest.send("/bots/shared/owners/accept", page="/account").location == settings
    assert 'shared by <a href="/owners/ana">ana</a>' in guest.get("/account").text
    html = check_page(guest.get(settings)).html
    assert "Leave" in html
    assert "Delete the bot" not in html
    assert "Replace the token" not in html
    owners = 'by <a href="/owners/ana">ana</a>, <a href="/owners/bia">bia</a>'
    assert owners in Browser(app).get("/bots/shared").text
    for path in ("token", "delete", "settings"):
        assert guest.send(f"/bots/shared/{path}", {"state": "withdrawn"}, page="/account").status_code == 403
    assert guest.get("/bots/shared/log").status_code == 200
    assert guest.get("/bots/shared/versions/new").status_code == 200
    assert guest.send("/bots/shared/owners/bia/remove", page=settings).location == "/account"
    assert services.accounts.bot("shared").co_owners == ()


def test_the_command(
    owner: Account, bia: Account, register: Callable[..., Account], online: list[str]
) -> None:
    register("shared")

    def run(account: Account, *args: str) -> str:
        done = CliRunner().invoke(botequim, ["bot", "owners", *args, "--token", account.token, *online])
        assert done.exit_code == 0, done.exception
        return done.output

    assert run(owner, "shared", "bia") == "ana: owner\nbia: invited\n"
    assert run(bia) == "shared\n"
    assert run(bia, "shared", "--accept") == "ana: owner\nbia: co-owner\n"
    assert run(bia) == "no invitations\n"
    assert json.loads(run(bia, "shared", "--json"))["co_owners"] == ["bia"]
    assert run(bia, "shared", "--leave") == "you no longer share shared\n"
    assert run(owner, "shared", "bia", "--remove", "bia") == "ana: owner\n"


def test_only_owners_and_who_is_invited_see_the_invitations(
    anybody: ContractClient, admin: ContractClient, shared: Account
) -> None:
    assert anybody.get("/v1/bots/shared/owners").status_code == 401
    assert shared.client.get("/v1/bots/shared/owners").status_code == 403
    assert admin.get("/v1/bots/shared/owners").json["co_owners"] == ["bia"]
