"""The number of action sequences from fixed deals of Truco, by the real rules and by the reference."""

from __future__ import annotations

from typing import Any

import pytest

from arena.games.truco.state import TrucoState
from tests.games.truco_reference import Reference
from tests.games.truco_tables import Table

HANDS = ("3SAS4C", "3HKD4H", "2S7D5C", "3C6HQS")
"""In the order of the deal."""

DEALS: dict[str, tuple[dict[str, Any], str, list[int]]] = {
    "base": ({"cut": "none"}, "", [3, 12, 67, 411, 2576, 13391, 65056]),
    "paulista": ({"variant": "paulista"}, "5D", [4, 16, 59, 210, 809, 3144, 12755, 53122]),
    "paulista for two": (
        {"variant": "paulista", "seats": 2},
        "5D",
        [4, 15, 61, 249, 569, 1645, 3327, 6921, 12448, 20433],
    ),
    "the old manilhas for two": (
        {"variant": "paulista", "manilhas": "fixed", "seats": 2},
        "",
        [4, 15, 61, 249, 533, 1501, 2952, 5889, 10319, 16386, 22966],
    ),
    "truco from the second trick, nothing hidden": (
        {"variant": "paulista", "seats": 2, "truco_from": "after_first_trick", "face_down": "never"},
        "2D",
        [3, 9, 27, 81, 164, 350, 652, 1101, 1710, 2298, 2554, 2554, 2554],
    ),
    "other stakes for two": (
        {"variant": "paulista", "seats": 2, "stakes": "2-4-8-12", "all_tied": "forehand"},
        "2D",
        [4, 15, 61, 248, 567, 1631, 3228, 6415, 10340, 14330, 17376, 18272, 18272, 18272],
    ),
    "mineiro": ({"variant": "mineiro"}, "", [4, 16, 59, 210, 809, 3144, 12755, 53122]),
    "mineiro for two": (
        {"variant": "mineiro", "seats": 2},
        "",
        [4, 15, 61, 249, 533, 1501, 2952, 5889, 10319, 16386, 22966],
    ),
    "mineiro, the trick under truco": (
        {"variant": "mineiro", "truco_scope": "trick"},
        "",
        [4, 16, 59, 206, 776, 2942, 10821, 41827],
    ),
}
"""Options, the card turned, and the counts for 1, 2, ... actions. The hands are ``HANDS``."""

CHECKED_BY_REFERENCE = 3000


def perft(state: TrucoState, depth: int) -> int:
    """The number of sequences of ``depth`` actions, up to the end of the hand."""
    moves = [(seat, action) for seat in state.awaiting() for action in state.legal_actions(seat)]
    if depth == 1 or not moves:
        return max(len(moves), 1)
    total = 0
    for seat, action in moves:
        after = state.clone()
        after.apply(seat, action)
        total += perft(after, depth - 1)
    return total


def reference_perft(rules: dict[str, Any], log: list[tuple[int, str]], depth: int) -> int:
    """The same by the reference, which cannot be copied and so starts over each time."""
    reference = Reference(rules)
    for seat, action in log:
        reference.apply(seat, action)
    asked = reference.awaited
    moves = [] if asked is None or asked < 0 else sorted(reference.legal(asked))
    if depth == 1 or not moves:
        return max(len(moves), 1)
    assert asked is not None
    return sum(reference_perft(rules, [*log, (asked, action)], depth - 1) for action in moves)


LONG = ("truco from the second trick, nothing hidden", "other stakes for two")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.nightly("simulations")] if name in LONG else [])
        for name in DEALS
    ],
)
def test_numbers_of_action_sequences(name: str) -> None:
    given, vira, counts = DEALS[name]
    table = Table(given)
    table.start(0, 0, table.reference.seats - 1)
    table.deal(*HANDS[: table.reference.seats], vira=vira)
    for depth, count in enumerate(counts, 1):
        assert perft(table.state, depth) == count, depth
        if count <= CHECKED_BY_REFERENCE:
            assert reference_perft(table.rules, table.log, depth) == count, depth
