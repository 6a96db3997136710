"""The drawing of a knockout, and the rounds of a Swiss tournament on its page."""

from __future__ import annotations

import re
from typing import Any

import pytest
from flask import Flask

from api.pages.bracket import BracketDrawing, bracket
from api.pages.rounds import Met
from tests.api.arenas import announce, play
from tests.api.contract import ContractClient
from tests.api.test_web_pages import read


def duel(pairing: int, won: str, lost: str, done: int = 1) -> Met:
    return Met({lost: 0.0, won: float(done)}, done, 1, won if done else None, pairing)


def drawn(
    rounds: list[tuple[int, list[Met]]], entrants: int, running: bool = False, **places: int
) -> BracketDrawing:
    drawing = bracket(rounds, entrants, places, running=running)
    assert drawing is not None
    return drawing


def names(drawing: BracketDrawing) -> list[list[str]]:
    return [[player.name for player in box.players] for box in drawing.boxes]


def winners(drawing: BracketDrawing) -> list[str]:
    return [player.name for box in drawing.boxes for player in box.players if player.won]


FIRST = [duel(1, "a", "h"), duel(2, "d", "e"), duel(3, "b", "g"), duel(4, "c", "f")]


def test_a_bracket_of_eight() -> None:
    second = [duel(1, "d", "a"), duel(2, "b", "c")]
    last = [duel(1, "b", "d"), duel(2, "a", "c")]
    drawing = drawn([(1, FIRST), (2, second), (3, last)], 8)
    assert [text for _, _, text in drawing.labels] == [
        "Quarter-finals",
        "Semi-finals",
        "Final",
        "Third place",
    ]
    # From top to bottom as they came from the boxes before.
    assert names(drawing)[4:] == [["a", "d"], ["b", "c"], ["d", "b"], ["a", "c"]]
    assert winners(drawing) == ["a", "d", "b", "c", "d", "b", "b", "a"]
    assert len(drawing.lines) == 6
    assert not any(box.playing for box in drawing.boxes)
    for box in drawing.boxes:
        assert 0 <= box.x <= drawing.width - 198
        assert 0 <= box.y <= drawing.height - 56
    spots = {(box.x, box.y) for box in drawing.boxes}
    assert len(spots) == len(drawing.boxes)
    # A line ends in the middle of a box at both ends.
    for line in drawing.lines:
        (x, y), *_, (to_x, to_y) = [tuple(map(int, point.split(","))) for point in line.split()]
        assert (x - 198, y - 28) in spots
        assert (to_x, to_y - 28) in spots


def test_boxes_of_rounds_to_come_are_empty() -> None:
    drawing = drawn([(1, [duel(1, "a", "h", 0), *FIRST[1:]])], 8, running=True)
    assert names(drawing)[4:] == [[], [], []]
    assert [box.playing for box in drawing.boxes] == [True, False, False, False, False, False, False]
    assert drawing.boxes[0].players[0].points == ""


def test_byes_have_no_box() -> None:
    """Of five, only the fourth and the fifth meet in the first round."""
    first = [(1, [duel(2, "d", "e")])]
    assert names(drawn(first, 5))[1:] == [[], [], []]
    drawing = drawn([*first, (2, [duel(1, "a", "d"), duel(2, "b", "c")])], 5)
    assert names(drawing) == [["e", "d"], ["a", "d"], ["c", "b"], []]
    assert [text for _, _, text in drawing.labels] == ["Quarter-finals", "Semi-finals", "Final"]
    assert len(drawing.lines) == 3


def test_the_higher_seed_goes_on_after_a_tie() -> None:
    tie = Met({"a": 1.0, "d": 1.0}, 2, 2, None, 1)
    drawing = drawn([(1, [tie, duel(2, "b", "c")]), (2, [duel(1, "b", "a")])], 4)
    assert winners(drawing) == ["a", "b", "b"]
    final = Met({"a": 1.0, "b": 1.0}, 2, 2, None, 1)
    rounds = [(1, [tie, duel(2, "b", "c")]), (2, [final])]
    assert winners(drawn(rounds, 4)) == ["a", "b"]
    assert winners(drawn(rounds, 4, a=1, b=2, c=3, d=3)) == ["a", "b", "a"]


def test_after_a_tie_the_better_seed_goes_on() -> None:
    tied = Met({"a": 3.5, "b": 3.5}, 7, 7, None, 1)
    drawing = drawn([(1, [tied])], 2, a=2, b=1)
    assert drawing.winners == {(1, 1): "b"}
    assert drawing.has_tie
    assert not drawn([(1, [duel(1, "a", "b")])], 2, a=1, b=2).has_tie


@pytest.mark.parametrize(
    "rounds", [[], [(1, [Met({"a": 1.0, "b": 0.0, "c": 0.5}, 1, 1, "a", 1)])], [(1, [duel(64, "a", "b")])]]
)
def test_what_is_not_drawn(rounds: list[tuple[int, list[Met]]]) -> None:
    """Nothing, tables of three, and more than 64 players."""
    assert bracket(rounds, 3, {}, running=False) is None


def test_a_knockout_page_draws_its_bracket(
    app: Flask, admin: ContractClient, anybody: ContractClient
) -> None:
    body = {"name": "Cup", "kind": "toepen", "format": "knockout", "preset": "duel@1", "groups": 2}
    event = announce(admin, {**body, "house": ["rookie", "random", "rookie+2", "random+2"]})
    play(app.extensions["botequim"], event)
    html = read(anybody, f"/tournaments/{event}").html
    drawing = html.partition('<svg class="bracket"')[2].partition("</svg></div>")[0]
    assert drawing.count("<rect") == 4, "two semi-finals, the final and the third place"
    assert "Third place" in drawing
    champion = anybody.get(f"/v1/tournaments/{event}").json["places"][0]["name"]
    final = drawing.split("<rect")[3]
    assert f'class="won">{champion}<' in final
    listed = html.partition('<div class="rounds beside-bracket">')[2].partition("</section>")[0]
    assert re.findall("<h3>(.*)</h3>", listed) == ["Semi-finals", "Final"]
    last, third = listed.partition("<h3>Final</h3>")[2].split("</li>")[:2]
    assert re.findall('class="best"><a [^>]*>(.*?)</a>', last) == [champion]
    assert "for third place" in third
    assert "for third place" not in last


def test_the_rounds_of_a_swiss_tournament_are_chosen(
    app: Flask, admin: ContractClient, anybody: ContractClient
) -> None:
    body: dict[str, Any] = {"name": "Cup", "kind": "truco", "format": "swiss", "rounds": 3, "groups": 1}
    event = announce(admin, {**body, "house": ["rookie", "random", "rookie+2"]})
    play(app.extensions["botequim"], event)
    groups = anybody.get(f"/v1/tournaments/{event}/groups").json["groups"]
    page = read(anybody, f"/tournaments/{event}")
    links = [f"/tournaments/{event}?round={number}#rounds" for number in (1, 2, 3)]
    assert [link for link in page.links if "round=" in link] == links
    for number, link in enumerate(links, 1):
        shown = [" ".join(item.split()) for item in read(anybody, link).items]
        (met,) = [item for item in shown if " : " in item]
        own = next(group for group in groups if group["round"] == number)
        assert all(name in met for name in own["players"])
        (resting,) = {"rookie", "random", "rookie+2"} - set(own["players"])
        assert f"{resting}: a bye, which counts as a win" in shown
    last = [" ".join(item.split()) for item in page.items]
    assert last == shown, "the last round is shown first"
    assert anybody.get(f"/tournaments/{event}?round=4").status_code == 404
    assert anybody.get(f"/tournaments/{event}?round=x").status_code == 422
