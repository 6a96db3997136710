"""The end of a game at a table: what its players read, and the next game."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from types import SimpleNamespace

import pytest
from flask import Flask

from arena.live.header import Viewer
from arena.luck.games import luck_of
from arena.records.record import parse_record
from tests.api.conftest import Account
from tests.api.pages import Browser, sent_back
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

SWING = (
    r"Hand (\d+): .*(won \d+ points?|lost \d+ (life|lives)|nobody won|nobody lost a life)( and the game)?\. "
    r"Your chance to win: from \d+% to (\d+%|won|lost|a draw)\."
)


@pytest.fixture
def browser(app: Flask) -> Browser:
    return Browser(app)


@pytest.fixture
def friend(app: Flask) -> Browser:
    return Browser(app)


def test_scripts_and_pages_have_the_same_words(app: Flask, browser: Browser) -> None:
    game = open_table(browser, TRUCO)
    assert browser.get(f"/play/{game}/state").json["end"] is None
    last = play_out(app, browser, game)[-1]
    end = browser.get(f"/play/{game}/state").json["end"]
    assert end["headline"] == end_of(last)
    assert (end["detail"], end["over"]) == ("", True)
    assert re.fullmatch(r"\d+ hands?, (\d+ min )?\d+ s", end["length"])
    assert end["length"] in last
    # Equities are not known for games of two hands.
    assert end["swing"] == ""


@pytest.mark.parametrize("kind", ["truco", "toepen"])
def test_the_largest_swing(app: Flask, browser: Browser, kind: str) -> None:
    preset = {"truco": "paulista-2@1", "toepen": "duel@1"}[kind]
    game = open_table(browser, {"game": kind, "preset": preset, "seats": "2", "seat1": "house:random"})
    last = play_out(app, browser, game)[-1]
    swing = browser.get(f"/play/{game}/state").json["end"]["swing"]
    found = re.fullmatch(SWING, swing)
    assert found is not None, swing
    assert swing in unescape(last)
    record = parse_record(service_of(app).live.record(game, Viewer(admin=True)))
    hands = luck_of(record).hands
    most = max(hands, key=lambda hand: abs(hand.after - hand.before))
    assert int(found[1]) == most.hand
    ends = {0.0: "lost", 1.0: "won"} if most is hands[-1] else {}
    after = ends.get(most.after) or f"{100 * most.after:.0f}%"
    assert swing.endswith(f"from {100 * most.before:.0f}% to {after}.")
    assert (" and the game. " in swing) == (most is hands[-1])


@pytest.mark.parametrize("kind", ["truco", "toepen"])
def test_how_it_went(app: Flask, browser: Browser, kind: str) -> None:
    preset = {"truco": "paulista-2@1", "toepen": "duel@1"}[kind]
    game = open_table(browser, {"game": kind, "preset": preset, "seats": "2", "seat1": "house:random"})
    play_out(app, browser, game)
    page = unescape(browser.get(f"/play/{game}").text)
    state = browser.get(f"/play/{game}/state").json
    hands, chances = state["end"]["hands"], state["end"]["chances"]
    luck = luck_of(parse_record(service_of(app).live.record(game, Viewer(admin=True)))).hands
    assert [hand["number"] for hand in hands] == [hand.hand for hand in luck]
    for hand in hands:
        assert f'<li value="{hand["number"]}"><span>{hand["text"]}</span> <b>{hand["score"]}</b></li>' in page
    assert str(state["picture"]["score"][0]) in re.findall(r"\d+", hands[-1]["score"])
    heights = [float(point.partition(",")[2]) for point in chances["points"].split()]
    expected = [luck[0].before, *(hand.after for hand in luck)]
    assert heights == pytest.approx([100 - 100 * value for value in expected], abs=0.06)
    assert f'points="{chances["points"]}"' in page
    assert chances["words"].endswith(("won", "lost", "a draw"))
    assert chances["words"] in page


def test_only_two_sides_have_a_swing(app: Flask, browser: Browser) -> None:
    game = open_table(browser, {**TOEPEN, "seats": "3", "seat2": "house:random"})
    page = play_out(app, browser, game)[-1]
    assert 'id="swing" aria-labelledby="swing-title" hidden' in page
    assert browser.get(f"/play/{game}/state").json["end"]["swing"] == ""


def test_who_is_out_is_told(app: Flask, browser: Browser, friend: Browser) -> None:
    live, players = service_of(app).live, (browser, friend)
    for _ in range(20):
        game, link = invite(browser, app, seats="3", seat2="house:random")
        accept(friend, link)
        people = [person_of(app, game, seat) for seat in (0, 1)]
        while service_of(app).people.header(game).state == "running":
            live.move_house_bots(game)
            views = [live.view(game, Viewer(person)) for person in people]
            if any(view is not None and not view["observation"]["lives"][view["seat"]] for view in views):
                break
            asked = next(who for who, view in zip(players, views, strict=True) if view and view["turn"])
            press(asked, game, quiet(buttons(asked.get(f"/play/{game}").text)))
        if service_of(app).people.header(game).state == "running":
            break
    lives = views[0]["observation"]["lives"] if views[0] else []
    out, other = players if not lives[0] else players[::-1]
    page = out.get(f"/play/{game}").text
    assert end_of(page) == "You are out; the game continues"
    assert "play again now" in page
    assert 'id="leave" hidden' in page
    assert '<noscript><meta http-equiv="refresh"' in page
    assert out.get(f"/play/{game}/state").json["end"]["over"] is False
    assert end_of(other.get(f"/play/{game}").text) == ""
    other.send(f"/play/{game}/leave", page=f"/play/{game}")
    live.move_house_bots(game)
    assert end_of(out.get(f"/play/{game}").text) == "You came third of three"


def test_a_game_that_was_stopped(app: Flask, browser: Browser) -> None:
    game = open_table(browser, TOEPEN)
    service_of(app).live.void(game, "corrupt_state")
    page = browser.get(f"/play/{game}").text
    assert end_of(page) == "The game was stopped"
    assert 'id="replay"' in page
    assert re.search(r'id="replay" [^>]*hidden', page)


def again(browser: Browser, game: str, page: str | None = None) -> str:
    response = browser.send(f"/play/{game}/again", page=page or f"/play/{game}")
    assert response.status_code == 303, response.text
    return str(response.location).removeprefix("/play/")


def test_play_again(app: Flask, browser: Browser) -> None:
    people = service_of(app).people
    game = open_table(browser, {**TRUCO, "preset": "mineiro@1", "public": "yes"})
    before = people.header(game)
    play_out(app, browser, game)
    following = again(browser, game)
    header = people.header(following)
    assert following != game
    assert header.state == "running"
    assert header.rules == before.rules
    assert header.seats == before.seats
    assert header.seed != before.seed
    assert again(browser, game) == again(browser, game, f"/games/{game}") == following
    assert Browser(app).send(f"/play/{game}/again", page="/play").status_code == 404


def test_stronger_and_weaker(app: Flask, browser: Browser) -> None:
    people = service_of(app).people
    levels = {"seat1": "house:regular", "seat2": "house:shark", "seat3": "house:rookie"}
    game = open_table(browser, {**TRUCO, **levels, "preset": "mineiro@1"})
    before = people.header(game)
    browser.send(f"/play/{game}/leave", page=f"/play/{game}")
    # The opponents differ, so the strongest and the weakest of them are offered; the partner stays.
    page = browser.get(f"/play/{game}").text
    assert re.findall(r'name="level" value="(\w+)"', page) == ["regular", "rookie"]
    made = {}
    for level in ("", "regular", "rookie"):
        found = browser.send(f"/play/{game}/again", {"level": level}, page=f"/play/{game}")
        made[level] = str(found.location).removeprefix("/play/")
        assert browser.send(f"/play/{game}/again", {"level": level}, page=f"/play/{game}").location.endswith(
            made[level]
        )
    assert len(set(made.values())) == 3
    for level, following in made.items():
        header = people.header(following)
        assert header.rules == before.rules
        opponents = [level, level] if level else ["regular", "rookie"]
        assert [entry.house for entry in header.seats] == [None, opponents[0], "shark", opponents[1]]
    page = browser.get(f"/play/{made['regular']}").text
    assert re.findall(r'name="level" value="(\w+)"', page) == ["shark", "rookie"]
    refused = browser.send(f"/play/{game}/again", {"level": "shark"}, page=f"/play/{game}")
    assert refused.status_code == 422
    assert "a weaker or a stronger level" in refused.text


def test_share(app: Flask, browser: Browser) -> None:
    game = open_table(browser, TOEPEN)
    page = play_out(app, browser, game)[-1]
    assert "makes its replay public" in browser.get(f"/play/{game}").text
    assert Browser(app).get(f"/games/{game}").status_code == 404
    json = {"Accept": "application/json"}
    shared = browser.send(f"/games/{game}/publish", page=f"/play/{game}", headers=json)
    assert shared.json == {"public": True}
    assert Browser(app).get(f"/games/{game}").status_code == 200
    assert "makes its replay public" not in browser.get(f"/play/{game}").text
    assert "running" not in page.lower().partition("<main")[2].partition("<aside")[0]


def test_friends_play_again(app: Flask, browser: Browser, friend: Browser) -> None:
    people = service_of(app).people
    game, link = invite(browser, app, seats="3", seat1="house:rookie", seat2="friend")
    accept(friend, link)
    for who in (browser, friend):
        who.send(f"/play/{game}/leave", page=f"/play/{game}")
    service_of(app).live.move_house_bots(game)
    assert "your friends press it too" in browser.get(f"/play/{game}").text
    # Who is first opens the table; the order around it stays.
    following = again(friend, game)
    header = people.header(following)
    assert header.state == "waiting"
    assert header.seats[0].bot == person_of(app, game, 2)
    assert [entry.type for entry in header.seats] == ["person", "open", "house"]
    waiting = friend.get(f"/play/{following}").text
    assert re.search(r"/play/join\?code=[\w-]{32}", waiting)
    assert again(friend, game) == following
    assert friend.get(f"/play/{following}").text.count("/play/join?code=") == 1
    assert again(browser, game) == following
    header = people.header(following)
    assert header.state == "running"
    assert header.seats[1].bot == person_of(app, game, 0)
    assert header.seats[1].person == "guest 2"


def test_a_bot_that_plays_no_more(
    app: Flask, browser: Browser, owner: Account, register: Callable[..., Account]
) -> None:
    bot = register("zap-bot")
    owner.client.patch("/v1/bots/zap-bot", json={"people": True})
    bot.client.post("/v1/turns", json={"answers": []})
    game = open_table(browser, {**TOEPEN, "seat1": "bot:zap-bot", "rule-lives": "3"})
    bot.client.post(f"/v1/games/{game}/resign", json={})
    browser.send(f"/play/{game}/leave", page=f"/play/{game}")
    owner.client.patch("/v1/bots/zap-bot", json={"people": False})
    response = browser.send(f"/play/{game}/again", page=f"/play/{game}")
    assert response.status_code == 422
    assert 'role="alert"' in response.text
    values = sent_back(response.text)
    assert (values["game"], values["seats"], values["rule-lives"]) == (["toepen"], ["2"], ["3"])


def test_a_person_who_comes_back_reads_that_the_table_was_paused(app: Flask, browser: Browser) -> None:
    game = open_table(browser, TOEPEN)
    live = service_of(app).live
    live.move_house_bots(game)
    before = browser.get(f"/play/{game}/state").json
    assert before["paused"] == ""
    skip(live, 300_000)
    # The version is the same, but the page must show the time again.
    back = browser.get(f"/play/{game}/state?since={before['version']}&after={before['next']}").json
    words = "The table was paused for 4:00 minutes because you were away. No time was used up."
    assert back["paused"] == words
    assert words in browser.get(f"/play/{game}").text
    assert back["turn"] == before["turn"]
    # A minute of the five, less up to ten seconds, because not every request is noted.
    used_ms = before["left_ms"] + before["bank_ms"] - back["left_ms"] - back["bank_ms"]
    assert 50_000 <= used_ms < 120_000
    skip(live, 61_000)
    press(browser, game, quiet(buttons(browser.get(f"/play/{game}").text)))
    skip(live, -361_000)


def test_a_form_is_a_sign_of_its_person(app: Flask, browser: Browser) -> None:
    game = open_table(browser, TOEPEN)
    live = service_of(app).live
    live.move_house_bots(game)
    page = browser.get(f"/play/{game}").text
    skip(live, 800_000)
    assert press(browser, game, quiet(buttons(page)), turn=turn_on(page)).location == f"/play/{game}"
    skip(live, 800_000)
    live.finalizer.check(game)
    assert service_of(app).people.header(game).state == "running"
    skip(live, -1_600_000)


def test_a_table_without_its_person_ends(app: Flask, browser: Browser) -> None:
    game = open_table(browser, TOEPEN)
    live = service_of(app).live
    skip(live, 901_000)
    live.finalizer.check(game)
    page = browser.get(f"/play/{game}").text
    assert end_of(page) == "The game was stopped"
    assert "Nobody was at the table for 15 minutes." in page
    skip(live, -901_000)


def test_only_a_clear_cost_is_told(app: Flask, browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    game = open_table(browser, {**TRUCO, "seats": "2", "preset": "paulista-2@1"})
    play_out(app, browser, game)
    cost = {"hand": 2, "played": "4♣", "better": "3♥", "value": 0.4, "high": 0.9, "unit": "points"}
    unclear, clear = {**cost, "low": -0.1}, {**cost, "hand": 7, "value": 0.3, "low": 0.1}
    texts = {}
    for costs in ([unclear], [unclear, clear]):
        review = SimpleNamespace(done=True, costs=costs)
        monkeypatch.setattr(service_of(app).reviews, "find", lambda *_, found=review: found)
        page = browser.get(f"/play/{game}").text
        texts[len(costs)] = page.partition('id="dearest"')[2].partition("</section>")[0]
    assert "No decision cost you clearly more" in texts[1]
    assert "It cost you most" not in texts[1]
    assert "Hand 7: you chose 4♣" in texts[2]
    assert "no clear difference" not in texts[1] + texts[2]


def test_the_title_names_the_rules(app: Flask, browser: Browser) -> None:
    page = browser.get(f"/play/{open_table(browser, TOEPEN)}").text
    title = page.partition("<title>")[2].partition("</title>")[0]
    assert re.match(r"Toepen.* · You – ", title)
    assert f'<h1 class="table-title" title="{title.removesuffix(" – Botequim")}">' in page
