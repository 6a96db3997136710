"""Invitations: who may make them, that each makes one owner, and who sees the names."""

from __future__ import annotations

import csv
import io
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from click.testing import CliRunner
from flask import Flask

from api.app import create_app
from arena.accounts.accounts import Accounts
from arena.accounts.default_limits import Quotas
from arena.accounts.invitations import Invitations
from arena.cli import botequim
from arena.errors import ArenaError
from arena.inputs.roster import InvalidRoster, parse_roster
from arena.ops.jobs import InlineJobs
from arena.ops.service import Service, open_service
from arena.ops.settings import Limit, Settings
from arena.store.connection import StoreUnavailable
from arena.store.embedded import EmbeddedStore
from arena.store.repositories import open_store
from tests.api.conftest import ADMIN_TOKEN, Account
from tests.api.contract import ContractClient, contract_client
from tests.api.pages import Browser
from tests.api.test_web_pages import check_page
from tests.live.clock import skip

CODE = re.compile(r"btq_i_[a-z][a-z0-9-]*_[a-z2-7]{26}")
PEOPLE = [{"name": "Zé Pereira", "handle": "zeca", "email": "ze@school.example"}, {"name": "Maria Lima"}]


@pytest.fixture
def organiser(owner: Account, admin: ContractClient) -> Account:
    """``ana``, who may make ten invitations."""
    response = admin.put("/v1/admin/owners/ana/invitations", json={"most": 10})
    assert response.json == {"used": 0, "most": 10, "left": 10}
    return owner


@pytest.fixture
def later(settings: Settings, organiser: Account) -> Iterator[Service]:
    """A service on the same database, whose clock a test may set."""
    found = open_service(settings, InlineJobs())
    yield found
    found.close()


def invite(organiser: Account, **body: Any) -> list[dict[str, Any]]:
    response = organiser.client.post("/v1/invitations", json=body or {"people": PEOPLE, "roster": "7b"})
    assert response.status_code == 201, response.text
    found: list[dict[str, Any]] = response.json["invitations"]
    return found


def use(client: ContractClient, name: str, code: str) -> Any:
    return client.post("/v1/owners", json={"name": name, "invitation": code})


# Making them


def test_nobody_invites_unless_allowed(sign_up: Callable[..., Account], owner: Account) -> None:
    response = owner.client.post("/v1/invitations", json={"count": 1})
    assert response.status_code == 409
    assert response.json["code"] == "quota_exceeded"
    assert response.json["quota"] == "owner_invitations"


def test_an_admin_allows_some_and_that_is_logged(organiser: Account, admin: ContractClient) -> None:
    assert organiser.client.get("/v1/owners/me").json["invitations"]["most"] == 10
    entry = admin.get("/v1/admin/audit").json["entries"][0]
    assert (entry["action"], entry["subject"], entry["detail"]) == ("allow invitations", "owner ana", "10")
    assert organiser.client.post("/v1/invitations", json={"count": 11}).json["left"] == 10
    invite(organiser, count=10)
    assert organiser.client.post("/v1/invitations", json={"count": 1}).json["left"] == 0
    assert admin.put("/v1/admin/owners/nobody/invitations", json={"most": 1}).status_code == 404


def test_the_quota_is_not_for_those_who_were_invited(clean_store: EmbeddedStore) -> None:
    store = open_store(clean_store.url)
    accounts = Accounts(store.accounts)
    invitations = Invitations(store, accounts, Quotas(invitations=3))
    accounts.sign_up("ana")
    (made,) = invitations.create("ana", 1)
    invitations.sign_up("bia", made.code)
    assert invitations.allowance("ana") == {"used": 1, "most": 3, "left": 2}
    assert invitations.allowance("bia")["most"] == 0
    store.close()


def test_a_revoked_one_makes_room(organiser: Account, anybody: ContractClient) -> None:
    made = invite(organiser, count=10)
    response = organiser.client.delete(f"/v1/invitations/{made[0]['id']}")
    assert response.json["state"] == "revoked"
    organiser.client.delete(f"/v1/invitations/{made[0]['id']}")
    assert organiser.client.get("/v1/owners/me").json["invitations"]["left"] == 1
    refused = use(anybody, "zeca", made[0]["code"])
    assert refused.status_code == 422
    assert refused.json["code"] == "invalid_invitation"
    assert "revoked" in refused.json["detail"]


def test_only_the_hash_is_stored(organiser: Account, clean_store: EmbeddedStore) -> None:
    store = open_store(clean_store.url)
    (made,) = invite(organiser, count=1)
    rows = store.invited_by("ana").all()
    assert made["code"].rpartition("_")[2] not in str(rows)
    assert rows[made["id"]]["digest"]
    store.close()


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "invalid_roster"),
        ({"count": 1, "people": PEOPLE}, "invalid_roster"),
        ({"count": 1, "expires_ms": 1_700_000_000_000}, "invalid_invitation"),
        ({"people": [{"name": "A", "handle": "zeca"}, {"name": "B", "handle": "zeca"}]}, "invalid_roster"),
        ({"people": [{"name": "A", "handle": "No"}]}, "invalid"),
        ({"count": 501}, "invalid"),
    ],
)
def test_what_cannot_be_made(organiser: Account, body: dict[str, Any], code: str) -> None:
    response = organiser.client.post("/v1/invitations", json=body)
    assert response.status_code == 422
    assert response.json["code"] == code
    assert organiser.client.get("/v1/owners/me").json["invitations"]["used"] == 0


# Using them


def test_an_invitation_makes_one_owner(organiser: Account, anybody: ContractClient) -> None:
    made = invite(organiser)
    assert CODE.fullmatch(made[0]["code"])
    response = use(anybody, "zeca", made[0]["code"].upper().replace("_I_", "_i_ "))
    assert response.status_code == 201
    assert response.json["token"].startswith("btq_o_zeca_")
    again = use(anybody, "another", made[0]["code"])
    assert again.json["code"] == "invalid_invitation"
    assert "used" in again.json["detail"]
    assert anybody.get("/v1/owners/another").status_code == 404


def test_of_two_at_once_one_signs_up(organiser: Account, app: Flask) -> None:
    (made,) = invite(organiser, count=1)
    replies: list[int] = []
    start = threading.Barrier(4)

    def try_it(name: str) -> None:
        client = contract_client(app)
        start.wait()
        replies.append(use(client, name, made["code"]).status_code)

    threads = [threading.Thread(target=try_it, args=(f"student-{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(replies) == [201, 422, 422, 422]


def test_a_taken_name_leaves_it_open(organiser: Account, anybody: ContractClient) -> None:
    made = invite(organiser)
    assert use(anybody, "ana", made[0]["code"]).json["code"] == "name_taken"
    assert use(anybody, "zeca", made[0]["code"]).status_code == 201


def test_an_expired_one(organiser: Account, later: Service) -> None:
    (made,) = invite(organiser, count=1, expires_ms=later.store.clock().now_ms + 3_600_000)
    skip(later.live, 3_600_001)
    with pytest.raises(ArenaError, match="expired"):
        later.invitations.sign_up("zeca", made["code"])
    assert later.invitations.list("ana")[0]["state"] == "expired"


@pytest.mark.parametrize("code", ["x", "btq_i_ana_" + "a" * 26, "btq_i_nobody_" + "a" * 26, "btq_i_ana_#"])
def test_a_code_that_nobody_made(organiser: Account, anybody: ContractClient, code: str) -> None:
    invite(organiser)
    response = use(anybody, "zeca", code)
    assert (response.status_code, response.json["code"]) == (422, "invalid_invitation")


def test_a_process_that_dies_in_between(organiser: Account, later: Service) -> None:
    """After the claim it may be used again in a minute; after the owner was made it is used."""
    first, second = invite(organiser)
    accounts, died = later.invitations._accounts, StoreUnavailable("gone")

    class Dying:
        def __init__(self, before: bool) -> None:
            self.before = before

        def sign_up(self, name: str, more: dict[str, str]) -> Any:
            if not self.before:
                accounts.sign_up(name, more)
            raise died

    for before, code in ((True, first["code"]), (False, second["code"])):
        later.invitations._accounts = Dying(before)  # type: ignore[assignment]
        with pytest.raises(StoreUnavailable):
            later.invitations.sign_up(f"student-{before}".lower(), code)
    later.invitations._accounts = accounts
    for code in (first["code"], second["code"]):
        with pytest.raises(ArenaError, match="used"):
            later.invitations.sign_up("other-name", code)
    skip(later.live, 61_000)
    assert later.invitations.sign_up("other-name", first["code"])
    with pytest.raises(ArenaError, match="used"):
        later.invitations.sign_up("third-name", second["code"])


def test_an_invitation_with_which_somebody_signs_up_is_not_revoked(
    organiser: Account, later: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = invite(organiser)[0]
    before = later.invitations.allowance(organiser.name)
    sign_up = later.accounts.sign_up

    def meanwhile(*args: Any) -> Any:
        assert later.invitations.revoke(organiser.name, made["id"])["state"] != "revoked"
        return sign_up(*args)

    monkeypatch.setattr(later.accounts, "sign_up", meanwhile)
    later.invitations.sign_up("zeca", made["code"])
    assert later.invitations.allowance(organiser.name) == before


def test_the_limit_per_address(settings: Settings, clean_store: EmbeddedStore) -> None:
    http = replace(settings.http, limits={**settings.http.limits, "sign_ups_per_address": Limit(2, 3600)})
    app = create_app(replace(settings, http=http))
    anybody, admin = contract_client(app), contract_client(app, ADMIN_TOKEN)
    token = anybody.post("/v1/owners", json={"name": "ana"}).json["token"]
    admin.put("/v1/admin/owners/ana/invitations", json={"most": 10})
    made = invite(Account("ana", token, contract_client(app, token)), count=6)
    for number in range(4):
        assert use(anybody, f"student-{number}", made[number]["code"]).status_code == 201
    # A failed one counts.
    assert use(anybody, "student-9", made[0]["code"]).json["code"] == "invalid_invitation"
    assert use(anybody, "student-9", made[0]["code"]).json["limit"] == "sign_ups_per_address"
    assert anybody.post("/v1/owners", json={"name": "other"}).json["limit"] == "sign_ups_per_address"
    assert use(anybody, "student-5", made[5]["code"]).status_code == 201
    app.extensions["botequim"].close()


# Who sees them


def test_names_are_seen_by_the_organiser_alone(
    organiser: Account, sign_up: Callable[..., Account], anybody: ContractClient, app: Flask
) -> None:
    made = invite(organiser)
    token = use(anybody, "zeca", made[0]["code"]).json["token"]
    listed = organiser.client.get("/v1/invitations?roster=7b").json["invitations"]
    assert [(one["name"], one["owner"], one["state"]) for one in listed] == [
        ("Zé Pereira", "zeca", "used"),
        ("Maria Lima", None, "open"),
    ]
    assert "code" not in listed[0]
    student = contract_client(app, token)
    assert student.get("/v1/invitations").json["invitations"] == []
    assert student.delete(f"/v1/invitations/{made[1]['id']}").status_code == 404
    assert "btq_i_" not in organiser.client.get("/v1/invitations").text
    for client in (anybody, student, sign_up("bia").client):
        for where in ("/v1/owners/zeca", "/v1/owners/ana", "/v1/bots", "/v1/tournaments"):
            assert "Pereira" not in client.get(where).text
            assert "invited" not in client.get(where).text
    assert anybody.get("/v1/invitations").status_code == 401


def test_pages_of_the_list(organiser: Account) -> None:
    invite(organiser, count=5)
    first = organiser.client.get("/v1/invitations?limit=3").json
    rest = organiser.client.get(f"/v1/invitations?limit=3&cursor={first['cursor']}").json
    assert [one["number"] for one in first["invitations"] + rest["invitations"]] == [1, 2, 3, 4, 5]
    assert rest["cursor"] is None
    assert organiser.client.get("/v1/invitations?cursor=x").json["code"] == "invalid_cursor"


# Rosters


def test_a_roster_is_read() -> None:
    text = "\ufeffEmail;Name;Handle\r\nze@school.example; Zé Pereira ;zeca\r\n\r\n;Maria Lima\r\n"
    assert [tuple(person) for person in parse_roster(text)] == [
        ("Zé Pereira", "zeca", "ze@school.example"),
        ("Maria Lima", "", ""),
    ]
    assert parse_roster('name\n"Lima, Maria"')[0].name == "Lima, Maria"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("Zé\nMaria", "line 1"),
        ("town,mail\nRio,ze@school.example", "line 1"),
        ("name\n" + "x" * 81, "line 2"),
        ("name,handle\nZé,No Handle", "line 2"),
        ("name,handle\n,zeca", "line 2 has no name"),
        ("name\nZé,zeca", "line 2 has 2 cells"),
        ("name,handle\nZé,zeca\nMaria,zeca", "handle 'zeca'"),
        ("name", "0 people"),
    ],
)
def test_a_roster_that_is_wrong(text: str, message: str) -> None:
    with pytest.raises(InvalidRoster, match=re.escape(message)):
        parse_roster(text)


def test_the_commands(organiser: Account, online: list[str], tmp_path: Any, admin: ContractClient) -> None:
    run, mine = CliRunner().invoke, ["--token", organiser.token, *online]
    allowed = run(botequim, ["roster", "allow", "ana", "20", "--token", ADMIN_TOKEN, *online])
    assert allowed.output == "ana: 0 of 20 invitations\n"
    file = tmp_path / "class.csv"
    file.write_text("name,handle\nZé Pereira,zeca\n=Maria,maria\n", encoding="utf-8-sig")
    printed = run(botequim, ["roster", "import", str(file), "--roster", "7b", "--format", "csv", *mine])
    rows = list(csv.DictReader(io.StringIO(printed.output)))
    assert [row["name"] for row in rows] == ["Zé Pereira", "'=Maria"]
    signed_up = run(botequim, ["signup", "zeca", "--invitation", rows[0]["code"], *online])
    assert signed_up.output.startswith("btq_o_zeca_")
    text = run(botequim, ["roster", "show", *mine]).output
    assert re.search(r"7b +Zé Pereira +zeca +used +zeca\n", text)
    assert CODE.search(text) is None
    invited = run(botequim, ["roster", "invite", "2", *mine]).output
    assert len(CODE.findall(invited)) == 2 * 2
    listed = run(botequim, ["roster", "show", "--roster", "7b", "--format", "csv", *mine]).output
    (maria,) = (row for row in csv.DictReader(io.StringIO(listed)) if row["handle"] == "maria")
    assert run(botequim, ["roster", "revoke", maria["id"], *mine]).output == f"{maria['id']}: revoked\n"
    file.write_bytes(b"name\n\xff")
    assert "UTF-8" in run(botequim, ["roster", "import", str(file), *mine]).output


# Pages


def test_inviting_and_signing_up_on_pages(app: Flask, organiser: Account, services: Service) -> None:
    teacher, student = Browser(app), Browser(app)
    teacher.sign_in(organiser.token)
    check_page(teacher.get("/account/invitations"))
    draft = re.findall(r'name="draft" value="([\w-]+)"', teacher.get("/account/invitations").text)[0]
    sent = {"roster": "7b", "people": "name,handle\r\nZé Pereira,zeca\r\nMaria Lima", "draft": draft}
    shown = teacher.send("/account/invitations", {**sent, "output": "page"})
    check_page(shown)
    assert shown.headers["Cache-Control"] == "private, no-store"
    first, second = dict.fromkeys(CODE.findall(shown.text))
    again = teacher.send("/account/invitations", {**sent, "output": "page"})
    assert again.status_code == 422
    assert "already been sent" in again.text
    assert len(services.invitations.list("ana")) == 2
    page = student.get(f"/sign-up?invitation={first}")
    check_page(page)
    assert 'value="zeca"' in page.text
    assert first in page.text
    draft = re.findall(r'name="draft" value="([\w-]+)"', page.text)[0]
    values = {"name": "zeca", "invitation": first, "draft": draft}
    welcome = student.send("/sign-up", values, page="/sign-up")
    assert "btq_o_zeca_" in welcome.text
    # Sent again, because the reply was lost.
    assert services.sessions.sign_up("zeca", first, draft).token.startswith("btq_o_zeca_")
    assert "used" in check_page(student.get(f"/sign-up?invitation={first}")).html
    listed = teacher.get("/account/invitations")
    check_page(listed)
    assert "1 of 2 signed up" in listed.text
    assert "Pereira" not in student.get("/account/invitations").text
    teacher.send("/account/invitations/revoke", {"roster": "7b"}, page="/account/invitations")
    with pytest.raises(ArenaError, match="revoked"):
        services.invitations.find(second)
    assert services.invitations.list("ana")[0]["state"] == "used"


def test_codes_as_a_file(app: Flask, organiser: Account) -> None:
    browser = Browser(app)
    browser.sign_in(organiser.token)
    response = browser.send("/account/invitations", {"count": "2", "output": "csv"})
    assert response.mimetype == "text/csv"
    assert response.headers["Cache-Control"] == "private, no-store"
    assert [
        CODE.fullmatch(row["code"]) is not None for row in csv.DictReader(io.StringIO(response.text))
    ] == [True, True]


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ({}, "one of them"),
        ({"count": "2", "people": "name\nZé"}, "one of them"),
        ({"people": "Zé"}, "header line"),
        ({"count": "11"}, "10 are left"),
    ],
)
def test_mistakes_on_the_page(app: Flask, organiser: Account, sent: dict[str, str], message: str) -> None:
    browser = Browser(app)
    browser.sign_in(organiser.token)
    response = browser.send("/account/invitations", {**sent, "output": "page"})
    assert response.status_code in (409, 422)
    assert message in response.text
