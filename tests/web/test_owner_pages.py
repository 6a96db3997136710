"""Whole journeys of owners at a running service, in a real browser."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from api.app import create_app
from arena.errors import ArenaError
from arena.inputs.times import in_utc
from arena.ops.service import Service
from tests.api.arenas import announce
from tests.api.conftest import ADMIN_TOKEN
from tests.api.contract import contract_client
from tests.api.server import Server
from tests.live.clock import close_entry
from tests.waiting import PATIENCE, wait_until
from tests.web.playing import prepare_replay

pytestmark = pytest.mark.system

SOURCE = "def choose(turn):\n    print('my turn')\n    return turn['legal_actions'][0]\n"
FILE = {"name": "first.py", "mimeType": "text/x-python", "buffer": SOURCE.encode()}

CUP = {"name": "Cup", "kind": "toepen", "format": "round_robin", "house": ["rookie", "random"]}

NewBrowser = Callable[..., Any]


@pytest.fixture
def services(services: Service) -> Iterator[Service]:
    """The service, with a worker that checks uploads and plays tournaments."""
    done = threading.Event()

    def work() -> None:
        while not done.wait(0.05):
            for upload in services.uploads.due():
                services.check_upload(*upload, services.uploads.payer(*upload))
            for name in services.tournaments.store.active():
                try:
                    services.tournaments.step(name)
                    services.tournaments.play_local_groups(name)
                except ArenaError:
                    # The page or the test changed it at the same time.
                    continue

    thread = threading.Thread(target=work)
    thread.start()
    yield services
    done.set()
    thread.join()


@pytest.fixture
def new_page(browser: Any, server: Server) -> Iterator[NewBrowser]:
    """Opens a page in a new browser; none may log an error or send a request to another host."""
    contexts: list[Any] = []
    troubles: list[str] = []
    requests: list[str] = []

    def opened(path: str, **options: Any) -> Any:
        context = browser.new_context(base_url=server.url, **options)
        context.set_default_timeout(PATIENCE * 1000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: troubles.append(message.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path)
        return page

    yield opened
    for context in contexts:
        context.close()
    # A browser notes also the answers that show a form with its errors.
    assert [text for text in troubles if "status of 422" not in text] == []
    assert all(url.startswith(server.url + "/") for url in requests)


def submit(page: Any, name: str) -> None:
    """Submit a bot, and wait until the page says that it has qualified in both games."""
    page.goto("/account")
    page.click("text=New bot")
    page.fill("input[name=name]", name)
    page.set_input_files("input[type=file]", FILE)
    page.click("main form button")
    page.wait_for_url("**/uploads/*")
    page.wait_for_selector("tr:has-text('Truco') >> text=qualified")
    page.wait_for_selector("tr:has-text('Toepen') >> text=qualified")


def test_submit_a_bot_watch_its_qualification_and_find_it_on_the_board(
    server: Server, services: Service, new_page: NewBrowser
) -> None:
    token = server.sign_up("ana")
    admin = contract_client(create_app(services.settings), ADMIN_TOKEN)
    body = {"name": "Cup", "kind": "toepen", "format": "round_robin", "preset": "duel@1"}
    event = announce(admin, {**body, "division": "sealed", "house": ["rookie", "random"]})

    page = new_page("/sign-in")
    page.fill("input[name=token]", token)
    page.click("main form button")
    page.wait_for_url("**/account")
    submit(page, "journey-bot")
    # A script has followed it: the page was not loaded again.
    assert page.evaluate("performance.getEntriesByType('navigation').length") == 1
    page.click("tr:has-text('Toepen') a")
    page.wait_for_url("**/games/*")
    prepare_replay(services, page.url.rpartition("/")[2])
    page.wait_for_selector("#felt .seat")
    page.goto("/bots/journey-bot/log")
    page.click("table:has-text('lines printed') tbody a >> nth=0")
    page.wait_for_selector("pre:has-text('my turn')")

    page.goto(f"/tournaments/{event}")
    page.select_option("#enter-bot", "journey-bot")
    page.click("button:text-is('Enter')")
    page.wait_for_selector("button[aria-label='Withdraw journey-bot']")
    close_entry(services.tournaments, event)
    wait_until(lambda: services.tournaments.view(event)["state"] == "finished")
    wait_until(lambda: services.boards.publish("toepen", "sealed"))
    page.goto("/leaderboards/toepen")
    page.click("main >> a:text-is('journey-bot') >> nth=0")
    page.wait_for_url("**/bots/journey-bot")
    assert page.locator("nav[aria-label='Pages of journey-bot']").is_visible()


def test_times_of_forms_are_those_of_the_browser(
    server: Server, services: Service, new_page: NewBrowser
) -> None:
    page = new_page("/sign-in", timezone_id="America/Sao_Paulo")
    page.fill("input[name=token]", server.sign_up("ana"))
    page.click("main form button")
    page.wait_for_url("**/account")
    page.goto("/tournaments/new?kind=toepen")
    page.wait_for_selector("label:has-text('(your time)') >> nth=0")
    field = page.locator("input[name=locks_ms]")
    assert field.get_attribute("value") != field.input_value()
    page.fill("input[name=name]", "Cup")
    page.fill("input[name=locks_ms]", "2001-07-01T18:00")
    page.click("text=Announce >> nth=-1")
    # With an error the form comes back as it was.
    page.wait_for_selector("[role=alert]:has-text('2001-07-01 21:00 UTC')")
    page.wait_for_selector("label:has-text('(your time)') >> nth=0")
    assert page.input_value("input[name=locks_ms]") == "2001-07-01T18:00"
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    page.fill("input[name=locks_ms]", f"{tomorrow:%Y-%m-%d}T18:00")
    page.click("text=Announce >> nth=-1")
    page.wait_for_url("**/tournaments/*")
    view = services.tournaments.view(page.url.rpartition("/")[2])
    assert in_utc(view["locks_ms"]) == f"{tomorrow:%Y-%m-%d}T21:00:00Z"


@pytest.mark.nightly("pages")
def test_organise_a_tournament_without_scripts(
    server: Server, services: Service, new_page: NewBrowser
) -> None:
    page = new_page("/sign-in", java_script_enabled=False)
    page.click("text=Sign up")
    page.fill("input[name=name]", "organiser")
    page.click("main form button")
    token = page.inner_text(".once")
    assert services.accounts.check(token).name == "organiser"
    submit(page, "organised-bot")

    page.goto("/tournaments")
    page.click("text=Announce a tournament")
    page.click("nav[aria-label=Game] >> text=Toepen")
    page.fill("input[name=name]", "Friday cup")
    page.select_option("select[name=division]", "sealed")
    page.fill("input[name=locks_ms]", "2000-01-01T00:00")
    page.check("input[name=house][value=rookie]")
    page.check("input[name=house][value=random]")
    page.click("text=Announce >> nth=-1")
    assert "2000-01-01 00:00 UTC" in page.inner_text("[role=alert]")
    assert page.input_value("input[name=name]") == "Friday cup"
    assert page.is_checked("input[name=house][value=random]")
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    page.fill("input[name=locks_ms]", f"{tomorrow:%Y-%m-%dT%H:%M}")
    page.click("text=Announce >> nth=-1")
    page.wait_for_url("**/tournaments/*")
    assert page.inner_text("h1") == "Friday cup"
    event = page.url.rpartition("/")[2]
    page.select_option("#enter-bot", "organised-bot")
    page.click("button:text-is('Enter')")
    page.wait_for_selector("button[aria-label='Withdraw organised-bot']")
    page.click("button[aria-label='Withdraw random']")
    page.wait_for_selector("button[aria-label='Withdraw random']", state="detached")
    entries = services.tournaments.view(event)["entries"]
    assert {one["bot"]: one["status"] for one in entries} == {
        "rookie": "qualified",
        "random": "withdrawn",
        "organised-bot": "qualified",
    }
    close_entry(services.tournaments, event)
    wait_until(lambda: services.tournaments.view(event)["state"] == "finished")
    page.reload()
    page.wait_for_selector("text=Final standings")
    # What is over can only be announced again.
    assert page.locator("main form").evaluate_all("forms => forms.map(form => form.action)") == [
        f"{page.url}/clone"
    ]

    page.goto("/tournaments/new?kind=truco")
    page.fill("input[name=name]", "Rainy cup")
    page.click("text=Announce >> nth=-1")
    page.click("text=Cancel the tournament >> nth=0")
    page.fill("input[name=reason]", "Rain.")
    page.click("button:text-is('Cancel the tournament')")
    page.wait_for_selector("[role=status]:text-is('cancelled')")
    assert "Rain." in page.inner_text(".facts")
    page.goto("/account")
    assert page.locator("text=Friday cup").is_visible()


@pytest.mark.nightly("pages")
def test_keep_a_schedule_without_scripts(server: Server, services: Service, new_page: NewBrowser) -> None:
    token = server.sign_up("teacher")
    page = new_page("/sign-in", java_script_enabled=False)
    page.fill("input[name=token]", token)
    page.click("main form button")
    page.click("text=New schedule")
    page.click("nav[aria-label=Game] >> text=Toepen")
    page.fill("input[name=id]", "weekly")
    page.fill("input[name=cron]", "every monday")
    page.fill("input[name=name]", "Monday cup")
    page.check("input[name=house][value=rookie]")
    page.fill("input[name=entry_s]", "3600")
    page.click("main form button:text-is('Create')")
    assert "is not a valid cron line" in page.inner_text("[role=alert]")
    assert page.input_value("input[name=name]") == "Monday cup"
    page.fill("input[name=cron]", "0 20 * * 1")
    page.click("main form button:text-is('Create')")
    page.wait_for_url("**/account")

    page.click("a[aria-label='Edit weekly']")
    assert page.input_value("input[name=entry_s]") == "3600"
    assert page.is_checked("input[name=house][value=rookie]")
    page.fill("input[name=name]", "Friday cup")
    page.fill("input[name=cron]", "0 20 * * 5")
    page.click("main form button:text-is('Save')")
    page.wait_for_url("**/account")
    found = services.schedules.view("weekly")
    assert (found["cron"], found["tournament"]["name"]) == ("0 20 * * 5", "Friday cup")
    assert (found["tournament"]["house"], found["tournament"]["entry_s"]) == (["rookie"], 3600)

    page.click("button[aria-label='Pause weekly']")
    page.wait_for_selector("button[aria-label='Resume weekly']")
    assert services.schedules.view("weekly")["enabled"] is False
    page.click("button[aria-label='Delete weekly']")
    page.wait_for_selector("text=You have no schedules.")
    assert services.schedules.list() == []

    event = announce(contract_client(create_app(services.settings), token), CUP)
    page.goto(f"/tournaments/{event}")
    page.click("summary:has-text('Check it yourself')")
    page.click("text=webhook")
    # This service posts to public addresses only.
    page.fill("input[name=url]", "http://127.0.0.1:9/")
    page.click("main form button:text-is('Follow')")
    assert "URL: " in page.inner_text("[role=alert]")
    assert page.input_value("input[name=url]") == "http://127.0.0.1:9/"
