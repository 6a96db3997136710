"""Schedules: tournaments that come again, or at a set time."""

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
from api.services import services
from arena.live.accounts import Principal

blueprint = Blueprint(
    "schedules", __name__, description="Schedules: tournaments that come again, or at a set time."
)

_SEEN = ("schedule_not_found",)


@blueprint.operation(
    "/schedules",
    "POST",
    scopes=("admin",),
    body=NewScheduleSchema,
    status=201,
    returns=ScheduleSchema,
    errors=(
        "unknown_game",
        "invalid_option",
        "invalid_tournament",
        "invalid_schedule",
        "too_few_entrants",
        "already_entered",
        "not_invited",
        "tournament_full",
        "schedule_exists",
        "too_many",
    ),
)
def create_schedule(who: Principal, body: dict[str, Any]) -> Response:
    """Make a schedule

    By a cron line (five fields, in UTC) or for one moment. Whenever it fires, a tournament is announced
    whose id is that of the schedule and the time. What was missed while the service was down is made up
    for once.
    """
    services().accounts.audit(who, "create schedule", f"schedule {body['id']}")
    return json_response(services().schedules.create(body, who.owner), 201)


@blueprint.operation("/schedules", scopes=(), returns=ScheduleListSchema)
def list_schedules(who: Principal | None) -> Response:
    """List the schedules by id"""
    return json_response({"schedules": services().schedules.list()})


@blueprint.operation("/schedules/<schedule>", scopes=(), returns=ScheduleSchema, errors=_SEEN)
def get_schedule(who: Principal | None, schedule: str) -> Response:
    """Show a schedule"""
    return json_response(services().schedules.view(schedule))


@blueprint.operation(
    "/schedules/<schedule>",
    "PATCH",
    scopes=("admin",),
    body=ChangedScheduleSchema,
    returns=ScheduleSchema,
    errors=_SEEN,
)
def change_schedule(who: Principal, body: dict[str, Any], schedule: str) -> Response:
    """Let a schedule fire, or not

    What it would have fired meanwhile is not made up for.
    """
    services().accounts.audit(
        who, "change schedule", f"schedule {schedule}", f"enabled={str(body['enabled']).lower()}"
    )
    return json_response(services().schedules.change(schedule, **body, by=who))


@blueprint.operation("/schedules/<schedule>", "DELETE", scopes=("admin",), status=204, errors=_SEEN)
def delete_schedule(who: Principal, schedule: str) -> None:
    """End a schedule

    Tournaments that it has made stay.
    """
    services().accounts.audit(who, "delete schedule", f"schedule {schedule}")
    services().schedules.delete(schedule, by=who)
