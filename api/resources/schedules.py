"""Schedules: recurring tournaments, or tournaments at a set time."""

from __future__ import annotations

from typing import Any

from flask import Response

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


@blueprint.operation(
    "/schedules",
    "POST",
    scopes=("admin",),
    body=NewScheduleSchema,
    max_body=MAX_SETTINGS,
    max_values=MAX_SETTINGS_VALUES,
    status=201,
    returns=ScheduleSchema,
    errors=(
        "kind_not_found",
        "invalid_option",
        "invalid_tournament",
        "invalid_schedule",
        "too_few_entrants",
        "already_entered",
        "not_invited",
        "tournament_full",
        "schedule_exists",
        "quota_exceeded",
    ),
)
def create_schedule(who: Principal, body: dict[str, Any]) -> Response:
    """Create a schedule

    A schedule has a cron expression (five fields, in UTC) or a single time. Whenever it fires, it announces
    a tournament, whose id is made of the schedule's id and the time. If it missed any times while the service
    was down, it fires once for all of them.
    """
    services().accounts.audit(who, "create schedule", f"schedule {body['id']}")
    return json_response(services().schedules.create(body, who.owner), 201)


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
    scopes=("admin",),
    body=ChangedScheduleSchema,
    max_body=MAX_SETTINGS,
    max_values=MAX_SETTINGS_VALUES,
    returns=ScheduleSchema,
    errors=_SEEN,
)
def change_schedule(who: Principal, body: dict[str, Any], schedule: str) -> Response:
    """Enable or disable a schedule

    Times missed while a schedule is disabled are not made up for.
    """
    services().accounts.audit(
        who, "change schedule", f"schedule {schedule}", f"enabled={str(body['enabled']).lower()}"
    )
    return json_response(services().schedules.change(schedule, **body, by=who))


@blueprint.operation("/schedules/<schedule>", "DELETE", scopes=("admin",), status=204, errors=_SEEN)
def delete_schedule(who: Principal, schedule: str) -> None:
    """Delete a schedule

    Tournaments that it has announced remain.
    """
    services().accounts.audit(who, "delete schedule", f"schedule {schedule}")
    services().schedules.delete(schedule, by=who)
