"""Maximum matchings in general graphs, including the one that is best for a given order of vertices."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

Graph = Mapping[int, Collection[int]]


def maximum_matching(graph: Graph, mates: Mapping[int, int] | None = None) -> dict[int, int]:
    """Return the mate of each matched vertex in a maximum matching.

    ``graph`` holds the possible mates of each vertex, in both directions. ``mates`` is a matching to start
    from. This is Edmonds' blossom algorithm, which finds one augmenting path at a time.
    """
    found = dict(mates or {})
    for vertex in graph:
        if vertex not in found:
            augment(graph, found, vertex, ())
    return found


def augment(graph: Graph, mates: dict[int, int], root: int, gone: Collection[int]) -> bool:
    """Pair one more vertex by changing ``mates`` along an augmenting path from the unpaired ``root`` that
    avoids the vertices ``gone``. If there is no such path, change nothing and return False.
    """
    base = {vertex: vertex for vertex in graph}
    parent: dict[int, int] = {}
    outer = {root}
    queue = deque([root])

    def common(one: int, other: int) -> int:
        """Return the base of the blossom that the edge closes: the vertex where the paths to the root
        meet.
        """
        passed = set()
        while True:
            one = base[one]
            passed.add(one)
            if one == root:
                break
            one = parent[mates[one]]
        while base[other] not in passed:
            other = parent[mates[base[other]]]
        return base[other]

    def mark(vertex: int, top: int, child: int, blossom: set[int]) -> None:
        while base[vertex] != top:
            mate = mates[vertex]
            blossom |= {base[vertex], base[mate]}
            parent[vertex] = child
            child = mate
            vertex = parent[mate]

    while queue:
        here = queue.popleft()
        for there in graph[here]:
            if there in gone or base[here] == base[there] or mates.get(here) == there:
                continue
            if there in outer:
                top = common(here, there)
                blossom: set[int] = set()
                mark(here, top, there, blossom)
                mark(there, top, here, blossom)
                for vertex in base:
                    if base[vertex] in blossom:
                        base[vertex] = top
                        if vertex not in outer:
                            outer.add(vertex)
                            queue.append(vertex)
            elif there not in parent:
                parent[there] = here
                if there not in mates:
                    _flip(mates, parent, there)
                    return True
                outer.add(mates[there])
                queue.append(mates[there])
    return False


def _flip(mates: dict[int, int], parent: Mapping[int, int], end: int) -> None:
    """Change the pairs along the path that ends at ``end``."""
    vertex: int | None = end
    while vertex is not None:
        before = parent[vertex]
        after = mates.get(before)
        mates[vertex], mates[before] = before, vertex
        vertex = after


def preferred_matching(
    graph: Graph, order: Sequence[int], wishes: Callable[[int, Sequence[int]], Iterable[int]]
) -> list[tuple[int, int]]:
    """Return a maximum matching in which the first vertex of ``order`` gets the best mate that any maximum
    matching allows, then the next unmatched vertex does, and so on.

    ``wishes(vertex, left)`` returns the preferred mates of the vertex among the vertices ``left``, best
    first.
    """
    mates = maximum_matching(graph)
    gone: set[int] = set()
    pairs = []
    for vertex in order:
        if vertex in gone:
            continue
        left = [other for other in order if other not in gone and other != vertex]
        for other in wishes(vertex, left):
            if other in graph[vertex]:
                rest = _without(graph, mates, vertex, other, gone)
                if rest is not None:
                    mates = rest
                    pairs.append((vertex, other))
                    gone |= {vertex, other}
                    break
        else:
            gone.add(vertex)
            mates = {one: mate for one, mate in mates.items() if vertex not in (one, mate)}
    return pairs


def _without(
    graph: Graph, mates: Mapping[int, int], one: int, other: int, gone: Collection[int]
) -> dict[int, int] | None:
    """Return a matching of the other vertices with one pair fewer than the maximum matching ``mates``, or
    None if no maximum matching pairs ``one`` with ``other``.
    """
    widows = [
        mates[vertex] for vertex in (one, other) if vertex in mates and mates[vertex] not in (one, other)
    ]
    rest = {vertex: mate for vertex, mate in mates.items() if not {vertex, mate} & {one, other}}
    if len(widows) < 2:
        return rest
    away = {*gone, one, other}
    # Two pairs were broken up for one: any augmenting path starts at one of the vertices left unpaired.
    return rest if any(augment(graph, rest, widow, away) for widow in widows) else None
