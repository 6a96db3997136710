"""Schedules: tournaments that come again, or at a set time."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from marshmallow import Schema, fields, validate

from api.schemas.common import ByKind, Reply, Request, told
from api.schemas.fields import Moment, Rules, Truth, WholeNumber
from api.schemas.tournaments import TournamentSettings, partners, tournament_kind
from arena.live.schedules import MAX_SECONDS, MOST_GROUPS

SCHEDULE_PATTERN: Final = "^[a-z0-9][a-z0-9-]{0,23}$"
_UNTIL_GROUPS: Final = (
    "It fires only while an uploaded bot that would be entered has fewer groups than this on its board, "
    "and its tournament before is over."
)

SCHEDULE_RULE: Final = "1 to 24 of a-z, 0-9 and hyphens, not beginning with a hyphen"


class _Template(TournamentSettings):
    entry_s = WholeNumber(
        validate=validate.Range(1, MAX_SECONDS),
        metadata={
            "description": "How long entry is open before it is locked and play starts.",
            "default": 60,
        },
    )
    play_s = WholeNumber(
        validate=validate.Range(1, MAX_SECONDS),
        metadata={"description": "`open` only, required there: how long it goes on."},
    )


class TrucoTemplate(_Template):
    """A tournament of Brazilian Truco, its times counted from when the schedule fires."""

    kind = tournament_kind("truco")
    rules = Rules("truco")
    partners = partners()


class ToepenTemplate(_Template):
    """A tournament of Toepen, its times counted from when the schedule fires."""

    kind = tournament_kind("toepen")
    rules = Rules("toepen")


class TemplateSchema(ByKind):
    """A tournament to announce whenever a schedule fires."""

    type_schemas: ClassVar[dict[str, type[Schema]]] = {"truco": TrucoTemplate, "toepen": ToepenTemplate}


def _cron(**options: Any) -> fields.String:
    return fields.String(
        metadata={
            "description": "Minute, hour, day of the month, month and day of the week, in UTC.",
            "examples": ["*/30 * * * *"],
        },
        **options,
    )


class NewScheduleSchema(Request):
    """A schedule to make, with either `cron` or `at_ms`."""

    id = fields.String(
        required=True,
        validate=validate.Regexp(SCHEDULE_PATTERN.replace("$", r"\Z"), error=f"Must be {SCHEDULE_RULE}."),
        metadata={
            "description": f"The schedule's id, with which those of its tournaments begin: {SCHEDULE_RULE}.",
            "pattern": SCHEDULE_PATTERN,
        },
    )
    cron = _cron(validate=validate.Length(9, 100))
    at_ms = Moment(metadata={"description": "Fire once, then."})
    tournament = fields.Nested(TemplateSchema, required=True)
    until_groups = WholeNumber(
        validate=validate.Range(1, MOST_GROUPS),
        metadata={"description": f"{_UNTIL_GROUPS} Needs `division` `sealed` and `auto_enter`."},
    )


class ChangedScheduleSchema(Request):
    """What to change."""

    enabled = Truth(required=True, metadata={"description": "Whether it fires."})


class ScheduleSchema(Reply):
    """A schedule."""

    id = told(fields.String, "The id.")
    cron = _cron(required=True, allow_none=True)
    at_ms = told(Moment, "When it fires, if only once.", allow_none=True)
    tournament = fields.Nested(TemplateSchema, required=True)
    next_ms = told(Moment, "When it fires next; null: never.", allow_none=True)
    last_ms = told(Moment, "When it last fired; null: never yet.", allow_none=True)
    enabled = told(fields.Boolean, "Whether it fires.")
    created_by = told(fields.String, "The owner that made it; empty: the service.")
    until_groups = told(fields.Integer, f"{_UNTIL_GROUPS} null: it always fires.", allow_none=True)


class ScheduleListSchema(Reply):
    """All schedules, by id."""

    schedules = fields.List(fields.Nested(ScheduleSchema), required=True)
