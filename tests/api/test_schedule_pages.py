"""Schedules that owners make, edit, pause and delete on pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from api.pages.fields import Words, controls, time_value
from api.pages.organise import schema_of
from api.schemas.schedules import TemplateSchema
from arena.events.schedules import Schedules
from arena.games import GAMES
from arena.ops.service import Service
from tests.api.arenas import now_ms
from tests.api.conftest import Account
from tests.api.contract import ContractClient
from tests.api.pages import Browser, sent_back
from tests.api.test_web_pages import BROWSER, check_page

NEW = "/account/schedules/new"
SEND = "/account/schedules"
WEEKLY: dict[str, Any] = {
    "kind": "toepen",
    "id": "weekly",
    "cron": "0 20 * * 1",
    "name": "Weekly",
    "format": "swiss",
    "rounds": "3",
    "preset": "duel@1",
    "house": ["rookie", "random"],
    "entry_s": "600",
    "max_entries": "8",
    "clock.per_turn_ms": "2.5",
}


@pytest.fixture
def schedules(services: Service) -> Schedules:
    return services.schedules


def html(browser: Browser, path: str) -> str:
    response = browser.get(path, headers=BROWSER)
    assert response.status_code == 200, response.text
    return check_page(response).html


def create(browser: Browser, **values: Any) -> None:
    sent = browser.send(SEND, {**WEEKLY, **values}, page=NEW)
    assert (sent.status_code, sent.location) == (303, "/account"), sent.text


@pytest.mark.parametrize("kind", GAMES)
def test_the_form_has_all_settings_of_the_api(browser: Browser, kind: str) -> None:
    shown = html(browser, f"{NEW}?kind={kind}")
    shape = schema_of(TemplateSchema, kind)
    names = [one.name for one in controls(shape, [name for name in shape.fields if name != "kind"], Words())]
    for name in (*names, "id", "cron", "at_ms"):
        assert (f'name="{name}"' in shown) is (name != "rated"), name
    # Only schedules of admins wait for leaderboards.
    assert 'name="until_groups"' not in shown


def test_a_schedule_is_made_edited_paused_and_deleted(
    browser: Browser, schedules: Schedules, owner: Account
) -> None:
    assert "You have no schedules" in html(browser, "/account")
    create(browser)
    made = schedules.view("weekly")
    assert (made["cron"], made["created_by"], made["own"], made["enabled"]) == (
        "0 20 * * 1",
        "ana",
        True,
        True,
    )
    template = made["tournament"]
    assert (template["name"], template["format"], template["rounds"]) == ("Weekly", "swiss", 3)
    assert (template["preset"], template["entry_s"], template["max_entries"]) == ("duel@1", 600, 8)
    assert (template["house"], template["clock"]["per_turn_ms"]) == (["rookie", "random"], 2500)
    assert "rules" not in template
    assert "/account/schedules/weekly/edit" in html(browser, "/account")

    edit = "/account/schedules/weekly/edit"
    shown = html(browser, edit)
    for value in ("Weekly", "0 20 * * 1", "600", "2.5"):
        assert f'value="{value}"' in shown
    assert '<option value="swiss" selected>' in shown
    assert 'name="id"' not in shown
    values = {name: value for name, value in WEEKLY.items() if name not in ("kind", "id")}
    # What the form shows, sent back, changes nothing.
    assert browser.send(edit, sent_back(shown)).status_code == 303
    assert schedules.view("weekly") == made
    assert browser.send(edit, {**values, "name": "Late", "cron": "0 22 * * 1"}).status_code == 303
    changed = schedules.view("weekly")
    assert (changed["cron"], changed["tournament"]["name"]) == ("0 22 * * 1", "Late")
    assert changed["tournament"]["house"] == ["rookie", "random"]

    for state in (False, True):
        browser.send("/account/schedules/weekly", {"enabled": str(int(state))}, page="/account")
        assert schedules.view("weekly")["enabled"] is state
    assert browser.send("/account/schedules/nothing", {"enabled": "0"}, page="/account").status_code == 404
    browser.send("/account/schedules/weekly", {"delete": "1"}, page="/account")
    assert schedules.list() == []


def test_a_clock_by_its_name(browser: Browser, schedules: Schedules) -> None:
    new = {**sent_back(html(browser, f"{NEW}?kind=toepen")), **WEEKLY}
    sent = browser.send(SEND, {**new, "clock.per_turn_ms": "30", "clock.preset": "patient"}, page=NEW)
    assert sent.status_code == 303, sent.text
    made = schedules.view("weekly")
    assert made["tournament"]["clock"] == {"preset": "patient"}
    edit = "/account/schedules/weekly/edit"
    shown = html(browser, edit)
    assert '<option value="patient" selected>' in shown
    assert browser.send(edit, sent_back(shown)).status_code == 303
    assert schedules.view("weekly") == made


def test_once_and_with_own_rules(browser: Browser, schedules: Schedules) -> None:
    at_ms = now_ms() + 86_400_000
    rules = {"rules.seats": "3", "rules.lives": "4", "preset": ""}
    create(browser, id="once", cron="", at_ms=time_value(at_ms), **rules)
    made = schedules.view("once")
    assert (made["cron"], made["at_ms"] // 60_000) == (None, at_ms // 60_000)
    assert (made["tournament"]["rules"]["seats"], made["tournament"]["rules"]["lives"]) == (3, 4)
    edit = "/account/schedules/once/edit"
    shown = html(browser, edit)
    assert '<option value="" selected>my own, below</option>' in shown
    again = browser.send(edit, {**sent_back(shown), "at_ms": "", "cron": "30 6 * * *"})
    assert again.status_code == 303, again.text
    assert (schedules.view("once")["cron"], schedules.view("once")["at_ms"]) == ("30 6 * * *", None)
    assert schedules.view("once")["tournament"] == made["tournament"]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (
            {"cron": "daily"},
            "Times, as a cron line in UTC: &#39;daily&#39; is not a valid cron line: it has 1 field",
        ),
        ({"cron": ""}, "cron or"),
        ({"cron": "*/5 * * * *"}, "fires more often than once an hour"),
        ({"id": "My Cup"}, "Id: "),
        ({"name": ""}, "Name: "),
        ({"entry_s": "0"}, "Seconds of entry: 0 is out of range"),
        ({"groups": "many"}, "Groups per pairing: Not a whole number"),
        ({"auto_enter": "1"}, "the schedule of an owner cannot enter bots of other owners"),
        ({"format": "open"}, "Seconds of play"),
        ({"rounds": "5000"}, "Rounds: 5000 is out of range"),
    ],
)
def test_a_mistake_is_said_at_its_field(browser: Browser, values: dict[str, Any], said: str) -> None:
    refused = browser.send(SEND, {**WEEKLY, **values}, page=NEW)
    assert refused.status_code == 422
    shown = check_page(refused).html
    assert said.lower() in shown.lower()
    # What was typed is still there.
    assert 'value="8"' in shown
    assert "tournament." not in shown


def test_the_same_form_sent_twice_makes_one(browser: Browser, schedules: Schedules) -> None:
    again = browser.send(SEND, WEEKLY, page=NEW, times=2)
    assert again.status_code == 303
    assert len(schedules.list()) == 1


def test_only_its_owner_sees_the_form(
    app: Flask, browser: Browser, sign_up: Callable[..., Account], schedules: Schedules
) -> None:
    create(browser)
    stranger = Browser(app)
    for path in (NEW, "/account/schedules/weekly/edit"):
        assert stranger.get(path, headers=BROWSER).status_code == 303
    stranger.sign_in(sign_up("pia").token)
    assert stranger.get("/account/schedules/weekly/edit", headers=BROWSER).status_code == 403
    refused = stranger.send("/account/schedules/weekly/edit", {"name": "Mine"}, page=NEW)
    assert refused.status_code == 403
    assert stranger.send("/account/schedules/weekly", {"delete": "1"}, page=NEW).status_code == 403
    assert schedules.view("weekly")["tournament"]["name"] == "Weekly"


def test_what_an_admin_does_with_that_of_an_owner_is_audited(
    app: Flask, browser: Browser, sign_up: Callable[..., Account], admin: ContractClient
) -> None:
    create(browser)
    pia = sign_up("pia")
    service: Service = app.extensions["botequim"]
    service.accounts.set_admin("pia", True)
    other = Browser(app)
    other.sign_in(pia.token)
    edit = "/account/schedules/weekly/edit"
    assert other.send(edit, {**sent_back(html(other, edit)), "name": "Mended"}).status_code == 303
    assert service.schedules.view("weekly")["tournament"]["name"] == "Mended"
    other.send("/account/schedules/weekly", {"delete": "1"}, page=NEW)
    entries = admin.get("/v1/admin/audit").json["entries"]
    assert [
        (one["admin"], one["action"], one["subject"]) for one in entries if "schedule" in one["action"]
    ] == [("pia", "delete schedule", "schedule weekly"), ("pia", "change schedule", "schedule weekly")]
