"""Sign-in at an OpenID Connect provider, which runs in the tests."""

from __future__ import annotations

import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from api.app import create_app
from api.provider import KEPT_SECONDS, SIGN_IN_SECONDS
from arena.accounts.identities import IdentityInUse, ProviderIdentity
from arena.accounts.owners import OwnerSuspension
from arena.ops.service import Service
from arena.ops.settings import Limit, ProviderSettings, Settings
from tests.api.conftest import Account
from tests.api.contract import ContractClient, contract_client
from tests.api.pages import Browser, sent_back
from tests.api.test_web_pages import check_page
from tests.openid import CLIENT, SECRET, Provider, log_in

CALLBACK = "/sign-in/provider/callback"


@pytest.fixture(scope="module")
def one_provider() -> Iterator[Provider]:
    with Provider() as running:
        running.register(f"http://localhost{CALLBACK}")
        yield running


@pytest.fixture
def provider(one_provider: Provider) -> Provider:
    one_provider.change = lambda reply: None
    one_provider.requests.clear()
    return one_provider


@contextmanager
def app_with(
    settings: Settings, issuer: str, secret: str = SECRET, *, proves_persons: bool = False, **limits: Limit
) -> Iterator[Flask]:
    """An app whose operator has set a provider."""
    own = ProviderSettings(issuer, CLIENT, secret, "School", proves_persons)
    # No worker of the test would end a wait for an export.
    http = replace(settings.http, provider=own, public_url="http://localhost", upload_wait=0)
    app = create_app(replace(settings, http=replace(http, limits={**http.limits, **limits})))
    yield app
    app.extensions["botequim"].close()


@pytest.fixture
def app(settings: Settings, provider: Provider, clean_store: object) -> Iterator[Flask]:
    with app_with(settings, provider.issuer) as found:
        yield found


def go(browser: Browser, back: str = "") -> str:
    """Begin to sign in; the URL at the provider."""
    begun = browser.get("/sign-in/provider?" + urlencode({"next": back}))
    assert begun.status_code == 303, begun.text
    return str(begun.headers["Location"])


def come_back(browser: Browser, url: str) -> TestResponse:
    """Follow the redirect of the provider to the service."""
    parts = urlsplit(url)
    assert parts.path == CALLBACK
    return browser.get(f"{parts.path}?{parts.query}")


def sign_in(browser: Browser, name: str = "maria", back: str = "") -> TestResponse:
    return come_back(browser, log_in(go(browser, back), name))


def sign_up_form(response: TestResponse) -> dict[str, str]:
    assert response.status_code == 200, response.text
    assert response.headers["Cache-Control"] == "private, no-store"
    check_page(response)
    return {name: values[0] for name, values in sent_back(response.text).items()}


def signed_up(browser: Browser, name: str = "maria") -> str:
    """Sign in as somebody for the first time, and sign up with the name proposed; the token."""
    form = sign_up_form(sign_in(browser, name))
    assert form["name"] == name
    shown = browser.send("/sign-up", form)
    (token,) = re.findall(r"btq_o_[\w-]+", shown.text)
    assert "btq_r_" in shown.text
    return str(token)


def refused(response: TestResponse, code: str = "sign_in_refused", status: int = 422) -> str:
    assert response.status_code == status, response.text
    assert code in check_page(response).html
    return response.text


def owner_of(browser: Browser) -> str | None:
    """Who is signed in."""
    page = browser.get("/account")
    return re.findall(r"<h1>(.*)</h1>", page.text)[0] if page.status_code == 200 else None


# Signing in


def test_the_first_sign_in_makes_an_owner_and_later_ones_find_it(app: Flask, provider: Provider) -> None:
    first = Browser(app)
    assert "/sign-in/provider" in check_page(first.get("/sign-in")).links
    assert "/sign-in/provider" in check_page(first.get("/sign-up")).links
    token = signed_up(first)
    assert contract_client(app, token).get("/v1/owners/me").json["name"] == "maria"
    assert owner_of(first) == "maria"
    later = Browser(app)
    answer = sign_in(later)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/account")
    assert owner_of(later) == "maria"
    other = Browser(app)
    signed_up(other, "joao")
    assert owner_of(other) == "joao"


def test_the_request_has_state_nonce_and_pkce(app: Flask, provider: Provider) -> None:
    browser = Browser(app)
    first, second = (parse_qs(urlsplit(go(browser)).query) for _ in range(2))
    assert first["response_type"] == ["code"]
    assert first["code_challenge_method"] == ["S256"]
    assert first["redirect_uri"] == [f"http://localhost{CALLBACK}"]
    for name in ("state", "nonce", "code_challenge"):
        assert len(first[name][0]) >= 43
        assert first[name] != second[name]
    assert SECRET not in str(first)


def test_signing_in_leads_back_to_a_page_of_the_service(app: Flask) -> None:
    signed_up(Browser(app))
    assert sign_in(Browser(app), back="/bots/regular").headers["Location"] == "/bots/regular"
    assert sign_in(Browser(app), back="https://elsewhere.example/").headers["Location"] == "/account"


def test_a_provider_that_proves_persons(settings: Settings, provider: Provider, clean_store: object) -> None:
    def proven_at_once(app: Flask) -> bool:
        me = contract_client(app, token).get("/v1/owners/me").json
        return bool(me["proven_ms"] == me["created_ms"])

    with app_with(settings, provider.issuer) as app:
        token = signed_up(Browser(app))
        assert not proven_at_once(app)
    with app_with(settings, provider.issuer, proves_persons=True) as app:
        assert not proven_at_once(app)
        sign_in(Browser(app))
        assert proven_at_once(app)
        token = signed_up(Browser(app), "joao")
        assert proven_at_once(app)


def test_a_lost_token_needs_no_admin(app: Flask) -> None:
    old = signed_up(Browser(app))
    browser = Browser(app)
    sign_in(browser)
    shown = browser.send("/account/token", page="/account")
    (new,) = re.findall(r"btq_o_[\w-]+", shown.text)
    assert contract_client(app, new).get("/v1/owners/me").status_code == 200
    assert contract_client(app, old).get("/v1/owners/me").status_code == 401


def test_a_name_that_is_taken_is_asked_for_again(app: Flask) -> None:
    contract_client(app).post("/v1/owners", json={"name": "maria"})
    browser = Browser(app)
    form = sign_up_form(sign_in(browser))
    again = browser.send("/sign-up", form)
    refused(again, "name_taken", 409)
    browser.send("/sign-up", {**sign_up_form_of(again), "name": "maria-2"})
    assert owner_of(browser) == "maria-2"
    sign_in(other := Browser(app))
    assert owner_of(other) == "maria-2"


def sign_up_form_of(response: TestResponse) -> dict[str, str]:
    return {name: values[0] for name, values in sent_back(response.text).items()}


def test_a_form_that_is_sent_twice_makes_one_owner(app: Flask) -> None:
    browser = Browser(app)
    form = sign_up_form(sign_in(browser))
    cookie = browser.client.get_cookie("botequim")
    assert cookie is not None
    browser.send("/sign-up", form)
    browser.client.set_cookie("botequim", cookie.value)
    assert "btq_o_maria" in browser.send("/sign-up", form).text
    sign_in(other := Browser(app))
    assert owner_of(other) == "maria"


def test_a_proof_expires(app: Flask, services: Service) -> None:
    browser = Browser(app)
    form = sign_up_form(sign_in(browser))
    services.store.proven_identities.take(form["identity"])
    refused(browser.send("/sign-up", form), "link_expired", 410)
    assert contract_client(app).get("/v1/owners/maria").status_code == 404


def test_sign_ups_are_limited_per_address(
    settings: Settings, provider: Provider, clean_store: object
) -> None:
    with app_with(settings, provider.issuer, sign_ups_per_address=Limit(1, 3600)) as app:
        signed_up(Browser(app))
        browser = Browser(app)
        form = sign_up_form(sign_in(browser, "joao"))
        refused(browser.send("/sign-up", form), "rate_limited", 429)
        sign_in(again := Browser(app))
        assert owner_of(again) == "maria"


def test_invitations_work(settings: Settings, provider: Provider, clean_store: object) -> None:
    with app_with(settings, provider.issuer, sign_ups_per_address=Limit(1, 3600)) as app:
        services = app.extensions["botequim"]
        token = contract_client(app).post("/v1/owners", json={"name": "teacher"}).json["token"]
        services.invitations.allow("teacher", 5)
        made = contract_client(app, token).post("/v1/invitations", json={"count": 1})
        (code,) = (one["code"] for one in made.json["invitations"])
        browser = Browser(app)
        form = sign_up_form(sign_in(browser))
        browser.send("/sign-up", {**form, "invitation": code})
        assert owner_of(browser) == "maria"


def test_sign_ins_are_limited_per_address(
    settings: Settings, provider: Provider, clean_store: object
) -> None:
    with app_with(settings, provider.issuer, provider_sign_ins_per_address=Limit(2, 3600)) as app:
        sign_in(Browser(app))
        refused(Browser(app).get("/sign-in/provider"), "rate_limited", 429)


def test_suspended_owners_and_revoked_tokens(app: Flask, services: Service) -> None:
    token = signed_up(Browser(app))
    services.accounts.set_suspended("maria", OwnerSuspension("cheats", "admin", 1))
    assert "cheats" in refused(sign_in(Browser(app)), "owner_suspended", 403)
    services.accounts.set_suspended("maria", None)
    contract_client(app, token).delete("/v1/owners/me/token")
    refused(sign_in(Browser(app)), "invalid_token", 401)


# What is refused


def test_another_state(app: Flask, provider: Provider) -> None:
    """A stranger sends somebody the end of their own sign-in."""
    stranger, victim = Browser(app), Browser(app)
    end = log_in(go(stranger), "maria")
    refused(come_back(victim, end))
    go(victim)
    refused(come_back(victim, end))
    assert "/token" not in provider.requests
    assert owner_of(victim) is None


def test_an_end_is_used_once(app: Flask) -> None:
    browser = Browser(app)
    end = log_in(go(browser), "maria")
    before = browser.client.get_cookie("botequim")
    assert before is not None
    assert come_back(browser, end).status_code == 200
    refused(come_back(browser, end))
    # With the cookie from before, the provider refuses the code.
    browser.client.set_cookie("botequim", before.value)
    refused(come_back(browser, end))


WRONG: dict[str, dict[str, Any]] = {
    "nonce": {"nonce": "another"},
    "no nonce": {"nonce": None},
    "issuer": {"iss": "https://elsewhere.example"},
    "no issuer": {"iss": None},
    "expired": {"exp": int(time.time()) - 3600},
    "no expiry": {"exp": None},
    "from the future": {"iat": int(time.time()) + 3600},
    "audience": {"aud": ["another-client"]},
    "audience, with our azp": {"aud": ["another-client"], "azp": CLIENT},
    "azp": {"aud": [CLIENT, "another-client"], "azp": "another-client"},
    "at_hash": {"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"},
    "no subject": {"sub": None},
    "empty subject": {"sub": ""},
    "subject of another type": {"sub": 7},
    "long subject": {"sub": "x" * 256},
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_claims(app: Flask, provider: Provider, wrong: str) -> None:
    provider.change = lambda reply: provider.resign(reply, **WRONG[wrong])
    browser = Browser(app)
    refused(sign_in(browser))
    assert owner_of(browser) is None


@pytest.mark.parametrize("alg", ["none", "HS256"])
def test_signatures_without_the_key_of_the_provider(app: Flask, provider: Provider, alg: str) -> None:
    provider.change = lambda reply: provider.resign(reply, alg)
    refused(sign_in(Browser(app)))


def test_other_forged_tokens(app: Flask, provider: Provider) -> None:
    def other_signature(reply: dict[str, Any]) -> None:
        head, payload, signature = reply["id_token"].split(".")
        reply["id_token"] = f"{head}.{payload}.{signature[:-8]}AAAAAAAA"

    for change in (
        other_signature,
        lambda reply: reply.update(id_token="x"),
        lambda reply: reply.update(id_token=""),
        lambda reply: reply.update(id_token=[1]),
        lambda reply: reply.pop("id_token"),
    ):
        provider.change = change
        refused(sign_in(Browser(app)))
    provider.change = lambda reply: provider.resign(reply)
    assert sign_in(Browser(app)).status_code == 200


def test_it_took_too_long(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = Browser(app)
    end = log_in(go(browser), "maria")
    now = time.time()
    monkeypatch.setattr("api.provider.time.time", lambda: now + SIGN_IN_SECONDS + 1)
    assert "too long" in refused(come_back(browser, end))


def test_the_answer_of_another_provider(app: Flask) -> None:
    browser = Browser(app)
    end = log_in(go(browser), "maria")
    parts = urlsplit(end)
    query = {name: values[0] for name, values in parse_qs(parts.query).items()}
    for changed in ({"iss": "https://elsewhere.example"}, {"code": "x"}, {"code": ""}):
        go(browser)
        again = {**query, **changed}
        with browser.client.session_transaction() as session:
            again["state"] = session["provider"]["state"]
        refused(browser.get(f"{CALLBACK}?{urlencode(again)}"))


def test_the_person_declines(app: Flask) -> None:
    browser = Browser(app)
    state = parse_qs(urlsplit(go(browser)).query)["state"][0]
    query = urlencode({"state": state, "error": "access_denied", "error_description": "<b>no</b>"})
    assert "access_denied" in refused(browser.get(f"{CALLBACK}?{query}"))


def test_a_wrong_secret(settings: Settings, provider: Provider, clean_store: object) -> None:
    with app_with(settings, provider.issuer, "another secret") as app:
        refused(sign_in(Browser(app)))


def test_a_service_without_a_provider(one_app: Flask, clean_store: object) -> None:
    browser = Browser(one_app)
    assert "/sign-in/provider" not in browser.get("/sign-in").text
    assert browser.get("/sign-in/provider").status_code == 404
    assert browser.get(CALLBACK).status_code in (404, 422)


# Linking


def exported(account: Account, services: Service) -> Any:
    """The export of an account, which a worker writes."""
    assert account.client.get("/v1/owners/me/export").status_code == 202
    services.exports.write("ana")
    return account.client.get("/v1/owners/me/export").json


def test_link_and_unlink(app: Flask, services: Service, sign_up: Callable[..., Account]) -> None:
    ana = sign_up("ana")
    browser = Browser(app)
    browser.sign_in(ana.token)
    assert "/sign-in/provider" in check_page(browser.get("/account")).links
    asked = sign_in(browser)
    assert "Link it to ana" in check_page(asked).html
    # Nothing changes before the owner agrees.
    assert services.identities.of("ana") is None
    code = sent_back(asked.text)["code"][0]
    assert browser.send("/account/identity", {"code": code}, page="/account").status_code == 303
    found = services.identities.of("ana")
    assert found is not None
    assert found["name"] == "maria@school"
    assert "maria@school" in browser.get("/account").text
    sign_in(other := Browser(app))
    assert owner_of(other) == "ana"
    assert exported(ana, services)["identity"] == found
    assert ana.client.get("/v1/owners/me").json["identity"] == found
    assert browser.send("/account/identity/remove", page="/account").status_code == 303
    assert services.identities.of("ana") is None
    assert exported(ana, services)["identity"] is None
    assert sign_in(Browser(app)).status_code == 200
    entries = services.accounts.audited()[0]
    assert [one.action for one in entries] == ["unlink identity", "link identity"]


def test_a_recovery_ends_the_link_that_a_thief_made(app: Flask, sign_up: Callable[..., Account]) -> None:
    ana = sign_up("ana")
    thief = Browser(app)
    thief.sign_in(ana.token)
    thief.send("/account/identity", {"code": sent_back(sign_in(thief).text)["code"][0]}, page="/account")
    code = ana.client.post("/v1/owners/me/recovery-code").json["recovery_code"]
    shown = Browser(app).send("/recover", {"recovery_code": code}).text
    (token,) = re.findall(r"btq_o_[\w-]+", shown)
    assert owner_of(thief) is None
    assert contract_client(app, token).get("/v1/owners/me").json["identity"] is None
    assert sign_up_form(sign_in(Browser(app)))["name"] == "maria"


def test_unlink_with_a_token(app: Flask, sign_up: Callable[..., Account], admin: ContractClient) -> None:
    ana = sign_up("ana")
    browser = Browser(app)

    def link(token: str) -> ContractClient:
        browser.sign_in(token)
        code = sent_back(sign_in(browser).text)["code"][0]
        browser.send("/account/identity", {"code": code}, page="/account")
        client = contract_client(app, token)
        assert client.get("/v1/owners/me").json["identity"]["name"] == "maria@school"
        return client

    owner = link(ana.token)
    for _ in range(2):
        assert owner.delete("/v1/owners/me/identity").status_code == 204
    assert owner.get("/v1/owners/me").json["identity"] is None
    # A new token from an admin is for an owner who has lost the old one, perhaps to a thief.
    link(ana.token)
    token = admin.post("/v1/admin/owners/ana/token").json["token"]
    assert contract_client(app, token).get("/v1/owners/me").json["identity"] is None


def test_an_identity_has_one_owner(app: Flask, sign_up: Callable[..., Account], services: Service) -> None:
    signed_up(Browser(app))
    browser = Browser(app)
    browser.sign_in(sign_up("ana").token)
    refused(sign_in(browser), "identity_in_use", 409)
    assert owner_of(browser) == "ana"
    linked = services.identities.of("maria")
    assert linked is not None
    with pytest.raises(IdentityInUse):
        services.identities.link("ana", ProviderIdentity(linked["issuer"], linked["subject"]), 1)
    # And an owner has one identity.
    with pytest.raises(IdentityInUse):
        services.identities.link("maria", ProviderIdentity("https://elsewhere.example", "1"), 1)


def test_only_the_form_of_our_page_links(app: Flask, sign_up: Callable[..., Account]) -> None:
    browser = Browser(app)
    browser.sign_in(sign_up("ana").token)
    code = sent_back(sign_in(browser).text)["code"][0]
    assert browser.client.post("/account/identity", data={"code": code}).status_code == 400
    refused(browser.send("/account/identity", {"code": "x"}, page="/account"), "link_expired", 410)
    assert Browser(app).send("/account/identity", {"code": code}, page="/sign-in").status_code == 303
    sign_in(other := Browser(app))
    assert owner_of(other) is None


def test_a_deleted_owner_leaves_no_identity(app: Flask, services: Service) -> None:
    token = signed_up(Browser(app))
    assert contract_client(app, token).delete("/v1/owners/me?confirm=maria").status_code == 200
    assert services.store.identities.all() == {}
    assert sign_up_form(sign_in(Browser(app)))["name"] == "maria"


def test_a_link_that_was_interrupted_counts_for_nobody(
    services: Service, sign_up: Callable[..., Account]
) -> None:
    person = ProviderIdentity("https://school.example", "1")
    for name in ("ana", "bia"):
        sign_up(name)
    services.identities.link("ana", person, 1)
    services.store.accounts.change_owner("ana", {}, ("identity",))
    assert services.identities.owner_of(person) is None
    services.identities.link("bia", person, 1)
    assert services.identities.owner_of(person) == "bia"


@pytest.mark.parametrize(
    ("name", "handle"),
    [
        ("maria@school", "maria"),
        ("Maria da Silva", "maria-da-silva"),
        ("7-ana-", "ana"),
        ("", ""),
        ("é", ""),
        ("x" * 60, "x" * 32),
    ],
)
def test_the_name_that_is_proposed(name: str, handle: str) -> None:
    assert ProviderIdentity("https://school.example", "1", name).handle == handle


# The provider


def test_what_is_known_of_the_provider_is_kept(
    app: Flask, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        sign_in(Browser(app))
    assert provider.requests.count("/.well-known/openid-configuration") == 1
    assert provider.requests.count("/jwks") == 1
    now = time.monotonic()
    monkeypatch.setattr("api.provider.time.monotonic", lambda: now + KEPT_SECONDS + 1)
    go(Browser(app))
    assert provider.requests.count("/.well-known/openid-configuration") == 2


def test_new_keys_of_the_provider(app: Flask, provider: Provider) -> None:
    sign_in(Browser(app))
    provider.rotate()
    provider.change = provider.resign
    assert sign_in(Browser(app)).status_code == 200
    assert provider.requests.count("/jwks") == 2


@contextmanager
def answering(reply: bytes, *, drip: bool = False) -> Iterator[tuple[str, list[int]]]:
    """A server that always sends the same bytes, with its URL in place of ``URL``; that URL, and an entry for
    each request.
    """
    asked: list[int] = []
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        reply = reply.replace(b"URL", url.encode())

        def serve() -> None:
            while not over.is_set():
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection:
                    asked.append(1)
                    connection.recv(65536)
                    try:
                        connection.sendall(reply)
                        while drip and not over.wait(0.05):
                            connection.sendall(b" ")
                    except OSError:
                        continue

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield url, asked
        over.set()
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()


OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
FAULTS = {
    "nothing": b"",
    "no JSON": OK + b"<html>",
    "no object": OK + b"[]",
    "large": OK + b" " * 10_000_000,
    "another issuer": OK + b'{"issuer": "https://elsewhere.example"}',
    "an error": b"HTTP/1.1 500 Oops\r\n\r\n{}",
    "a redirect": b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n\r\n{}",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_provider_that_fails(settings: Settings, clean_store: object, fault: str) -> None:
    with answering(FAULTS[fault]) as (url, asked), app_with(settings, url) as app:
        refused(Browser(app).get("/sign-in/provider"), "provider_unavailable", 503)
        before = len(asked)
        # It is not asked again at once.
        refused(Browser(app).get("/sign-in/provider"), "provider_unavailable", 503)
        assert len(asked) == before


def test_a_provider_that_drips(
    settings: Settings, clean_store: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.provider._SECONDS", 0.5)
    with answering(OK + b"{", drip=True) as (url, _), app_with(settings, url) as app:
        refused(Browser(app).get("/sign-in/provider"), "provider_unavailable", 503)


def test_addresses_of_the_provider_are_secure(settings: Settings, clean_store: object) -> None:
    metadata = (
        b'{"issuer": "URL", "token_endpoint": "URL/", "jwks_uri": "URL/", '
        b'"authorization_endpoint": "http://elsewhere.example/"}'
    )
    with answering(OK + metadata) as (url, asked), app_with(settings, url) as app:
        refused(Browser(app).get("/sign-in/provider"), "provider_unavailable", 503)
        assert len(asked) == 1
