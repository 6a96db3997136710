"""The pages that teach a game: the rules in one minute, and lessons."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
import redis
from flask import Flask

from arena.games import GAMES
from arena.people.lessons import lesson_of
from arena.store.embedded import EmbeddedStore
from tests.api.pages import Browser

HTML = {"Accept": "text/html"}
TAUGHT = [game for game in GAMES.values() if game.guide is not None]


@pytest.fixture
def browser(app: Flask) -> Browser:
    return Browser(app)


def text_of(html: str) -> str:
    """The text of a page, in one line."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def test_every_game_of_the_service_is_taught() -> None:
    assert [game.kind for game in TAUGHT] == list(GAMES)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("", ["12 points", "1, 3, 6, 9 or 12", "At 11 points", "burn them, at most 3 times", "zap"]),
        ("?max_burns=0", ["pass them to the partner once."]),
        ("?variant=paulista", ["the vira", "4 5 6 7 Q J K A 2 3", "From the second", "At 11 points"]),
        ("?variant=paulista&pack=clean", ["Q J K A 2 3, and then Q again"]),
        ("?variant=mineiro&seats=2", ["2, 4, 6, 10 or 12", "At 10 points", "play for 4", "for two"]),
        ("?stakes=2-4-8-12", ["2, 4, 8 or 12", "At 10 points"]),
        ("?signals=table", ["make a sign that all see"]),
    ],
)
def test_figures_follow_from_the_options_of_truco(query: str, words: list[str], browser: Browser) -> None:
    text = text_of(browser.get(f"/learn/truco{query}").text).replace("from the second", "From the second")
    assert [word for word in words if word not in text] == []


@pytest.mark.parametrize(
    ("query", "words", "absent"),
    [
        ("", ["10 lives", "at any time", "6 times"], ["drinks", "whistle"]),
        ("?lives=1&knocking=on_turn", ["1 life.", "on your turn"], []),
        ("?seats=8", ["for eight"], ["Dirty laundry"]),
        ("?max_exchanges=0", [], ["Dirty laundry"]),
        ("?end=rubber&rubbers=2&whistling=true", ["After 2 rubbers", "must whistle"], []),
    ],
)
def test_figures_follow_from_the_options_of_toepen(
    query: str, words: list[str], absent: list[str], browser: Browser
) -> None:
    text = text_of(browser.get(f"/learn/toepen{query}").text)
    assert [word for word in words if word not in text] == []
    assert [word for word in absent if word in text] == []


def test_cards_are_drawn_in_their_order(browser: Browser) -> None:
    drawn = re.findall(r'aria-label="(\w+ of \w+)"', browser.get("/learn/toepen").text)
    ranks = [card.partition(" ")[0] for card in drawn]
    assert ranks[:8] == ["ten", "nine", "eight", "seven", "ace", "king", "queen", "jack"]
    drawn = re.findall(r'aria-label="(\w+ of \w+)"', browser.get("/learn/truco?variant=paulista").text)
    assert drawn[0] == "six of hearts"
    assert drawn[1:5] == ["seven of clubs", "seven of hearts", "seven of spades", "seven of diamonds"]
    assert [card.partition(" ")[0] for card in drawn[5:]] == (
        ["three", "two", "ace", "king", "jack", "queen", "six", "five", "four"]
    )


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/learn/chess", 404, "Game not offered"),
        ("/learn/truco?variant=x", 422, "not a valid value"),
        ("/learn/truco?nothing=1", 422, "has no rule option"),
        ("/learn/truco?max_burns=--5", 422, "a whole number from 0 to 9"),
        ("/learn/truco?max_burns=" + "9" * 5000, 422, "a whole number from 0 to 9"),
        ("/learn/truco?seats=3", 422, "two or four players"),
        ("/learn/toepen?lives=%C2%B2", 422, "a whole number from 1 to 30"),
    ],
)
def test_odd_options_get_one_message(path: str, status: int, words: str, browser: Browser) -> None:
    response = browser.get(path, headers=HTML)
    assert response.status_code == status
    assert words in text_of(response.text)


@pytest.mark.parametrize("path", ["/play?game=truco&preset=mineiro-2@1", "/docs/rules/truco-variants"])
def test_other_pages_link_to_the_rules_in_one_minute(path: str, browser: Browser) -> None:
    links = re.findall(r'href="(/learn/truco[^"]*)"', browser.get(path).text)
    assert any(unescape(link) == "/learn/truco?variant=mineiro&seats=2" for link in links)
    assert all(browser.get(unescape(link)).status_code == 200 for link in links)


def test_the_form_for_a_table_links_to_the_lesson(browser: Browser) -> None:
    for kind in GAMES:
        assert f'href="/learn/{kind}/lesson"' in browser.get(f"/play?game={kind}").text


def test_guides_are_short(browser: Browser) -> None:
    for game in TAUGHT:
        assert game.guide is not None
        for rules in game.guide.variants:
            sections: Any = game.guide.sections(game.options.complete(rules))
            words = sum(len(text.split()) for section in sections for text in section.paragraphs)
            assert 150 <= words <= 440, (game.kind, rules)


# Lessons


def links_of(html: str, words: str) -> list[str]:
    """The addresses of the links with this text."""
    found = re.findall(r'<a [^>]*href="([^"]+)"[^>]*>(.*?)</a>', html, re.DOTALL)
    return [unescape(address) for address, inside in found if text_of(inside) == words]


@pytest.mark.parametrize("kind", GAMES)
def test_a_lesson_is_played_by_links(kind: str, browser: Browser) -> None:
    """Without scripts; each legal answer gets its comment, and the lesson continues."""
    lesson = lesson_of(kind)
    assert lesson is not None
    html = browser.get(f"/learn/{kind}/lesson").text
    for number, deal in enumerate(lesson.deals, 1):
        for step in deal.steps:
            assert text_of(step.question.replace("[", "").replace("]", ""))[:12] in text_of(html)
            answers = {
                unescape(found).rpartition("answer=")[2]: unescape(found)
                for found in re.findall(r'<li><a href="([^"]+answer=[^"]+)"', html)
            }
            assert answers.keys() == step.comments.keys()
            for action, address in answers.items():
                page = browser.get(address).text
                assert text_of(step.comments[action].partition("[")[0]) in text_of(page)
                assert ("Try again" in page) == (action != step.right)
                (following,) = links_of(page, "Continue")
            html = browser.get(following).text
        assert "The deal is over" in html
        assert text_of(deal.end.partition("[")[0]) in text_of(html)
        if number < len(lesson.deals):
            html = browser.get(links_of(html, "Next deal")[0]).text
    assert links_of(html, "Play")[-1] == f"/play?game={kind}"


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/learn/chess/lesson", 404, "Game not offered"),
        ("/learn/truco/lesson?deal=4", 422, "a whole number from 1 to 3"),
        ("/learn/truco/lesson?deal=0", 422, "a whole number from 1 to 3"),
        ("/learn/truco/lesson?deal=%C2%B2", 422, "a whole number from 1 to 3"),
        ("/learn/truco/lesson?step=4", 422, "a whole number from 1 to 3"),
        ("/learn/truco/lesson?step=" + "9" * 5000, 422, "a whole number from 1 to 3"),
        ("/learn/truco/lesson?answer=play:9C", 422, "one of play:2C"),
        ("/learn/truco/lesson?answer=" + "x" * 5000, 422, "one of play:2C"),
        ("/learn/truco/lesson?step=3&answer=truco", 422, "no answer"),
    ],
)
def test_odd_steps_get_one_message(path: str, status: int, words: str, browser: Browser) -> None:
    response = browser.get(path, headers=HTML)
    assert response.status_code == status
    assert words in text_of(response.text)
    assert "x" * 30 not in response.text


def test_lessons_store_nothing(app: Flask, browser: Browser, clean_store: EmbeddedStore) -> None:
    database = redis.Redis.from_url(clean_store.url)
    browser.get("/learn/truco")
    before = {key for key in database.scan_iter() if b"limit" not in key}
    for path in ("", "?deal=2&step=2&answer=truco", "?deal=3&step=5"):
        response = browser.get(f"/learn/truco/lesson{path}")
        assert response.status_code == 200
        assert "Set-Cookie" not in response.headers
    assert {key for key in database.scan_iter() if b"limit" not in key} == before
