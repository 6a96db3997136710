"""Pictures of links: what they may show, their size, and that they differ by what they show."""

from __future__ import annotations

import re
import struct
from typing import Any
from xml.etree import ElementTree

import pytest

from arena.games import game_of
from arena.games.pictures import UNSEEN
from arena.previews.drawing import HEIGHT, WIDTH, png, svg
from arena.previews.sketches import Sketch, record_sketch, table_sketch
from arena.replays.live_table import spectated
from tests.replays.games import RULES, played

LIST: Sketch = {
    "over": "Leaderboard",
    "title": "Paulista for two",
    "lead": "20 bots",
    "foot": "",
    "rows": [
        {"rank": "1", "name": "a" * 32, "figure": "1752", "interval": (0.5, 0.6, 0.7)},
        {"rank": "2", "name": "bia", "figure": "1604"},
    ],
}


def size(image: bytes) -> tuple[int, int]:
    assert image.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", image[16:24])
    return width, height


def texts(drawn: str) -> list[str]:
    return [
        "".join(one.itertext()) for one in ElementTree.fromstring(drawn).iter() if one.tag.endswith("}text")
    ]


@pytest.mark.parametrize(("kind", "rules"), RULES)
def test_a_table_shows_names_score_stake_and_the_cards_that_everybody_has_seen(
    kind: str, rules: dict[str, Any]
) -> None:
    record = played(kind, rules)
    canonical = record["canonical"]
    seats = game_of(kind).seats(game_of(kind).options.complete(rules))
    sketches: list[str] = []
    last: dict[str, Any] = {}
    for table, _ in spectated(canonical):
        lying = {seat: UNSEEN if how else card for seat, card, how in table.shown["lying"]}
        sketch = table_sketch(canonical, table, "", live=True)
        assert {
            seat: place["card"] for seat, place in enumerate(sketch["places"]) if place["card"] is not None
        } == lying
        assert len(sketch["places"]) == seats
        sketches.append(repr(sketch))
        last = table.shown
    # Nothing but the trick and the turned card has a card in it: no hand, whoever may see it later.
    shown = re.findall(r"'(?:card|turned)': '(\w+)'", sketches[-1])
    cards = set(re.findall(r"'([2-9TJQKA][CHSD])'", sketches[-1]))
    assert cards == set(shown)
    assert len(set(sketches)) > 10
    drawn = texts(svg(record_sketch(record)))
    names = [player["name"] for player in canonical["players"]]
    assert set(names) <= set(drawn)
    assert str(last["stake"]) in drawn
    assert any(text.startswith("won by ") or text == "a draw" for text in drawn)


def test_the_size_is_that_of_messengers_and_the_image_that_of_the_moment() -> None:
    record = played("truco", {})
    tables = [
        png(table_sketch(record["canonical"], table, "", live=True))
        for table, _ in tables_at(record, (20, 60))
    ]
    images = [*tables, png(record_sketch(record)), png(LIST)]
    assert {size(image) for image in images} == {(WIDTH, HEIGHT)} == {(1200, 630)}
    assert len(set(images)) == len(images)
    assert max(map(len, images)) < 100_000
    assert png(LIST) == png(LIST)


def tables_at(record: Any, numbers: tuple[int, ...]) -> Any:
    return (one for at, one in enumerate(spectated(record["canonical"])) if at in numbers)


def test_text_is_text_and_fits() -> None:
    sketch: Sketch = {
        **LIST,
        "title": "<b>&" + "x" * 200,
        "rows": [{"rank": "1", "name": "m" * 32, "figure": "1"}],
    }
    drawn = svg(sketch)
    title = next(text for text in texts(drawn) if text.startswith("<b>&"))
    assert title.endswith("…")
    assert len(title) < 50
    assert size(png(sketch)) == (1200, 630)
