"""What schedules do next, as far as it is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from arena.store.tournaments import TournamentStore
from arena.tournaments.schedule_words import WaitsFor
from arena.tournaments.spec import scheduled_id

NEEDED: Final = "needed"
"""The field of the row of a schedule that says whether a bot needs its next tournament, as it was looked at
last; None: that is not known, as bots have not been looked at since its last tournament.
"""


def with_states(schedules: Iterable[Mapping[str, Any]], store: TournamentStore) -> list[dict[str, Any]]:
    """The schedules as they are published: with ``waits_for``, one of
    :data:`~arena.tournaments.schedule_words.WAITS_FOR` (None: it is over, or paused), and ``current``, the id
    of the last tournament while that is not over.
    """
    rows = list(schedules)
    active = set(store.active()) if rows else set()
    found = []
    for row in rows:
        last_ms = row["last_ms"]
        event = None if last_ms is None else scheduled_id(row["id"], last_ms)
        current = event if event in active else None
        schedule = dict(row)
        needed = schedule.pop(NEEDED, None)
        found.append(
            {**schedule, "current": current, "waits_for": _waits_for(schedule, current is not None, needed)}
        )
    return found


def _waits_for(schedule: Mapping[str, Any], goes_on: bool, needed: bool | None) -> WaitsFor | None:
    if not schedule["enabled"] or schedule["next_ms"] is None:
        return None
    if schedule["until_groups"] is None:
        return "time"
    if goes_on:
        return "tournament"
    return "time" if needed else "bots"


__all__ = ["NEEDED", "with_states"]
