"""Tournaments that owners announce, enter and cancel on pages."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from flask import Flask
from marshmallow import Schema

from api.pages.fields import Words, controls, time_value
from api.schemas.tournaments import NewTournamentSchema
from arena.events.service import Tournaments
from arena.games import GAMES
from arena.ops.service import Service
from tests.api.arenas import announce, now_ms, play
from tests.api.conftest import Account
from tests.api.pages import Browser
from tests.api.test_web_pages import BROWSER, NASTY, Page, check_page

NEW = "/tournaments/new"
CUP = {"kind": "toepen", "name": "Cup", "format": "round_robin", "preset": "duel@1", "draft": "d1"}


@pytest.fixture
def arena(services: Service) -> Tournaments:
    return services.tournaments


@pytest.fixture
def pia(sign_up: Callable[..., Account]) -> Account:
    return sign_up("pia")


@pytest.fixture
def other(app: Flask, pia: Account) -> Browser:
    browser = Browser(app)
    browser.sign_in(pia.token)
    return browser


def opened(browser: Browser, path: str) -> Page:
    response = browser.get(path, headers=BROWSER)
    assert response.status_code == 200, response.text
    return check_page(response)


def later(hours: int) -> str:
    return time_value(now_ms() + 3_600_000 * hours)


def announced(browser: Browser, **values: Any) -> str:
    """The id of a tournament that is announced by its form."""
    sent = browser.send(NEW, {**CUP, "locks_ms": later(2), **values})
    assert sent.status_code == 303, sent.text
    return str(sent.location).removeprefix("/tournaments/")


# Announcing


@pytest.mark.parametrize("kind", GAMES)
def test_the_form_has_all_settings_of_the_api(browser: Browser, kind: str) -> None:
    html = opened(browser, f"{NEW}?kind={kind}").html
    schema = NewTournamentSchema.type_schemas[kind]
    shape: Schema = schema() if isinstance(schema, type) else schema
    names = [one.name for one in controls(shape, shape.fields, Words())]
    assert "rules." + next(iter(GAMES[kind].options.by_name)) in names
    for name in names:
        assert (f'name="{name}"' in html) is (name != "rated"), name
    for preset in GAMES[kind].presets:
        assert f'value="{preset.name}"' in html


def test_a_tournament_is_announced(browser: Browser, arena: Tournaments) -> None:
    event = announced(
        browser,
        name=NASTY,
        format="swiss",
        rounds="3",
        groups="2",
        division="sealed",
        house=["rookie", "random"],
        max_entries="16",
        per_owner="2",
        opens_ms=later(1),
        ends_ms="",
        tie_breaks="won, head to head",
        **{"clock.per_turn_ms": "2.5", "clock.bank_ms": "30"},
    )
    view = arena.view(event)
    assert (view["name"], view["kind"], view["preset"]) == (NASTY, "toepen", "duel@1")
    assert (view["format"], view["rounds"], view["groups"]) == ("swiss", 3, 2)
    assert (view["division"], view["max_entries"], view["per_owner"]) == ("sealed", 16, 2)
    assert view["clock"] == {"per_turn_ms": 2500, "bank_ms": 30_000}
    assert view["tie_breaks"] == ["won", "head_to_head"]
    assert [entry["bot"] for entry in view["entries"]] == ["rookie", "random"]
    assert (view["rated"], view["created_by"], view["state"]) == (False, "ana", "announced")
    assert view["locks_ms"] - view["opens_ms"] == 3_600_000
    assert NASTY not in opened(browser, f"/tournaments/{event}").html


def test_own_rules(browser: Browser, arena: Tournaments) -> None:
    rules = {"rules.seats": "5", "rules.whistling": "1", "rules.end": "rubber"}
    view = arena.view(announced(browser, preset="", per_owner="1", **rules))
    assert (view["rules"]["seats"], view["rules"]["whistling"], view["rules"]["end"]) == (5, True, "rubber")
    assert view["preset"] is None


def test_rules_and_a_preset_contradict_each_other(browser: Browser) -> None:
    refused = browser.send(NEW, {**CUP, "rules.seats": "5"})
    assert refused.status_code == 422
    assert "Rules: rules and preset cannot be used together" in check_page(refused).html


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"name": ""}, "Name: "),
        ({"groups": "many"}, "Groups per pairing: Not a whole number"),
        ({"groups": "0"}, "Groups per pairing: 0 is out of range"),
        ({"format": "swiss", "rounds": "101"}, "Rounds: 101 is out of range"),
        (
            {"format": "knockout", "rounds": "2"},
            "Rounds: the format Knockout does not take a number of rounds",
        ),
        (
            {"ends_ms": "2000-01-01T00:00"},
            "Play ends (UTC): the format Round robin does not take an end time",
        ),
        (
            {"locks_ms": "2000-01-01T00:00"},
            "Entry closes and play starts (UTC): 2000-01-01 00:00 UTC is too early for",
        ),
        ({"locks_ms": "soon"}, "Entry closes and play starts (UTC): Must be a time such as 20"),
        ({"invited": "rookie"}, "Invited bots: Bots are invited, but anyone may enter"),
        ({"tie_breaks": "luck"}, "Tie-breaks: &#39;luck&#39; is not allowed"),
        ({"clock.per_turn_ms": "0"}, "Seconds per decision: 0 is out of range. Expected: 0.1 to "),
        ({"preset": "", "rules.seats": "9"}, "Seats: 9 is not a valid value for toepen&#39;s rule option"),
    ],
)
def test_errors_stand_at_their_fields(browser: Browser, values: dict[str, str], said: str) -> None:
    response = browser.send(NEW, {**CUP, "rules.lives": "10", "invited": "", **values})
    assert response.status_code == 422
    page = check_page(response)
    problem = re.search(r'<p class="problem" role="alert">(.*?)</p>', page.html)
    assert problem is not None
    assert said.lower() in problem[1].lower()
    assert "_ms" not in problem[1]
    assert not re.search(r"\d{13}", problem[1])
    assert page.html.count('aria-invalid="true"') == 1
    kept = {"name": "Cup", **values}["name"]
    assert f'value="{kept}"' in page.html


def test_a_form_sent_twice_is_one_tournament(browser: Browser, arena: Tournaments) -> None:
    values = {"locks_ms": later(2)}
    first = announced(browser, **values)
    assert announced(browser, **values) == first
    assert announced(browser, **values, name="Another") != first
    assert announced(browser, **values, draft="d2") != first
    assert len(arena.list().items) == 3


def test_an_admin_may_announce_rated_ones(app: Flask, pia: Account, arena: Tournaments) -> None:
    app.extensions["botequim"].accounts.set_admin("pia", True)
    browser = Browser(app)
    browser.sign_in(pia.token)
    assert 'name="rated"' in browser.get(f"{NEW}?kind=toepen").text
    assert arena.view(announced(browser))["rated"]
    assert not arena.view(announced(browser, rated="no"))["rated"]


def test_only_owners_announce(app: Flask, browser: Browser, arena: Tournaments) -> None:
    visitor = Browser(app)
    assert visitor.get(NEW).location == f"/sign-in?next={NEW}"
    assert visitor.send(NEW, CUP, page="/sign-in").location == "/sign-in"
    assert browser.client.post(NEW, data={**CUP, "csrf_token": "x"}).status_code == 400
    assert NEW not in check_page(visitor.get("/tournaments")).links
    assert NEW in opened(browser, "/tournaments").links
    assert arena.list().items == []


# Entering


def test_bots_are_entered_and_withdrawn(
    browser: Browser, other: Browser, register: Callable[..., Account], pia: Account, arena: Tournaments
) -> None:
    register("first")
    register("second", of=pia)
    event = announced(browser)
    where = f"/tournaments/{event}"
    page = opened(other, where)
    assert "<option>second</option>" in page.html
    assert "<option>first</option>" not in page.html
    assert "Cancel the tournament" not in page.html
    for one, bot in ((browser, "first"), (other, "second")):
        sent = one.send(f"{where}/entries", {"bot": bot}, page=where, times=2)
        assert sent.location == where, sent.text
    assert [entry["bot"] for entry in arena.view(event)["entries"]] == ["first", "second"]
    assert "<option>second</option>" not in opened(other, where).html
    # Only one's own.
    assert other.send(f"{where}/withdraw", {"bot": "first"}, page="/account").status_code == 403
    assert other.send(f"{where}/entries", {"bot": "first"}, page="/account").status_code == 403
    assert browser.send(f"{where}/withdraw", {"bot": "first"}, page=where, times=2).location == where
    states = {entry["bot"]: entry["status"] for entry in arena.view(event)["entries"]}
    assert states == {"first": "withdrawn", "second": "qualifying"}


def test_house_bots_are_entered_by_whoever_announced_it(
    browser: Browser, other: Browser, arena: Tournaments
) -> None:
    event = announced(browser, house="rookie")
    where = f"/tournaments/{event}"
    page = opened(browser, where)
    assert "<option>random</option>" in page.html
    assert "<option>rookie</option>" not in page.html
    assert browser.send(f"{where}/entries", {"bot": "random"}, page=where).location == where
    assert other.send(f"{where}/entries", {"bot": "regular"}, page="/account").status_code == 403
    assert browser.send(f"{where}/withdraw", {"bot": "rookie"}, page=where).location == where
    states = [entry["status"] for entry in arena.view(event)["entries"]]
    assert sorted(states) == ["qualified", "withdrawn"]


def test_only_invited_bots_enter(
    browser: Browser, other: Browser, register: Callable[..., Account], pia: Account
) -> None:
    register("first", of=pia)
    register("second", of=pia)
    event = announced(browser, who="invited", invited="first,\r\nrookie")
    where = f"/tournaments/{event}"
    page = opened(other, where)
    assert "<option>first</option>" in page.html
    assert "<option>second</option>" not in page.html
    enter = f'href="{where}#enter"'
    assert enter in opened(other, "/tournaments").html
    assert enter not in opened(browser, "/tournaments").html
    refused = other.send(f"{where}/entries", {"bot": "second"}, page=where)
    assert refused.status_code == 403
    assert "second is not invited" in check_page(refused).html.lower()


def test_a_refused_entry_says_why(
    browser: Browser, register: Callable[..., Account], services: Service
) -> None:
    register("first")
    event = announced(browser, division="sealed")
    where = f"/tournaments/{event}"
    assert "<option>first</option>" not in opened(browser, where).html
    refused = browser.send(f"{where}/entries", {"bot": "first"}, page=where)
    assert "wrong_division" in check_page(refused).html
    assert refused.status_code in (409, 422)


# Cancelling


def test_a_tournament_is_cancelled_with_a_reason(
    browser: Browser, other: Browser, arena: Tournaments
) -> None:
    event = announced(browser)
    where = f"/tournaments/{event}"
    assert other.send(f"{where}/cancel", {"reason": "mine"}, page="/account").status_code == 403
    assert browser.client.post(f"{where}/cancel", data={"csrf_token": "x"}).status_code == 400
    empty = browser.send(f"{where}/cancel", {"reason": " "}, page=where)
    assert empty.status_code == 422
    assert arena.view(event)["state"] == "entry"
    assert browser.send(f"{where}/cancel", {"reason": NASTY}, page=where, times=2).location == where
    view = arena.view(event)
    assert (view["state"], view["reason"]) == ("cancelled", NASTY)
    page = opened(browser, where)
    assert NASTY not in page.html
    main = page.html.partition("<main")[2].partition("</main")[0]
    assert re.findall(r'<form[^>]* action="([^"]+)"', main) == [f"{where}/clone"]


def test_admins_cancel_and_are_audited(
    app: Flask, browser: Browser, pia: Account, other: Browser, services: Service
) -> None:
    event = announced(browser)
    services.accounts.set_admin("pia", True)
    assert "Cancel the tournament" in opened(other, f"/tournaments/{event}").html
    sent = other.send(f"/tournaments/{event}/cancel", {"reason": "Rain."}, page=f"/tournaments/{event}")
    assert sent.status_code == 303
    (entry, _), _ = services.accounts.audited()
    assert (entry.admin, entry.action, entry.subject) == ("pia", "cancel tournament", f"tournament {event}")


def test_a_tournament_that_is_over_can_only_be_edited_and_announced_again(
    browser: Browser, other: Browser, owner: Account, services: Service
) -> None:
    body = {"name": "Cup", "kind": "toepen", "format": "round_robin", "preset": "duel@1"}
    event = announce(owner.client, {**body, "house": ["rookie", "random"]})
    play(services, event)
    assert "csrf_token" not in opened(other, f"/tournaments/{event}").html.partition("<main")[2]
    html = opened(browser, f"/tournaments/{event}").html.partition("<main")[2]
    assert html.count("csrf_token") == 1
    assert f'href="/tournaments/{event}/edit"' in html
    sent = browser.send(f"/tournaments/{event}/cancel", {"reason": "Late."}, page="/account")
    assert sent.status_code == 409
    assert "tournament_over" in sent.text


# Editing


def test_an_owner_edits_what_can_be_edited(
    browser: Browser, other: Browser, register: Callable[..., Account], arena: Tournaments
) -> None:
    event = announced(browser, description=f"{NASTY}\nSecond line", link="https://example.org/")
    where = f"/tournaments/{event}/edit"
    shown = opened(browser, f"/tournaments/{event}").html
    assert NASTY not in shown
    assert "Second line" in shown
    assert 'href="https://example.org/" rel="nofollow noopener ugc"' in shown
    assert f'href="{where}"' in shown
    before = arena.view(event)
    html = opened(browser, where).html
    assert 'name="groups"' in html
    assert "Second line" in html
    # What nobody has changed stays, to the millisecond; a preset is not what its options are.
    values = form_values(html)
    sent = browser.send(where, {**values, "groups": "3", "house": ["rookie"]})
    assert sent.status_code == 303, sent.text
    after = arena.view(event)
    assert {one["field"] for one in after["edits"]} == {"groups", "house"}
    assert (after["groups"], after["locks_ms"]) == (3, before["locks_ms"])
    shown = opened(browser, f"/tournaments/{event}").html
    assert ">ana</a>: groups, before: <q>1</q>, now: <q>3</q>" in shown
    register("zap-bot")
    assert browser.send(f"/tournaments/{event}/entries", {"bot": "zap-bot"}, page=where).status_code == 303
    html = opened(browser, where).html
    assert 'name="groups"' not in html
    kept = form_values(html)
    assert set(kept) == {"name", "description", "link", "locks_ms", "max_entries"}
    sent = browser.send(where, {**kept, "name": "Fun <cup>", "link": ""})
    assert sent.status_code == 303, sent.text
    assert (arena.view(event)["name"], arena.view(event)["link"]) == ("Fun <cup>", "")
    refused = browser.send(where, {**kept, "max_entries": "3"})
    assert refused.status_code == 422
    assert "Places: 3 is not a valid value for" in check_page(refused).html
    assert other.get(where, headers=BROWSER).status_code == 403
    assert other.send(where, {"name": "Mine"}, page="/account").status_code == 403
    assert f'href="{where}"' not in opened(other, f"/tournaments/{event}").html
    assert arena.view(event)["name"] == "Fun <cup>"


def test_a_tournament_is_announced_again(browser: Browser, other: Browser, arena: Tournaments) -> None:
    event = announced(browser, groups="3", house=["rookie"], description="Every Friday.")
    where, clone = f"/tournaments/{event}", f"/tournaments/{event}/clone"
    html = opened(browser, where).html
    draft = re.search(r'name="draft" value="([^"]+)"', html)
    assert draft is not None
    form = {"draft": draft[1], "locks_ms": later(5)}
    made = str(browser.send(clone, form, page=where, times=2).location).removeprefix("/tournaments/")
    view = arena.view(made)
    assert (view["groups"], view["description"], view["entries"][0]["bot"]) == (3, "Every Friday.", "rookie")
    assert time_value(view["locks_ms"]) == form["locks_ms"]
    assert view["commitment"] != arena.view(event)["commitment"]
    assert len(arena.present().items) == 2
    refused = browser.send(clone, {**form, "locks_ms": ""}, page=where)
    assert "missing data" in check_page(refused).html.lower()
    assert other.send(clone, form, page="/account").status_code == 403
    assert clone not in opened(other, where).html


def form_values(html: str) -> dict[str, str]:
    """The values of the fields of the form for a tournament, as a browser would send them."""
    main = html.partition('class="form"')[2].partition("</form>")[0]
    found = {}
    for tag, name in re.findall(r'(<input(?![^>]*checkbox|[^>]*hidden)[^>]* name="([^"]+)"[^>]*>)', main):
        value = re.search(r' value="([^"]*)"', tag)
        found[name] = unescape(value[1]) if value else ""
    for tag, name in re.findall(r'(<input(?=[^>]*checkbox)[^>]* name="([^"]+)"[^>]*>)', main):
        if " checked" in tag:
            found[name] = unescape(re.search(r' value="([^"]*)"', tag)[1])  # type: ignore[index]
    for name, text in re.findall(r'<textarea[^>]* name="([^"]+)"[^>]*>\n?(.*?)</textarea>', main, re.DOTALL):
        found[name] = unescape(text)
    for name, options in re.findall(r'<select[^>]* name="([^"]+)"[^>]*>(.*?)</select>', main, re.DOTALL):
        chosen = re.search(r'value="([^"]*)" selected', options)
        found[name] = unescape(chosen[1]) if chosen else ""
    return found
