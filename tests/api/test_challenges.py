"""A friend plays the deals of a finished game, one after the other, and both see both results."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from flask import Flask

from api.app import create_app
from arena.live.header import Viewer, payer_of_person
from arena.ops.jobs import InlineJobs
from arena.ops.settings import Limit, Settings
from arena.people.challenges import MOST
from arena.people.hands import recorded_hands
from arena.records.record import Record, parse_record
from arena.records.verify import verify
from arena.research.dataset import Wanted
from arena.store.embedded import EmbeddedStore
from tests.api.conftest import Account
from tests.api.contract import ContractClient
from tests.api.pages import Browser
from tests.api.tables import (
    TOEPEN,
    TRUCO,
    accept,
    buttons,
    invite,
    open_table,
    person_of,
    play_out,
    press,
    quiet,
    service_of,
)


@pytest.fixture
def browser(app: Flask) -> Browser:
    return Browser(app)


@pytest.fixture
def friend(app: Flask) -> Browser:
    return Browser(app)


@pytest.fixture
def limited(settings: Settings, clean_store: EmbeddedStore) -> Iterator[Flask]:
    """An app at which an address has one table at a time."""
    limits = {**settings.http.limits, "tables_at_once_per_address": Limit(1, 86_400)}
    app = create_app(replace(settings, http=replace(settings.http, limits=limits)), InlineJobs())
    yield app
    service_of(app).close()


def record_of(app: Flask, game: str) -> Record:
    return parse_record(service_of(app).live.record(game, Viewer(admin=True)))


def finished(app: Flask, browser: Browser, values: dict[str, str] = TOEPEN) -> str:
    game = open_table(browser, values)
    play_out(app, browser, game)
    return game


def challenge(browser: Browser, game: str) -> str:
    """The address of the link."""
    found = browser.send(f"/games/{game}/challenge", page=f"/play/{game}")
    assert found.status_code == 303, found.text
    link = str(found.location)
    assert re.fullmatch(r"/play/challenge\?code=[\w-]{32}", link)
    return link


def sit(friend: Browser, link: str) -> Any:
    return friend.send("/play/challenge", {"code": link.partition("code=")[2]}, page="/play")


def begin(friend: Browser, link: str) -> str:
    """The id of the friend's game."""
    found = sit(friend, link)
    assert found.status_code == 303, found.text
    return str(found.location).removeprefix("/play/")


def hands_of(text: str) -> list[str]:
    """The rows of the table of hands."""
    return re.findall(r"<tr[^>]*><th scope=\"row\">.*?</tr>", text)


def verdict(text: str) -> str:
    found = re.search(r'<h2 id="verdict">(.*?)</h2>', text)
    return "" if found is None else found[1]


@pytest.mark.parametrize("values", [TOEPEN, TRUCO])
def test_both_play_the_same_deals(
    app: Flask, browser: Browser, friend: Browser, values: dict[str, str]
) -> None:
    game = finished(app, browser, values)
    assert "Challenge a friend" in browser.get(f"/play/{game}").text
    assert "Challenge a friend" in browser.get(f"/games/{game}").text
    link = challenge(browser, game)
    assert challenge(browser, game) == link
    assert f'<code class="link">http://localhost{link}</code>' in browser.get(link).text
    people = service_of(app).people
    before = friend.get(link)
    assert "private" in before.headers["Cache-Control"]
    made = begin(friend, link)
    header, source = people.header(made), people.header(game)
    assert header.practice == {"game": game, "after": 0}
    assert (header.kind, header.rules, header.seed) == (source.kind, source.rules, source.seed)
    assert [entry.house for entry in header.seats] == [entry.house for entry in source.seats]
    assert [entry.nonce for entry in header.seats] == [entry.nonce for entry in source.seats]
    # The friend pays.
    assert header.payer == payer_of_person(person_of(app, made), made)
    assert person_of(app, made) != person_of(app, game)
    last = play_out(app, friend, made)[-1]
    assert f'href="{link}">Both results' in unescape(last)
    assert f'href="{link}">Both results' in unescape(friend.get(f"/games/{made}").text)
    assert "Challenge a friend" not in last
    # The same packs, in the same hands.
    packs = [
        [action for seat, action, *_ in record_of(app, one)["canonical"]["actions"] if seat == -1]
        for one in (game, made)
    ]
    shorter = min(map(len, packs))
    assert packs[0][:shorter] == packs[1][:shorter]
    assert verify(record_of(app, made)) == []
    own, others = browser.get(link).text, friend.get(link).text
    opposite = {
        "You did better than your friend": "Your friend did better than you",
        "Your friend did better than you": "You did better than your friend",
    }
    assert verdict(own) in (*opposite, "You and your friend did equally well")
    assert verdict(others) == opposite.get(verdict(own), verdict(own))
    hands = [len(recorded_hands(record_of(app, one), 0, "You")) for one in (game, made)]
    assert len(hands_of(own)) == len(hands_of(others)) == max(hands)


def test_the_page_gives_nothing_away_before(app: Flask, browser: Browser, friend: Browser) -> None:
    """Neither the result nor the game is on it until the friend has played the last hand."""
    game = finished(app, browser, {**TOEPEN, "rule-lives": "4"})
    link = challenge(browser, game)
    record, header = record_of(app, game), service_of(app).people.header(game)
    secret = (game, header.seed, person_of(app, game), "did better", "Hand by hand", record["hash"])
    for reader in (friend, Browser(app)):
        text = reader.get(link).text
        assert "Toepen" in text
        assert "random" in text
        assert [one for one in secret if one in text] == []
    made = begin(friend, link)
    for reader in (friend, Browser(app)):
        assert [one for one in secret if one in reader.get(link).text] == []
    assert f'href="/play/{made}"' in friend.get(link).text
    # The person who made the link sees that somebody plays, and no more.
    own = browser.get(link).text
    assert "1 friend plays at the moment" in own
    assert made not in own
    assert hands_of(own) == []
    hidden = service_of(app).live.repository.load(made).playing.state.observation(1)["hand"]
    assert hidden
    assert set(friend.get(f"/play/{made}/state").json["picture"]["cards1"]) == {""}
    assert browser.get(f"/play/{made}").status_code == 404
    assert browser.get(f"/games/{made}").status_code == 404
    assert friend.get(f"/games/{game}").status_code == 404
    play_out(app, friend, made)
    assert hands_of(friend.get(link).text) != []
    assert hands_of(browser.get(link).text) != []
    # Who has not played it sees nothing still.
    assert hands_of(Browser(app).get(link).text) == []


def test_a_friend_plays_once(app: Flask, browser: Browser, friend: Browser) -> None:
    link = challenge(browser, finished(app, browser))
    made = begin(friend, link)
    assert begin(friend, link) == made
    play_out(app, friend, made)
    found = sit(friend, link)
    assert (found.status_code, found.location) == (303, link)
    # But a game that was stopped can be repeated.
    other = Browser(app)
    stopped = begin(other, link)
    service_of(app).live.void(stopped, "corrupt_state")
    assert ">Play</button>" in other.get(link).text
    again = begin(other, link)
    assert again != stopped
    assert begin(other, link) == again


def test_several_friends(app: Flask, browser: Browser, friend: Browser) -> None:
    """The person who made the link chooses whose result is shown; each friend sees only the own one."""
    link = challenge(browser, finished(app, browser))
    play_out(app, friend, begin(friend, link))
    other = Browser(app)
    play_out(app, other, begin(other, link))
    text = browser.get(link).text
    assert "Friend 2" in verdict(text) or "friend 2" in verdict(text)
    assert "riend 1" in verdict(browser.get(f"{link}&friend=1").text)
    for wrong in ("3", "0", "x", "9" * 99):
        assert "riend 2" in verdict(browser.get(f"{link}&friend={wrong}").text)
    assert "Friend 2" not in friend.get(link).text


def test_only_finished_games_of_ones_own(app: Flask, browser: Browser, friend: Browser) -> None:
    game = open_table(browser, TOEPEN)
    assert browser.send(f"/games/{game}/challenge", page=f"/play/{game}").status_code == 409
    open_table(friend, TOEPEN)
    play_out(app, browser, game)
    assert friend.send(f"/games/{game}/challenge", page="/play").status_code == 404
    assert Browser(app).send(f"/games/{game}/challenge", page="/play").status_code == 404
    link = challenge(browser, game)
    # Not against oneself, and no chain of links.
    refused = sit(browser, link)
    assert refused.status_code == 409
    assert "you have played these deals" in refused.text.lower()
    made = begin(friend, link)
    play_out(app, friend, made)
    refused = friend.send(f"/games/{made}/challenge", page=f"/play/{made}")
    assert refused.status_code == 409
    assert "practice" in refused.text


def test_a_link_that_ended(app: Flask, browser: Browser, friend: Browser) -> None:
    game = finished(app, browser)
    link = challenge(browser, game)
    made = begin(friend, link)
    browser.send(f"/games/{game}/challenge", {"withdraw": "yes"}, page=link)
    for reader in (browser, friend, Browser(app)):
        assert reader.get(link).status_code == 410
    assert sit(friend, f"/play/challenge?code={link[-32:]}").status_code in (403, 410)
    # The game continues without a comparison.
    assert "Both results" not in play_out(app, friend, made)[-1]
    for code in ("", "x", "é", "x" * 5000):
        assert Browser(app).get("/play/challenge", query_string={"code": code}).status_code == 410
    # The same link begins anew.
    assert challenge(browser, game) == link
    assert "Nobody has played to the end yet" in browser.get(link).text


def test_a_link_has_a_limit(app: Flask, browser: Browser, friend: Browser) -> None:
    services = service_of(app)
    link = challenge(browser, finished(app, browser))
    code = link.partition("code=")[2]
    for number in range(MOST):
        services.store.challenges.add(code, f"game-{number}", number)
    assert sit(friend, link).status_code == 410
    services.store.challenges.remove(code, "game-0")
    made = begin(friend, link)
    assert begin(friend, link) == made


def test_the_links_of_a_deleted_account_end(app: Flask, owner: Account) -> None:
    browser = Browser(app)
    browser.sign_in(owner.token)
    link = challenge(browser, finished(app, browser))
    assert Browser(app).get(link).status_code == 200
    assert browser.send("/account/delete", {"confirm": owner.name}).status_code < 400
    assert Browser(app).get(link).status_code == 410


def test_a_friend_of_a_table_of_two(app: Flask, browser: Browser, friend: Browser) -> None:
    """A house bot takes the seat of the other person, and the page says so."""
    game, join = invite(browser, app, seats="2", seat1="friend")
    accept(friend, join)
    browser.send(f"/play/{game}/leave", page=f"/play/{game}")
    while service_of(app).people.header(game).state == "running":
        press(friend, game, quiet(buttons(friend.get(f"/play/{game}").text)))
    service_of(app).live.finish(game)
    link = challenge(friend, game)
    third = Browser(app)
    text = third.get(link).text
    assert re.search(
        r"<li>regular</li>\s*<li><strong>You</strong></li>|<li>regular</li><li><strong>You", text
    )
    made = begin(third, link)
    assert [entry.house for entry in service_of(app).people.header(made).seats] == ["regular", None]
    assert service_of(app).people.header(made).seats[1].person == "guest 2"


def test_the_games_count_nowhere(
    app: Flask, browser: Browser, friend: Browser, anybody: ContractClient, admin: ContractClient
) -> None:
    services = service_of(app)
    link = challenge(browser, finished(app, browser, {**TOEPEN, "public": "yes"}))
    made = begin(friend, link)
    for _ in range(2):
        for client in (anybody, admin):
            for query in ("", "?kind=toepen", "?state=running", "?state=finished"):
                assert made not in client.get(f"/v1/games{query}").text
        assert [line for _, line in services.live.iter_records() if made in line.decode()] == []
        if services.people.header(made).state == "running":
            play_out(app, friend, made)
    assert not Wanted().takes(record_of(app, made))
    assert record_of(app, made)["info"]["practice"]["after"] == 0


def test_it_is_counted_to_the_friend(limited: Flask) -> None:
    """As any other table: to the address, and to the games that it has at a time."""
    browser, friend = Browser(limited), Browser(limited)
    link = challenge(browser, finished(limited, browser))
    other = open_table(browser, TOEPEN)
    refused = sit(friend, link)
    assert "too_many_tables" in refused.text
    assert "1 friend plays" not in browser.get(link).text
    browser.send(f"/play/{other}/leave", page=f"/play/{other}")
    service_of(limited).live.move_house_bots(other)
    begin(friend, link)
    assert "1 friend plays" in browser.get(link).text
