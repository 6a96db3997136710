"""The table on one screen: for every kind of question of both games, hand and answers are in sight, and
nothing on the felt lies over anything else; and no page around the tables uses words of programmers.
"""

from __future__ import annotations

from typing import Any

import pytest

from arena.games import GAMES
from tests.web.overlaps import overlaps
from tests.web.playing import invitation, open_table
from tests.web.questions import LONG_NAME, questions
from tests.web.sight import SIZES, places, unseen
from tests.web.site import Site
from tests.web.tables import Tables
from tests.web.words import words_of_programmers

pytestmark = pytest.mark.system


def look(tables: Tables, page: Any, address: str) -> list[str]:
    if page.url != address:
        page.goto(address)
    page.wait_for_selector("#felt .seat")
    found = unseen(page, touched=page is tables.touching) + words_of_programmers(page)
    return found + overlaps(page)


@pytest.mark.parametrize("kind", GAMES)
def test_every_question_is_on_one_screen(kind: str, tables: Tables) -> None:
    """Each kind of question at one size, by turns."""
    findings = []
    for number, question in enumerate(questions(kind)):
        width, height = SIZES[number % len(SIZES)]
        address = tables.sit(question, LONG_NAME if number % 2 else "guest")
        found = look(tables, tables.page_of(width, height), address)
        findings += [f"{question.name} at {width}×{height}: {one}" for one in found]
    assert not findings, "\n".join(findings)


@pytest.mark.nightly("pages")
@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("kind", GAMES)
def test_every_question_is_on_every_screen(kind: str, width: int, height: int, tables: Tables) -> None:
    """And the felt and the question stay where they are, whatever is asked."""
    findings = []
    where: dict[str, dict[str, str]] = {}
    for names in ("guest", LONG_NAME):
        for question in questions(kind):
            page = tables.page_of(width, height)
            found = look(tables, page, tables.sit(question, names))
            findings += [f"{question.name}, {names}: {one}" for one in found]
            where.setdefault(question.table, {}).setdefault(places(page), question.what)
    findings += [f"{table}: {seen}" for table, seen in where.items() if len(seen) > 1]
    assert not findings, "\n".join(findings)


def test_pages_around_the_tables_have_no_words_of_programmers(tables: Tables) -> None:
    live = tables.service.live.create("truco", seats=[{"house": "rookie"}] * 4)["game"]
    page = tables.page_of(*SIZES[1])
    waits = open_table(page, tables.url, "toepen", {}, {"seat1": "house:rookie", "seat2": "friend"})
    paths = [f"/play/{waits}", invitation(page).removeprefix(tables.url), f"/games/{live}"]
    for kind, game in GAMES.items():
        paths += [f"/play?game={kind}&preset={preset.name}" for preset in game.presets]
    findings = []
    for number, path in enumerate(paths):
        page = tables.page_of(*SIZES[number % len(SIZES)])
        page.goto(tables.url + path)
        findings += [f"{path}: {one}" for one in words_of_programmers(page)]
    assert not findings, "\n".join(findings)


@pytest.mark.nightly("pages")
def test_live_games_and_replays_have_no_words_of_programmers(full: Site, tables: Tables) -> None:
    findings = []
    names = [name for name in full.pages if name.startswith(("play", "live", "replay"))]
    assert {"live-truco", "replay-toepen"} <= {*names}
    for width, height in SIZES:
        page = tables.page_of(width, height)
        for name in names:
            page.goto(full.url + full.pages[name])
            findings += [f"{name} at {width}: {one}" for one in words_of_programmers(page)]
    assert not findings, "\n".join(findings)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("truco/base@1", 1),
        ("You see guest 2 at 12:30, 1 2 3", 0),
        ("again at 4-59/30 * * * *", 1),
        ("On seat 2", 1),
        ("4 seats, two seats", 0),
        ("ab" * 32, 1),
        ("<details><summary>Verify</summary>" + "ab" * 32 + "</details>", 0),
    ],
)
def test_the_check_finds_words_of_programmers(text: str, found: int, tables: Tables) -> None:
    page = tables.page.context.new_page()
    page.set_content(f"<body><p>Text {text}</p>")
    assert len(words_of_programmers(page)) == found
    page.close()
