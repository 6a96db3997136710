from __future__ import annotations

from functools import cache
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.tournaments.formats.matching import maximum_matching, preferred_matching

Edges = frozenset[tuple[int, int]]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, Edges]:
    count = draw(st.integers(1, 9))
    pairs = list(combinations(range(count), 2))
    return count, frozenset(draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else [])


def neighbours(count: int, edges: Edges) -> dict[int, list[int]]:
    return {
        vertex: [other for other in range(count) if tuple(sorted((vertex, other))) in edges]
        for vertex in range(count)
    }


@cache
def most_pairs(vertices: frozenset[int], edges: Edges) -> int:
    """By trying everything."""
    if len(vertices) < 2:
        return 0
    first = min(vertices)
    rest = vertices - {first}
    with_first = [
        1 + most_pairs(rest - {other}, edges) for other in rest if tuple(sorted((first, other))) in edges
    ]
    return max([most_pairs(rest, edges), *with_first])


@settings(max_examples=300)
@given(graphs())
def test_no_matching_has_more_pairs(drawn: tuple[int, Edges]) -> None:
    count, edges = drawn
    mates = maximum_matching(neighbours(count, edges))
    assert all(mates[mate] == vertex for vertex, mate in mates.items())
    assert all(tuple(sorted(pair)) in edges for pair in mates.items())
    assert len(mates) == 2 * most_pairs(frozenset(range(count)), edges)


def test_two_blossoms() -> None:
    """Two triangles joined by a path: a search without blossoms misses a pair."""
    edges = frozenset({(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (5, 7), (6, 7)})
    assert len(maximum_matching(neighbours(8, edges))) == 8


@settings(max_examples=300)
@given(graphs())
def test_the_first_gets_the_best_mate_that_a_maximum_allows(drawn: tuple[int, Edges]) -> None:
    count, edges = drawn
    pairs = preferred_matching(neighbours(count, edges), range(count), lambda vertex, left: left)
    left = frozenset(range(count))
    expected = []
    for vertex in range(count):
        if vertex not in left:
            continue
        most = most_pairs(left, edges)
        for other in sorted(left - {vertex}):
            if (vertex, other) in edges and most_pairs(left - {vertex, other}, edges) == most - 1:
                expected.append((vertex, other))
                left -= {other}
                break
        left -= {vertex}
    assert pairs == expected
