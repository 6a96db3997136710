"""The brackets that join bots which the games cannot tell apart."""

from __future__ import annotations

from api.pages.rank_brackets import LANES, rank_brackets

Rank = tuple[int, int] | None


def drawn(*ranks: Rank) -> list[str]:
    """Each lane from top to bottom, one letter per bot: first or last in a bracket, or between them."""
    rows = [
        {"name": str(number), "rank": own and own[0], "worst_rank": own and own[1]}
        for number, own in enumerate(ranks)
    ]
    marks = rank_brackets(rows)
    lanes = [["."] * len(rows) for _ in range(LANES)]
    for number, row in enumerate(rows):
        for mark in marks.get(str(row["name"]), ()):
            lanes[mark.lane][number] = "f" if mark.first else "l" if mark.last else "|"
    return ["".join(lane) for lane in lanes if set(lane) != {"."}]


def test_bots_that_are_told_apart_have_no_brackets() -> None:
    assert drawn((1, 1), (2, 2), (3, 3), None) == []
    assert drawn(None) == []


def test_bots_that_nothing_tells_apart_have_one_bracket() -> None:
    assert drawn((1, 3), (1, 3), (1, 3), (4, 4), None) == ["f|l.."]


def test_brackets_overlap_where_the_ends_are_told_apart() -> None:
    assert drawn((1, 2), (1, 3), (2, 3)) == ["fl.", ".fl"]
    # The first and the third of these brackets share a lane.
    assert drawn((1, 2), (1, 3), (2, 4), (3, 4)) == ["flfl", ".fl."]


def test_a_bracket_joins_only_those_of_whom_none_is_better() -> None:
    """The second is better than the fourth, though the first may be as good as that."""
    assert drawn((1, 4), (1, 3), (1, 4), (2, 4)) == ["f|l.", "..fl"]


def test_a_board_that_needs_too_many_lanes_has_none() -> None:
    def board(size: int, width: int) -> list[Rank]:
        return [(max(1, place - width), min(size, place + width)) for place in range(1, size + 1)]

    assert len(drawn(*board(20, LANES - 1))) == LANES
    assert drawn(*board(20, LANES)) == []
