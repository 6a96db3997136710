"""Signing in to the pages: sessions, links, forms."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from html import unescape

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from api.app import create_app
from arena.accounts.sessions import LINK_MS
from arena.ops.settings import Settings
from arena.store.connection import StoreUnavailable
from arena.store.embedded import EmbeddedStore
from tests.api.conftest import ADMIN_TOKEN, Account
from tests.api.pages import Browser

HTML = {"Accept": "text/html"}


@pytest.fixture
def browser(app: Flask) -> Browser:
    return Browser(app)


def signed_in(browser: Browser) -> bool:
    return browser.get("/account").status_code == 200


def code_of(owner: Account) -> str:
    link = owner.client.post("/v1/owners/me/sign-in-links").json["url"]
    found = re.fullmatch(r"http://localhost/sign-in\?code=([\w-]{32})", link)
    assert found is not None, link
    return found[1]


# Tokens


def test_sign_in_and_out(browser: Browser, owner: Account) -> None:
    assert browser.get("/account").location == "/sign-in?next=/account"
    browser.sign_in(owner.token)
    page = browser.get("/account")
    assert f"<h1>{owner.name}</h1>" in page.text
    assert browser.send("/sign-out", page="/account").status_code == 303
    assert not signed_in(browser)


def test_the_cookie(browser: Browser, owner: Account) -> None:
    browser.get("/sign-in")
    cookie = browser.client.get_cookie("botequim")
    assert cookie is not None
    assert cookie.http_only
    assert cookie.same_site == "Lax"
    assert not cookie.secure
    browser.get("/sign-in", base_url="https://localhost")
    secure = browser.client.get("/sign-in", base_url="https://example.org").headers["Set-Cookie"]
    assert secure.startswith("__Host-botequim=")
    assert "; Secure" in secure
    assert "; Path=/" in secure
    assert "Domain" not in secure


def test_signing_in_by_https(browser: Browser, owner: Account, app: Flask) -> None:
    https = {"base_url": "https://localhost"}
    found = re.search(r'name="csrf_token" value="([^"]+)"', browser.client.get("/sign-in", **https).text)
    assert found is not None
    data = {"token": owner.token, "csrf_token": unescape(found[1])}
    assert browser.client.post("/sign-in", data=data, **https).status_code == 303
    assert browser.client.get("/account", **https).status_code == 200
    cookie = browser.client.get_cookie("__Host-botequim")
    assert cookie is not None
    # A cookie that another host of the domain can set is not one of a session.
    other = Browser(app)
    other.client.set_cookie("botequim", cookie.value)
    assert other.client.get("/account", **https).status_code == 303


def test_a_cookie_is_no_token(browser: Browser, owner: Account) -> None:
    browser.sign_in(owner.token)
    assert browser.get("/v1/owners/me").status_code == 401


def test_the_token_is_on_no_page(browser: Browser, owner: Account) -> None:
    browser.sign_in(owner.token)
    assert owner.token not in browser.get("/account").text


def test_signed_in_pages_are_private(browser: Browser, owner: Account) -> None:
    assert browser.get("/leaderboards/truco").headers["Cache-Control"] == "no-cache"
    # Behind these, a form would be too old once there is a session.
    for path in ("/", "/play", "/sign-in"):
        assert browser.get(path).headers["Cache-Control"] == "private, no-store"
    browser.sign_in(owner.token)
    for path in ("/", "/account", "/leaderboards/truco"):
        headers = browser.get(path).headers
        assert headers["Cache-Control"] == "private, no-store"
        assert headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize("whose", ["nobody", "bot", "admin"])
def test_other_tokens(browser: Browser, register: Callable[..., Account], whose: str) -> None:
    tokens = {"nobody": "btq_o_nobody_1", "admin": ADMIN_TOKEN, "bot": register("zap-bot").token}
    token = tokens[whose]
    response = browser.send("/sign-in", {"token": token})
    assert response.status_code == 422
    assert token not in response.text
    assert ("forbidden" if whose != "nobody" else "invalid_token") in response.text
    assert not signed_in(browser)


def test_a_session_ends_with_the_token(browser: Browser, owner: Account) -> None:
    browser.sign_in(owner.token)
    assert owner.client.post("/v1/owners/me/token").status_code == 201
    assert not signed_in(browser)


def test_a_session_ends_with_a_revoked_token(browser: Browser, owner: Account) -> None:
    browser.sign_in(owner.token)
    assert owner.client.delete("/v1/owners/me/token").status_code == 204
    assert not signed_in(browser)


def test_signing_in_gives_another_key(browser: Browser, owner: Account, app: Flask) -> None:
    """Whoever knew the cookie before does not get in."""
    browser.sign_in(owner.token)
    before = browser.client.get_cookie("botequim")
    browser.sign_in(owner.token)
    other = Browser(app)
    assert before is not None
    other.client.set_cookie("botequim", before.value)
    assert signed_in(browser)
    assert not signed_in(other)


def test_keys_and_codes_are_stored_as_hashes(browser: Browser, owner: Account, store: EmbeddedStore) -> None:
    code = code_of(owner)
    browser.sign_in(owner.token)
    with browser.client.session_transaction() as cookie:
        key = cookie["key"]
    with redis.Redis.from_url(store.url) as database:
        names = [name.decode() for name in database.scan_iter()]
        values = [database.get(name) for name in names if name.startswith(("session:", "sign-in:"))]
    assert len(values) == 2
    everything = repr(names) + repr(values)
    assert key not in everything
    assert code not in everything
    assert owner.token not in everything


def test_an_error_while_sessions_cannot_be_read(
    browser: Browser, owner: Account, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser.sign_in(owner.token)

    def find(key: str) -> None:
        raise StoreUnavailable("the database does not answer")

    monkeypatch.setattr(app.extensions["botequim"].sessions, "find", find)
    response = browser.get("/account", headers=HTML)
    assert response.status_code == 503
    assert "<h1>" in response.text


@pytest.mark.parametrize(
    ("back", "location"),
    [
        ("/bots/zap-bot", "/bots/zap-bot"),
        ("//evil.example", "/account"),
        ("/\\evil.example", "/account"),
        ("https://evil.example", "/account"),
    ],
)
def test_signing_in_leads_back_to_a_page_of_the_service(
    back: str, location: str, browser: Browser, owner: Account
) -> None:
    sent = browser.send("/sign-in", {"token": owner.token, "next": back}, page="/sign-in")
    assert sent.location == location


# Links


def test_a_link_works_once(browser: Browser, owner: Account, app: Flask) -> None:
    code = code_of(owner)
    for _ in range(2):
        assert f"Sign in as {owner.name}" in browser.get(f"/sign-in?code={code}").text
    assert not signed_in(browser)
    assert browser.send("/sign-in", {"code": code}, page=f"/sign-in?code={code}").location == "/account"
    assert signed_in(browser)
    second = Browser(app)
    assert second.get(f"/sign-in?code={code}", headers=HTML).status_code == 410
    response = second.send("/sign-in", {"code": code})
    assert response.status_code == 422
    assert "link_expired" in response.text
    assert not signed_in(second)


@pytest.mark.parametrize(
    ("host", "start"),
    [
        ("evil.example", "/sign-in?"),
        ("localhost.evil.example:80", "/sign-in?"),
        ("127.0.0.1:8000", "http://127.0.0.1:8000/sign-in?"),
        ("[::1]", "http://[::1]/sign-in?"),
    ],
)
def test_a_link_leads_to_no_host_that_a_request_names(host: str, start: str, owner: Account) -> None:
    link = owner.client.post("/v1/owners/me/sign-in-links", headers={"Host": host}).json["url"]
    assert link.startswith(start)


def test_a_link_expires(browser: Browser, owner: Account, store: EmbeddedStore) -> None:
    code = code_of(owner)
    with redis.Redis.from_url(store.url) as database:
        (name,) = database.scan_iter("sign-in:*")
        assert 0 < database.pttl(name) <= LINK_MS
        database.pexpire(name, 0)
    assert browser.get(f"/sign-in?code={code}").status_code == 410


def test_a_link_ends_with_the_token(browser: Browser, owner: Account) -> None:
    code = code_of(owner)
    assert owner.client.post("/v1/owners/me/token").status_code == 201
    assert browser.get(f"/sign-in?code={code}").status_code == 410


def test_codes_are_not_logged(browser: Browser, owner: Account, caplog: pytest.LogCaptureFixture) -> None:
    code = code_of(owner)
    with caplog.at_level("DEBUG"):
        browser.send("/sign-in", {"code": code}, page=f"/sign-in?code={code}")
    assert "/sign-in" in caplog.text
    assert code not in caplog.text


# Forms


TABLE = {"game": "toepen", "seats": "2", "seat1": "house:rookie"}


def form_token(browser: Browser, page: str = "/sign-in") -> str:
    found = re.search(r'name="csrf_token" value="([^"]+)"', browser.get(page).text)
    assert found is not None
    return found[1]


def altered(token: str) -> list[str]:
    """Tokens that differ from one in little."""
    other = "A" if token[-1] != "A" else "E"
    return [
        token[:-1],
        token[1:],
        token[:-1] + other,
        f"{token}!",
        f"{token}=",
        f"{token} ",
        token.swapcase(),
    ]


def expired(response: TestResponse) -> bool:
    return response.status_code == 400 and "form_expired" in response.text


def test_a_form_without_the_token_of_its_page(browser: Browser, owner: Account) -> None:
    browser.sign_in(owner.token)
    with browser.client.session_transaction() as cookie:
        values = [str(value) for value in cookie.values()]
    token = form_token(browser, "/account")
    forged = ["", "forged", "\u00e9\U0001f0cf", "x" * 10_000, *values, *altered(token)]
    for data in ({"x": "y"}, *({"csrf_token": text} for text in forged)):
        assert expired(browser.client.post("/sign-out", data=data, headers=HTML)), data
    assert expired(browser.client.post(f"/sign-out?csrf_token={token}", data={"x": "y"}, headers=HTML))
    assert signed_in(browser)
    assert browser.client.post("/sign-out", data={"csrf_token": token}).status_code == 303


def test_a_form_of_another_session(browser: Browser, owner: Account, app: Flask) -> None:
    browser.sign_in(owner.token)
    other = Browser(app)
    tokens = [form_token(other)]
    other.sign_in(owner.token)
    tokens.append(form_token(other, "/account"))
    for token in tokens:
        assert expired(browser.client.post("/sign-out", data={"csrf_token": token}, headers=HTML))
    assert signed_in(browser)


def test_forms_from_before_signing_in_and_out(browser: Browser, owner: Account) -> None:
    """Whoever planted a cookie in a browser knows no token of the session that begins there."""
    before = form_token(browser)
    browser.sign_in(owner.token)
    assert expired(browser.client.post("/sign-out", data={"csrf_token": before}, headers=HTML))
    signed = form_token(browser, "/account")
    browser.send("/sign-out", page="/account")
    for _ in range(2):
        response = browser.client.post(
            "/sign-in", data={"csrf_token": signed, "token": owner.token}, headers=HTML
        )
        assert expired(response)
        # The second time with a new cookie.
        assert form_token(browser) not in (before, signed)
    assert not signed_in(browser)


@pytest.mark.parametrize("signs_out", [True, False])
def test_forms_of_a_session_that_has_ended(
    browser: Browser, owner: Account, app: Flask, signs_out: bool
) -> None:
    """Also if somebody has kept the cookie; and the browser that has it gets new forms."""
    browser.sign_in(owner.token)
    token = form_token(browser, "/account")
    other = Browser(app)
    cookie = browser.client.get_cookie("botequim")
    assert cookie is not None
    other.client.set_cookie("botequim", cookie.value)
    assert signed_in(other)
    if signs_out:
        browser.send("/sign-out", page="/account")
    else:
        assert owner.client.post("/v1/owners/me/token").status_code == 201
    forms: dict[str, dict[str, str]] = {"/play": TABLE, "/sign-out": {}, "/account/token": {}}
    for path, values in forms.items():
        other.client.set_cookie("botequim", cookie.value)
        assert expired(other.client.post(path, data={**values, "csrf_token": token}, headers=HTML)), path
    other.client.set_cookie("botequim", cookie.value)
    assert other.send("/play", TABLE).status_code == 303


def test_a_form_without_cookies(app: Flask, owner: Account) -> None:
    token = form_token(Browser(app))
    data = {"csrf_token": token, "token": owner.token}
    assert expired(FlaskClient(app, app.response_class).post("/sign-in", data=data, headers=HTML))


def test_forms_of_guests(app: Flask) -> None:
    """A guest has no session before the first form."""
    first, second = Browser(app), Browser(app)
    token = form_token(first, "/play")
    assert expired(second.client.post("/play", data={**TABLE, "csrf_token": token}, headers=HTML))
    assert first.client.post("/play", data={**TABLE, "csrf_token": token}).status_code == 303
    # The guest's session has begun.
    assert expired(first.client.post("/play", data={**TABLE, "csrf_token": token}, headers=HTML))
    assert first.send("/play", TABLE).status_code == 303


def test_a_token_stays_the_same(browser: Browser, owner: Account) -> None:
    """So pages that are polled are the same."""
    browser.sign_in(owner.token)
    assert form_token(browser, "/account") == form_token(browser, "/account")


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "null"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"},
        {"Sec-Fetch-Site": "same-origin", "Origin": "https://example.org"},
        {"Sec-Fetch-Site": ""},
        {"Origin": "https://example.org"},
        {"Origin": "http://localhost.example.org"},
        {"Origin": "http://localhost:81"},
        {"Origin": "http://localhost@example.org"},
        {"Origin": "localhost"},
        {"Origin": ""},
        {"Origin": "http://["},
    ],
)
def test_a_form_that_another_site_sends(browser: Browser, owner: Account, headers: dict[str, str]) -> None:
    """Even with the right token."""
    data = {"token": owner.token}
    assert expired(browser.send("/sign-in", data, headers={**HTML, **headers}))
    assert not signed_in(browser)


def test_a_form_that_our_page_sends(settings: Settings, clean_store: EmbeddedStore) -> None:
    """Also behind a proxy that ends TLS, or that has another name for the service."""
    http = replace(settings.http, public_url="https://bar.example:8443")
    app = create_app(replace(settings, http=http))
    token = Browser(app).client.post("/v1/owners", json={"name": "ana"}).json["token"]
    for headers in (
        {},
        {"Sec-Fetch-Site": "same-origin", "Origin": "null"},
        {"Sec-Fetch-Site": "same-origin", "Origin": "http://localhost"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "null"},
        {"Origin": "https://LOCALHOST"},
        {"Origin": "https://bar.example:8443"},
    ):
        response = Browser(app).send("/sign-in", {"token": token}, headers=headers)
        assert response.location == "/account", headers


def test_a_body_that_is_no_form(browser: Browser) -> None:
    response = browser.client.post("/sign-in", json={"token": "x"})
    assert response.status_code == 415


def test_a_form_too_large(browser: Browser) -> None:
    assert browser.send("/sign-in", {"token": "x" * 100_000}).status_code == 413


@pytest.mark.parametrize("elsewhere", ["//example.org", "https://example.org", "/\\example.org", ""])
def test_no_way_to_another_site(browser: Browser, owner: Account, elsewhere: str) -> None:
    response = browser.send("/sign-in", {"token": owner.token, "next": elsewhere})
    assert response.location == "/account"


def test_the_way_back(browser: Browser, owner: Account) -> None:
    response = browser.send("/sign-in", {"token": owner.token, "next": "/tournaments?state=open"})
    assert response.location == "/tournaments?state=open"


def test_the_form_of_a_sign_up_signs_nobody_in(browser: Browser, app: Flask) -> None:
    draft = "d" * 32
    app.extensions["botequim"].sessions.sign_up("nora", draft=draft)
    for code in (draft, f"sign-up {draft}"):
        assert browser.get("/sign-in", query_string={"code": code}).status_code == 410
