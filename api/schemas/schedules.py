"""Schedules: recurring tournaments, or tournaments at a set time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypedDict

from marshmallow import fields, validate

from api.schemas.common import ByKind, RequestSchema, ResponseSchema, described, nested, optional
from api.schemas.derived import request_fields, response_fields
from api.schemas.fields import Moment, Truth, TypedLine
from api.schemas.games_apart import for_each_game
from api.schemas.tournaments import OF_TEAMS, settings_schema, what_to_play
from arena.tournaments.schedule_words import WAITS_FOR
from arena.tournaments.settings import ScheduleSettings, TemplateSettings

SCHEDULE_PATTERN: Final = "^[a-z0-9][a-z0-9-]{0,23}$"
SCHEDULE_RULE: Final = "1 to 24 of a-z, 0-9 and hyphens, not beginning with a hyphen"


class TemplateSchema(ByKind):
    """The tournament to announce whenever a schedule fires."""

    type_schemas = for_each_game(
        "{}Template",
        "A tournament of {title}. Times are relative to the time when the schedule fires.",
        settings_schema(TemplateSettings, without=OF_TEAMS),
        members=what_to_play,
    )


def _cron(*, required: bool = False, allow_none: bool | None = None) -> TypedLine:
    return TypedLine(
        100,
        least=1,
        metadata={
            "description": "Cron expression in UTC: minute, hour, day of the month, month, day of the week.",
            "examples": ["*/30 * * * *"],
            "label": "Times, as a cron line in UTC",
        },
        required=required,
        allow_none=allow_none,
    )


class NewScheduleSchema(RequestSchema.from_dict(request_fields(ScheduleSettings))):  # type: ignore[misc]
    """A schedule to create, with either `cron` or `at_ms`."""

    id = described(
        fields.String,
        f"The schedule's id, the prefix of its tournaments' ids: {SCHEDULE_RULE}.",
        validate=validate.Regexp(SCHEDULE_PATTERN.replace("$", r"\Z"), error=f"Must be {SCHEDULE_RULE}."),
        metadata={"pattern": SCHEDULE_PATTERN},
    )
    cron = _cron()
    tournament = fields.Nested(TemplateSchema, required=True)


class GivenSchedule(TypedDict):
    """The values loaded by :class:`NewScheduleSchema` that are read before the arena receives all."""

    id: str


class ChangedScheduleSchema(
    RequestSchema.from_dict(request_fields(ScheduleSettings, without=("until_groups",)))  # type: ignore[misc]
):
    """Changes to a schedule. Omitted fields keep their values."""

    enabled = optional(Truth, "Whether the schedule fires.")
    cron = _cron()
    tournament = fields.Nested(
        TemplateSchema,
        metadata={"description": "All settings of its tournaments, which replace the former settings."},
    )


class GivenScheduleChange(TypedDict, total=False):
    """The values loaded by :class:`ChangedScheduleSchema`."""

    enabled: bool
    cron: str
    at_ms: int
    tournament: Mapping[str, object]


class SkippedSchema(ResponseSchema):
    """A tournament that a schedule did not announce."""

    at_ms = described(Moment, "When the tournament was due.")
    reason = described(fields.String, "Why the tournament was skipped.")


class _WithCron(ResponseSchema):
    id = described(fields.String, "The schedule's id.")
    cron = _cron(required=True, allow_none=True)


class ScheduleSchema(_WithCron.from_dict(response_fields(ScheduleSettings))):  # type: ignore[misc]
    """A schedule."""

    tournament = fields.Nested(TemplateSchema, required=True)
    waits_for = described(
        fields.String,
        "What the next tournament is waiting for. `time`: it is announced at `next_ms`. `bots`: the schedule "
        "rests, and announces a tournament as soon as a bot arrives that needs groups, regardless of "
        "`next_ms`. "
        "`tournament`: the previous tournament, `current`, is not over. Null: the schedule is over or "
        "paused.",
        validate=validate.OneOf(WAITS_FOR),
        allow_none=True,
    )
    current = described(
        fields.String,
        "The id of the schedule's last tournament while this is not over; otherwise null.",
        allow_none=True,
    )
    next_ms = described(
        Moment,
        "When the schedule is next due; null if never. It will then announce a tournament if `waits_for` is "
        "`time`.",
        allow_none=True,
    )
    daily_ms = described(
        Moment,
        "When the ranked bots that its tournaments enter play their next groups of daily play; null if no "
        "bot waits for them.",
        allow_none=True,
    )
    last_ms = described(Moment, "When the schedule last fired; null if never.", allow_none=True)
    enabled = described(fields.Boolean, "Whether the schedule fires.")
    created_by = described(fields.String, "The owner that created the schedule; empty if the service did.")
    own = described(
        fields.Boolean,
        "Whether the schedule belongs to an owner, so that its tournaments are unrated and use the owner's "
        "budget.",
    )
    skipped = nested(SkippedSchema, "The last tournament if it was skipped, otherwise null.", allow_none=True)


class ScheduleListSchema(ResponseSchema):
    """All schedules, sorted by id."""

    schedules = fields.List(fields.Nested(ScheduleSchema), required=True)
