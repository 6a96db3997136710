"""The pages on which owners submit and keep their bots."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from api.downloads import starter_text
from arena.accounts.versions import Suspension
from arena.ops.service import Service
from arena.webhooks.registry import Webhooks
from tests.api.arenas import play
from tests.api.conftest import Account
from tests.api.pages import Browser, sent_back
from tests.api.test_web_pages import BROWSER, NASTY, Page, check_page

SOURCE = "def choose(turn):\n    print('my turn <b>')\n    return turn['legal_actions'][0]\n"
BROKEN = "def choose(turn):\n    return turn['no such field']\n"
NEW = "/account/bots/new"


@pytest.fixture
def other(app: Flask, sign_up: Callable[..., Account]) -> Browser:
    browser = Browser(app)
    browser.sign_in(sign_up("pia").token)
    return browser


def opened(browser: Browser, path: str, status: int = 200) -> Page:
    response = browser.get(path, headers=BROWSER)
    assert response.status_code == status, response.text
    return check_page(response)


def upload(source: str | bytes = SOURCE, name: str = "first.py", **more: Any) -> dict[str, Any]:
    data = source.encode() if isinstance(source, str) else source
    return {"transport": "uploaded", "file": (BytesIO(data), name), **more}


def settle(services: Service) -> None:
    """Check all uploads as a worker does."""
    for one in services.uploads.due():
        services.uploads.check(*one, services.tournaments.qualify_added)


def submitted(browser: Browser, services: Service, source: str = SOURCE, name: str = "first") -> str:
    """The address of the upload of a new bot. The service keeps what it has loaded by its name."""
    sent = browser.send(NEW, {**upload(source), "name": name, "version": "1"})
    assert sent.status_code == 303, sent.text
    settle(services)
    return str(sent.location)


# New bots


def test_a_bot_of_one_game_is_shown_in_that_game_only(browser: Browser, services: Service) -> None:
    where = submitted(browser, services, 'games = ("truco",)\n' + SOURCE)
    for path in (where, "/bots/first/log"):
        page = opened(browser, path)
        assert [row["game"] for row in page.rows("Qualification of version 1")] == ["Truco"]
        assert "Toepen" not in page.html.partition("<main")[2]


def test_an_upload_is_followed_until_it_is_a_version(browser: Browser, services: Service) -> None:
    sent = browser.send(NEW, {**upload(), "name": "first", "version": "v1", "description": NASTY})
    assert sent.status_code == 303, sent.text
    assert re.fullmatch(r"/bots/first/uploads/u[0-9a-f]{16}", sent.location)
    page = opened(browser, sent.location)
    assert 'http-equiv="refresh"' in page.html
    assert "live.js" in page.html
    assert re.search(r'<li class="done" aria-current="step">Received', page.html)
    assert "version v1" in opened(browser, "/bots/first/log").html
    settle(services)
    page = opened(browser, sent.location)
    assert re.search(r'<li class="done" aria-current="step">Version v1', page.html)
    assert [row["state"] for row in page.rows("Qualification of version v1")] == ["qualifying"] * 2
    bot = services.accounts.bot("first")
    assert (bot.owner, bot.description, bot.version) == ("ana", NASTY, "v1")
    assert services.accounts.upload_of("first", "v1").data == SOURCE.encode()
    assert NASTY not in opened(browser, "/bots/first").html


def test_the_name_of_a_file_tells_its_language(browser: Browser, services: Service) -> None:
    script = "export const choose = (turn) => turn.legal_actions[0];\n"
    sent = browser.send(NEW, {**upload(script, "first.js"), "name": "first", "version": "1"})
    assert sent.status_code == 303, sent.text
    settle(services)
    assert services.accounts.upload_of("first", "1").language == "javascript"
    assert "uploaded, JavaScript" in opened(browser, "/bots/first").html
    sent = browser.send(NEW, {**upload(b"\xff", "second.js"), "name": "second", "version": "1"})
    assert sent.status_code == 422
    assert "JavaScript in UTF-8" in sent.text


def test_a_qualification_and_its_log(browser: Browser, services: Service) -> None:
    address = submitted(browser, services)
    for one in services.tournaments.qualifications("first", "1"):
        play(services, one["tournament"])
    page = opened(browser, address)
    assert "refresh" not in page.html
    rows = page.rows("Qualification of version 1")
    assert [(row["game"], row["state"]) for row in rows] == [("Truco", "qualified"), ("Toepen", "qualified")]
    games = [link for link in page.links if link.startswith("/games/q-")]
    assert games
    replay = opened(browser, games[0])
    assert "What first printed" in replay.html
    assert "my turn" in replay.html
    assert Browser(browser.client.application).get(games[0]).status_code == 404
    page = opened(browser, "/bots/first/log")
    (first, *_) = page.rows("The last ")
    assert int(first["decisions"]) > 0
    assert first["faults"] == "0"
    log = opened(browser, f"/bots/first/log/{first['game']}")
    assert "my turn &lt;b&gt;" in log.html
    assert log.rows("Decisions of seat")
    assert browser.get("/bots/first/log/nothing").status_code == 404
    # What a decision costs is the owners' business; the language is everybody's.
    (version,) = opened(browser, "/bots/first").rows("All versions")
    assert version["transport"] == "uploaded, Python"
    assert re.fullmatch(r"0\.\d\d ms", version["fuel a decision"])
    (version,) = opened(Browser(browser.client.application), "/bots/first").rows("All versions")
    assert version["transport"] == "uploaded, Python"
    assert "fuel a decision" not in version


def test_a_qualification_for_a_preset(browser: Browser, services: Service) -> None:
    address = submitted(browser, services)
    for one in services.tournaments.qualifications("first", "1"):
        play(services, one["tournament"])
    page = opened(browser, address)
    assert "Qualify in Paulista for two" in page.html
    assert "Qualify in Truco<" not in page.html
    where = "/bots/first/versions/1/qualifications"
    fields = {"kind": "truco", "preset": "paulista@1"}
    assert browser.send(where, fields, page="/bots/first/log", times=2).location == "/bots/first/log"
    page = opened(browser, "/bots/first/log")
    rows = {row["game"]: row["state"] for row in page.rows("Qualification of version 1")}
    assert rows == {"Truco": "qualified", "Truco paulista": "qualifying", "Toepen": "qualified"}
    assert "refresh" in page.html
    found = services.tournaments.qualifications("first", "1")
    play(services, next(one["tournament"] for one in found if one["preset"] == "paulista@1"))
    page = opened(browser, "/bots/first/log")
    assert "refresh" not in page.html
    assert "Qualify in Truco paulista<" not in page.html
    assert "Qualify in Truco mineiro<" in page.html
    refused = browser.send(where, {**fields, "preset": "duel@1"}, page="/bots/first/log")
    assert refused.status_code == 422
    assert "preset_not_found" in refused.text


def test_a_failed_qualification_names_the_line(browser: Browser, services: Service) -> None:
    submitted(browser, services, BROKEN, "broken")
    for one in services.tournaments.qualifications("broken", "1"):
        play(services, one["tournament"])
    page = opened(browser, "/bots/broken/log")
    assert [row["state"] for row in page.rows("Qualification of")] == ["failed", "failed"]
    assert "line 2" in page.html
    assert "KeyError" in page.html
    sent = browser.send(
        "/bots/broken/versions/1/qualifications", {"kind": "toepen"}, page="/bots/broken/log", times=2
    )
    assert sent.location == "/bots/broken/log"
    states = {one["kind"]: one["state"] for one in services.tournaments.qualifications("broken", "1")}
    assert states == {"truco": "failed", "toepen": "qualifying"}


def test_a_qualification_that_does_not_begin(
    browser: Browser, services: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser.send(NEW, {**upload(), "name": "first", "version": "1"})
    for one in services.uploads.due():
        services.uploads.check(*one)
    page = opened(browser, "/bots/first/log")
    assert "begins by itself" in page.html
    assert "refresh" in page.html
    monkeypatch.setattr("api.pages.qualifying.BEGINS_MS", 0)
    page = opened(browser, "/bots/first/log")
    assert "Qualify in Truco" in page.html
    assert "refresh" not in page.html


def test_a_refused_upload_says_why(browser: Browser, services: Service) -> None:
    address = submitted(browser, services, "x = 1\ny = {}['gone']\n")
    page = opened(browser, address)
    assert "KeyError" in page.html
    assert "bot.py, line 2" in page.html
    assert "load_failed" in page.html
    assert "its name is free again" in page.html
    assert "refresh" not in page.html
    # The same once more is refused at once, and the form keeps its values.
    again = browser.send(
        NEW, {**upload("x = 1\ny = {}['gone']\n"), "name": "first", "description": "keep me"}
    )
    assert again.status_code == 422
    page = check_page(again)
    assert "load_failed" in page.html
    assert "keep me" in page.html


def test_the_form_has_a_starter_that_can_be_played(browser: Browser, services: Service) -> None:
    (starter,) = sent_back(browser.get(NEW).text)["source"]
    assert starter == starter_text("python", "truco", "my_bot.py")
    sent = browser.send("/bring", {"source": starter}, page=NEW)
    assert sent.status_code == 303
    assert sent_back(browser.get(str(sent.location)).text)["source"] == [starter]
    # A file replaces the starter, also if the browser sends its lines in another way.
    body = {**upload(), "name": "first", "version": "1", "source": starter.replace("\n", "\r\n")}
    assert browser.send(NEW, body).status_code == 303
    (sent_upload,) = services.uploads.unsettled("first")
    assert sent_upload.size == len(SOURCE)


def test_a_source_may_be_pasted(browser: Browser, services: Service) -> None:
    body = {"transport": "uploaded", "name": "first", "version": "1", "source": SOURCE.replace("\n", "\r\n")}
    assert browser.send(NEW, body).status_code == 303
    settle(services)
    assert services.accounts.upload_of("first", "1").data == SOURCE.encode()


def test_a_large_source_may_be_pasted(browser: Browser, services: Service) -> None:
    body = {"transport": "uploaded", "name": "first", "version": "1", "source": SOURCE + "#" * 900_000}
    assert browser.send(NEW, body).status_code == 303


@pytest.mark.parametrize(
    ("values", "said", "code"),
    [
        ({"name": "X"}, "Name: Must be 3 to 32", "invalid"),
        ({"name": "rookie"}, "Name: &#39;rookie&#39; is the name of a house bot", "name_taken"),
        ({"name": "first", "version": "a b"}, "Version: Must be 1 to 32 letters", "invalid"),
        ({"name": "first", "file": ""}, "File: No file or source text was sent", "invalid_source"),
        (
            {"name": "first", "source": "pass"},
            "File: Send either a file or source text, not both",
            "invalid_source",
        ),
        ({"name": "first", "description": "x" * 501}, "has 501 characters", "invalid"),
    ],
)
def test_errors_stand_at_their_fields(browser: Browser, values: dict[str, str], said: str, code: str) -> None:
    response = browser.send(NEW, {**upload(), "version": "1", **values})
    assert response.status_code in (409, 422)
    page = check_page(response)
    assert said.lower() in page.html.lower()
    assert f"<code>{code}</code>" in page.html
    assert page.html.count('aria-invalid="true"') == 1


def test_a_form_sent_twice_is_one_bot(browser: Browser, services: Service) -> None:
    def body() -> dict[str, Any]:
        return {**upload(), "name": "first", "version": "1"}

    first = browser.send(NEW, body())
    assert browser.send(NEW, body()).location == first.location
    settle(services)
    assert browser.send(NEW, body()).location == "/bots/first/log"
    changed = browser.send(NEW, {**upload(BROKEN), "name": "first", "version": "1"})
    assert changed.status_code == 409
    assert "name_taken" in changed.text


# Secrets


def test_the_token_of_a_new_bot_is_shown_once(
    browser: Browser, services: Service, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("DEBUG"):
        shown = browser.send(NEW, {"transport": "remote", "name": "first", "version": "1"})
        token = only_token(shown)
        assert services.accounts.check(token).name == "first"
        assert shown.headers["Cache-Control"] == "private, no-store"
        for path in ("/bots/first", "/bots/first/log", "/bots/first/settings", "/account"):
            assert token not in browser.get(path).text
        replaced = only_token(browser.send("/bots/first/token", page="/bots/first/settings", times=2))
    assert token != replaced
    assert services.accounts.check(replaced).name == "first"
    assert token not in caplog.text
    assert replaced not in caplog.text


def only_token(response: TestResponse) -> str:
    assert response.status_code == 200, response.text
    check_page(response)
    (token,) = re.findall(r"btq_b_[\w-]+", response.text)
    return str(token)


def test_a_webhook(browser: Browser, services: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Webhooks, "check", lambda *_: None)
    assert 'name="url"' in browser.get(f"{NEW}?transport=webhook").text
    body = {"transport": "webhook", "name": "first", "version": "1", "url": "https://example.org/turns"}
    shown = browser.send(NEW, {**body, "rights": "1"}, page=f"{NEW}?transport=webhook")
    assert shown.status_code == 200, shown.text
    (secret,) = services.accounts.signing_secrets("first")
    assert secret in shown.text
    assert services.accounts.bot("first").current.rights
    assert secret not in browser.get("/bots/first/settings").text
    again = browser.send("/bots/first/webhook-secret", page="/bots/first/settings")
    new, old = services.accounts.signing_secrets("first")
    assert old == secret
    assert new in again.text
    assert old not in again.text
    version = {"transport": "webhook", "label": "2", "url": "https://example.org/v2"}
    sent = browser.send("/bots/first/versions/new", version)
    assert sent.location == "/bots/first/settings"
    assert services.accounts.bot("first").current.url == "https://example.org/v2"


def test_a_bot_without_a_webhook_has_no_secret(browser: Browser, register: Callable[..., Account]) -> None:
    register("first")
    assert "webhook-secret" not in browser.get("/bots/first/settings").text
    refused = browser.send("/bots/first/webhook-secret", page="/bots/first/settings")
    assert refused.status_code == 409
    assert "no_webhook" in refused.text


# Versions and settings


def test_versions(browser: Browser, services: Service) -> None:
    submitted(browser, services)
    new = "/bots/first/versions/new"
    sent = browser.send(new, {**upload(SOURCE + "# 2\n"), "label": "2"})
    assert "/bots/first/uploads/" in sent.location
    settle(services)
    assert services.accounts.bot("first").version == "2"
    taken = browser.send(new, {**upload(BROKEN), "label": "2"})
    assert taken.status_code == 409
    assert "version_exists" in taken.text
    rows = opened(browser, "/bots/first/settings").rows("All versions")
    assert [row["version"] for row in rows] == ["2", "1"]
    where = "/bots/first/versions/1"
    assert browser.send(f"{where}/current", page="/bots/first/settings", times=2).status_code == 303
    assert services.accounts.bot("first").version == "1"
    for published in ("yes", "no"):
        sent = browser.send(f"{where}/source", {"published": published}, page="/bots/first/settings")
        assert sent.status_code == 303
        assert services.accounts.bot("first").find("1").published is (published == "yes")
    # The same bytes are the same version.
    assert browser.send(new, {**upload(SOURCE + "# 2\n"), "label": "3"}).location == "/bots/first/settings"
    assert services.accounts.bot("first").version == "2"


def test_settings(browser: Browser, services: Service, register: Callable[..., Account]) -> None:
    register("first")
    where = "/bots/first/settings"
    assert browser.send(where, {"description": NASTY, "tournaments": ""}).status_code == 303
    bot = services.accounts.bot("first")
    assert (bot.description, bot.tournaments) == (NASTY, None)
    assert browser.send(where, {"description": "", "tournaments": "no"}).status_code == 303
    bot = services.accounts.bot("first")
    assert (bot.description, bot.tournaments, bot.state) == ("", False, "active")
    assert browser.send(where, {"state": "withdrawn"}, times=2).status_code == 303
    assert services.accounts.bot("first").state == "withdrawn"
    assert services.accounts.bot("first").datasets
    for said in ("no", "yes"):
        assert browser.send(where, {"datasets": said}).status_code == 303
        assert services.accounts.bot("first").datasets is (said == "yes")
    refused = browser.send(where, {"description": "x" * 501})
    assert refused.status_code == 422
    assert "x" * 501 in check_page(refused).html
    assert "Activate" in browser.get(where).text


def test_a_bot_is_deleted_in_two_steps(browser: Browser, register: Callable[..., Account]) -> None:
    register("first")
    page = opened(browser, "/bots/first/settings")
    assert "/bots/first/delete" in page.links
    assert 'action="/bots/first/delete"' not in page.html
    opened(browser, "/bots/first/delete")
    assert browser.send("/bots/first/delete", times=2).location == "/account"
    assert browser.get("/bots/first").status_code == 404


def test_a_suspended_bot(browser: Browser, services: Service, register: Callable[..., Account]) -> None:
    register("first")
    services.suspensions.suspend("first", Suspension("it hung", 1_700_000_000_000, "cup", "r1"))
    for path in ("/bots/first", "/bots/first/settings", "/bots/first/log"):
        assert "it hung" in browser.get(path).text


# Who may


PRIVATE = ("log", "log/a-game", "settings", "versions/new", "delete")
FORMS = {
    "settings": {"description": "mine"},
    "versions/new": {"label": "2", "transport": "remote"},
    "versions/1/current": {},
    "versions/1/source": {"published": "yes"},
    "versions/1/qualifications": {"kind": "toepen"},
    "token": {},
    "webhook-secret": {},
    "delete": {},
}


def test_only_the_owner_sees_these_pages(
    app: Flask, browser: Browser, other: Browser, services: Service
) -> None:
    address = submitted(browser, services)
    for path in (*PRIVATE, address.removeprefix("/bots/first/")):
        assert other.get(f"/bots/first/{path}").status_code == 403
        assert Browser(app).get(f"/bots/first/{path}").location.startswith("/sign-in?next=/bots/first/")
    page = opened(other, "/bots/first")
    assert "/bots/first/settings" not in page.links
    assert "/bots/first/settings" in opened(browser, "/bots/first").links


@pytest.mark.parametrize("path", FORMS)
def test_only_the_owner_sends_these_forms(
    path: str, app: Flask, browser: Browser, other: Browser, services: Service
) -> None:
    submitted(browser, services)
    before = services.accounts.bot("first")
    address = f"/bots/first/{path}"
    assert other.send(address, FORMS[path], page="/account").status_code == 403
    visitor = Browser(app).send(address, FORMS[path], page="/sign-in")
    assert visitor.location == "/sign-in"
    forged = browser.client.post(address, data={**FORMS[path], "csrf_token": "x"}, headers=BROWSER)
    assert forged.status_code == 400
    assert "form_expired" in forged.text
    assert services.accounts.bot("first") == before


def test_a_new_bot_needs_its_form(app: Flask, browser: Browser) -> None:
    body = {"transport": "remote", "name": "first", "version": "1"}
    assert browser.client.post(NEW, data=body).status_code == 400
    assert Browser(app).send(NEW, body, page="/sign-in").location == "/sign-in"
    assert browser.get("/bots/first").status_code == 404


@pytest.mark.nightly("contract")
def test_only_owners_send_large_forms(app: Flask, browser: Browser) -> None:
    large = {"transport": "uploaded", "name": "first", "version": "1", "source": "#" * 30_000_000}
    assert Browser(app).send(NEW, large, page="/sign-in").location == "/sign-in"
    assert browser.send(NEW, large).status_code == 413
