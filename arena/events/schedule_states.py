"""The states of schedules: what each one is waiting for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NotRequired, TypedDict

from arena.store.tournaments import TournamentStore
from arena.tournaments.schedule_words import WaitsFor
from arena.tournaments.spec import scheduled_id

NEEDED: Final = "needed"
"""The field of a schedule's row that records whether, at the last check, a bot needed the next tournament.
None means unknown: bots have not been checked since the last tournament.
"""


class Schedule(TypedDict):
    """A schedule as stored; see :class:`~arena.events.schedules.ScheduleRow` and :data:`NEEDED`. Newer
    versions of the program can add fields.
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
    """Return the schedules as published. ``waits_for`` is one of
    :data:`~arena.tournaments.schedule_words.WAITS_FOR`, or None if the schedule is over or paused.
    ``current`` is the id of the last tournament, or None once that is over.
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
