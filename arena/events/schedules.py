"""Schedules, which announce tournaments according to a cron line or once at a set time."""

from __future__ import annotations

import logging
import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final, cast

from croniter import CroniterError, croniter  # type: ignore[import-untyped]

from arena.accounts.accounts import Forbidden, OwnerSuspended, Principal
from arena.accounts.allowances import BudgetExceeded, QuotaExceeded, fair_most
from arena.accounts.audit import AuditLog
from arena.declarations import as_json, declared, from_json, read_settings, settings_of
from arena.errors import ArenaError
from arena.events.qualification import Discipline
from arena.events.schedule_states import DAILY_TURN, NEEDED, Schedule, daily_id, turn_of, with_states
from arena.events.service import Tournaments
from arena.events.tournament import OVER, TournamentNotFound
from arena.games import game_of
from arena.inputs.times import rfc_3339_rule
from arena.play.players import MODELS, OPEN
from arena.store.amounts import DAY_MS
from arena.store.connection import StoreUnavailable
from arena.store.repositories import Store
from arena.store.rows import check_types, reading, shown_or_left_out
from arena.text import printable
from arena.tournaments.parsing import without_rating
from arena.tournaments.settings import ScheduleSettings, TemplateSettings
from arena.tournaments.spec import Spec, scheduled_id

log = logging.getLogger(__name__)

MAX_SCHEDULES: Final = 1000
MOST_OF_OWNER: Final = 10
"""The maximum number of schedules of an owner who is not an admin."""

LOOK_MS: Final = 15_000
"""How often, in milliseconds, the service checks whether a bot needs a schedule that is not resting."""

LEAST_MS: Final = 3_600_000
"""The minimum time between two tournaments of such an owner's schedule, in milliseconds."""

_SAID_MS: Final = DAY_MS
"""A schedule that waits for its last tournament is logged at most once in this time, in milliseconds."""

_LOOKED_AT: Final = 100
"""The number of upcoming times of a schedule that are checked."""

_ID: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,23}\Z").match
"""Ids of schedules are shorter than those of tournaments, because the id of a scheduled tournament consists
of the schedule's id and the time at which it was due.
"""

_FIELDS: Final = ("id", "cron", "tournament", *settings_of(ScheduleSettings))
_CRON_FIELDS: Final = 5
_CRON_RULE: Final = (
    "five fields (minute hour day month weekday) that match some time in UTC; '0 20 * * 1' is every Monday "
    "at 20:00"
)


class InvalidSchedule(ArenaError):
    """The schedule is malformed, or would never fire."""

    code = "invalid_schedule"


class ScheduleNotFound(ArenaError):
    """The schedule does not exist."""

    code = "schedule_not_found"


class ScheduleExists(ArenaError):
    """Another schedule already has this id."""

    code = "schedule_exists"


@declared
class ScheduleRow(ScheduleSettings):
    """A schedule as stored. ``tournament``: the template of its tournaments. ``own``: whether it belongs to
    an owner who is not an admin. ``skipped``: when and why a tournament was last skipped.
    """

    id: str
    cron: str | None
    tournament: dict[str, Any]
    next_ms: int | None
    last_ms: int | None = None
    enabled: bool = True
    created_by: str
    own: bool
    skipped: dict[str, Any] | None = None


class Schedules:
    """Announces recurring tournaments. Any number of processes can call :meth:`fire`.

    Methods raise :class:`~arena.errors.ArenaError` with the codes ``invalid_schedule``,
    ``schedule_not_found``, ``schedule_exists``, ``quota_exceeded`` and ``forbidden``, and those for an
    invalid tournament.
    """

    def __init__(self, store: Store, tournaments: Tournaments) -> None:
        self._rows = store.schedules
        self._presence = store.presence
        self._flags = store.flags
        self._tournaments = tournaments
        self._log = AuditLog(store.accounts)
        self._owners = store.accounts.owner
        self._clock = store.clock

    def create_for(self, who: Principal, fields: Mapping[str, Any]) -> dict[str, object]:
        """Create a schedule for ``who`` and return it; see :meth:`create`. Schedules of admins are
        audited.
        """
        self._audit(who, "create schedule", fields["id"])
        return self.create(fields, who.owner, own=not who.admin)

    def create(self, fields: Mapping[str, Any], created_by: str, *, own: bool = False) -> dict[str, object]:
        """Create a schedule and return it. ``fields``: ``id``; either ``cron`` (five fields, UTC) or
        ``at_ms`` (once); and ``tournament``, the fields of a tournament with ``entry_s`` (the seconds for
        which entry is open) and ``play_s`` (the seconds for which an ``open`` one is played) instead of its
        times. With ``until_groups``, for tournaments that enter bots automatically, the schedule fires only
        if the previous tournament is over and one of these bots has fewer groups than that on its board.
        ``own``: whether the owner is not an admin; tournaments of such a schedule are unrated and begin at
        least an hour apart.
        """
        for key in fields:
            if key not in _FIELDS:
                raise InvalidSchedule(
                    f"{printable(key, 40)!r} is not a field of a schedule",
                    field=key,
                    expected="one of " + ", ".join(_FIELDS),
                )
        name = fields.get("id")
        if not isinstance(name, str) or not _ID(name):
            raise InvalidSchedule(
                f"{printable(str(name), 40)!r} is not a valid id",
                field="id",
                expected="1 to 24 of a-z, 0-9 and hyphens, not beginning with a hyphen",
            )
        cron, at_ms, template = fields.get("cron"), fields.get("at_ms"), fields.get("tournament")
        if (cron is None) == (at_ms is None):
            raise InvalidSchedule("cron or at_ms is required", field="cron", expected="exactly one of them")
        if not isinstance(template, Mapping):
            raise InvalidSchedule("the tournament is missing", field="tournament", expected="an object")
        now_ms = self._clock().now_ms
        values = read_settings(ScheduleSettings, fields, InvalidSchedule, "a schedule")
        made = as_json(
            ScheduleRow(
                id=name,
                cron=cron,
                tournament=dict(template),
                next_ms=_next_ms(cron, at_ms, now_ms),
                created_by=created_by,
                own=own,
                **values,
            )
        )
        schedule = cast(Schedule, made)
        self._check(schedule, now_ms)
        known = self.readable()
        mine = sum(row["created_by"] == created_by for row in known.values())
        most = fair_most(MOST_OF_OWNER, MAX_SCHEDULES, len(known) - mine)
        if own and mine >= most:
            raise ArenaError(
                f"you have {mine} schedules and can have at most {most} now; an owner can have "
                f"{MOST_OF_OWNER}, and all owners together {MAX_SCHEDULES}",
                code="quota_exceeded",
                field="id",
                extra={"quota": "owner_schedules", "most": most, "used": mine, "left": 0},
            )
        if len(self._rows.all()) >= MAX_SCHEDULES:
            raise ArenaError(
                f"there are already {MAX_SCHEDULES} schedules, the maximum",
                code="quota_exceeded",
                field="id",
                extra={"quota": "schedules", "most": MAX_SCHEDULES, "used": MAX_SCHEDULES, "left": 0},
            )
        if not self._rows.add(name, schedule):
            raise ScheduleExists(f"schedule {name!r} already exists", field="id", expected="another id")
        return self._shown(schedule)

    def _check(self, schedule: Schedule, now_ms: int) -> None:
        """Check a schedule's tournament, and that a schedule of an owner obeys the restrictions on those."""
        template, cron = schedule["tournament"], schedule["cron"]
        spec = self._tournaments.check(timed(template, now_ms))
        self._tournaments.invitations.check_baseline(spec.baseline, [schedule["created_by"]], spec.kind)
        if schedule["until_groups"] is not None:
            _check_lasting(spec)
        if not schedule["own"]:
            return
        without_rating(template)
        if schedule["until_groups"] is not None:
            raise InvalidSchedule(
                "only schedules of admins can set until_groups", field="until_groups", expected="no value"
            )
        if spec.auto_enter and spec.who != "invited":
            raise InvalidSchedule(
                "the schedule of an owner cannot enter bots of other owners",
                field="tournament.auto_enter",
                expected='false, or who "invited"',
            )
        if cron is not None:
            at_ms = _next_ms(cron, None, now_ms)
            for _ in range(_LOOKED_AT):
                next_ms = _next_ms(cron, None, at_ms)
                if next_ms - at_ms < LEAST_MS:
                    raise InvalidSchedule(
                        f"{printable(cron, 60)!r} fires more often than once an hour",
                        field="cron",
                        expected="at least one hour between two times",
                    )
                at_ms = next_ms

    def announce(
        self, template: Mapping[str, object], created_by: str, tournament_id: str, *, rated: bool = True
    ) -> None:
        """Announce a tournament from a template now, at most once per id. ``rated``: whether it may be
        rated.
        """
        fields = timed(template, self._clock().now_ms)
        self._tournaments.create(fields, created_by, rated=rated, tournament_id=tournament_id)

    def view(self, name: str) -> dict[str, object]:
        """Return a schedule. Raises :class:`ScheduleNotFound`."""
        return self._shown(_existing(name, self._rows.find(name)))

    def list(self) -> list[dict[str, Any]]:
        """Return all schedules by id, each with what it is waiting for."""
        return with_states(self.readable().values(), self._tournaments.store)

    def _shown(self, schedule: Schedule) -> dict[str, object]:
        (shown,) = with_states([schedule], self._tournaments.store)
        return shown

    def change(
        self,
        name: str,
        *,
        enabled: bool | None = None,
        cron: str | None = None,
        at_ms: int | None = None,
        tournament: Mapping[str, object] | None = None,
        by: Principal | None = None,
    ) -> dict[str, object]:
        """Change the given settings and return the schedule.

        A schedule that was paused does not catch up on missed tournaments. ``cron`` and ``at_ms`` replace
        each other. Tournaments that are already announced do not change.
        """
        if cron is not None and at_ms is not None:
            raise InvalidSchedule(
                "cron and at_ms cannot be used together", field="cron", expected="one of them"
            )
        settings = {"cron": cron, "at_ms": at_ms, "tournament": tournament}
        changes = [] if enabled is None else [f"enabled={str(enabled).lower()}"]
        changes += [key for key, value in settings.items() if value is not None]
        self._audit(by, "change schedule", name, " ".join(changes))
        now_ms = self._clock().now_ms

        def act(row: Mapping[str, object] | None) -> Schedule:
            schedule = _existing(name, row)
            _check_mine(schedule, by)
            was_on = schedule["enabled"]
            if by is not None and not by.admin:
                # The creator might have been an admin.
                schedule["own"] = True
            if enabled is not None:
                schedule["enabled"] = enabled
            if tournament is not None:
                schedule["tournament"] = dict(tournament)
            schedule.pop(NEEDED, None)
            schedule.pop(DAILY_TURN, None)
            if cron is not None or at_ms is not None:
                schedule["cron"], schedule["at_ms"] = cron, at_ms
                schedule["next_ms"] = _next_ms(cron, at_ms, now_ms)
            elif schedule["enabled"] and not was_on and schedule["cron"] is not None:
                schedule["next_ms"] = _next_ms(schedule["cron"], None, now_ms)
            if tournament is not None or cron is not None:
                self._check(schedule, now_ms)
            return schedule

        return self._shown(self._rows.change(name, act))

    def delete(self, name: str, *, by: Principal | None = None) -> None:
        """Delete a schedule but not the tournaments that it has announced."""
        self._audit(by, "delete schedule", name)

        def act(row: Mapping[str, object] | None) -> None:
            _check_mine(_existing(name, row), by)

        self._rows.change(name, act)

    def _audit(self, by: Principal | None, action: str, schedule: str, detail: str = "") -> None:
        """Record in the audit log what an admin is about to do."""
        if by is not None and by.admin:
            self._log.audit(by, action, f"schedule {schedule}", detail)

    def fire(self) -> Sequence[str]:
        """Announce the tournaments that are due and return their ids.

        A schedule that has missed several of its times fires only once. If several processes call this
        method, each tournament is still announced only once.
        """
        now_ms = self._clock().now_ms
        fired = []
        self._hasten(now_ms)
        for name, schedule in self.readable().items():
            event = shown_or_left_out(self._rows.named(name), partial(self._fire, name, schedule, now_ms))
            if event is not None:
                fired.append(event)
            else:
                shown_or_left_out(self._rows.named(name), partial(self._look, name, schedule, now_ms))
        return fired

    def _hasten(self, now_ms: int) -> None:
        """Make schedules with ``until_groups`` fire now if a bot has arrived that needs them. A bot arrives
        when it qualifies for a schedule's board, or when it takes part and comes online in a schedule's
        division. A schedule whose last tournament is not over is checked again later.
        """
        arrived = self._presence.arrivals()
        if not arrived:
            return
        # Forget these first, so that bots that arrive in the meantime are noted again.
        self._presence.forget_arrivals(sorted(arrived))
        for name, schedule in self.readable().items():
            if schedule["until_groups"] is None or not schedule["enabled"]:
                continue
            template = schedule["tournament"]
            division = template.get("division", OPEN)
            if division == MODELS:
                # Arrivals of models are noted like those of all bots that the arena does not run.
                division = OPEN
            board = shown_or_left_out(self._rows.named(name), partial(_awaited, template, division))
            due_ms = schedule["next_ms"]
            if board is None or not arrived & {division, board} or due_ms is None or due_ms <= now_ms:
                continue
            if not self._is_over(schedule):
                self._presence.note_arrival(board)
            elif shown_or_left_out(self._rows.named(name), partial(self._is_wanted, schedule, now_ms)):
                self._rows.change(name, partial(_fired, due_ms, {"next_ms": now_ms}))
                log.info(
                    "schedule %s fires early because bots that need groups have arrived",
                    name,
                    extra=_about(name),
                )

    def pass_over(self, events: Collection[str]) -> None:
        """Skip the tournaments among ``events`` that schedules, or their daily play, would announce next."""
        now_ms = self._clock().now_ms
        for name, schedule in self.readable().items():
            due_ms, cron = schedule["next_ms"], schedule["cron"]
            if daily_id(name, turn_of(name, now_ms)) in events:
                self._rows.change(name, lambda row: None if row is None else {**row, DAILY_TURN: None})
            if due_ms is not None and scheduled_id(name, due_ms) in events:
                next_ms = None if cron is None else _next_ms(cron, None, now_ms)
                self._rows.change(name, partial(_fired, due_ms, {"next_ms": next_ms, "last_ms": due_ms}))
                event = scheduled_id(name, due_ms)
                fields = _about(name, event)
                log.info(
                    "schedule %s skips tournament %s because its groups are in the archive",
                    name,
                    event,
                    extra=fields,
                )

    def _fire(self, name: str, schedule: Schedule, now_ms: int) -> str | None:
        """Announce the tournament of a schedule if it is due, and return its id."""
        due_ms = schedule["next_ms"]
        if not schedule["enabled"] or due_ms is None or due_ms > now_ms:
            return None
        cron = schedule["cron"]
        changes: dict[str, object] = {"next_ms": None if cron is None else _next_ms(cron, None, now_ms)}
        event = scheduled_id(name, due_ms)
        fired = False
        try:
            wanted = self._is_wanted(schedule, now_ms)
            if schedule["until_groups"] is not None:
                # Bots are checked again when the tournament is over.
                changes[NEEDED] = None if wanted or not self._is_over(schedule) else False
                if not wanted:
                    self._log_rest(schedule, changes[NEEDED] is False)
            if wanted:
                rated = self.may_be_rated(schedule)
                self.announce(schedule["tournament"], schedule["created_by"], event, rated=rated)
                fired = True
                log.info("schedule %s announced tournament %s", name, event, extra=_about(name, event))
                changes |= {"last_ms": due_ms, "skipped": None}
        except StoreUnavailable:
            raise
        except ArenaError as error:
            # The budget is used up or the template is no longer valid, which can change by the next time.
            if isinstance(error, BudgetExceeded | QuotaExceeded | OwnerSuspended):
                why = printable(str(error), 300)
                log.info("schedule %s skips tournament %s: %s", name, event, why, extra=_about(name, event))
            else:
                log.exception(
                    "schedule %s cannot announce tournament %s", name, event, extra=_about(name, event)
                )
            changes |= {"last_ms": due_ms, "skipped": {"at_ms": due_ms, "reason": printable(str(error), 300)}}
        self._rows.change(name, partial(_fired, due_ms, changes))
        return event if fired else None

    def _look(self, name: str, schedule: Schedule, now_ms: int) -> None:
        """Store whether a bot needs a schedule that is not due yet. Resting schedules are left to
        :meth:`_hasten`.
        """
        if schedule["until_groups"] is None or not schedule["enabled"] or schedule.get(NEEDED) is False:
            return
        due_ms, last_ms = schedule["next_ms"], schedule["last_ms"]
        if due_ms is None or due_ms <= now_ms:
            return
        if last_ms is not None:
            with suppress(TournamentNotFound):
                last, _ = self._tournaments.lifecycle.load(scheduled_id(name, last_ms))
                # The groups of a tournament reach the board some time after its end.
                if last.state not in OVER or now_ms < (last.finished_ms or 0) + LOOK_MS:
                    return
        if not self._flags.first(f"look-{name}-{now_ms // LOOK_MS}", LOOK_MS):
            return
        needed = self._is_wanted(schedule, now_ms)
        if needed is not schedule.get(NEEDED):
            self._rows.change(name, partial(_fired, due_ms, {NEEDED: needed}))
            if needed:
                log.info("schedule %s waits for its next time: bots need groups", name, extra=_about(name))
            else:
                self._log_rest(schedule, True)

    def _log_rest(self, schedule: Schedule, is_over: bool) -> None:
        """Log once why a schedule with ``until_groups`` announces nothing. ``is_over``: whether its last
        tournament is over.
        """
        name, last_ms = schedule["id"], schedule["last_ms"]
        if is_over:
            if schedule.get(NEEDED) is not False:
                fields = {**_about(name), "until_groups": schedule["until_groups"]}
                log.info("schedule %s rests: no bot needs groups", name, extra=fields)
        elif last_ms is not None and self._flags.first(f"goes-on-{name}-{last_ms}", _SAID_MS):
            last = scheduled_id(name, last_ms)
            log.info("schedule %s waits: tournament %s is not over", name, last, extra=_about(name, last))

    def may_be_rated(self, schedule: Schedule) -> bool:
        """Return whether the creator of a schedule is the service itself (an empty name) or an admin. Raises
        :class:`~arena.accounts.accounts.OwnerSuspended`.
        """
        creator = schedule["created_by"]
        fields = (self._owners(creator) or {}) if creator else {"admin": ""}
        if "suspended" in fields:
            raise OwnerSuspended(f"the owner {creator} is suspended")
        return not schedule["own"] and "admin" in fields

    def readable(self) -> Mapping[str, Schedule]:
        """Return all schedules by id, except those that this version cannot read."""
        return self._rows.all(_checked)

    def _is_wanted(self, schedule: Schedule, now_ms: int) -> bool:
        """Whether a schedule with ``until_groups`` needs another tournament."""
        groups = schedule["until_groups"]
        if groups is None:
            return True
        if not self._is_over(schedule):
            return False
        return bool(self._tournaments.lacking(timed(schedule["tournament"], now_ms), groups))

    def _is_over(self, schedule: Schedule) -> bool:
        """Whether the last tournament of a schedule, if there is one, is over."""
        if schedule["last_ms"] is not None:
            with suppress(TournamentNotFound):
                last = self._tournaments.progress(scheduled_id(schedule["id"], schedule["last_ms"]))
                return last["state"] in OVER
        return True


def _about(schedule: str, tournament: str | None = None) -> dict[str, str]:
    """The extra fields of a log line about a schedule."""
    return {"schedule": schedule, **({} if tournament is None else {"tournament": tournament})}


def _awaited(template: Mapping[str, Any], division: str) -> str:
    """The name under which the arrival of bots that have qualified for a schedule's tournaments is noted."""
    kind = template["kind"]
    return Discipline.of(kind, game_of(kind).rules_of(template)).board(division)


def _existing(name: str, row: Mapping[str, object] | None) -> Schedule:
    if row is None:
        raise ScheduleNotFound(f"there is no schedule {printable(name, 40)!r}", field="schedule")
    with reading(f"schedule {name}"):
        return _checked(row)


def _checked(row: Mapping[str, object]) -> Schedule:
    """Return the row if it has all fields that this version needs. Raises one of the errors for a row that
    cannot be read.
    """
    values = from_json(ScheduleRow, row)
    check_types(ScheduleRow, values)
    return cast(Schedule, {**row, **values})


def _fired(due_ms: int, changes: Mapping[str, object], row: Schedule | None) -> Mapping[str, object] | None:
    """The schedule after it fired. It is unchanged if it was deleted or another process has fired it."""
    return {**row, **changes} if row is not None and row["next_ms"] == due_ms else row


def _check_lasting(spec: Spec) -> None:
    """Check the tournament of a schedule with ``until_groups``."""
    for key, expected in (("auto_enter", "true"), ("rated", "true, and rules of a preset")):
        if not getattr(spec, key):
            raise InvalidSchedule(
                "until_groups needs a rated tournament that enters bots automatically",
                field=f"tournament.{key}",
                expected=expected,
            )


def timed(template: Mapping[str, object], now_ms: int) -> dict[str, object]:
    """Return the fields of a template's tournament when it is announced now."""
    fields: dict[str, Any] = dict(template)
    for key in ("opens_ms", "locks_ms", "ends_ms"):
        if key in fields:
            raise InvalidSchedule(
                f"{key} is not allowed, because the times of a schedule's tournament are relative",
                field=f"tournament.{key}",
                expected="entry_s and play_s",
            )
    entry_s, play_s = (_seconds(name, fields.pop(name, None)) for name in ("entry_s", "play_s"))
    fields["opens_ms"] = now_ms
    fields["locks_ms"] = now_ms + 1000 * entry_s
    if play_s is not None:
        fields["ends_ms"] = fields["locks_ms"] + 1000 * play_s
    return fields


def _seconds(name: str, value: object) -> Any:
    """A duration in a template. Raises :class:`InvalidSchedule`."""

    def invalid(message: str, field: str, expected: str) -> InvalidSchedule:
        return InvalidSchedule(message, field=f"tournament.{field}", expected=expected)

    known = settings_of(TemplateSettings)[name]
    return known.default if value is None else known.read(value, invalid)


def _next_ms(cron: str | None, at_ms: int | None, now_ms: int) -> int:
    """The next time after ``now_ms`` at which the schedule fires."""
    if cron is None:
        if not isinstance(at_ms, int) or isinstance(at_ms, bool) or at_ms <= now_ms:
            raise InvalidSchedule(
                f"{printable(repr(at_ms), 40)} is not a future time",
                field="at_ms",
                expected=rfc_3339_rule(),
            )
        return at_ms
    count = len(cron.split()) if isinstance(cron, str) else 0
    if count != _CRON_FIELDS:
        fields = f"{count} field{'s' * (count != 1)}"
        raise InvalidSchedule(
            f"{printable(str(cron), 60)!r} is not a valid cron line: it has {fields}",
            field="cron",
            expected=_CRON_RULE,
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


def _check_mine(schedule: Schedule, by: Principal | None) -> None:
    if by is not None and not by.admin and by.owner != schedule["created_by"]:
        raise Forbidden(f"schedule {schedule['id']} is not yours", field="schedule")
