"""Outcomes with forfeits, and the points of each seat."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple, TypeAlias

from arena.games.kernel import Outcome

StoredOutcome: TypeAlias = dict[str, list[int]]
"""An outcome as in a record: ``places`` and ``scores`` by seat, and the ``forfeits``."""


class FinalOutcome(NamedTuple):
    """The outcome that counts: ``places`` and ``scores`` per seat, and the seats that forfeited."""

    places: tuple[int, ...]
    scores: tuple[int, ...]
    forfeits: tuple[int, ...]

    def as_json(self) -> StoredOutcome:
        """Return the recorded form."""
        return {"places": list(self.places), "scores": list(self.scores), "forfeits": list(self.forfeits)}


def final_places(
    places: Sequence[int], teams: Sequence[Sequence[int]], forfeits: Collection[int]
) -> tuple[int, ...]:
    """Return the places, with every team that has a forfeiting seat placed last.

    Several such teams share the last place, and the other teams keep their order; if every team forfeits, all
    share place 1. Places count from 1, and those who share a place have the same number (1, 2, 2, 4).
    """
    result = [0] * len(places)
    order = {
        index: (any(seat in forfeits for seat in team), places[team[0]]) for index, team in enumerate(teams)
    }
    if all(forfeited for forfeited, _ in order.values()):
        return (1,) * len(places)
    keys = {index: (1, 0) if forfeited else (0, place) for index, (forfeited, place) in order.items()}
    for index, team in enumerate(teams):
        better = sum(key < keys[index] for key in keys.values())
        for seat in team:
            result[seat] = better + 1
    return tuple(result)


def final_outcome(
    outcome: Outcome, teams: Sequence[Sequence[int]], forfeits: Collection[int]
) -> FinalOutcome:
    """Return the outcome of the rules with forfeits applied."""
    return FinalOutcome(
        final_places(outcome.places, teams, forfeits), outcome.scores, tuple(sorted(forfeits))
    )


def points(places: Sequence[int], teams: Sequence[Sequence[int]]) -> tuple[float, ...]:
    """Return what each seat's place is worth, from 0 to 1: the share of the other teams that it beat,
    counting a shared place as half.
    """
    result = [0.0] * len(places)
    for team in teams:
        place = places[team[0]]
        rivals = [places[other[0]] for other in teams if other is not team]
        worth = sum(1.0 if place < rival else 0.5 if place == rival else 0.0 for rival in rivals) / len(
            rivals
        )
        for seat in team:
            result[seat] = worth
    return tuple(result)
