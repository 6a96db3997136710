"""``botequim schedule ...``: recurring tournaments, or one at a set time."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import click

from arena.cli.online import service, token_option, url_option
from arena.cli.tournament import moment, seconds, spec_of, what_to_play
from arena.text import plain_table


@click.group()
def schedule() -> None:
    """Announce tournaments repeatedly, or once at a set time."""


@schedule.command()
@click.argument("schedule_id", metavar="SCHEDULE")
@click.argument("name")
@what_to_play
@click.option("--cron", help="Minute, hour, day, month and weekday in UTC, for instance '*/30 * * * *'.")
@click.option("--at", type=moment, help="Once, at this time: +5m or 2026-12-31T20:00 (UTC).")
@click.option(
    "--entry",
    type=seconds,
    default="60",
    show_default=True,
    help="How long entry is open before it is locked and play begins.",
)
@click.option("--play", type=seconds, help="Format open: how long it is played.")
@click.option(
    "--until-groups",
    type=int,
    help="Sealed and --auto-enter: only while a bot that would be entered has fewer groups.",
)
@url_option
@token_option("an admin")
def create(
    schedule_id: str,
    name: str,
    cron: str | None,
    at: int | None,
    entry: float,
    play: float | None,
    until_groups: int | None,
    url: str,
    token: str,
    **options: Any,
) -> None:
    """Create SCHEDULE, which announces tournaments NAME of the game KIND, and print when it fires next."""
    if (cron is None) == (at is None):
        raise click.UsageError("exactly one of --cron and --at is needed")
    template = {"name": name, **spec_of(**options), "entry_s": round(entry)}
    if play is not None:
        template["play_s"] = round(play)
    when: dict[str, Any] = {"cron": cron} if cron is not None else {"at_ms": at}
    if until_groups is not None:
        when["until_groups"] = until_groups
    made = service(url, token).create_schedule(id=schedule_id, tournament=template, **when)
    click.echo(_moment(made["next_ms"]))


@schedule.command("list")
@url_option
def list_schedules(url: str) -> None:
    """List the schedules."""
    rows = [
        (
            one["id"],
            one["tournament"]["name"],
            one["tournament"]["kind"],
            one["cron"] or "once",
            _moment(one["next_ms"]),
            _moment(one["last_ms"]),
        )
        for one in service(url).schedules()
    ]
    headings = ("id", "name", "game", "cron (UTC)", "next", "last")
    click.echo(plain_table(headings, rows, left=len(headings)), nl=False)


@schedule.command()
@click.argument("schedule_id", metavar="SCHEDULE")
@url_option
@token_option("an admin")
def delete(schedule_id: str, url: str, token: str) -> None:
    """Delete SCHEDULE. Tournaments that it has announced stay."""
    service(url, token).delete_schedule(schedule_id)


def _moment(ms: int | None) -> str:
    return "never" if ms is None else f"{datetime.fromtimestamp(ms / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"
