"""People at tables: sitting down, playing without scripts, and what is kept from others."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from html import unescape
from itertools import chain, repeat
from typing import Any

import pytest
import redis
from flask import Flask

from api.app import create_app
from arena.cli import main
from arena.client import Client
from arena.live.header import Viewer
from arena.ops.jobs import InlineJobs
from arena.ops.settings import Limit, Settings
from arena.people.tables import CLOCK, LINK_MS
from arena.records.record import canonical_hash
from arena.records.verify import verify
from arena.store.embedded import EmbeddedStore
from tests.api.conftest import Account
from tests.api.contract import ContractClient
from tests.api.pages import Browser
from tests.api.tables import (
    TOEPEN,
    TRUCO,
    accept,
    buttons,
    end_of,
    invite,
    open_table,
    person_of,
    play_out,
    press,
    quiet,
    service_of,
    turn_on,
)
from tests.live.clock import skip

HTML = {"Accept": "text/html"}
KINDS = {"toepen": TOEPEN, "truco": TRUCO}


@pytest.fixture
def browser(app: Flask) -> Browser:
    return Browser(app)


@pytest.fixture
def friend(app: Flask) -> Browser:
    return Browser(app)


@pytest.fixture
def limited(settings: Settings, clean_store: EmbeddedStore) -> Iterator[Callable[..., Flask]]:
    """Makes an app with limits."""
    apps = []

    def make(**limits: int) -> Flask:
        named = {name: Limit(most, 86_400) for name, most in limits.items()}
        http = replace(settings.http, limits={**settings.http.limits, **named})
        apps.append(create_app(replace(settings, http=http), InlineJobs()))
        return apps[-1]

    yield make
    for app in apps:
        service_of(app).close()


# Sitting down


@pytest.mark.parametrize("kind", KINDS)
def test_a_whole_game_without_scripts(kind: str, app: Flask, browser: Browser) -> None:
    game = open_table(browser, KINDS[kind])
    pages = play_out(app, browser, game)
    headline = end_of(pages[-1])
    assert re.fullmatch(r"(You|You and random 2) (won|lost)\b.*|A draw, \d+ to \d+", headline)
    assert "running" not in pages[-1]
    assert 'id="leave" hidden' in pages[-1]
    assert all(end_of(page) == "" for page in pages[:-1])
    assert all('<noscript><meta http-equiv="refresh"' not in page for page in pages if turn_on_page(page))
    replay = browser.get(f"/games/{game}")
    assert replay.status_code == 200
    assert "Your game" in replay.text
    assert f"<strong>{headline}.</strong>" in replay.text
    record = json.loads(service_of(app).live.record(game, Viewer(admin=True)))
    assert verify(record) == []
    assert record["canonical"]["players"][0] == {"name": "guest 1", "version": "person"}
    assert record["info"]["people"] == [True] + [False] * (len(record["canonical"]["players"]) - 1)
    assert record["info"]["rated"] is False
    assert record["hash"] == canonical_hash(record["canonical"])


def turn_on_page(text: str) -> bool:
    return bool(buttons(text)) and "waits" in text


def test_the_form_shows_what_the_descriptor_says(browser: Browser) -> None:
    page = browser.get("/play?game=toepen&seats=5").text
    assert page.count('<select id="seat') == 4
    for option in ("lives", "max_exchanges", "whistling", "knocking", "end", "rubbers"):
        assert f'name="rule-{option}"' in page
    truco = browser.get("/play?game=truco").text
    assert "Your partner" in truco
    assert 'name="rule-cut"' in truco
    assert browser.get("/play?game=nothing&seats=99").status_code == 200


def starts(html: str) -> list[dict[str, str]]:
    """The values that each button of the front page that opens a table sends."""
    forms = re.findall(r'<form method="post" action="/play">(.*?)</form>', html, re.DOTALL)
    return [dict(re.findall(r'name="((?!csrf)\w+)" value="([^"]*)"', form)) for form in forms]


def test_every_button_of_the_front_page_opens_a_table(app: Flask, browser: Browser) -> None:
    opened = []
    for values in starts(browser.get("/").text):
        response = browser.send("/play", values, page="/")
        assert response.status_code == 303
        header = service_of(app).people.header(response.location.removeprefix("/play/"))
        opened.append((header.kind, [entry.house for entry in header.seats], header.state))
    house = "rookie"
    assert opened == [
        ("truco", [None, house, house, house], "running"),
        ("toepen", [None, house, house, house], "running"),
        ("truco", [None, house], "running"),
        ("truco", [None, None], "waiting"),
    ]


def test_the_front_page_leads_back_to_the_running_game(app: Flask, browser: Browser, friend: Browser) -> None:
    game = open_table(browser, TOEPEN)
    assert f'href="/play/{game}">Continue' in browser.get("/").text
    assert "Continue" not in friend.get("/").text
    browser.send(f"/play/{game}/leave", page=f"/play/{game}")
    service_of(app).live.move_house_bots(game)
    assert "Continue" not in browser.get("/").text


def test_a_form_of_the_front_page_needs_its_token(browser: Browser) -> None:
    values = starts(browser.get("/").text)[0]
    assert browser.client.post("/play", data=values).status_code == 400


def test_choices_that_are_not_possible(browser: Browser) -> None:
    for wrong in ({"seat1": "house:nobody"}, {"seat1": "bot:nobody"}, {"seat1": ""}, {"rule-lives": "0"}):
        response = browser.send("/play", {**TOEPEN, **wrong}, page="/play")
        assert response.status_code == 422, wrong
        assert 'role="alert"' in response.text


def test_no_session_before_somebody_sits_down(browser: Browser, store: EmbeddedStore) -> None:
    browser.get("/play")
    with redis.Redis.from_url(store.url) as database:
        assert list(database.scan_iter("session:*")) == []
    open_table(browser, TOEPEN)
    with redis.Redis.from_url(store.url) as database:
        assert len(list(database.scan_iter("session:*"))) == 1


def test_clocks_are_made_for_people(app: Flask, browser: Browser) -> None:
    game = open_table(browser, TOEPEN)
    header = service_of(app).people.header(game)
    assert header.clock.as_json() == {"per_turn_ms": 60_000, "bank_ms": 600_000} == dict(CLOCK)
    assert header.visibility == "private"
    assert not header.rated


# Bots of others


def test_an_owner_lets_people_play_a_bot(
    app: Flask, browser: Browser, owner: Account, register: Callable[..., Account]
) -> None:
    bot = register("zap-bot")
    assert owner.client.get("/v1/bots/zap-bot").json["people"] is False
    values = {**TOEPEN, "seat1": "bot:zap-bot"}
    bot.client.post("/v1/turns", json={"answers": []})
    assert "zap-bot" not in browser.get("/play").text
    assert browser.send("/play", values, page="/play").status_code == 422
    assert "Play against it" not in browser.get("/bots/zap-bot").text
    changed = owner.client.patch("/v1/bots/zap-bot", json={"people": True})
    assert changed.json["people"] is True
    assert "zap-bot" in browser.get("/play").text
    (address,) = re.findall(r'href="([^"]+)"[^>]*>Play against it<', browser.get("/bots/zap-bot").text)
    assert 'value="bot:zap-bot" selected' in browser.get(unescape(address)).text
    game = open_table(browser, values)
    (turn,) = bot.client.get(f"/v1/games/{game}").json["seats"][:1]
    assert turn == {"seat": 0, "type": "person", "name": "guest 1", "version": "person", "nonce": ""}
    owner.client.patch("/v1/bots/zap-bot", json={"people": False})
    assert browser.send("/play", values, page="/play").status_code == 422


def test_a_bot_that_is_not_online(browser: Browser, owner: Account, register: Callable[..., Account]) -> None:
    register("zap-bot")
    owner.client.patch("/v1/bots/zap-bot", json={"people": True})
    assert browser.send("/play", {**TOEPEN, "seat1": "bot:zap-bot"}, page="/play").status_code == 422


# Friends


def test_a_friend_takes_the_seat(app: Flask, browser: Browser, friend: Browser) -> None:
    game, link = invite(browser, app)
    assert "Waiting for friends" in browser.get(f"/play/{game}").text
    for _ in range(2):
        assert "guest 2" in friend.get(link).text
    assert service_of(app).people.header(game).state == "waiting"
    assert accept(friend, link).location == f"/play/{game}"
    assert service_of(app).people.header(game).state == "running"
    for who, other in ((browser, "guest 2"), (friend, "guest 1")):
        page = who.get(f"/play/{game}").text
        assert other in page
        assert "You" in page


def test_a_link_works_once(app: Flask, browser: Browser, friend: Browser) -> None:
    game, link = invite(browser, app)
    accept(friend, link)
    third = Browser(app)
    assert third.get(link, headers=HTML).status_code == 410
    response = third.send("/play/join", {"code": link.partition("code=")[2]}, page="/play")
    assert response.status_code == 410
    assert third.get(f"/play/{game}", headers=HTML).status_code == 404


def test_a_link_is_withdrawn(app: Flask, browser: Browser, friend: Browser) -> None:
    game, link = invite(browser, app)
    browser.send(f"/play/{game}/link", {"seat": "1"}, page=f"/play/{game}")
    assert friend.get(link).status_code == 410
    second = re.search(r"/play/join\?code=[\w-]{32}", browser.get(f"/play/{game}").text)
    assert second is not None
    assert friend.get(second[0]).status_code == 200
    browser.send(f"/play/{game}/link", {"seat": "1", "withdraw": "yes"}, page=f"/play/{game}")
    assert friend.get(second[0]).status_code == 410


def test_a_link_expires_and_is_stored_as_a_hash(app: Flask, browser: Browser, store: EmbeddedStore) -> None:
    _, link = invite(browser, app)
    code = link.partition("code=")[2]
    with redis.Redis.from_url(store.url) as database:
        (name,) = database.scan_iter("code:*")
        assert 0 < database.pttl(name) <= LINK_MS
        assert code.encode() not in b"".join(database.scan_iter())
        assert code.encode() not in (database.get(name) or b"")
        database.pexpire(name, 0)
    assert browser.get(link).status_code == 410


def test_a_link_for_a_seat_signs_nobody_in(app: Flask, browser: Browser, friend: Browser) -> None:
    _, link = invite(browser, app)
    code = link.partition("code=")[2]
    assert friend.get(f"/sign-in?code={code}").status_code == 410
    assert friend.get("/play/join?code=").status_code == 410


def test_a_code_to_sign_in_is_no_seat(browser: Browser, owner: Account) -> None:
    code = owner.client.post("/v1/owners/me/sign-in-links").json["url"].partition("code=")[2]
    assert browser.get(f"/play/join?code={code}").status_code == 410


def test_codes_are_not_logged(
    app: Flask, browser: Browser, friend: Browser, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("DEBUG"):
        game, link = invite(browser, app)
        accept(friend, link)
    assert link.partition("code=")[2] not in caplog.text
    assert person_of(app, game) not in caplog.text


def test_the_first_person_cancels(app: Flask, browser: Browser, friend: Browser) -> None:
    game, link = invite(browser, app)
    assert friend.send(f"/play/{game}/leave", page="/play").status_code == 404
    assert browser.send(f"/play/{game}/leave", page=f"/play/{game}").location == "/play"
    assert service_of(app).people.header(game).state == "cancelled"
    assert "cancelled" in browser.get(f"/play/{game}").text
    assert friend.get(link).status_code == 410


# Turns


def test_a_button_pressed_twice_counts_once(app: Flask, browser: Browser) -> None:
    game = open_table(browser, TOEPEN)
    service_of(app).live.move_house_bots(game)
    page = browser.get(f"/play/{game}").text
    action, turn = quiet(buttons(page)), turn_on(page)
    for _ in range(2):
        response = press(browser, game, action, turn=turn)
        assert response.location == f"/play/{game}"
    header = service_of(app).live.view(game, Viewer(person_of(app, game)))
    assert header is not None
    assert header["faults"] == []


def test_another_answer_to_the_same_turn(app: Flask, browser: Browser) -> None:
    game = open_table(browser, {**TOEPEN, "rule-lives": "10"})
    service_of(app).live.move_house_bots(game)
    page = browser.get(f"/play/{game}").text
    first, second = buttons(page)[:2]
    press(browser, game, first, turn=turn_on(page))
    response = press(browser, game, second, turn=turn_on(page))
    assert "missed=" in response.location
    assert "made already" in browser.get(response.location).text
    view = service_of(app).live.view(game, Viewer(person_of(app, game)))
    assert view is not None
    assert view["faults"] == []


def test_an_action_that_is_not_legal_is_no_fault(app: Flask, browser: Browser) -> None:
    game = open_table(browser, TOEPEN)
    service_of(app).live.move_house_bots(game)
    for action in ("nonsense", "", "play:XX"):
        assert "missed=illegal_action" in press(browser, game, action).location
    view = service_of(app).live.view(game, Viewer(person_of(app, game)))
    assert view is not None
    assert view["faults"] == []


def test_scripts_get_the_table_as_json(app: Flask, browser: Browser) -> None:
    game = open_table(browser, TOEPEN)
    service_of(app).live.move_house_bots(game)
    state = browser.get(f"/play/{game}/state").json
    assert state["panel"]["question"]
    assert state["left_ms"] <= 60_000
    assert state["bank_ms"] == 600_000
    assert state["fallback"].startswith("If the time runs out")
    token = re.search(r'name="csrf_token" value="([^"]+)"', browser.get(f"/play/{game}").text)
    assert token is not None
    reply = browser.client.post(
        f"/play/{game}/act",
        data={
            "csrf_token": token[1],
            "turn": state["turn"],
            "action": quiet([choice["action"] for choice in state["panel"]["choices"]]),
            "after": str(state["next"]),
        },
        headers={"Accept": "application/json"},
    )
    assert reply.json["result"] == "accepted"
    assert reply.json["version"] > state["version"]
    assert reply.json["changes"]
    again = browser.get(f"/play/{game}/state?since={state['version']}&after={state['next']}")
    assert again.json["next"] == reply.json["next"]


def test_a_slider_and_a_switch(app: Flask, browser: Browser) -> None:
    game = open_table(browser, {**TRUCO, "rule-max_hands": "9"})
    cut = hidden = False
    for _ in range(400):
        service_of(app).live.move_house_bots(game)
        page = browser.get(f"/play/{game}").text
        actions = buttons(page)
        if not actions or (cut and hidden):
            break
        if "cut:#:top" in actions:
            press(browser, game, "cut:#:top", number="17")
            cut = True
        elif 'value="play:hide"' in page:
            press(browser, game, next(a for a in actions if a.startswith("play:")), toggle="play:hide")
            hidden = True
        else:
            press(browser, game, quiet(actions))
    log = b" ".join(service_of(app).live.store.log(game)).decode()
    assert cut == ("cut:17:top" in log)
    assert hidden == ("hide:" in log)
    assert cut or hidden


def test_a_game_ends_whose_person_does_not_answer(app: Flask, browser: Browser) -> None:
    game = open_table(browser, {**TOEPEN, "rule-lives": "2"})
    live = service_of(app).live
    sweeps = 0
    for _ in range(3):
        live.move_house_bots(game)
        if service_of(app).people.header(game).state != "running":
            break
        for _ in range(23):
            # The page is open, so the table is not paused.
            skip(live, 30_000)
            assert browser.get(f"/play/{game}/state").status_code == 200
        live.finalizer.check(game)
        sweeps += 1
    live.move_house_bots(game)
    header = service_of(app).people.header(game)
    assert header.state == "finished"
    assert sweeps <= 3
    skip(live, -690_000 * sweeps)


def test_leaving(app: Flask, browser: Browser) -> None:
    game = open_table(browser, TRUCO)
    assert browser.send(f"/play/{game}/leave", page=f"/play/{game}").location == "/play"
    page = browser.get(f"/play/{game}").text
    assert end_of(page) == "You have left the table"
    assert "The table plays for you" in page
    service_of(app).live.move_house_bots(game)
    header = service_of(app).people.header(game)
    assert header.state == "finished"
    assert game in browser.get("/play").text


# Limits


def test_games_at_a_time(limited: Callable[..., Flask]) -> None:
    app = limited(tables_at_once_per_address=2)
    first = Browser(app)
    games = [open_table(first, TOEPEN) for _ in range(2)]
    for browser in (first, Browser(app)):
        for page, values in (("/play", TOEPEN), ("/", {"game": "toepen"})):
            response = browser.send("/play", values, page=page)
            assert response.status_code == 422
            assert "too_many_tables" in response.text
            assert "Who sits at the table" in response.text
    first.send(f"/play/{games[0]}/leave", page=f"/play/{games[0]}")
    service_of(app).live.move_house_bots(games[0])
    assert open_table(first, TOEPEN)


def test_games_a_day(limited: Callable[..., Flask]) -> None:
    app = limited(tables_per_address=1)
    browser = Browser(app)
    open_table(browser, TOEPEN)
    response = browser.send("/play", TOEPEN, page="/play")
    assert "rate_limited" in response.text


def test_guests(limited: Callable[..., Flask]) -> None:
    app = limited(guests_per_address=1)
    open_table(Browser(app), TOEPEN)
    assert "rate_limited" in Browser(app).send("/play", TOEPEN, page="/play").text


def test_processor_time_of_guests(app: Flask, browser: Browser) -> None:
    """Used up, house bots and reviews are refused in words; owners have their own."""
    service = service_of(app)
    game = open_table(browser, TOEPEN)
    play_out(app, browser, game)
    payer = service.people.header(game).payer
    service.budgets.charge(payer, 300_000)
    open_table(browser, TOEPEN)
    service.budgets.charge(payer, 60_000)
    response = browser.send("/play", TOEPEN, page="/play")
    assert response.status_code == 422
    assert "budget_exceeded" in response.text
    assert "A guest can use at most 360 s of processor time per day; 0 s are left" in response.text
    assert "to sign in, or to wait " in response.text
    refused = browser.send(f"/games/{game}/review", page=f"/games/{game}")
    assert refused.status_code == 429
    assert "guest can use at most 360 s" in refused.text
    # A table without house bots costs next to nothing.
    open_table(browser, {**TOEPEN, "seat1": "friend"})
    open_table(Browser(app), TOEPEN)


# What others see


def test_nobody_else_sees_the_game(
    app: Flask, browser: Browser, friend: Browser, anybody: ContractClient, owner: Account
) -> None:
    game = open_table(browser, TOEPEN)
    open_table(friend, TOEPEN)
    pages = (f"/play/{game}", f"/play/{game}/state", f"/games/{game}", f"/games/{game}/table")
    for who in (friend, Browser(app)):
        for path in pages:
            assert who.get(path).status_code == 404, path
    for path in (f"/v1/games/{game}", f"/v1/games/{game}/events", f"/v1/games/{game}/record"):
        assert owner.client.get(path).status_code == 404
    assert game not in anybody.get("/v1/games").text
    assert friend.send(f"/play/{game}/act", {"turn": "", "action": ""}, page="/play").status_code == 404
    play_out(app, browser, game)
    for path in (f"/games/{game}", f"/v1/games/{game}", f"/v1/games/{game}/record"):
        assert Browser(app).get(path).status_code == 404


def test_a_game_becomes_public_if_everybody_agrees(
    app: Flask, browser: Browser, friend: Browser, anybody: ContractClient
) -> None:
    game, link = invite(browser, app)
    accept(friend, link)
    for who in (browser, friend):
        assert who.send(f"/games/{game}/publish", page="/play").status_code >= 400
        who.send(f"/play/{game}/leave", page=f"/play/{game}")
    assert service_of(app).people.header(game).state == "finished"
    browser.send(f"/games/{game}/publish", page=f"/games/{game}")
    assert anybody.get(f"/v1/games/{game}").status_code == 404
    assert "once everybody" in browser.get(f"/games/{game}").text
    friend.send(f"/games/{game}/publish", page=f"/games/{game}")
    shown = anybody.get(f"/v1/games/{game}")
    assert shown.json["visibility"] == "public"
    assert [seat["name"] for seat in shown.json["seats"]] == ["guest 1", "guest 2"]
    record = anybody.get(f"/v1/games/{game}/record")
    assert record.status_code == 200
    assert game in anybody.get("/v1/records").text
    everything = shown.text + record.text + anybody.get("/v1/games").text
    assert "person_" not in everything
    assert "Your game" not in Browser(app).get(f"/games/{game}").text


def test_who_agreed_before_need_not_say_it_again(
    app: Flask, browser: Browser, anybody: ContractClient
) -> None:
    game = open_table(browser, {**TOEPEN, "public": "yes"})
    assert anybody.get(f"/v1/games/{game}").status_code == 404
    play_out(app, browser, game)
    assert anybody.get(f"/v1/games/{game}").json["visibility"] == "public"


@pytest.mark.parametrize("kind", KINDS)
def test_no_page_names_the_session(kind: str, app: Flask, browser: Browser) -> None:
    game = open_table(browser, KINDS[kind])
    person = person_of(app, game)
    pages = play_out(app, browser, game)
    pages += [browser.get(path).text for path in ("/play", f"/games/{game}")]
    assert all(person not in page for page in pages)
    assert person not in service_of(app).live.record(game, Viewer(admin=True)).decode()


# Reviews


def test_a_review(limited: Callable[..., Flask]) -> None:
    app = limited(reviews_per_address=1)
    service = service_of(app)
    browser = Browser(app)
    game = open_table(browser, TOEPEN)
    assert browser.send(f"/games/{game}/review", page=f"/play/{game}").status_code >= 400
    play_out(app, browser, game)
    assert browser.send(f"/games/{game}/review", page=f"/games/{game}").status_code == 303
    assert "is looking at" in browser.get(f"/games/{game}").text
    jobs = service.jobs
    assert isinstance(jobs, InlineJobs)
    jobs.run_pending(service)
    page = browser.get(f"/games/{game}").text
    assert "would have done the same" in page
    assert "shark: " in page
    review = service.reviews.find(game, 0)
    assert review is not None
    assert review.complete
    costs = [one["value"] for one in review.costs]
    assert costs == sorted(costs, reverse=True)
    assert len(costs) == review.asked - review.same
    shown = re.findall(r'<a href="\?move=(\d+)#move-\d+">move', page)
    assert shown == [str(one["move"]) for one in review.costs if one["value"] > 0][:3]
    assert all(f'id="move-{move}"' in page for move in shown)
    assert browser.send(f"/games/{game}/review", page=f"/games/{game}").status_code == 409
    second = open_table(browser, TOEPEN)
    play_out(app, browser, second)
    assert browser.send(f"/games/{second}/review", page=f"/games/{second}").status_code == 429


def test_a_review_has_a_limit_of_time(app: Flask, browser: Browser) -> None:
    game = open_table(browser, TOEPEN)
    play_out(app, browser, game)
    reviews = service_of(app).reviews
    times = chain([0.0, 1.0], repeat(100.0))
    reviews.make(game, 0, lambda name, seat, turn, seed: turn["legal_actions"][0], lambda: next(times))
    review = reviews.find(game, 0)
    assert review is not None
    assert review.done
    assert not review.complete
    assert review.asked == 1
    assert review.costs == []


def test_only_the_player_sees_the_review(app: Flask, browser: Browser) -> None:
    game = open_table(browser, {**TOEPEN, "public": "yes"})
    play_out(app, browser, game)
    service_of(app).reviews.make(game, 0, lambda name, seat, turn, seed: turn["legal_actions"][-1])
    assert "shark: " in browser.get(f"/games/{game}").text
    assert "shark: " not in Browser(app).get(f"/games/{game}").text


# Rows and commands


def test_rows_of_bots_are_as_before(app: Flask, owner: Account, register: Callable[..., Account]) -> None:
    register("zap-bot")
    body = {"kind": "toepen", "seats": [{"bot": "zap-bot"}, {"house": "random"}]}
    game = owner.client.post("/v1/games", json=body).json["game"]
    stored = service_of(app).people.header(game).dumps()
    assert b"person" not in stored
    assert b"agrees" not in stored
    play_out_by_table(app, game)
    record = json.loads(service_of(app).live.record(game, Viewer(admin=True)))
    assert "people" not in record["info"]


def play_out_by_table(app: Flask, game: str) -> None:
    service_of(app).live.resign(game, "zap-bot")
    service_of(app).live.move_house_bots(game)


def test_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[Any] = []
    monkeypatch.setattr(Client, "change_bot", lambda self, bot, **fields: sent.append((bot, fields)))
    for options in (["--people"], ["--no-people", "--tournaments"]):
        with pytest.raises(SystemExit) as ended:
            main(["bot", "change", "zap-bot", *options, "--url", "http://arena", "--token", "btq_o_ana_1"])
        assert not ended.value.code
    assert sent == [("zap-bot", {"people": True}), ("zap-bot", {"people": False, "tournaments": True})]


def test_the_chosen_rules_are_those_of_the_seats(app: Flask) -> None:
    html = Browser(app).get("/play?game=toepen&seats=4").text
    assert 'aria-current="true">Toepen for four</a>' in html
    assert 'aria-current="true">Toepen for two</a>' not in html
    assert "Toepen for four, everybody for themselves." in html
    html = Browser(app).get("/play?game=toepen&seats=5").text
    assert 'aria-current="true">Toepen for' not in html
    # Most people know paulista.
    assert 'aria-current="true">Truco paulista</a>' in Browser(app).get("/play").text
    assert 'aria-current="true">Truco</a>' in Browser(app).get("/play?preset=base@1").text
