"""Schedules: recurring tournaments, or tournaments at a set time."""

from __future__ import annotations

from collections.abc import Mapping

from flask import Response

from api.http.contract import Blueprint, json_response
from api.schemas.schedules import (
    ChangedScheduleSchema,
    GivenSchedule,
    GivenScheduleChange,
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


@blueprint.operation(
    body=NewScheduleSchema, max_body=MAX_SETTINGS, max_values=MAX_SETTINGS_VALUES, returns=ScheduleSchema
)
def create_schedule(who: Principal, body: GivenSchedule) -> Response:
    return _response(services().schedules.create_for(who, body), 201)


@blueprint.operation(returns=ScheduleListSchema)
def list_schedules(who: Principal | None) -> Response:
    return _response({"schedules": services().schedules.list()})


@blueprint.operation(returns=ScheduleSchema)
def get_schedule(who: Principal | None, schedule: str) -> Response:
    return _response(services().schedules.view(schedule))


@blueprint.operation(
    body=ChangedScheduleSchema, max_body=MAX_SETTINGS, max_values=MAX_SETTINGS_VALUES, returns=ScheduleSchema
)
def change_schedule(who: Principal, body: GivenScheduleChange, schedule: str) -> Response:
    return _response(services().schedules.change(schedule, **body, by=who))


@blueprint.operation()
def delete_schedule(who: Principal, schedule: str) -> None:
    services().schedules.delete(schedule, by=who)


def _response(value: Mapping[str, object], status: int = 200) -> Response:
    return json_response(services().moderation.apply(value), status)
