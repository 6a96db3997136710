"""Schedules: tournaments that come again by a cron line, or at a set time."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final

import orjson
from croniter import CroniterError, croniter  # type: ignore[import-untyped]

from arena.errors import ArenaError
from arena.live.accounts import Forbidden, Principal
from arena.live.clocks import ServiceClock
from arena.live.event import OVER, TournamentNotFound
from arena.live.store_tournaments import SCHEDULES, TournamentStore
from arena.live.tournaments import Tournaments
from arena.ratings.results import SEALED
from arena.text import printable
from arena.tournaments.spec import DEFAULT_ENTRY_S, scheduled_id

log = logging.getLogger(__name__)

MAX_SECONDS: Final = 31 * 86_400
MAX_SCHEDULES: Final = 1000

_ID: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,23}\Z").match
"""The id of a tournament is that of its schedule and when it was due, and has its own limit."""

_FIELDS: Final = ("id", "cron", "at_ms", "tournament", "until_groups")
MOST_GROUPS: Final = 100_000
_CRON_RULE: Final = "five fields (minute, hour, day, month, day of the week) that some time fit, in UTC"


class InvalidSchedule(ArenaError):
    """A schedule that can never fire, or is no schedule."""

    code = "invalid_schedule"


class ScheduleNotFound(ArenaError):
    """There is no such schedule."""

    code = "schedule_not_found"


class ScheduleExists(ArenaError):
    """There is another schedule of that id."""

    code = "schedule_exists"


class Schedules:
    """What makes tournaments by itself. Any number of processes may call :meth:`fire`.

    Errors are :class:`~arena.errors.ArenaError`: ``invalid_schedule``, ``schedule_not_found``,
    ``schedule_exists``, ``too_many``, ``forbidden``, and those of a tournament that cannot be.
    """

    def __init__(
        self, store: TournamentStore, tournaments: Tournaments, clock: Callable[[], ServiceClock]
    ) -> None:
        self._store = store
        self._tournaments = tournaments
        self._clock = clock

    def create(self, fields: Mapping[str, Any], created_by: str) -> dict[str, Any]:
        """Make a schedule and return it. ``fields``: ``id``, either ``cron`` (five fields, UTC) or ``at_ms``
        (once), and ``tournament``: as for a tournament, with ``entry_s`` (seconds that entry is open) and
        ``play_s`` (seconds that an ``open`` one goes on) in place of its times.

        ``until_groups``, for uploaded bots that enter by themselves: it fires only while one of them has
        fewer groups than that on its board, and the tournament before is over.
        """
        for key in fields:
            if key not in _FIELDS:
                raise InvalidSchedule(
                    f"a schedule has no {printable(key, 40)!r}",
                    field=key,
                    expected="one of " + ", ".join(_FIELDS),
                )
        name = fields.get("id")
        if not isinstance(name, str) or not _ID(name):
            raise InvalidSchedule(
                f"{printable(str(name), 40)!r} is no id",
                field="id",
                expected="1 to 24 of a-z, 0-9 and hyphens, not beginning with a hyphen",
            )
        cron, at_ms, template = fields.get("cron"), fields.get("at_ms"), fields.get("tournament")
        if (cron is None) == (at_ms is None):
            raise InvalidSchedule("it fires once or again and again", field="cron", expected="cron or at_ms")
        if not isinstance(template, Mapping):
            raise InvalidSchedule("there is no tournament", field="tournament", expected="an object")
        now_ms = self._clock().now_ms
        until_groups = _until_groups(fields.get("until_groups"), template)
        schedule = {
            "id": name,
            "cron": cron,
            "at_ms": at_ms,
            "tournament": dict(template),
            "next_ms": _next_ms(cron, at_ms, now_ms),
            "last_ms": None,
            "enabled": True,
            "created_by": created_by,
            "until_groups": until_groups,
        }
        self._tournaments.check(_timed(template, now_ms))
        if len(self._store.fields(SCHEDULES)) >= MAX_SCHEDULES:
            raise ArenaError(
                f"there may be {MAX_SCHEDULES} schedules",
                code="too_many",
                field="id",
                extra={"most": MAX_SCHEDULES},
            )
        data = orjson.dumps(schedule)
        # A reply may be lost, and then the same is tried again.
        if (
            not self._store.replace(SCHEDULES, name, None, data)
            and self._store.field(SCHEDULES, name) != data
        ):
            raise ScheduleExists(f"there is a schedule {name!r}", field="id", expected="another id")
        return _shown(schedule)

    def announce(self, template: Mapping[str, Any], created_by: str, tournament_id: str) -> None:
        """Announce a tournament of a template now, once for each id."""
        fields = _timed(template, self._clock().now_ms)
        self._tournaments.create(fields, created_by, tournament_id=tournament_id)

    def view(self, name: str) -> dict[str, Any]:
        """Raises :class:`ScheduleNotFound`."""
        return _shown(self._loaded(name)[0])

    def list(self) -> list[dict[str, Any]]:
        """All schedules, by id."""
        return [_shown(orjson.loads(data)) for _, data in sorted(self._store.fields(SCHEDULES).items())]

    def change(self, name: str, *, enabled: bool, by: Principal | None = None) -> dict[str, Any]:
        """Let it fire or not; what it has missed meanwhile is not made up for."""
        while True:
            schedule, before = self._loaded(name)
            _check_mine(schedule, by)
            if enabled and not schedule["enabled"] and schedule["cron"] is not None:
                schedule["next_ms"] = _next_ms(schedule["cron"], None, self._clock().now_ms)
            schedule["enabled"] = enabled
            if self._store.replace(SCHEDULES, name, before, orjson.dumps(schedule)):
                return _shown(schedule)

    def delete(self, name: str, *, by: Principal | None = None) -> None:
        """End a schedule; the tournaments that it has made stay."""
        while True:
            schedule, before = self._loaded(name)
            _check_mine(schedule, by)
            if self._store.replace(SCHEDULES, name, before, None):
                return

    def fire(self) -> Sequence[str]:
        """Announce the tournaments that are due and return their ids. However often a schedule was
        missed, it fires once; however many fire it, there is one tournament.
        """
        now_ms = self._clock().now_ms
        fired = []
        for name, before in sorted(self._store.fields(SCHEDULES).items()):
            schedule = orjson.loads(before)
            due_ms = schedule["next_ms"]
            if not schedule["enabled"] or due_ms is None or due_ms > now_ms:
                continue
            event = scheduled_id(name, due_ms)
            try:
                if self._is_wanted(schedule, now_ms):
                    self.announce(schedule["tournament"], schedule["created_by"], event)
                    fired.append(event)
                    schedule["last_ms"] = due_ms
            except ArenaError:
                # What was allowed when the schedule was made is not any more: the next may be.
                log.exception("schedule %s cannot announce its tournament", name)
                schedule["last_ms"] = due_ms
            schedule["next_ms"] = (
                None if schedule["cron"] is None else _next_ms(schedule["cron"], None, now_ms)
            )
            self._store.replace(SCHEDULES, name, before, orjson.dumps(schedule))
        return fired

    def _is_wanted(self, schedule: Mapping[str, Any], now_ms: int) -> bool:
        """Whether there is anything to learn from another tournament, for one that goes on until then."""
        groups = schedule.get("until_groups")
        if groups is None:
            return True
        if schedule["last_ms"] is not None:
            with suppress(TournamentNotFound):
                last = self._tournaments.progress(scheduled_id(schedule["id"], schedule["last_ms"]))
                if last["state"] not in OVER:
                    return False
        return bool(self._tournaments.lacking(_timed(schedule["tournament"], now_ms), groups))

    def _loaded(self, name: str) -> tuple[dict[str, Any], bytes]:
        data = self._store.field(SCHEDULES, name)
        if data is None:
            raise ScheduleNotFound(f"there is no schedule {printable(name, 40)!r}", field="schedule")
        schedule: dict[str, Any] = orjson.loads(data)
        return schedule, data


def _shown(schedule: dict[str, Any]) -> dict[str, Any]:
    """As it is published; those that older versions made have no ``until_groups``."""
    return {"until_groups": None, **schedule}


def _until_groups(value: Any, template: Mapping[str, Any]) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MOST_GROUPS:
        raise InvalidSchedule(
            f"{printable(repr(value), 40)} is no number of groups",
            field="until_groups",
            expected=f"a whole number from 1 to {MOST_GROUPS}",
        )
    for key, wanted in (("division", SEALED), ("auto_enter", True), ("rated", True)):
        if template.get(key, key == "rated") != wanted:
            raise InvalidSchedule(
                "groups are counted of uploaded bots that enter by themselves, and where they are rated",
                field=f"tournament.{key}",
                expected=str(wanted).lower(),
            )
    return value


def _timed(template: Mapping[str, Any], now_ms: int) -> dict[str, Any]:
    """The tournament of a template that begins now."""
    fields = dict(template)
    for key in ("opens_ms", "locks_ms", "ends_ms"):
        if key in fields:
            raise InvalidSchedule(
                f"the times of a schedule's tournament are counted from its start, there is no {key}",
                field=f"tournament.{key}",
                expected="entry_s and play_s",
            )
    entry_s = _seconds(fields.pop("entry_s", None), "entry_s") or DEFAULT_ENTRY_S
    play_s = _seconds(fields.pop("play_s", None), "play_s")
    fields["opens_ms"] = now_ms
    fields["locks_ms"] = now_ms + 1000 * entry_s
    if play_s is not None:
        fields["ends_ms"] = fields["locks_ms"] + 1000 * play_s
    return fields


def _seconds(value: Any, key: str) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MAX_SECONDS:
        raise InvalidSchedule(
            f"{printable(repr(value), 40)} is no time",
            field=f"tournament.{key}",
            expected=f"a whole number of seconds from 1 to {MAX_SECONDS}",
        )
    return value


def _next_ms(cron: Any, at_ms: Any, now_ms: int) -> int:
    """When it fires next after ``now_ms``."""
    if cron is None:
        if not isinstance(at_ms, int) or isinstance(at_ms, bool) or at_ms <= now_ms:
            raise InvalidSchedule(
                f"{printable(repr(at_ms), 40)} is over or no time", field="at_ms", expected="a time to come"
            )
        return at_ms
    if not isinstance(cron, str) or len(cron.split()) != 5:
        raise InvalidSchedule(
            f"{printable(str(cron), 60)!r} is no cron line", field="cron", expected=_CRON_RULE
        )
    try:
        found: datetime = croniter(cron, datetime.fromtimestamp(now_ms / 1000, UTC)).get_next(datetime)
    except (CroniterError, ValueError, KeyError) as error:
        raise InvalidSchedule(
            f"{printable(cron, 60)!r} never fires: {printable(str(error), 100)}",
            field="cron",
            expected=_CRON_RULE,
        ) from None
    return int(found.timestamp() * 1000)


def _check_mine(schedule: Mapping[str, Any], by: Principal | None) -> None:
    if by is not None and not by.admin and by.owner != schedule["created_by"]:
        raise Forbidden(f"schedule {schedule['id']} is not yours", field="schedule")
