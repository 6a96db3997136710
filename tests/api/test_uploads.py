"""Uploading bots: what is taken, who may read it, and what the owner learns."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Callable
from time import time
from types import SimpleNamespace

import pytest
from flask import Flask

from arena.events.service import Tournaments
from arena.store.accounts import AccountStore
from arena.store.amounts import Stored
from tests.api.conftest import Account
from tests.api.contract import ContractClient
from tests.sandbox import modules

FIRST = "def choose(turn):\n    print('my turn')\n    return turn['legal_actions'][0]\n"
BROKEN = "def choose(turn):\n    return turn['no such field']\n"
BODY = {"name": "first", "transport": "uploaded", "source": FIRST}


pytestmark = [pytest.mark.system, pytest.mark.usefixtures("checker")]


SCRIPT = "// Plays the first action, naïvely.\nexport const choose = (turn) => turn.legal_actions[0];\n"


@pytest.fixture
def uploaded(owner: Account) -> Account:
    """The owner of the uploaded bot ``first``."""
    response = owner.client.post("/v1/bots", json=BODY)
    assert response.status_code == 201, response.text
    return owner


def code(response: object) -> str:
    return response.json["code"]  # type: ignore[attr-defined, no-any-return]


def test_a_source_is_kept_as_it_was_sent(uploaded: Account, anybody: ContractClient) -> None:
    (version,) = anybody.get("/v1/bots/first").json["versions"]
    digest = hashlib.sha256(FIRST.encode()).hexdigest()
    assert (version["transport"], version["language"]) == ("uploaded", "python")
    assert (version["digest"], version["published"]) == (digest, False)
    told = uploaded.client.get("/v1/bots/first/versions/1/source").json
    assert told == {"language": "python", "digest": digest, "source": FIRST, "module": None}


def test_a_file_that_cannot_be_loaded_makes_no_version_and_takes_no_name(
    owner: Account, anybody: ContractClient
) -> None:
    broken = {**BODY, "source": "import numpy\n" + FIRST}
    refused = owner.client.post("/v1/bots", json=broken)
    assert (refused.status_code, code(refused)) == (422, "load_failed")
    assert anybody.get("/v1/bots/first").status_code == 404
    assert anybody.get("/v1/bots").json["bots"] == []
    assert owner.client.post("/v1/bots", json=BODY).status_code == 201
    body = {"label": "2", "transport": "uploaded", "source": "import torch\n" + FIRST}
    assert code(owner.client.post("/v1/bots/first/versions", json=body)) == "load_failed"
    bot = anybody.get("/v1/bots/first").json
    assert ([version["label"] for version in bot["versions"]], bot["version"]) == (["1"], "1")
    again = owner.client.post("/v1/bots/first/versions", json={**body, "source": FIRST + "# 2\n"})
    assert (again.status_code, again.json["label"]) == (201, "2")


def test_the_view_of_an_upload_shows_how_its_version_qualifies(app: Flask, uploaded: Account) -> None:
    upload = uploaded.client.post("/v1/bots", json={**BODY, "name": "second"}).json["upload"]
    assert (upload["state"], upload["qualifications"]) == ("added", [])
    app.extensions["botequim"].tournaments.qualify_added("second", "1")
    shown = uploaded.client.get(f"/v1/bots/second/uploads/{upload['id']}").json["qualifications"]
    assert {one["kind"]: one["state"] for one in shown} == {"truco": "qualifying", "toepen": "qualifying"}
    assert shown == uploaded.client.get("/v1/bots/second/versions/1/qualifications").json["qualifications"]


def test_a_version_qualifies_only_in_the_games_that_it_plays(app: Flask, uploaded: Account) -> None:
    client, tournaments = uploaded.client, app.extensions["botequim"].tournaments
    source = f'games = ("truco",)\n{FIRST}'
    upload = client.post("/v1/bots", json={**BODY, "name": "second", "source": source}).json["upload"]
    # A version of its own may play more.
    more = {"label": "2", "transport": "uploaded", "source": FIRST + "# all\n"}
    assert client.post("/v1/bots/second/versions", json=more).json["games"] == []
    versions = client.get("/v1/bots/second").json["versions"]
    assert {one["label"]: one["games"] for one in versions} == {"1": ["truco"], "2": []}
    for label in ("1", "2"):
        tournaments.qualify_added("second", label)
    shown = client.get(f"/v1/bots/second/uploads/{upload['id']}").json["qualifications"]
    assert {one["kind"]: one["state"] for one in shown} == {"truco": "qualifying"}
    assert len(client.get("/v1/bots/second/versions/2/qualifications").json["qualifications"]) == 2
    said = {"detail": "second 1 does not play toepen: its games do not name it", "expected": "truco"}
    refused = client.post("/v1/bots/second/versions/1/qualifications", json={"kind": "toepen"})
    assert (refused.status_code, code(refused), refused.json["field"]) == (422, "game_not_played", "kind")
    assert {name: refused.json[name] for name in said} == said
    compared = {"bot": "second", "kind": "toepen", "new": "2", "old": "1"}
    refused = client.post("/v1/comparisons", json=compared)
    assert (code(refused), refused.json["field"]) == ("game_not_played", "old")
    cup = {"name": "Cup", "kind": "toepen", "format": "round_robin", "division": "sealed"}
    cup["locks_ms"] = 1000 * int(time()) + 600_000
    where = f"/v1/tournaments/{client.post('/v1/tournaments', json=cup).json['id']}/entries"
    refused = client.post(where, json={"bot": "second", "version": "1"})
    assert (code(refused), refused.json["field"]) == ("game_not_played", "bot")
    assert client.post(where, json={"bot": "second", "version": "2"}).status_code == 200
    shown = client.get("/v1/bots/second/versions/1/qualifications").json["qualifications"]
    assert [one["kind"] for one in shown] == ["truco"]


def test_a_javascript_file_is_kept_as_it_was_sent(uploaded: Account) -> None:
    body = {"label": "2", "transport": "uploaded", "javascript": SCRIPT}
    response = uploaded.client.post("/v1/bots/first/versions", json=body)
    assert (response.status_code, response.json["language"]) == (201, "javascript")
    told = uploaded.client.get("/v1/bots/first/versions/2/source").json
    digest = hashlib.sha256(SCRIPT.encode()).hexdigest()
    assert told == {"language": "javascript", "digest": digest, "source": SCRIPT, "module": None}
    marked = b"\xef\xbb\xbf" + SCRIPT.encode()
    path = "/v1/bots/first/versions?label=3"
    assert uploaded.client.post(path, data=marked, content_type="text/javascript").status_code == 201


@pytest.mark.parametrize(
    ("source", "code", "detail"),
    [
        (SCRIPT + "export retrun 1;\n", "load_failed", "bot.js:3: SyntaxError: "),
        (
            "export const pick = 1;",
            "load_failed",
            "bot.js: it exports no bot; expected a function choose(turn)",
        ),
        ("while (true);", "load_failed", "no answer within 2000 ms of thinking (fuel)"),
        (" \n", "invalid_source", "the source is empty"),
        ("// \0", "invalid_source", "the source contains null bytes"),
        ("// \udcff", "invalid_source", "the source is not text"),
    ],
)
def test_a_javascript_file_that_is_no_bot_is_refused(
    source: str, code: str, detail: str, uploaded: Account
) -> None:
    path = "/v1/bots/first/versions?label=2"
    data = source.encode(errors="surrogateescape")
    refused = uploaded.client.post(path, data=data, content_type="text/javascript")
    assert (refused.json["code"], refused.json["field"]) == (code, "javascript")
    assert detail in refused.json["detail"]


def test_a_module_is_kept_as_it_was_sent(uploaded: Account) -> None:
    data = modules.PLAYS
    body = {"label": "2", "transport": "uploaded", "module": b64encode(data).decode()}
    response = uploaded.client.post("/v1/bots/first/versions", json=body)
    assert response.status_code == 201, response.text
    assert response.json["language"] == "module"
    told = uploaded.client.get("/v1/bots/first/versions/2/source").json
    assert (told["module"], told["source"]) == (body["module"], None)


def test_a_version_never_changes(uploaded: Account) -> None:
    body = {"label": "1", "transport": "uploaded", "source": BROKEN}
    assert code(uploaded.client.post("/v1/bots/first/versions", json=body)) == "version_exists"
    assert uploaded.client.get("/v1/bots/first/versions/1/source").json["source"] == FIRST


def test_the_same_bytes_are_the_same_version(uploaded: Account) -> None:
    other = {"label": "2", "transport": "uploaded", "source": FIRST + "# 2\n"}
    added = uploaded.client.post("/v1/bots/first/versions", json=other)
    assert (added.status_code, added.json["added"]) == (201, True)
    again = {"label": "3", "transport": "uploaded", "source": FIRST}
    response = uploaded.client.post("/v1/bots/first/versions", json=again)
    assert response.status_code == 200
    assert (response.json["label"], response.json["added"]) == ("1", False)
    bot = uploaded.client.get("/v1/bots/first").json
    assert ([version["label"] for version in bot["versions"]], bot["version"]) == (["1", "2"], "1")


def test_copies_of_an_upload_are_reported_to_admins(
    uploaded: Account, sign_up: Callable[..., Account], admin: ContractClient
) -> None:
    copier = sign_up("pia")
    assert copier.client.post("/v1/bots", json={**BODY, "name": "copied"}).status_code == 201
    where = "/v1/admin/suspicions?kind=toepen&division="
    (found,) = admin.get(f"{where}sealed").json["copies"]
    assert found["digest"] == hashlib.sha256(FIRST.encode()).hexdigest()
    owners = [(one["name"], one["owner"]) for one in found["versions"]]
    assert owners == [("first", uploaded.name), ("copied", "pia")]
    assert admin.get(f"{where}open").json["copies"] == []


def test_a_source_is_private_until_it_is_published(
    uploaded: Account, sign_up: Callable[..., Account], anybody: ContractClient, admin: ContractClient
) -> None:
    path = "/v1/bots/first/versions/1"
    other = sign_up("pia").client
    for client in (anybody, other):
        assert code(client.get(f"{path}/source")) == "forbidden"
    assert admin.get(f"{path}/source").json["source"] == FIRST
    assert admin.get("/v1/admin/audit").json["entries"][0]["action"] == "read source"
    assert code(other.patch(path, json={"published": True})) == "forbidden"
    assert uploaded.client.patch(path, json={"published": True}).json["published"] is True
    for client in (anybody, other):
        assert client.get(f"{path}/source").json["source"] == FIRST
    assert uploaded.client.patch(path, json={"published": False}).json["published"] is False
    assert code(anybody.get(f"{path}/source")) == "forbidden"


def test_what_was_not_uploaded_has_no_source(owner: Account, register: Callable[..., Account]) -> None:
    register("elsewhere")
    assert code(owner.client.get("/v1/bots/elsewhere/versions/1/source")) == "no_source"
    assert code(owner.client.patch("/v1/bots/elsewhere/versions/1", json={"published": True})) == "no_source"
    assert code(owner.client.get("/v1/bots/elsewhere/versions/2/source")) == "version_not_found"


@pytest.mark.parametrize(
    ("changes", "field", "told"),
    [
        ({"source": "x = '\0'"}, "source", "null bytes"),
        ({"source": ""}, "source", "empty"),
        ({"source": None, "module": "not base64!"}, "module", "base64"),
        ({"source": None, "module": "AAAA"}, "module", "not WebAssembly in binary form"),
        ({"module": "AAAA"}, "source", "either a source or a module"),
        ({"source": None}, "source", "either a source or a module"),
        ({"transport": "remote"}, "source", "which other bots must not have"),
    ],
)
def test_what_is_not_taken(
    changes: dict[str, str | None], field: str, told: str, owner: Account, anybody: ContractClient
) -> None:
    body = {key: value for key, value in {**BODY, **changes}.items() if value is not None}
    response = owner.client.post("/v1/bots", json=body)
    assert response.status_code == 422
    assert (code(response), response.json["field"]) == ("invalid_source", field)
    assert told in response.json["detail"]
    assert code(anybody.get("/v1/bots/first")) == "bot_not_found"


def test_an_uploaded_bot_sits_at_no_live_table(uploaded: Account) -> None:
    body = {"kind": "toepen", "seats": [{"bot": "first"}, {"house": "rookie"}], "rules": {"seats": 2}}
    wrong = uploaded.client.post("/v1/games", json=body)
    assert code(wrong) == "invalid_seats"
    assert "tournaments" in wrong.json["detail"]


def test_a_deleted_bot_leaves_no_source(uploaded: Account, app: Flask) -> None:
    store: AccountStore = app.extensions["botequim"].accounts._store
    digest = hashlib.sha256(FIRST.encode()).hexdigest()
    assert store.source("first", digest) == FIRST.encode()
    assert uploaded.client.delete("/v1/bots/first").status_code == 204
    assert store.source("first", digest) is None
    assert store.uploaded_names() == []


def qualify(owner: Account, app: Flask, version: str) -> dict[str, object]:
    """What a worker does, in this process."""
    path = f"/v1/bots/first/versions/{version}/qualifications"
    begun = owner.client.post(path, json={"kind": "toepen"}).json
    assert begun["state"] == "qualifying"
    worker: Tournaments = app.extensions["botequim"].tournaments
    while worker.step(begun["tournament"]).state != "finished":
        worker.play_local_groups(begun["tournament"])
    (told,) = owner.client.get(path).json["qualifications"]
    return dict(told)


def test_a_version_qualifies_for_a_preset_if_its_owner_asks_for_it(uploaded: Account) -> None:
    path = "/v1/bots/first/versions/1/qualifications"
    begun = uploaded.client.post(path, json={"kind": "truco", "preset": "mineiro@1"}).json
    assert (begun["kind"], begun["preset"], begun["state"]) == ("truco", "mineiro@1", "qualifying")
    # Bots do not qualify separately for that one.
    game = uploaded.client.post(path, json={"kind": "truco", "preset": "no-cut@1"}).json
    assert (game["preset"], game["state"]) == ("base@1", "qualifying")
    assert game == uploaded.client.post(path, json={"kind": "truco"}).json
    assert uploaded.client.get(path).json["qualifications"] == [game, begun]
    refused = uploaded.client.post(path, json={"kind": "toepen", "preset": "mineiro@1"})
    assert (refused.status_code, code(refused)) == (422, "preset_not_found")
    assert refused.json["field"] == "preset"
    assert refused.json["expected"] == "one of duel@1, table-4@1"


def test_the_log_of_a_game_is_for_the_owner(
    uploaded: Account, app: Flask, sign_up: Callable[..., Account], admin: ContractClient
) -> None:
    told = qualify(uploaded, app, "1")
    assert (told["state"], told["detail"]) == ("qualified", None)
    groups = uploaded.client.get(f"/v1/tournaments/{told['tournament']}/groups").json["groups"]
    path = f"/v1/bots/first/games/{groups[0]['games'][0]}/log"
    log = uploaded.client.get(path).json
    (seat,) = log["seats"]
    assert seat["output"].startswith("my turn\n")
    assert seat["version"] == "1"
    assert all(decision["ms"] > 0 for decision in seat["decisions"])
    assert seat["faults"] == []
    assert code(sign_up("pia").client.get(path)) == "forbidden"
    assert admin.get(path).json == log
    assert code(uploaded.client.get("/v1/bots/first/games/nothing/log")) == "log_not_found"


@pytest.mark.parametrize(
    ("source", "refused", "told"),
    [
        ("x = 1\ndef choose(turn:\n", "compile_failed", "SyntaxError: '(' was never closed (bot.py, line 2)"),
        ("x = 1\ny = {}['gone']\n", "load_failed", "KeyError: 'gone' (bot.py, line 2)"),
        ("while True:\n    pass\n", "load_failed", "no answer within 2000 ms of thinking (fuel)"),
        (
            "from arena.games.truco.cards import PACK\n",
            "load_failed",
            "bot.py:1: arena.games.truco.cards is internal; bots import botequim.truco",
        ),
    ],
)
def test_a_refused_version_leaves_nothing(
    uploaded: Account, app: Flask, source: str, refused: str, told: str
) -> None:
    store = app.extensions["botequim"].store.accounts
    before = store.stored("ana"), store.versions("first")
    body = {"label": "2", "transport": "uploaded", "source": source}
    response = uploaded.client.post("/v1/bots/first/versions", json=body)
    assert response.status_code == 422, response.text
    assert (code(response), response.json["detail"], response.json["field"]) == (refused, told, "source")
    assert (store.stored("ana"), store.versions("first")) == before
    assert store.source("first", hashlib.sha256(source.encode()).hexdigest()) is None
    # The label is free.
    other = {**body, "source": FIRST + "# 2\n"}
    assert uploaded.client.post("/v1/bots/first/versions", json=other).status_code == 201


def test_a_bot_whose_first_upload_is_refused_is_not_registered(
    owner: Account, sign_up: Callable[..., Account], anybody: ContractClient, app: Flask
) -> None:
    refused = owner.client.post("/v1/bots", json={**BODY, "source": "def choose(turn:\n"})
    assert (refused.status_code, code(refused)) == (422, "compile_failed")
    assert code(anybody.get("/v1/bots/first")) == "bot_not_found"
    assert anybody.get("/v1/bots").json["bots"] == []
    store: AccountStore = app.extensions["botequim"].accounts._store
    assert (store.stored("ana"), store.stored(), store.uploaded_names()) == (Stored(), Stored(), [])
    used = owner.client.get("/v1/owners/me").json["quotas"]
    assert [used[name]["used"] for name in ("bots", "versions", "bytes")] == [0, 0, 0]
    # Anybody may have the name now.
    assert sign_up("pia").client.post("/v1/bots", json=BODY).status_code == 201
    assert anybody.get("/v1/bots?owner=pia").json["bots"][0]["name"] == "first"


def test_what_was_refused_is_refused_at_once(uploaded: Account, app: Flask, owner: Account) -> None:
    body = {"label": "2", "transport": "uploaded", "source": "def choose(turn:\n"}
    first = uploaded.client.post("/v1/bots/first/versions", json=body).json
    uploads = app.extensions["botequim"].uploads
    checked = []
    uploads._jobs, jobs = SimpleNamespace(check_upload=lambda *of: checked.append(of)), uploads._jobs
    try:
        again = uploaded.client.post("/v1/bots/first/versions", json=body)
        registered = owner.client.post("/v1/bots", json={**BODY, "name": "second", "source": body["source"]})
    finally:
        uploads._jobs = jobs
    for response in (again, registered):
        told = {**response.json, "request_id": first["request_id"]}
        assert (response.status_code, told) == (422, first)
    assert checked == []


def test_the_owner_learns_why_it_failed(
    uploaded: Account, app: Flask, sign_up: Callable[..., Account]
) -> None:
    body = {"label": "2", "transport": "uploaded", "source": BROKEN}
    assert uploaded.client.post("/v1/bots/first/versions", json=body).status_code == 201
    told = qualify(uploaded, app, "2")
    assert told["state"] == "failed"
    assert "no such field" in str(told["detail"])
    assert "line 2" in str(told["detail"])
    path = "/v1/bots/first/versions/2/qualifications"
    assert code(sign_up("pia").client.get(path)) == "forbidden"


def test_co_owners_add_and_read_uploads(uploaded: Account, sign_up: Callable[..., Account]) -> None:
    bia = sign_up("bia")
    for account in (uploaded, bia):
        assert account.client.put("/v1/bots/first/owners/bia").status_code == 200
    used = bia.client.get("/v1/owners/me").json["quotas"]
    assert (used["versions"]["used"], used["bytes"]["used"]) == (1, len(FIRST))
    source = FIRST + "# Of bia.\n"
    body = {"label": "2", "transport": "uploaded", "source": source}
    assert bia.client.post("/v1/bots/first/versions", json=body).status_code == 201
    assert bia.client.get("/v1/bots/first/versions/1/source").json["source"] == FIRST
    assert uploaded.client.get("/v1/bots/first/versions/2/source").json["source"] == source
    for account in (uploaded, bia):
        used = account.client.get("/v1/owners/me").json["quotas"]
        assert (used["versions"]["used"], used["bytes"]["used"]) == (2, len(FIRST) + len(source))
    assert code(bia.client.patch("/v1/bots/first/versions/1", json={"published": True})) == "forbidden"
    broken = {**body, "label": "3", "source": "import torch\n" + FIRST}
    assert code(bia.client.post("/v1/bots/first/versions", json=broken)) == "load_failed"
    for account in (uploaded, bia):
        assert account.client.get("/v1/owners/me").json["quotas"]["versions"]["used"] == 2
