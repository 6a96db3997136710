"""The page "Bring your bot": its commands, trial games of guests, and the way to a submitted bot."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from typing import cast

import pytest
from flask import Flask

from api.app import create_app
from api.downloads import starter_text
from arena.cli.languages import LANGUAGE_TABLE
from arena.events.runtimes import OtherRuntime
from arena.events.trial_games import MOST_BYTES, TrialGame, TrialGames
from arena.games import GAMES
from arena.ops.jobs import InlineJobs
from arena.ops.service import Service
from arena.ops.settings import Limit, Settings
from arena.records.verify import verify_text
from arena.sandbox.errors import BuildFailed
from arena.sandbox.runtime import Runtime
from arena.store.embedded import EmbeddedStore
from tests.api.contract import ContractClient
from tests.api.pages import Browser, sent_back
from tests.api.test_web_pages import NASTY, check_page

SOURCE = "def choose(turn):\n    print('my turn <b>')\n    return turn['legal_actions'][0]\n"
NEW = "/account/bots/new"


@pytest.fixture
def limited(settings: Settings, clean_store: EmbeddedStore) -> Iterator[Flask]:
    """An app that allows two trial games in a row; its jobs run when the test says so."""
    limits = {**settings.http.limits, "trial_games_in_a_row_per_address": Limit(2, 60)}
    app = create_app(replace(settings, http=replace(settings.http, limits=limits)), InlineJobs())
    yield app
    service_of(app).close()


def service_of(app: Flask) -> Service:
    return cast(Service, app.extensions["botequim"])


def pasted(html: str) -> str:
    """The source in the form."""
    (found,) = re.findall(r'<textarea id="source"[^>]*>\n?(.*?)</textarea>', html, re.DOTALL)
    return unescape(found)


def play_all(app: Flask) -> None:
    jobs = service_of(app).jobs
    assert isinstance(jobs, InlineJobs)
    jobs.run_pending(service_of(app))


# The page


@pytest.mark.parametrize("kind", [None, *GAMES, "chess"])
def test_it_begins_with_the_starter_of_a_game(app: Flask, kind: str | None) -> None:
    response = Browser(app).get("/bring" if kind is None else f"/bring?game={kind}")
    check_page(response)
    shown = kind if kind in GAMES else next(iter(GAMES))
    assert pasted(response.text) == starter_text("python", shown, "my_bot.py")
    assert f"botequim new my_bot --game {shown}" in response.text
    assert "botequim bot submit" in response.text
    assert "export BOTEQUIM_URL=http://localhost" in response.text


def test_it_shows_the_commands_of_every_starter(app: Flask) -> None:
    html = unescape(Browser(app).get("/bring?game=toepen").text)
    for language in LANGUAGE_TABLE:
        assert "\n".join(language.commands("toepen")) in html
        assert language.cost in html


def test_it_promises_the_next_tournament_only_with_a_schedule(app: Flask, admin: ContractClient) -> None:
    browser = Browser(app)
    assert "when one is announced" in browser.get("/bring").text
    cup = {"name": "Sealed", "kind": "truco", "format": "swiss", "division": "sealed"}
    schedule = {"id": "hourly", "cron": "0 * * * *", "tournament": cup}
    assert admin.post("/v1/schedules", json=schedule).status_code == 201
    assert "with the next tournament" in browser.get("/bring").text


# Trial games


@pytest.mark.system
def test_a_guest_tries_a_bot(limited: Flask) -> None:
    browser = Browser(limited)
    sent = browser.send("/bring", {"source": SOURCE.replace("\n", "\r\n")})
    assert sent.status_code == 303, sent.text
    where = sent.location
    waits = browser.get(where)
    check_page(waits)
    assert "Waiting for a worker" in waits.text
    assert 'data-refresh="2"' in waits.text
    assert browser.get(f"{where}/replay").status_code == 404
    play_all(limited)
    shown = browser.get(where)
    check_page(shown)
    assert re.search(r"my-bot (won|lost) \d+–\d+ against rookie", shown.text)
    assert "ms of fuel for one, no faults." in shown.text
    assert "my turn &lt;b&gt;" in shown.text
    assert "data-refresh" not in shown.text
    assert pasted(shown.text) == SOURCE
    found = service_of(limited).trial_games.find(where.rpartition("/")[2])
    assert found is not None
    assert verify_text(found.record)[1] == []
    waits = browser.get(f"{where}/replay")
    check_page(waits)
    assert "The moves are being prepared" in waits.text
    play_all(limited)
    replay = browser.get(f"{where}/replay")
    check_page(replay)
    assert 'id="move-1"' in replay.text
    # Running the job again changes nothing.
    service_of(limited).play_trial_game(where.rpartition("/")[2], found.payer)
    assert service_of(limited).trial_games.find(where.rpartition("/")[2]) == found


@pytest.mark.system
@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def choose(turn):\n    return 1 / 0\n", "crashed: ZeroDivisionError"),
        ("def choose(turn):\n    while True:\n        pass\n", "late: no answer within 500 ms"),
        ("def choose(turn:\n    return 1\n", "It could not be loaded"),
        ("games = ('toepen',)\ndef choose(turn):\n    return 'fly'\n", "illegal: "),
    ],
)
def test_what_is_wrong_is_shown(limited: Flask, source: str, words: str) -> None:
    browser = Browser(limited)
    where = browser.send("/bring", {"source": source}).location
    play_all(limited)
    shown = browser.get(where)
    check_page(shown)
    assert words in unescape(shown.text)


def test_trial_games_are_limited_per_address(limited: Flask) -> None:
    browser = Browser(limited)
    for _ in range(2):
        assert browser.send("/bring", {"source": SOURCE}).status_code == 303
    for path in ("/bring", "/bring/submit"):
        refused = Browser(limited).send(path, {"source": SOURCE}, page="/bring")
        assert refused.status_code == 429
        assert "rate_limited" in refused.text
        assert pasted(refused.text) == SOURCE


def test_trial_games_use_the_processor_time_of_the_address(limited: Flask) -> None:
    service = service_of(limited)
    browser = Browser(limited)
    where = browser.send("/bring", {"source": SOURCE}).location
    found = service.trial_games.find(where.rpartition("/")[2])
    assert found is not None
    service.budgets.charge(found.payer, 3_600_000)
    refused = browser.send("/bring", {"source": SOURCE})
    assert refused.status_code == 429
    words = "ll guests of one address together can use at most 3600 s of processor time per day; 0 s are left"
    assert words in refused.text
    assert pasted(refused.text) == SOURCE
    # The first one waits for a worker, and the budget is checked again when its turn comes.
    play_all(limited)
    shown = browser.get(where)
    check_page(shown)
    assert f"{words}; try it again when the budget renews at 00:00 UTC." in shown.text
    assert "no fault of your bot" not in shown.text


@pytest.mark.parametrize("source", ["", " \n", "x\0y", "a" * (MOST_BYTES + 1)])
def test_a_source_that_cannot_be_played_is_refused_at_once(limited: Flask, source: str) -> None:
    for path in ("/bring", "/bring/submit"):
        refused = Browser(limited).send(path, {"source": source}, page="/bring")
        assert refused.status_code == 422
        assert "invalid_source" in refused.text
        assert pasted(refused.text) == source
    assert service_of(limited).jobs.pending == []  # type: ignore[attr-defined]


def test_a_game_that_the_service_cannot_play_is_not_the_bots_fault(app: Flask) -> None:
    def ready() -> Runtime:
        raise BuildFailed("no disk")

    rows = service_of(app).store.trial_games
    payers: list[str] = []
    asked: list[tuple[str, str]] = []

    def request(trial: str, payer: str) -> None:
        asked.append((trial, payer))

    games = TrialGames(rows, lambda: 0, ready, request, lambda payer: None, payers.append)
    trial = games.begin(SOURCE, "somebody")
    assert asked == [(trial, "somebody")]
    games.play(trial)
    assert games.find(trial) == TrialGame(SOURCE, "failed", payer="somebody")
    shown = Browser(app).get(f"/bring/{trial}").text
    assert "no fault of your bot" in shown
    assert "no disk" not in shown
    # Another worker has the runtime: the game waits for it.
    other = games.begin(SOURCE, "")

    def elsewhere() -> Runtime:
        raise OtherRuntime("another release")

    with pytest.raises(OtherRuntime):
        TrialGames(rows, lambda: 0, elsewhere, request, lambda payer: None, payers.append).play(other)
    assert games.find(other) == TrialGame(SOURCE, "waiting")
    # Nobody pays for a runtime that cannot be prepared.
    assert payers == []


def test_an_unknown_game_is_not_found(app: Flask) -> None:
    for path in ("/bring/0", "/bring/0/replay"):
        assert Browser(app).get(path).status_code == 404


# Submitting


def test_an_owner_submits_what_was_pasted(browser: Browser) -> None:
    response = browser.send("/bring/submit", {"source": SOURCE + f"# {NASTY}\n"}, page="/bring")
    assert response.status_code == 200
    check_page(response)
    assert sent_back(response.text)["source"] == [SOURCE + f"# {NASTY}\n"]


def test_a_guest_signs_up_and_loses_nothing(app: Flask) -> None:
    browser = Browser(app)
    sent = browser.send("/bring/submit", {"source": SOURCE}, page="/bring")
    assert sent.status_code == 303
    assert sent.location.startswith("/sign-up?next=")
    form = browser.get(sent.location).text
    # Whoever has an account signs in, to the same end.
    assert re.search(
        r'href="/sign-in\?next=%2Faccount%2Fbots%2Fnew|href="/sign-in\?next=/account/bots/new', form
    )
    (draft,) = re.findall(r'name="draft" value="([\w-]+)"', form)
    (back,) = re.findall(r'name="next" value="([^"]+)"', form)
    taken = browser.send("/sign-up", {"name": "rookie", "draft": draft, "next": unescape(back)})
    assert unescape(back) in unescape(taken.text)
    welcome = browser.send("/sign-up", {"name": "ana", "draft": draft, "next": unescape(back)})
    assert welcome.status_code == 200
    (onwards,) = re.findall(r'<a class="button" href="([^"]+)">I have kept it', welcome.text)
    assert sent_back(browser.get(unescape(onwards)).text)["source"] == [SOURCE]


def test_a_pasted_bot_that_has_expired(browser: Browser) -> None:
    response = browser.get(f"{NEW}?pasted=0")
    assert response.status_code == 422
    assert "the pasted bot has expired" in response.text.lower()


def test_a_way_back_outside_the_service_is_ignored(app: Flask) -> None:
    browser = Browser(app)
    sent = browser.send("/sign-up", {"name": "ana", "next": "https://example.org/"})
    assert 'href="/account">I have kept it' in sent.text
