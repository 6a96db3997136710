"""Nobody is named, listed or reached by texts unasked: invitations to organise and to enter are accepted,
declined, bounded, and can be refused altogether.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from arena.ops.service import Service
from arena.store.tournaments import INVITATIONS_MOST
from tests.api.arenas import announce, now_ms
from tests.api.conftest import Account
from tests.api.contract import ContractClient
from tests.api.pages import Browser
from tests.api.test_hidden_tournaments import CUP, HOUR
from tests.api.test_web_pages import BROWSER, check_page

SPAM = "Official cup, pay 5 EUR"


@pytest.fixture
def pia(sign_up: Callable[..., Account]) -> Account:
    return sign_up("pia")


def invitations(account: Account) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = account.client.get("/v1/owners/me").json["tournament_invitations"]
    return found


def test_a_co_organiser_is_named_after_accepting(
    owner: Account, pia: Account, anybody: ContractClient
) -> None:
    event = announce(owner.client, {**CUP, "name": SPAM, "who": "anyone"})
    where = f"/v1/tournaments/{event}"
    assert pia.client.put(f"{where}/organisers/pia").json["code"] == "forbidden"
    assert owner.client.put(f"{where}/organisers/pia").json["organisers"] == []
    for path in (where, "/v1/tournaments", f"/tournaments/{event}", f"/tournaments/{event}/feed.atom"):
        assert "pia" not in anybody.get(path).text, path
    assert pia.client.patch(where, json={"name": "Mine"}).json["code"] == "forbidden"
    assert invitations(pia) == [{"tournament": event, "by": "ana", "role": "organiser"}]
    assert owner.client.get(f"{where}/invitations").json["organisers"] == ["pia"]
    # Nobody accepts for others.
    assert owner.client.put(f"{where}/organisers/pia").json["organisers"] == []
    assert pia.client.put(f"{where}/organisers/pia").json["organisers"] == ["pia"]
    assert anybody.get(where).json["organisers"] == ["pia"]
    assert invitations(pia) == []
    assert pia.client.patch(where, json={"name": "Ours"}).status_code == 200


def test_an_invitation_to_organise_is_declined_or_withdrawn(owner: Account, pia: Account) -> None:
    event = announce(owner.client, {**CUP, "hidden": True})
    where = f"/v1/tournaments/{event}"
    for client in (pia.client, owner.client):
        owner.client.put(f"{where}/organisers/pia")
        # Enough to decide; but it is in no list.
        assert pia.client.get(where).status_code == 200
        assert pia.client.get("/v1/tournaments").json["tournaments"] == []
        assert client.delete(f"{where}/organisers/pia").status_code == 204
        assert pia.client.get(where).status_code == 404
        assert pia.client.put(f"{where}/organisers/pia").status_code == 404
        assert invitations(pia) == []


def test_a_clone_asks_again(owner: Account, pia: Account, anybody: ContractClient) -> None:
    event = announce(owner.client, {**CUP, "invited_owners": ["pia"]})
    for client in (owner.client, pia.client):
        client.put(f"/v1/tournaments/{event}/organisers/pia")
    clone = owner.client.post(f"/v1/tournaments/{event}/clone", json={"locks_ms": now_ms() + HOUR}).json
    assert clone["organisers"] == []
    assert {one["role"] for one in invitations(pia) if one["tournament"] == clone["id"]} == {
        "guest",
        "organiser",
    }
    pia.client.patch("/v1/owners/me", json={"invitable": False})
    again = owner.client.post(f"/v1/tournaments/{event}/clone", json={"locks_ms": now_ms() + HOUR}).json
    found = owner.client.get(f"/v1/tournaments/{again['id']}/invitations").json
    assert found == {"owners": [], "organisers": [], "links": []}


def test_texts_of_a_hidden_tournament_reach_guests_who_accept(
    app: Flask, owner: Account, pia: Account, register: Callable[..., Account]
) -> None:
    body = {**CUP, "name": SPAM, "hidden": True, "invited_owners": ["pia"]}
    accepted, entered, declined = (announce(owner.client, body) for _ in range(3))
    browser = Browser(app)
    browser.sign_in(pia.token)
    assert len(invitations(pia)) == 3
    for path in ("/account", "/tournaments", "/", "/v1/tournaments"):
        assert SPAM not in browser.get(path).text
        assert SPAM not in pia.client.get(path).text
    accept = f"/v1/tournaments/{accepted}/invitations/accept"
    for _ in range(2):
        assert pia.client.post(accept, json={}).json["id"] == accepted
    register("pia-bot", of=pia)
    assert pia.client.post(f"/v1/tournaments/{entered}/entries", json={"bot": "pia-bot"}).status_code == 200
    where = f"/v1/tournaments/{declined}"
    assert pia.client.delete(f"{where}/invitations/owners/pia").status_code == 204
    assert pia.client.get(where).status_code == 404
    listed = {one["id"] for one in pia.client.get("/v1/tournaments").json["tournaments"]}
    assert listed == {accepted, entered}
    assert invitations(pia) == []


def test_a_stranger_accepts_nothing(owner: Account, pia: Account) -> None:
    for hidden, status in ((False, 404), (True, 404)):
        event = announce(owner.client, {**CUP, "hidden": hidden})
        refused = pia.client.post(f"/v1/tournaments/{event}/invitations/accept", json={})
        assert (refused.status_code, refused.json["code"]) == (
            status,
            "tournament_not_found" if hidden else "owner_not_found",
        )
        other = pia.client.delete(f"/v1/tournaments/{event}/invitations/owners/ana")
        assert other.status_code == (404 if hidden else 403)


def test_invitations_are_bounded(owner: Account, pia: Account) -> None:
    made = [announce(owner.client, {**CUP, "invited_owners": ["pia"]}) for _ in range(INVITATIONS_MOST + 3)]
    assert [one["tournament"] for one in invitations(pia)] == made[:-INVITATIONS_MOST - 1:-1]  # fmt: skip


def test_an_owner_refuses_all_invitations(
    app: Flask, owner: Account, pia: Account, register: Callable[..., Account]
) -> None:
    event = announce(owner.client, CUP)
    where = f"/v1/tournaments/{event}"
    assert owner.client.post(f"{where}/invitations", json={"owners": ["pia"]}).status_code == 200
    me = pia.client.patch("/v1/owners/me", json={"invitable": False}).json
    assert (me["invitable"], me["tournament_invitations"]) == (False, [])
    other = announce(owner.client, CUP)
    register("ana-bot")
    for method, path, body in (
        ("POST", f"/v1/tournaments/{other}/invitations", {"owners": ["pia"]}),
        ("PUT", f"/v1/tournaments/{other}/organisers/pia", None),
        ("PUT", "/v1/bots/ana-bot/owners/pia", None),
    ):
        refused = owner.client.open(path, method=method, json=body)
        assert (refused.status_code, refused.json["code"]) == (403, "invitations_off"), path
    refused = owner.client.post("/v1/tournaments", json={**CUP, "invited_owners": ["pia"]})
    assert (refused.json["code"], refused.json["field"]) == ("invalid_tournament", "invited_owners")
    browser = Browser(app)
    browser.sign_in(pia.token)
    html = check_page(browser.get("/account", headers=BROWSER)).html
    assert "Nobody can invite you." in html
    assert event not in html
    assert browser.send("/account/invitable", {"invitable": "yes"}, page="/account").location == "/account"
    assert [one["tournament"] for one in invitations(pia)] == [event]


def test_invitations_on_the_page_of_the_account(app: Flask, owner: Account, pia: Account) -> None:
    body = {**CUP, "name": SPAM, "hidden": True, "invited_owners": ["pia"]}
    first, second = announce(owner.client, body), announce(owner.client, body)
    for event in (first, second):
        owner.client.put(f"/v1/tournaments/{event}/organisers/pia")
    browser = Browser(app)
    browser.sign_in(pia.token)
    html = check_page(browser.get("/account", headers=BROWSER)).html
    assert SPAM not in html
    assert len(re.findall(r">Decline</button>", html)) == 4
    for event, suffix in ((first, "/invitation"), (first, "/organisers")):
        sent = browser.send(f"/tournaments/{event}{suffix}", {"owner": "pia"}, page="/account")
        assert sent.status_code == 303
    for suffix in ("/invitations/remove", "/organisers/remove"):
        sent = browser.send(f"/tournaments/{second}{suffix}", {"owner": "pia"}, page="/account")
        assert sent.location == "/account"
    assert owner.client.get(f"/v1/tournaments/{first}").json["organisers"] == ["pia"]
    assert pia.client.get(f"/v1/tournaments/{second}").status_code == 404
    assert SPAM in browser.get("/account").text


def test_a_row_of_the_commit_before_lists_its_guests(owner: Account, pia: Account, services: Service) -> None:
    """Guests of older rows were listed, and stay."""
    event = announce(owner.client, {**CUP, "hidden": True, "invited_owners": ["pia"]})

    def as_before(tournament: Any, row: object) -> tuple[()]:
        tournament.pending = []
        return ()

    services.tournaments.lifecycle.change(event, as_before)
    assert [one["id"] for one in pia.client.get("/v1/tournaments").json["tournaments"]] == [event]
