"""What pages say about tournaments to come: no time that does not come, and no cron line."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from flask import Flask

from arena.events.schedule_states import TURNS, turn_of
from arena.events.schedules import Schedules
from arena.ops.service import Service
from arena.store.amounts import DAY_MS
from tests.api.arenas import announce, play
from tests.api.conftest import Account
from tests.api.contract import ContractClient
from tests.api.pages import Browser
from tests.api.test_web_pages import BROWSER, Page, check_page, read
from workers.initial_data import add_initial_data

CUP: dict[str, Any] = {"name": "Nightly cup", "kind": "truco", "format": "swiss", "house": ["rookie"]}
SOURCE = "def choose(turn):\n    return turn['legal_actions'][0]\n"
CRON = re.compile(r"([0-9*/,-]+ ){3}[0-9*/,-]+")


def seed(services: Service) -> None:
    """The schedules of a new service, without its first tournaments."""
    schedules: Schedules = services.schedules
    schedules.announce = lambda *_, **options: None  # type: ignore[method-assign]
    add_initial_data(services.store.flags, schedules)
    del schedules.announce


def text(page: Page) -> str:
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", page.html)))


@pytest.mark.parametrize("path", ["/", "/tournaments"])
def test_schedules_that_rest_have_no_time(services: Service, anybody: ContractClient, path: str) -> None:
    seed(services)
    page = read(anybody, path)
    shown = text(page)
    assert "as soon as a new bot comes" in shown
    assert "Uploaded bots: Sealed Toepen, Sealed Truco, Sealed Truco mineiro" in shown
    assert "Language models: Toepen of language models, Truco of language models" in shown
    assert not CRON.search(shown)
    assert "<time" not in page.html
    assert "/leaderboards/truco/sealed?preset=paulista@1" in page.links
    # Compact: as many lines as kinds of bots.
    assert page.html.count('class="resting"') == 3


@pytest.mark.parametrize("path", ["/", "/tournaments"])
def test_the_next_turn_of_daily_play_has_a_time(
    services: Service, anybody: ContractClient, path: str
) -> None:
    seed(services)
    now_ms = services.store.clock().now_ms
    turn = turn_of("sealed-truco", now_ms)
    row = services.store.schedules.find("sealed-truco")
    services.store.schedules.change("sealed-truco", lambda _: {**row, "daily_turn": turn})
    page = read(anybody, path)
    assert page.html.count("<time") == 1
    assert re.search("(Sealed Truco daily play|Next:) *(in [0-9]+ (h|min))?", text(page))
    found = anybody.get("/v1/schedules/sealed-truco").json
    assert now_ms < found["daily_ms"] <= now_ms + DAY_MS // TURNS
    assert "daily_turn" not in found
    assert anybody.get("/v1/schedules/house-truco").json["daily_ms"] is None


@pytest.mark.parametrize("path", ["/", "/tournaments"])
def test_real_times_are_in_words(
    services: Service, admin: ContractClient, anybody: ContractClient, path: str
) -> None:
    at_ms = services.store.clock().now_ms + 4 * 60_000
    body = {"id": "nightly", "at_ms": at_ms, "tournament": CUP}
    assert admin.post("/v1/schedules", json=body).status_code == 201
    repeated = {"id": "weekly", "cron": "0 20 * * 1", "tournament": {**CUP, "name": "Weekly cup"}}
    assert admin.post("/v1/schedules", json=repeated).status_code == 201
    event = announce(admin, {**CUP, "name": "Announced cup", "locks_ms": at_ms + 56 * 60_000})
    page = read(anybody, path)
    assert re.search(r'title="[0-9-]{10} [0-9:]{8} UTC">in 4 min</time>', page.html)
    assert ">in 1 h</time>" in page.html
    assert "Weekly cup" in page.html
    assert not CRON.search(text(page))
    assert f"/tournaments/{event}" in page.links


def test_a_schedule_whose_tournament_runs_is_not_listed_twice(
    services: Service, admin: ContractClient, anybody: ContractClient
) -> None:
    seed(services)
    services.store.presence.note_arrival("truco/sealed")
    row = services.store.schedules.find("sealed-truco")
    services.store.schedules.change("sealed-truco", lambda _: {**row, "last_ms": row["next_ms"]})
    event = f"sealed-truco-{row['next_ms'] // 1000}"
    services.tournaments.create({**CUP, "locks_ms": row["next_ms"]}, "", tournament_id=event)
    found = anybody.get("/v1/schedules/sealed-truco").json
    assert (found["waits_for"], found["current"]) == ("tournament", event)
    shown = text(read(anybody, "/"))
    assert "Nightly cup" in shown
    assert "Uploaded bots: Sealed Toepen, Sealed Truco mineiro" in shown


def test_the_list_of_own_schedules_has_no_cron_line(browser: Browser, owner: Account) -> None:
    body = {"id": "weekly", "cron": "0 20 * * 1", "tournament": {**CUP, "name": "Weekly cup"}}
    assert owner.client.post("/v1/schedules", json=body).status_code == 201
    page = check_page(browser.get("/account", headers=BROWSER))
    assert not CRON.search(text(page))
    assert re.search(r"next <time [^>]*>in [0-9]+ (days|h|min)</time>, repeatedly", page.html)
    assert owner.client.patch("/v1/schedules/weekly", json={"enabled": False}).status_code == 200
    page = check_page(browser.get("/account", headers=BROWSER))
    assert "Weekly cup weekly " in text(page)
    # The form, which changes it, has it.
    assert "0 20 * * 1" in browser.get("/account/schedules/weekly/edit", headers=BROWSER).text


def test_the_page_of_an_upload_says_what_comes_next(
    app: Flask, services: Service, browser: Browser, owner: Account, checker: None
) -> None:
    body = {"name": "novato", "transport": "uploaded", "source": SOURCE}
    upload = owner.client.post("/v1/bots", json=body).json["upload"]["id"]
    path = f"/bots/novato/uploads/{upload}"
    services.tournaments.qualify_added("novato", "1")
    assert "What comes next" not in browser.get(path, headers=BROWSER).text
    for one in services.tournaments.qualifications("novato", "1"):
        play(services, one["tournament"])

    def said() -> tuple[str, Page]:
        page = check_page(browser.get(path, headers=BROWSER))
        return text(page).partition("What comes next ")[2], page

    shown, page = said()
    assert shown.startswith("Truco, uploaded bots: no schedule of this service enters uploaded bots in it.")
    assert "data-refresh" not in page.html
    assert "/leaderboards/truco/sealed" in page.links
    seed(services)
    shown, page = said()
    assert shown.startswith("Truco, uploaded bots: waits for 'Sealed Truco', which starts automatically.")
    assert 'data-refresh="5"' in page.html
    # The tick sees the bot that has qualified.
    event = next(one for one in services.schedules.fire() if one.startswith("sealed-toepen-"))
    shown, page = said()
    assert (
        "Toepen for two, uploaded bots: plays in 'Sealed Toepen', which locks in less than a minute." in shown
    )
    assert f"/tournaments/{event}" in page.links
    assert browser.get(f"/tournaments/{event}", headers=BROWSER).status_code == 200
    owner.client.patch("/v1/bots/novato", json={"tournaments": False})
    assert said()[0] == ""
