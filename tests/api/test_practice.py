"""Practice: a person tries a decision of a finished game again, and nothing counts or shows the new game."""

from __future__ import annotations

import re

import pytest
from flask import Flask

from arena.live.header import Viewer, payer_of_person
from arena.records.decisions import decisions
from arena.records.record import Record, parse_record
from arena.records.verify import verify
from arena.research.dataset import Wanted
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


def record_of(app: Flask, game: str) -> Record:
    return parse_record(service_of(app).live.record(game, Viewer(admin=True)))


def own(record: Record, seat: int = 0) -> list[int]:
    """The numbers of actions before the decisions of a seat."""
    return [one.after for one in decisions(record) if one.seat == seat]


def again(browser: Browser, game: str, **values: object) -> str:
    found = browser.send(f"/games/{game}/try", values, page=f"/games/{game}")
    assert found.status_code == 303, found.text
    return str(found.location).removeprefix("/play/")


def finished(app: Flask, browser: Browser, values: dict[str, str] = TOEPEN) -> str:
    game = open_table(browser, values)
    play_out(app, browser, game)
    return game


@pytest.mark.parametrize("values", [TOEPEN, TRUCO])
def test_try_again(app: Flask, browser: Browser, values: dict[str, str]) -> None:
    game = finished(app, browser, values)
    before, people = record_of(app, game)["canonical"], service_of(app).people
    after = own(record_of(app, game))[-1]
    made = again(browser, game, after=after)
    header = people.header(made)
    assert header.practice == {"game": game, "after": after}
    assert (header.kind, header.rules, header.seed) == (before["kind"], before["rules"], before["seed"])
    assert [entry.type for entry in header.seats] == ["person", *["house"] * (len(header.seats) - 1)]
    assert header.payer == payer_of_person(person_of(app, game), made)
    table = service_of(app).live.repository.load(made).table
    assert table is not None
    assert table.logged == after
    page = browser.get(f"/play/{made}").text
    assert "practice, with the deals of an earlier game" in page
    # At the decision again, with what was chosen then among the choices.
    assert before["actions"][after][1].split(":")[0] in " ".join(buttons(page))
    last = play_out(app, browser, made)[-1]
    assert re.search(r'id="share"[^>]* hidden', last)
    record = record_of(app, made)
    assert verify(record) == []
    assert record["info"]["practice"] == {"game": game, "after": after}
    assert record["canonical"]["actions"][:after] == [entry[:2] for entry in before["actions"][:after]]
    shown = browser.get(f"/games/{made}").text
    assert "it counts nowhere" in shown
    assert "Make it public" not in shown
    # Practice can be repeated and reviewed like any other game.
    service_of(app).reviews.make(made, 0, lambda name, seat, turn, seed: turn["legal_actions"][0])
    assert "shark: " in browser.get(f"/games/{made}").text
    assert people.header(again(browser, made, hand=1)).practice["game"] == made


def test_a_decision_or_a_hand(app: Flask, browser: Browser) -> None:
    game = finished(app, browser, {**TOEPEN, "rule-lives": "4"})
    record = record_of(app, game)
    hands = {}
    for one in decisions(record):
        if one.seat == 0:
            hands.setdefault(one.turn["observation"]["hand_number"], one.after)
    people = service_of(app).people
    for hand, after in list(hands.items())[:3]:
        assert people.header(again(browser, game, hand=hand)).practice["after"] == after
    others = [one.after for one in decisions(record) if one.seat == 1]
    for values in ({"after": others[0]}, {"after": 0}, {"after": 10**6}, {"hand": 99}, {"hand": "x"}, {}):
        found = browser.send(f"/games/{game}/try", values, page=f"/games/{game}")
        assert found.status_code == 422, values
        assert "you had no decision" in found.text.lower()


def test_only_finished_games_of_ones_own(app: Flask, browser: Browser, friend: Browser) -> None:
    """A game that still runs gives no deals away, whoever asks."""
    game = open_table(browser, TOEPEN)
    assert browser.send(f"/games/{game}/try", {"hand": 1}, page=f"/play/{game}").status_code == 409
    open_table(friend, TOEPEN)
    play_out(app, browser, game)
    assert friend.send(f"/games/{game}/try", {"hand": 1}, page="/play").status_code == 404
    made = again(browser, game, hand=1)
    assert browser.send(f"/games/{made}/try", {"hand": 1}, page=f"/play/{made}").status_code == 409


def test_a_friend_tries_again_from_the_own_seat(app: Flask, browser: Browser, friend: Browser) -> None:
    """House bots take the seats of the others, and the friend pays."""
    game, link = invite(browser, app, seats="3", seat1="house:random", seat2="friend")
    accept(friend, link)
    browser.send(f"/play/{game}/leave", page=f"/play/{game}")
    service_of(app).live.move_house_bots(game)
    press(friend, game, quiet(buttons(friend.get(f"/play/{game}").text)))
    friend.send(f"/play/{game}/leave", page=f"/play/{game}")
    service_of(app).live.move_house_bots(game)
    service_of(app).live.finish(game)
    made = again(friend, game, hand=1)
    header = service_of(app).people.header(made)
    assert [entry.house for entry in header.seats] == ["regular", "random", None]
    me = person_of(app, game, 2)
    assert header.seats[2].bot == me
    assert header.payer == payer_of_person(me, made)
    service_of(app).live.move_house_bots(made)
    page = friend.get(f"/play/{made}").text
    press(friend, made, quiet(buttons(page)))
    assert browser.get(f"/play/{made}").status_code == 404


def test_the_player_sees_what_the_seat_saw(app: Flask, browser: Browser) -> None:
    """While practice runs, its page and its state have no more of the deals than those of other games."""
    game = finished(app, browser, {**TOEPEN, "rule-lives": "4"})
    made = again(browser, game, after=own(record_of(app, game))[-1])
    header = service_of(app).people.header(made)
    view = service_of(app).live.view(made, Viewer(person_of(app, made)))
    assert view is not None
    hidden = service_of(app).live.repository.load(made).playing.state.observation(1)["hand"]
    assert hidden
    for text in (browser.get(f"/play/{made}").text, browser.get(f"/play/{made}/state").text):
        assert header.seed not in text
    state = browser.get(f"/play/{made}/state").json["picture"]
    assert set(state["cards1"]) == {""}
    for path in (f"/v1/games/{made}/record", f"/v1/games/{made}", f"/v1/games/{made}/events"):
        assert Browser(app).get(path).status_code == 404
    assert browser.get(f"/v1/games/{made}/record").status_code >= 400


def test_practice_is_in_no_list(
    app: Flask, browser: Browser, anybody: ContractClient, admin: ContractClient
) -> None:
    services = service_of(app)
    game = finished(app, browser, {**TOEPEN, "public": "yes"})
    made = again(browser, game, hand=1)

    def is_nowhere() -> None:
        for client in (anybody, admin):
            for query in ("", "?kind=toepen", "?state=running", "?state=finished"):
                assert made not in client.get(f"/v1/games{query}").text
        for path in ("/", "/leaderboards/toepen", "/bots/random", "/tournaments"):
            assert made not in Browser(app).get(path).text
        assert [cursor for cursor, line in services.live.iter_records() if made in line.decode()] == []

    is_nowhere()
    play_out(app, browser, made)
    is_nowhere()
    assert [line for _, line in services.live.iter_records() if game in line.decode()] != []
    refused = browser.send(f"/games/{made}/publish", page=f"/games/{made}")
    assert refused.status_code >= 400
    assert "stays private" in refused.text
    with pytest.raises(Exception, match="private"):
        services.live.agree(made, person_of(app, made))
    is_nowhere()
    assert Browser(app).get(f"/games/{made}").status_code == 404
    # Who plays it finds it among the own games.
    assert made in browser.get("/play").text
    record = record_of(app, made)
    assert Wanted().takes(record_of(app, game))
    assert not Wanted().takes(record)
    services.styles.update("toepen")
    assert services.styles.read("toepen", "open").bots == {}


def test_practice_counts_as_load(app: Flask, browser: Browser) -> None:
    """The gauge of games is about what the service has to do, and practice needs clocks and house bots."""
    game = finished(app, browser)

    def running() -> int:
        return service_of(app).store.stats().games["running"]

    before = running()
    made = again(browser, game, hand=1)
    assert running() == before + 1
    play_out(app, browser, made)
    assert running() == before
