"""Recovery codes: owners who have lost their token get a new one without an admin."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from api.app import create_app
from arena.accounts.accounts import InvalidToken
from arena.accounts.owners import OwnerSuspension
from arena.accounts.recovery import InvalidRecoveryCode
from arena.ops.service import Service
from arena.ops.settings import Limit, Settings
from tests.api.conftest import Account
from tests.api.contract import ContractClient, contract_client
from tests.api.pages import Browser
from tests.api.test_web_pages import check_page

CODE = re.compile(r"btq_r_[a-z][a-z0-9-]*_[a-z2-7]{26}")
GUESS = "a" * 26


def new_code(owner: Account) -> str:
    response = owner.client.post("/v1/owners/me/recovery-code")
    assert response.status_code == 201, response.text
    return str(response.json["recovery_code"])


def recover(client: ContractClient, code: str) -> TestResponse:
    return client.post("/v1/recoveries", json={"recovery_code": code})


def refusal(response: TestResponse) -> dict[str, object]:
    assert response.status_code == 422
    shown = dict(response.json or {})
    shown.pop("request_id")
    return shown


def test_a_code_is_used_once_and_ends_the_old_token(anybody: ContractClient, app: Flask) -> None:
    signed_up = anybody.post("/v1/owners", json={"name": "ana"}).json
    assert CODE.fullmatch(signed_up["recovery_code"])
    browser = Browser(app)
    browser.sign_in(signed_up["token"])
    recovered = recover(anybody, signed_up["recovery_code"])
    assert recovered.status_code == 201
    assert recovered.json["owner"]["name"] == "ana"
    assert contract_client(app, recovered.json["token"]).get("/v1/owners/me").json["name"] == "ana"
    assert contract_client(app, signed_up["token"]).get("/v1/owners/me").status_code == 401
    assert browser.get("/account").status_code == 303
    for _ in range(2):
        assert refusal(recover(anybody, signed_up["recovery_code"]))["code"] == "invalid_recovery_code"
    # The owner has a new code at once.
    assert recover(anybody, recovered.json["recovery_code"]).status_code == 201


def test_codes_are_read_from_paper(anybody: ContractClient, owner: Account) -> None:
    code = new_code(owner).upper()
    assert recover(anybody, f" {code[:12]} {code[12:20]}\n{code[20:]}\t").status_code == 201


def test_refusals_do_not_reveal_who_exists(
    anybody: ContractClient, owner: Account, sign_up: Callable[..., Account], services: Service
) -> None:
    used, gone = new_code(owner), sign_up("bia")
    replaced = new_code(owner)
    new_code(owner)
    deleted = new_code(gone)
    gone.client.delete("/v1/owners/me?confirm=bia")
    services.accounts.set_suspended("ana", OwnerSuspension("cheats", "admin", 1))
    codes = (used, replaced, deleted, f"btq_r_ana_{GUESS}", f"btq_r_nobody_{GUESS}", "btq_r_", "x", "ó")
    shown = [refusal(recover(anybody, code)) for code in codes]
    assert all(one == shown[0] for one in shown)


def test_a_suspended_owner_keeps_its_code(anybody: ContractClient, owner: Account, services: Service) -> None:
    code = new_code(owner)
    services.accounts.set_suspended("ana", OwnerSuspension("cheats", "admin", 1))
    assert recover(anybody, code).json["code"] == "owner_suspended"
    services.accounts.set_suspended("ana", None)
    assert recover(anybody, code).status_code == 201


@pytest.mark.parametrize("ending", ["replaced", "revoked", "by an admin"])
def test_a_code_ends_with_the_token(
    ending: str, anybody: ContractClient, owner: Account, admin: ContractClient
) -> None:
    """Otherwise a thief of the token would keep the account with a code that it made."""
    code = new_code(owner)
    if ending == "replaced":
        replaced = owner.client.post("/v1/owners/me/token").json
        assert CODE.fullmatch(replaced["recovery_code"])
    elif ending == "revoked":
        assert owner.client.delete("/v1/owners/me/token").status_code == 204
    else:
        assert admin.post("/v1/admin/owners/ana/token").status_code == 201
    assert refusal(recover(anybody, code))["code"] == "invalid_recovery_code"


def test_only_the_owner_makes_codes(anybody: ContractClient, register: Callable[..., Account]) -> None:
    assert anybody.post("/v1/owners/me/recovery-code").status_code == 401
    assert register("zap-bot").client.post("/v1/owners/me/recovery-code").status_code == 403


def test_the_owner_sees_when_the_code_was_made(owner: Account) -> None:
    before = owner.client.get("/v1/owners/me").json["recovery_ms"]
    new_code(owner)
    assert owner.client.get("/v1/owners/me").json["recovery_ms"] > before
    other = contract_client(owner.client.application)
    assert "recovery_ms" not in other.get("/v1/owners/ana").json


def test_an_owner_of_older_data_has_no_code(
    anybody: ContractClient, owner: Account, services: Service
) -> None:
    services.store.accounts.change_owner("ana", {}, ("recovery",))
    assert owner.client.get("/v1/owners/me").json["recovery_ms"] is None
    assert refusal(recover(anybody, f"btq_r_ana_{GUESS}"))["code"] == "invalid_recovery_code"
    assert recover(anybody, new_code(owner)).status_code == 201


def test_only_hashes_are_stored(owner: Account, services: Service) -> None:
    code = new_code(owner)
    assert code.rpartition("_")[2] not in str(services.store.accounts.owner("ana"))


def test_of_ten_that_use_a_code_at_once_one_succeeds(owner: Account, services: Service) -> None:
    code, start, found = new_code(owner), threading.Barrier(10), []

    def use() -> None:
        start.wait()
        with suppress(InvalidRecoveryCode):
            found.append(services.recovery.recover(code).token)

    threads = [threading.Thread(target=use) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 1
    assert services.accounts.check(found[0]).name == "ana"


def test_recoveries_are_audited_and_guesses_are_not(
    anybody: ContractClient, owner: Account, admin: ContractClient
) -> None:
    recover(anybody, f"btq_r_ana_{GUESS}")
    assert recover(anybody, new_code(owner)).status_code == 201
    entries = admin.get("/v1/admin/audit").json["entries"]
    found = [(one["admin"], one["action"], one["subject"]) for one in entries]
    assert found == [("ana", "recover owner", "owner ana")]


def test_attempts_are_limited_per_address(settings: Settings, owner: Account) -> None:
    limits = {**settings.http.limits, "recoveries_per_address": Limit(3, 3600)}
    app = create_app(replace(settings, http=replace(settings.http, limits=limits)))
    anybody, browser = contract_client(app), Browser(app)
    for _ in range(2):
        assert recover(anybody, f"btq_r_ana_{GUESS}").status_code == 422
    wrong = {"recovery_code": f"btq_r_ana_{GUESS}"}
    assert browser.send("/recover", wrong).status_code == 422
    code = new_code(owner)
    assert recover(anybody, code).json["limit"] == "recoveries_per_address"
    assert browser.send("/recover", {"recovery_code": code}).status_code == 429
    elsewhere = {"REMOTE_ADDR": "192.0.2.9"}
    response = anybody.post("/v1/recoveries", json={"recovery_code": code}, environ_base=elsewhere)
    assert response.status_code == 201
    app.extensions["botequim"].close()


# Pages


def keys_on(response: TestResponse) -> tuple[str, str]:
    """The token and the recovery code that a page shows."""
    assert response.status_code == 200, response.text
    assert response.headers["Cache-Control"] == "private, no-store"
    check_page(response)
    (token,) = re.findall(r"btq_o_[\w-]+", response.text)
    (code,) = CODE.findall(response.text)
    return token, code


def test_recover_on_the_pages(app: Flask, services: Service, owner: Account) -> None:
    browser = Browser(app)
    assert "/recover" in check_page(browser.get("/sign-in")).links
    check_page(browser.get("/recover"))
    code = new_code(owner)
    token, next_code = keys_on(browser.send("/recover", {"recovery_code": code}))
    assert services.accounts.check(token).name == "ana"
    assert "<h1>ana</h1>" in browser.get("/account").text
    with pytest.raises(InvalidToken):
        services.accounts.check(owner.token)
    for _ in range(2):
        refused = Browser(app).send("/recover", {"recovery_code": code})
        assert refused.status_code == 422
        assert "invalid_recovery_code" in check_page(refused).html
    keys_on(Browser(app).send("/recover", {"recovery_code": next_code}))
    assert browser.get("/account").status_code == 303


def test_the_form_says_what_is_missing(app: Flask) -> None:
    assert Browser(app).send("/recover", {}).status_code == 422


def test_a_suspended_owner_sees_why(app: Flask, owner: Account, services: Service) -> None:
    code = new_code(owner)
    services.accounts.set_suspended("ana", OwnerSuspension("cheats", "admin", 1))
    refused = Browser(app).send("/recover", {"recovery_code": code})
    assert refused.status_code == 403
    assert "cheats" in refused.text


def test_the_account_page_makes_a_code(browser: Browser, anybody: ContractClient, owner: Account) -> None:
    shown = browser.send("/account/recovery-code", page="/account")
    (code,) = CODE.findall(check_page(shown).html)
    assert shown.headers["Cache-Control"] == "private, no-store"
    assert code not in browser.get("/account").text
    assert recover(anybody, code).status_code == 201


def test_signing_up_and_replacing_the_token_show_a_code(
    app: Flask, anybody: ContractClient, services: Service
) -> None:
    browser = Browser(app)
    _, first = keys_on(browser.send("/sign-up", {"name": "ana"}))
    token, second = keys_on(browser.send("/account/token", page="/account"))
    assert services.accounts.check(token).name == "ana"
    assert recover(anybody, first).status_code == 422
    assert recover(anybody, second).status_code == 201


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/v1/owners/me/recovery-code"),
        ("POST", "/v1/owners/me/token"),
        ("DELETE", "/v1/owners/me/token"),
        ("DELETE", "/v1/owners/me/identity"),
        ("POST", "/v1/owners/me/sign-in-links"),
    ],
)
def test_a_token_that_was_replaced_elsewhere_issues_no_secrets(
    method: str, path: str, owner: Account, settings: Settings
) -> None:
    """Although another process still remembers it."""
    elsewhere = contract_client(create_app(settings), owner.token)
    assert elsewhere.get("/v1/owners/me").status_code == 200
    assert owner.client.post("/v1/owners/me/token").status_code == 201
    assert elsewhere.get("/v1/owners/me").status_code == 200
    assert elsewhere.open(path, method=method).status_code == 401
