"""The states of schedules: what each one is waiting for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NotRequired, TypedDict
from zlib import crc32

from arena.store.amounts import DAY_MS
from arena.store.tournaments import TournamentStore
from arena.tournaments.schedule_words import WaitsFor
from arena.tournaments.spec import scheduled_id

NEEDED: Final = "needed"
"""The field of a schedule's row that records whether, at the last check, a bot needed the next tournament.
None means unknown: bots have not been checked since the last tournament.
"""

DAILY_TURN: Final = "daily_turn"
"""The field with the last turn of daily play (:mod:`arena.events.daily_play`) that has passed while bots wait
for the next one. None or missing: no bot waits.
"""

TURNS: Final = 4
"""The number of turns of daily play per day, and of a schedule."""

_TURN_MS: Final = DAY_MS // TURNS
_MINUTE_MS: Final = 60_000


class Schedule(TypedDict):
    """A schedule as stored; see :class:`~arena.events.schedules.ScheduleRow`, :data:`NEEDED` and
    :data:`DAILY_TURN`. Newer versions of the program can add fields.
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
    daily_turn: NotRequired[int | None]


def with_states(schedules: Iterable[Schedule], store: TournamentStore) -> list[dict[str, object]]:
    """Return the schedules as published. ``waits_for`` is one of
    :data:`~arena.tournaments.schedule_words.WAITS_FOR`, or None if the schedule is over or paused.
    ``current`` is the id of the last tournament, or None once that is over. ``daily_ms`` is when the next
    turn of daily play begins, or None if no bot waits for one.
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
        schedule.pop(DAILY_TURN, None)
        turn = row.get(DAILY_TURN)
        waits_for = _waits_for(row, current is not None, row.get(NEEDED))
        daily_ms = turn_starts_ms(row["id"], turn + 1) if turn is not None and row["enabled"] else None
        found.append({**schedule, "current": current, "waits_for": waits_for, "daily_ms": daily_ms})
    return found


def turn_of(schedule: str, now_ms: int) -> int:
    """Return the turn of daily play of a schedule at a time."""
    return (now_ms - _offset_ms(schedule)) // _TURN_MS


def turn_starts_ms(schedule: str, turn: int) -> int:
    """Return when a turn of a schedule begins."""
    return turn * _TURN_MS + _offset_ms(schedule)


def daily_id(schedule: str, turn: int) -> str:
    """Return the id of the tournament of a turn."""
    return f"daily-{schedule}-{turn}"


def _offset_ms(schedule: str) -> int:
    """Return a time that differs between schedules, so that their turns do not begin together."""
    return crc32(schedule.encode()) % (_TURN_MS // _MINUTE_MS) * _MINUTE_MS


def _waits_for(schedule: Schedule, goes_on: bool, needed: bool | None) -> WaitsFor | None:
    if not schedule["enabled"] or schedule["next_ms"] is None:
        return None
    if schedule["until_groups"] is None:
        return "time"
    if goes_on:
        return "tournament"
    return "time" if needed else "bots"
