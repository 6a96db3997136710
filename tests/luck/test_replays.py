"""Luck on the replay page and in the narration."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.luck.games import luck_of
from arena.records.record import dumps
from arena.replays.luck import LUCKY, told_luck
from arena.replays.page import replay_page
from tests.replays.games import played
from tests.replays.test_page import NASTY
from tests.runner.test_play import botequim


@pytest.mark.parametrize(("kind", "rules"), [("truco", {}), ("toepen", {"seats": 2})])
def test_the_curves_and_the_table(kind: str, rules: dict[str, int]) -> None:
    record = played(kind, rules, 2)
    luck = luck_of(record)
    html = replay_page(record)
    (section,) = re.findall(r'<section class="luck".*?</section>', html, re.DOTALL)
    curves = dict(re.findall(r'<polyline class="(\w+)" points="([^"]*)"', section))
    assert curves.keys() == {"played", "cards"}
    for points in curves.values():
        xs, ys = zip(*(map(float, point.split(",")) for point in points.split()), strict=True)
        assert len(xs) == len(luck.hands) + 1
        assert (xs[0], xs[-1]) == (0, 100)
        assert all(0 <= y <= 100 for y in ys)
    rows = re.findall(r'<a href="#(move-\d+)">(\d+)</a></th><td>([^<]*)</td><td>([^<]*)%</td>', section)
    assert [int(number) for _, number, _, _ in rows] == [hand.hand for hand in luck.hands]
    assert all(f'id="{move}"' in html for move, *_ in rows)
    shown = [float(value.replace("−", "-")) for *_, value in rows]
    assert shown == pytest.approx([100 * hand.luck for hand in luck.hands], abs=0.06)
    lucky = [hand.hand for hand in luck.hands if abs(hand.luck) >= LUCKY]
    assert html.count('<p class="lucky">') == len(lucky)
    assert len(told_luck(record)) == 1 + len(lucky)


def test_names_are_escaped() -> None:
    html = replay_page(played("truco", {}, 2, names=NASTY))
    (section,) = re.findall(r'<section class="luck".*?</section>', html, re.DOTALL)
    assert "<script" not in section
    assert "&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt; and {{seed}}" in section


def test_where_luck_is_not_measured_there_is_nothing() -> None:
    record = played("toepen", {"seats": 4}, 2)
    assert 'class="luck"' not in replay_page(record)
    assert told_luck(record) == []


def test_the_narration_ends_with_it(tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    record = played("toepen", {"seats": 2}, 2)
    path.write_text(dumps(record))
    lines = botequim("replay", str(path)).stdout.splitlines()
    told = told_luck(record)
    assert lines[-len(told) :] == told
    assert re.fullmatch(
        r"The luck of the cards in the whole game: \+\d+\.\d% of the game for (ana|bia)\.", told[0]
    )
