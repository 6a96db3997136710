"""Schedules: recurring tournaments, or tournaments at a set time."""

from __future__ import annotations

from typing import Any

from flask import Response

from api import submissions
from api.contract import Blueprint, json_response
from api.schemas.schedules import (
    ChangedScheduleSchema,
    NewScheduleSchema,
    ScheduleListSchema,
    ScheduleSchema,
)
from api.schemas.tournaments import MAX_SETTINGS, MAX_SETTINGS_VALUES
from api.services import services
from arena.accounts.accounts import Principal

blueprint = Blueprint(
    "schedules", __name__, description="Schedules: recurring tournaments, or tournaments at a set time."
)

_SEEN = ("schedule_not_found",)
_TEMPLATE = (
    "kind_not_found",
    "invalid_option",
    "invalid_tournament",
    "invalid_schedule",
    "too_few_entrants",
    "already_entered",
    "not_invited",
    "tournament_full",
)


@blueprint.operation(
    "/schedules",
    "POST",
    scopes=("owner", "admin"),
    body=NewScheduleSchema,
    max_body=MAX_SETTINGS,
    max_values=MAX_SETTINGS_VALUES,
    status=201,
    returns=ScheduleSchema,
    errors=(*_TEMPLATE, "schedule_exists", "quota_exceeded"),
)
def create_schedule(who: Principal, body: dict[str, Any]) -> Response:
    """Create a schedule

    A schedule has a cron expression (five fields, in UTC) or a single time. Whenever it fires, it announces
    a tournament, whose id is made of the schedule's id and the time. If it missed any times while the service
    was down, it fires once for all of them.

    Tournaments of the schedule of an owner who is not an admin are unrated, begin an hour apart at least,
    enter automatically only bots that are invited, and use the owner's budget: when that is used up one is
    skipped, and `skipped` says why.
    """
    return json_response(submissions.create_schedule(who, body), 201)


@blueprint.operation("/schedules", scopes=(), returns=ScheduleListSchema)
def list_schedules(who: Principal | None) -> Response:
    """List the schedules by id

    Each has its cron expression, the settings of its tournaments and its next time.
    """
    return json_response({"schedules": services().schedules.list()})


@blueprint.operation("/schedules/<schedule>", scopes=(), returns=ScheduleSchema, errors=_SEEN)
def get_schedule(who: Principal | None, schedule: str) -> Response:
    """Get a schedule

    Returns its cron expression, the settings of its tournaments and its next time.
    """
    return json_response(services().schedules.view(schedule))


@blueprint.operation(
    "/schedules/<schedule>",
    "PATCH",
    scopes=("owner", "admin"),
    body=ChangedScheduleSchema,
    max_body=MAX_SETTINGS,
    max_values=MAX_SETTINGS_VALUES,
    returns=ScheduleSchema,
    errors=(*_SEEN, *_TEMPLATE),
)
def change_schedule(who: Principal, body: dict[str, Any], schedule: str) -> Response:
    """Change a schedule

    Enables or disables it, or changes when it fires or its tournament; only its owner, or an admin, can.
    Times missed while a schedule is disabled are not made up for. Tournaments that it has announced remain.
    """
    return json_response(submissions.change_schedule(who, schedule, body))


@blueprint.operation("/schedules/<schedule>", "DELETE", scopes=("owner", "admin"), status=204, errors=_SEEN)
def delete_schedule(who: Principal, schedule: str) -> None:
    """Delete a schedule

    Tournaments that it has announced remain.
    """
    submissions.delete_schedule(who, schedule)
