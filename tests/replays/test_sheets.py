"""The sheets of a replay page: a long game is read hand by hand."""

from __future__ import annotations

import re
from typing import Any

import pytest

from arena.replays import sheets as sheets_module
from arena.replays.moves import read_hands, read_moves
from arena.replays.sheets import sheets, with_remarks
from tests.replays.games import RULES, long_record, played


@pytest.mark.parametrize(("kind", "rules"), RULES)
def test_the_hands_of_a_game_are_the_whole_game(kind: str, rules: dict[str, Any]) -> None:
    record = played(kind, rules)
    whole, hands = read_moves(record), list(read_hands(record))
    assert [move for hand in hands for move in hand.moves] == whole.moves
    assert [deal for hand in hands for deal in hand.deals] == whole.deals
    for view, pictures in whole.pictures.items():
        assert [picture for hand in hands for picture in hand.pictures[view]] == pictures
    for hand in hands:
        number = hand.moves[0].hand
        assert {move.hand for move in hand.moves} == {deal[1] for deal in hand.deals} == {number}
        assert whole.moves[hand.first - 1] == hand.moves[0]


@pytest.mark.parametrize(("kind", "rules"), RULES)
def test_a_long_game_has_a_sheet_for_each_hand(
    kind: str, rules: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    record = played(kind, rules)
    (whole,) = sheets(record, "game.json", {1: "much luck"})
    monkeypatch.setattr(sheets_module, "MOST_ACTIONS", len(record["canonical"]["actions"]) - 1)
    found = list(sheets(record, "game.json", {1: "much luck"}))
    assert "".join(sheet.html for sheet in found) == whole.html
    first_moves: dict[int, int] = {}
    for sheet in found:
        assert len(sheet.first_moves) == 1
        first_moves |= sheet.first_moves
        assert sheet.data["first"] == next(iter(sheet.first_moves.values()))
    assert first_moves == whole.first_moves


def test_no_sheet_of_the_longest_game_is_long() -> None:
    """The moves that a live game may have, by the rules that make the longest pages."""
    record = long_record(3_000)
    found = sheets(record, "game.json", {})
    sizes = [len(sheet.html) + len(str(sheet.data)) for sheet in found]
    assert len(sizes) > 50
    assert max(sizes) < 200_000


def test_remarks_are_filled_in_as_text() -> None:
    record = played("toepen", {"seats": 2})
    (sheet,) = sheets(record, "game.json", {})
    decided = [index for index, (seat, *_) in enumerate(record["canonical"]["actions"]) if seat >= 0]
    assert [int(index) for index in re.findall(r"<!--(\d+)-->", sheet.html)] == decided
    html = with_remarks(sheet.html, {decided[0]: "shark: <b>4♣</b>", 10**6: "elsewhere"})
    assert "<!--" not in html
    assert '<span class="line remark">shark: &lt;b&gt;<span class="pip">4' in html
    assert html.count("remark") == 1
    assert with_remarks(html, {}) == html
