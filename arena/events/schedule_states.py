"""What schedules do next, as far as it is known."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NotRequired, TypedDict

from arena.store.tournaments import TournamentStore
from arena.tournaments.schedule_words import WaitsFor
from arena.tournaments.spec import scheduled_id

NEEDED: Final = "needed"
"""The field of the row of a schedule that says whether a bot needs its next tournament, as it was looked at
last; None: that is not known, as bots have not been looked at since its last tournament.
"""


class Schedule(TypedDict):
    """A schedule as it is stored, see :class:`~arena.events.schedules.ScheduleRow` and :data:`NEEDED`; one of
    a newer version has more.
    """

    id: str
    cron: str | None
    tournament: dict[str, Any]
    at_ms: int | None
    until_groups: int | None
    next_ms: int | None
    last_ms: int | None
    enabled: bool
    created_by: str
    own: bool
    skipped: dict[str, Any] | None
    needed: NotRequired[bool | None]


def with_states(schedules: Iterable[Schedule], store: TournamentStore) -> list[dict[str, object]]:
    """Return the schedules as they are published: with ``waits_for``, one of
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
        schedule: dict[str, object] = dict(row)
        schedule.pop(NEEDED, None)
        waits_for = _waits_for(row, current is not None, row.get(NEEDED))
        found.append({**schedule, "current": current, "waits_for": waits_for})
    return found


def _waits_for(schedule: Schedule, goes_on: bool, needed: bool | None) -> WaitsFor | None:
    if not schedule["enabled"] or schedule["next_ms"] is None:
        return None
    if schedule["until_groups"] is None:
        return "time"
    if goes_on:
        return "tournament"
    return "time" if needed else "bots"
