"""The brackets on a leaderboard that join bots which the games cannot tell apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

LANES: Final = 6
"""The maximum number of brackets side by side. A board that needs more has none: it would be a grey block."""


class Mark(NamedTuple):
    """The part of a bracket in the row of a bot. Brackets that overlap are in different lanes."""

    lane: int
    first: bool
    last: bool


def rank_brackets(rows: Sequence[Mapping[str, Any]]) -> Mapping[str, Sequence[Mark]]:
    """Return the parts of brackets in the row of each bot. ``rows`` are all rows of a board, in order."""
    ranked = [row for row in rows if row["rank"] is not None]
    marks: dict[str, list[Mark]] = defaultdict(list)
    ends: list[int] = []
    for start, end in _runs(ranked):
        lane = next((lane for lane, taken in enumerate(ends) if taken < start), len(ends))
        if lane == LANES:
            return {}
        ends[lane : lane + 1] = [end]
        for place in range(start, end + 1):
            marks[ranked[place]["name"]].append(Mark(lane, place == start, place == end))
    return marks


def _runs(ranked: Sequence[Mapping[str, Any]]) -> list[tuple[int, int]]:
    """Return the first and the last place of each longest run of bots none of which is better than another of
    them. Bots that are better or worse than each other bot are in no run.
    """
    runs: list[tuple[int, int]] = []
    for start, row in enumerate(ranked):
        end, worst = start, row["worst_rank"]
        while end + 1 < len(ranked) and ranked[end + 1]["rank"] <= start + 1 and end + 1 < worst:
            end += 1
            worst = min(worst, ranked[end]["worst_rank"])
        if end > start and (not runs or end > runs[-1][1]):
            runs.append((start, end))
    return runs
