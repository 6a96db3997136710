"""Reads the stored results of groups."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from arena.ratings.results import GroupResult
from arena.store.rows import reading, shown_or_left_out
from arena.store.tournaments import TournamentStore


def read_result(data: bytes) -> GroupResult | None:
    """Parse a stored result, or return None if the group was abandoned. Raises
    :class:`~arena.errors.CorruptState`.
    """
    with reading("a result"):
        value: Any = json.loads(data)
        return None if value is None else GroupResult.from_json(value)


def read_results(event: str, stored: Mapping[str, bytes | None]) -> Iterator[GroupResult]:
    """Yield the results of groups of a tournament, except those that are missing or cannot be read."""
    for group, data in stored.items():
        if data is not None:
            result = shown_or_left_out(f"result of {event}-{group}", partial(read_result, data))
            if result is not None:
                yield result


def results_of(store: TournamentStore, groups: Iterable[tuple[str, str]]) -> Iterator[GroupResult]:
    """Yield the results of groups, given as pairs of a tournament and a group, by tournament."""
    by_event: dict[str, list[str]] = defaultdict(list)
    for event, group in groups:
        by_event[event].append(group)
    for event, ids in by_event.items():
        yield from read_results(event, dict(zip(ids, store.results(event, ids), strict=True)))
