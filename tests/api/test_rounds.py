"""The pairings of a tournament by round."""

from __future__ import annotations

from typing import Any

from api.pages.rounds import Met, rounds


def group(number: int, pairing: int, state: str = "done", **score: float) -> dict[str, Any]:
    shown = score if state != "planned" else None
    return {"round": number, "pairing": pairing, "state": state, "players": list(score), "score": shown}


def test_points_are_added_per_pairing() -> None:
    found = rounds(
        [
            group(1, 1, b=0.5, a=0.5),
            group(1, 1, b=0.25, a=0.75),
            group(1, 2, c=0.5, d=0.5),
            group(2, 1, a=1, c=0),
            group(2, 1, "planned", a=0, c=0),
        ]
    )
    assert found == [
        (1, [Met({"a": 1.25, "b": 0.75}, 2, 2, "a", 1), Met({"c": 0.5, "d": 0.5}, 1, 1, None, 2)]),
        (2, [Met({"a": 1, "c": 0}, 1, 2, None, 1)]),
    ]


def test_void_groups_count_for_nobody() -> None:
    assert rounds([group(1, 1, "void", a=1, b=0), group(1, 1, a=0, b=1)]) == [
        (1, [Met({"a": 0, "b": 1}, 1, 2, "b", 1)])
    ]
    assert rounds([group(1, 1, "void", a=1, b=0)]) == [(1, [Met({"a": 0, "b": 0}, 0, 1, None, 1)])]
