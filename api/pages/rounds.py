"""The pairings of a tournament by round, from its groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import fsum
from typing import Any, NamedTuple


class Met(NamedTuple):
    """One pairing: its players' points, how many of its ``planned`` groups are ``done``, and, when all are
    over, the player with the most points (None if tied). ``pairing`` is its number in the round.
    """

    points: dict[str, float]
    done: int
    planned: int
    best: str | None
    pairing: int


def rounds(groups: Iterable[Mapping[str, Any]]) -> list[tuple[int, list[Met]]]:
    """Return the rounds and their pairings, in the order of the groups. Void groups are not counted."""
    found: dict[int, dict[int, list[Mapping[str, Any]]]] = {}
    for group in groups:
        found.setdefault(group["round"], {}).setdefault(group["pairing"], []).append(group)
    return [(number, [_met(own) for own in pairings.values()]) for number, pairings in found.items()]


def _met(groups: list[Mapping[str, Any]]) -> Met:
    done = [group for group in groups if group["state"] == "done"]
    points = {
        name: round(fsum(group["score"][name] for group in done), 2) for name in sorted(groups[0]["players"])
    }
    top = max(points.values())
    leaders = [name for name, own in points.items() if own == top]
    is_over = bool(done) and all(group["state"] != "planned" for group in groups)
    best = leaders[0] if is_over and len(leaders) == 1 else None
    return Met(points, len(done), len(groups), best, groups[0]["pairing"])
