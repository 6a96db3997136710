"""Schedules: recurring tournaments, or tournaments at a set time."""

from __future__ import annotations

from arena.operations.operation import Operation

_SEEN = ("schedule_not_found",)
_TEMPLATE = (
    "kind_not_found",
    "invalid_option",
    "game_too_long",
    "invalid_tournament",
    "invalid_schedule",
    "too_few_entrants",
    "already_entered",
    "not_invited",
    "tournament_full",
)

create_schedule = Operation(
    "POST",
    "/v1/schedules",
    """
    Create a schedule

    A schedule has a cron expression (five fields, in UTC) or a single time. Whenever it fires, it announces a
    tournament, whose id consists of the schedule's id and the time. It fires once for all times that it
    missed while the service was down.

    Unless its owner is an admin, its tournaments are unrated, begin at least an hour apart, automatically
    enter only invited bots, and use the owner's budget. When the budget is used up, a tournament is skipped,
    and `skipped` says why.
    """,
    scopes=("owner", "admin"),
    status=201,
    errors=(*_TEMPLATE, "schedule_exists", "quota_exceeded"),
    has_body=True,
)

list_schedules = Operation(
    "GET",
    "/v1/schedules",
    """
    List the schedules by id

    Lists schedules with their cron expressions, tournament settings and next times.
    """,
    scopes=(),
    client="schedules",
    result="schedules",
)

get_schedule = Operation(
    "GET",
    "/v1/schedules/{schedule}",
    """
    Get a schedule

    Returns its cron expression, tournament settings and next time.
    """,
    scopes=(),
    errors=_SEEN,
    client="schedule",
)

change_schedule = Operation(
    "PATCH",
    "/v1/schedules/{schedule}",
    """
    Change a schedule

    Enables or disables it, or changes its times or its tournament settings. Only for its owner and admins.
    Times missed while a schedule is disabled are not made up for. Tournaments that it has announced remain.
    """,
    scopes=("owner", "admin"),
    errors=(*_SEEN, *_TEMPLATE),
    has_body=True,
    arguments=("enabled",),
)

delete_schedule = Operation(
    "DELETE",
    "/v1/schedules/{schedule}",
    """
    Delete a schedule

    Tournaments that it has announced remain.
    """,
    scopes=("owner", "admin"),
    status=204,
    errors=_SEEN,
)
