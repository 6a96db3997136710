"""The account of an owner in the browser: signing up, tokens and links, quotas."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from api.app import create_app
from arena.ops.service import Service
from arena.ops.settings import Limit, Settings
from tests.api.arenas import announce
from tests.api.conftest import Account
from tests.api.pages import Browser
from tests.api.test_web_pages import BROWSER, check_page


@pytest.fixture
def browser(app: Flask) -> Browser:
    return Browser(app)


def only_token(response: TestResponse) -> str:
    """The token that the page shows."""
    assert response.status_code == 200, response.text
    assert response.headers["Cache-Control"] == "private, no-store"
    check_page(response)
    (token,) = re.findall(r"btq_o_[\w-]+", response.text)
    return str(token)


def draft(browser: Browser) -> str:
    (found,) = re.findall(r'name="draft" value="([\w-]+)"', browser.get("/sign-up").text)
    return str(found)


# Signing up


def test_sign_up(browser: Browser, services: Service, caplog: pytest.LogCaptureFixture) -> None:
    assert "/sign-up" in check_page(browser.get("/sign-in")).links
    check_page(browser.get("/sign-up"))
    with caplog.at_level("DEBUG"):
        token = only_token(browser.send("/sign-up", {"name": "ana", "draft": draft(browser)}))
    assert services.accounts.check(token).name == "ana"
    page = browser.get("/account")
    assert "<h1>ana</h1>" in page.text
    assert token not in page.text
    assert token not in caplog.text


def test_a_sign_up_sent_twice(browser: Browser, services: Service, app: Flask) -> None:
    form = {"name": "ana", "draft": draft(browser)}
    before = browser.client.get_cookie("botequim")
    assert before is not None
    first = only_token(browser.send("/sign-up", form))
    # The second form leaves the browser before the first answer has come.
    browser.client.set_cookie("botequim", before.value)
    token = only_token(browser.send("/sign-up", form))
    assert token != first
    assert services.accounts.check(token).name == "ana"
    assert browser.get("/account").status_code == 200
    # Somebody else gets nothing.
    for other in ({"name": "ana"}, {"name": "ana", "draft": draft(browser)}):
        refused = Browser(app).send("/sign-up", other)
        assert refused.status_code == 409
        assert "name_taken" in refused.text
        assert "btq_o_" not in refused.text
    assert services.accounts.check(token).name == "ana"


def test_a_draft_ends_with_the_token(browser: Browser, services: Service, app: Flask) -> None:
    form = {"name": "ana", "draft": draft(browser)}
    only_token(browser.send("/sign-up", form))
    services.accounts.new_owner_token("ana")
    assert browser.send("/sign-up", form).status_code == 409


@pytest.mark.parametrize(("name", "code"), [("", "invalid"), ("X", "invalid"), ("rookie", "name_taken")])
def test_names_that_cannot_be(browser: Browser, name: str, code: str) -> None:
    response = browser.send("/sign-up", {"name": name, "draft": draft(browser)})
    assert response.status_code in (409, 422)
    page = check_page(response)
    assert f"<code>{code}</code>" in page.html
    assert 'aria-invalid="true"' in page.html
    assert f'value="{name}"' in page.html


def test_sign_ups_are_limited(settings: Settings, app: Flask) -> None:
    limits = {**settings.http.limits, "sign_ups_per_address": Limit(1, 3600)}
    limited = create_app(replace(settings, http=replace(settings.http, limits=limits)))
    browser = Browser(limited)
    assert browser.send("/sign-up", {"name": "ana"}).status_code == 200
    refused = Browser(limited).send("/sign-up", {"name": "bia"})
    assert refused.status_code == 429
    assert "rate_limited" in refused.text
    limited.extensions["botequim"].close()


# The account


def test_the_account(browser: Browser, owner: Account, services: Service) -> None:
    browser.sign_in(owner.token)
    body = {"name": "first", "transport": "remote"}
    assert owner.client.post("/v1/bots", json=body).status_code == 201
    event = announce(owner.client, {"name": "Cup", "kind": "toepen", "format": "round_robin"})
    page = check_page(browser.get("/account", headers=BROWSER))
    assert {"/bots/first", f"/tournaments/{event}", "/account/bots/new", "/tournaments/new"} <= set(
        page.links
    )
    assert re.search(r"<dt>Stored data</dt><dd>0 bytes of [\d.]+ [MG]B</dd>", page.html)
    assert re.search(r"<dt>Processor time today</dt><dd>0 s of [\d.]+ (min|h|d)</dd>", page.html)


def test_the_token_is_replaced(
    browser: Browser, owner: Account, services: Service, app: Flask, caplog: pytest.LogCaptureFixture
) -> None:
    elsewhere = Browser(app)
    for one in (browser, elsewhere):
        one.sign_in(owner.token)
    with caplog.at_level("DEBUG"):
        token = only_token(browser.send("/account/token", page="/account", times=2))
    assert token not in caplog.text
    assert services.accounts.check(token).name == owner.name
    assert token not in browser.get("/account").text
    assert browser.get("/account").status_code == 200
    assert elsewhere.get("/account").status_code == 303
    assert elsewhere.client.post("/account/token", data={"csrf_token": "x"}).status_code == 400


def test_sign_in_elsewhere(browser: Browser, owner: Account, app: Flask) -> None:
    browser.sign_in(owner.token)
    shown = browser.send("/account/link", page="/account")
    check_page(shown)
    (code,) = re.findall(r"http://localhost/sign-in\?code=([\w-]{32})", shown.text)
    other = Browser(app)
    assert other.send("/sign-in", {"code": code}, page=f"/sign-in?code={code}").location == "/account"
    assert other.get("/account").status_code == 200


@pytest.mark.parametrize("path", ["/account/token", "/account/link"])
def test_visitors_have_no_account(browser: Browser, path: str) -> None:
    assert browser.send(path, page="/sign-in").location == "/sign-in"
    assert browser.client.post(path, data={"csrf_token": "x"}).status_code == 400
