"""Forfeits in the final places."""

from __future__ import annotations

import pytest
from games_played import RULES, play

from arena.play.outcomes import final_places

PAIRS = ((0, 2), (1, 3))
FOUR = ((0,), (1,), (2,), (3,))


@pytest.mark.parametrize(
    ("places", "teams", "forfeits", "expected"),
    [
        ((1, 2, 1, 2), PAIRS, [], (1, 2, 1, 2)),
        ((1, 2, 1, 2), PAIRS, [2], (2, 1, 2, 1)),
        ((1, 2, 1, 2), PAIRS, [3], (1, 2, 1, 2)),
        ((1, 1, 1, 1), PAIRS, [1, 3], (1, 2, 1, 2)),
        ((1, 2, 1, 2), PAIRS, [0, 1], (1, 1, 1, 1)),
        ((1, 2, 2, 4), FOUR, [], (1, 2, 2, 4)),
        ((1, 2, 2, 4), FOUR, [0], (4, 1, 1, 3)),
        ((1, 2, 2, 4), FOUR, [1], (1, 4, 2, 3)),
        ((1, 2, 3, 4), FOUR, [0, 3], (3, 1, 2, 3)),
        ((1, 2, 3, 4), FOUR, [0, 1, 2], (2, 2, 2, 1)),
        ((1, 2, 3, 4), FOUR, [3, 2, 1, 0], (1, 1, 1, 1)),
    ],
)
def test_forfeiting_teams_share_the_last_place(
    places: tuple[int, ...],
    teams: tuple[tuple[int, ...], ...],
    forfeits: list[int],
    expected: tuple[int, ...],
) -> None:
    assert final_places(places, teams, forfeits) == expected


@pytest.mark.parametrize("kind", sorted(RULES))
def test_without_forfeits_the_places_are_the_rules(kind: str) -> None:
    for number in range(20):
        table = play(kind, number, RULES[kind][number % 4])
        outcome = table.state.outcome()
        assert outcome is not None
        assert final_places(outcome.places, table.teams, []) == outcome.places
