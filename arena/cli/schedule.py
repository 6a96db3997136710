"""``botequim schedule ...``: manages recurring tournaments, and tournaments at a set time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from arena.cli.commands import Commands
from arena.cli.derived import fields_of, options
from arena.cli.online import online
from arena.cli.organise import OPTIONS
from arena.cli.output import Columns, details, moment, show, show_rows, when
from arena.cli.params import clock_options, preset_in_place, rules_option
from arena.cli.tournament import spec_of, what_to_play
from arena.client import Client
from arena.client.http import given
from arena.declarations import settings_of
from arena.games import game_of
from arena.tournaments.schedule_words import next_words
from arena.tournaments.settings import HouseBots, ScheduleSettings, SharedSettings, TemplateSettings

if TYPE_CHECKING:
    from arena.client.types import Schedule

_admin = online("its owner, or an admin")
_schedule = click.argument("schedule_id", metavar="SCHEDULE")
_cron = click.option("--cron", help="Minute, hour, day, month and weekday in UTC, such as '*/30 * * * *'.")


@click.group(
    cls=Commands,
    examples=(
        'botequim schedule create nightly "Nightly cup" truco --cron "0 20 * * *" --auto-enter',
        "botequim schedule pause nightly",
    ),
)
def schedule() -> None:
    """Announce tournaments repeatedly, or once at a set time."""


@schedule.command(
    examples=(
        'botequim schedule create nightly "Nightly cup" truco --cron "0 20 * * *" --house rookie',
        'botequim schedule create final "Final" toepen --at 20:00 --entry 10m',
    ),
    fields={"id": "SCHEDULE"},
)
@_schedule
@click.argument("name")
@what_to_play
@options(TemplateSettings, without=settings_of(SharedSettings))
@_cron
@options(ScheduleSettings)
@_admin
def create(
    schedule_id: str,
    name: str,
    cron: str | None,
    at_ms: int | None,
    until_groups: int | None,
    client: Client,
    as_json: bool,
    **settings: Any,
) -> None:
    """Create SCHEDULE, which announces tournaments called NAME of the game KIND, and print when it fires
    next.

    The time for --at is +5m (from now), 18:00 (the next one) or '2026-12-31 20:00', in local time unless it
    has an offset.
    """
    if (cron is None) == (at_ms is None):
        raise click.UsageError("exactly one of --cron and --at is required")
    template: Any = {"name": name, **spec_of(**settings)}
    times: dict[str, Any] = given(cron=cron, at_ms=at_ms, until_groups=until_groups)
    made = client.create_schedule(id=schedule_id, tournament=template, **times)
    show(made, as_json, _next(made))


@schedule.command("list", examples=("botequim schedule list", "botequim schedule list --json"))
@online()
def list_schedules(client: Client, as_json: bool) -> None:
    """List all schedules."""
    columns: Columns[Schedule] = {
        "id": "id",
        "name": lambda one: one["tournament"]["name"],
        "game": lambda one: one["tournament"]["kind"],
        "cron (UTC)": lambda one: one["cron"] or "once",
        "on": "enabled",
        "next": _next,
        "last": moment("last_ms"),
    }
    show_rows("schedules", client.schedules(), columns, as_json)


def _next(schedule: Schedule) -> str:
    """Return when the schedule announces its next tournament."""
    if schedule["waits_for"] == "time":
        return when(schedule["next_ms"])
    return next_words(schedule, 0)


@schedule.command(
    "show", examples=("botequim schedule show nightly", "botequim schedule show nightly --json")
)
@_schedule
@online()
def show_schedule(schedule_id: str, client: Client, as_json: bool) -> None:
    """Show SCHEDULE and the settings of its tournaments."""
    found = client.schedule(schedule_id)
    settings = found["tournament"]
    columns: Columns[Schedule] = {
        "id": "id",
        "cron (UTC)": "cron",
        "once at": lambda one: None if one["at_ms"] is None else when(one["at_ms"]),
        "on": "enabled",
        "next": _next,
        "present": "current",
        "last": moment("last_ms"),
        "until groups": "until_groups",
        "skipped": lambda one: (
            one["skipped"] and f"{when(one['skipped']['at_ms'])}: {one['skipped']['reason']}"
        ),
        "created by": lambda one: one["created_by"] or "the service",
        **{name: _setting(name) for name in settings},
    }
    show(found, as_json, lambda: details(found, columns))


def _setting(name: str) -> Callable[[Mapping[str, Any]], Any]:
    return lambda schedule: _flat(schedule["tournament"][name])


def _flat(value: Any) -> Any:
    if isinstance(value, dict):
        return ", ".join(f"{name}={one}" for name, one in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else value


@schedule.command(examples=("botequim schedule pause nightly",))
@_schedule
@_admin
def pause(schedule_id: str, client: Client, as_json: bool) -> None:
    """Pause SCHEDULE, so that it announces nothing until 'schedule resume'."""
    show(client.change_schedule(schedule_id, enabled=False), as_json, f"{schedule_id}: paused")


@schedule.command(examples=("botequim schedule resume nightly",))
@_schedule
@_admin
def resume(schedule_id: str, client: Client, as_json: bool) -> None:
    """Resume SCHEDULE, without announcing the tournaments that it missed."""
    changed = client.change_schedule(schedule_id, enabled=True)
    show(changed, as_json, f"{schedule_id}: next {_next(changed)}")


@schedule.command(
    examples=(
        'botequim schedule edit weekly --cron "0 18 * * 5"',
        "botequim schedule edit weekly --name 'Friday cup' --entry 2h --groups 20",
    )
)
@_schedule
@_cron
@options(ScheduleSettings, without=("until_groups",), edits=True)
@options(TemplateSettings, HouseBots, names=OPTIONS, edits=True)
@rules_option
@preset_in_place
@clock_options
@_admin
def edit(
    schedule_id: str,
    cron: str | None,
    at_ms: int | None,
    rules: tuple[str, ...],
    client: Client,
    as_json: bool,
    **settings: object,
) -> None:
    """Change when SCHEDULE fires, or its future tournaments. Other settings stay unchanged."""
    changes = fields_of(settings)
    template = None
    if changes or rules:
        before: Any = client.schedule(schedule_id)["tournament"]
        if rules:
            changes["rules"] = game_of(before["kind"]).options.parse(rules)
        if {"rules", "preset"} & changes.keys():
            before = {name: value for name, value in before.items() if name not in ("rules", "preset")}
        template = {**before, **changes}
    sent: dict[str, Any] = given(cron=cron, at_ms=at_ms, tournament=template)
    changed = client.change_schedule(schedule_id, **sent)
    show(changed, as_json, f"{schedule_id}: next {_next(changed)}")


@schedule.command(examples=("botequim schedule delete nightly",))
@_schedule
@_admin
def delete(schedule_id: str, client: Client, as_json: bool) -> None:
    """Delete SCHEDULE. Tournaments that it has announced remain."""
    client.delete_schedule(schedule_id)
    show({"deleted": schedule_id}, as_json, f"{schedule_id} is deleted")
