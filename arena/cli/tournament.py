"""``botequim tournament ...``: announce, enter and watch tournaments online."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from arena.cli.commands import Commands
from arena.cli.derived import fields_of, options
from arena.cli.following import watch_tournament
from arena.cli.online import online
from arena.cli.organise import OPTIONS, accept, clone, edit, follow, invite, organisers, results
from arena.cli.output import Columns, fitting, show, show_rows
from arena.cli.output import moment as moment_of
from arena.cli.params import KIND, Function, clock_of, clock_options, preset_in_place, rules_option
from arena.cli.tournament_views import bracket, groups, records, show_tournament
from arena.client import Client
from arena.client.http import given
from arena.declarations import settings_of
from arena.errors import ArenaError
from arena.games import game_of
from arena.tournaments.settings import (
    MAX_ENTRIES,
    HouseBots,
    InvitedOwners,
    OneOffSettings,
    SharedSettings,
)

if TYPE_CHECKING:
    from arena.client.types import Entry, TournamentSummary

TABLE_FORMATS: Final = ("text", "csv", "json")


def what_to_play(command: Function) -> Function:
    """Add the arguments and options that describe a tournament to a command; see :func:`spec_of`."""
    defaults = {"format": "round_robin"}
    parts = (
        click.argument("kind", type=KIND),
        rules_option,
        preset_in_place,
        clock_options,
        options(SharedSettings, HouseBots, names=OPTIONS, without=("name",), defaults=defaults),
    )
    for part in reversed(parts):
        command = part(command)
    return command


def spec_of(
    kind: str,
    rules: tuple[str, ...],
    clock: str | None,
    turn_seconds: float | None,
    bank_seconds: float | None,
    **settings: Any,
) -> dict[str, Any]:
    """Return the request body of a tournament, from the options of :func:`what_to_play`."""
    times = clock_of(clock, turn_seconds, bank_seconds)
    spec = {"kind": kind, **fields_of(settings), **given(clock=times)}
    if rules:
        spec["rules"] = game_of(kind).options.parse(rules)
    if "invited" in spec:
        spec.setdefault("who", "invited")
    return spec


@click.group(
    cls=Commands,
    examples=(
        'botequim tournament create "Friday cup" toepen --rule seats=2 --groups 10 --starts +1h',
        "botequim tournament enter TOURNAMENT my-bot",
        "botequim tournament watch TOURNAMENT",
    ),
)
def tournament() -> None:
    """Announce, enter, show and watch tournaments."""


for _command in (
    show_tournament,
    groups,
    bracket,
    records,
    accept,
    clone,
    edit,
    follow,
    invite,
    organisers,
    results,
):
    tournament.add_command(_command)


@tournament.command(
    examples=(
        'botequim tournament create "Friday cup" toepen --rule seats=2 --groups 10 --starts +1h',
        'botequim tournament create "Night" truco --format swiss --rounds 5 --house rookie --json',
    ),
)
@click.argument("name")
@what_to_play
@options(
    OneOffSettings,
    InvitedOwners,
    names=OPTIONS,
    without=settings_of(SharedSettings),
    defaults={"locks_ms": "+5m"},
)
@click.option("--by-invitation", is_flag=True, help="Only for owners who are invited later.")
@click.option(
    "--dry-run", is_flag=True, help="Check it, and print how many games it has and how long it takes."
)
@click.option(
    "--entrants",
    type=click.IntRange(2, MAX_ENTRIES),
    help="With --dry-run: how many bots enter. [default: as many as may]",
)
@online("the owner")
def create(
    name: str,
    by_invitation: bool,
    dry_run: bool,
    entrants: int | None,
    client: Client,
    as_json: bool,
    **settings: Any,
) -> None:
    """Announce the tournament NAME of the game KIND (truco or toepen) and print its id.

    A time is +5m (from now), 18:00 (the next one) or '2026-12-31 20:00', here unless it has an offset. With
    --invite, --invite-owner, --by-invitation or --hidden only those who are invited may enter.
    """
    fields = {"name": name, **spec_of(**settings)}
    starts = fields["locks_ms"]
    if starts <= fields.get("opens_ms", 0):
        raise click.BadParameter("the time must be later than --opens", param_hint="'--starts'")
    if fields.get("ends_ms", starts + 1) <= starts:
        raise click.BadParameter("the time must be later than --starts", param_hint="'--ends'")
    if by_invitation or fields.get("hidden") or "invited_owners" in fields:
        fields.setdefault("who", "invited")
    if dry_run:
        planned = client.plan_tournament(entrants, **fields)
        budget = planned["budget"]
        text = planned["text"]
        if budget is not None:
            text += f"\nbudget: {budget['groups']} groups of the {budget['left']} that are left today"
        show(planned, as_json, text)
        return
    if entrants is not None:
        raise click.UsageError("--entrants requires --dry-run")
    made = client.create_tournament(**fields)
    show(made, as_json, made["id"])


@tournament.command(
    examples=(
        "botequim tournament enter TOURNAMENT my-bot",
        "botequim tournament enter TOURNAMENT my-bot --nonce sete-belo",
    )
)
@click.argument("tournament_id", metavar="TOURNAMENT")
@click.argument("bot")
@click.option("--nonce", default="", help="A text of your own, mixed into every shuffle.")
@click.option("--version", help="The version's label. [default: the current one]")
@online("the bot or its owner")
def enter(
    tournament_id: str, bot: str, nonce: str, version: str | None, client: Client, as_json: bool
) -> None:
    """Enter BOT, which plays a qualification group first if it has not qualified yet."""
    entry = client.enter_tournament(tournament_id, bot, nonce, version)
    show(entry, as_json, f"{entry['bot']} {entry['version']}: {_status(entry)}")


def _status(entry: Entry) -> str:
    reason = entry["reason"]
    status = f"{entry['status']} ({reason})" if reason else str(entry["status"])
    return f"{status}, baseline" if entry["baseline"] else status


@tournament.command(examples=("botequim tournament leave TOURNAMENT my-bot",))
@click.argument("tournament_id", metavar="TOURNAMENT")
@click.argument("bot")
@online("the bot or its owner")
def leave(tournament_id: str, bot: str, client: Client, as_json: bool) -> None:
    """Withdraw BOT, which finishes its current round if play has begun."""
    entry = client.leave_tournament(tournament_id, bot)
    show(entry, as_json, f"{entry['bot']} {entry['version']}: {_status(entry)}")


@tournament.command(examples=('botequim tournament cancel TOURNAMENT --reason "Fire alarm."',))
@click.argument("tournament_id", metavar="TOURNAMENT")
@click.option("--reason", required=True, help="The reason, which is public.")
@online("the owner that announced it, or an admin")
def cancel(tournament_id: str, reason: str, client: Client, as_json: bool) -> None:
    """Cancel TOURNAMENT."""
    view = client.cancel_tournament(tournament_id, reason)
    show(view, as_json, f"{tournament_id}: {view['state']}: {view['reason']}")


@tournament.command(
    "list",
    examples=("botequim tournament list --state running", "botequim tournament list --bot my-bot --json"),
)
@click.option("--state", help="Only in this state.")
@click.option("--kind", type=KIND, help="Only this game.")
@click.option("--bot", help="Only those in which this bot has played.")
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="The maximum number of tournaments.",
)
@online("the owner, for private ones", required=False)
def list_tournaments(
    state: str | None, kind: str | None, bot: str | None, limit: int, client: Client, as_json: bool
) -> None:
    """List the tournaments, newest first."""
    columns: Columns[TournamentSummary] = {
        "id": "id",
        "name": "name",
        "game": "kind",
        "format": "format",
        "state": "state",
        "starts": moment_of("locks_ms"),
    }
    found = client.tournaments(state=state, kind=kind, bot=bot, limit=limit)
    show_rows("tournaments", found, columns, as_json)


@tournament.command(
    examples=(
        "botequim tournament standings TOURNAMENT",
        "botequim tournament standings TOURNAMENT --format csv > standings.csv",
    )
)
@click.argument("tournament_id", metavar="TOURNAMENT")
@click.option("--format", "form", type=click.Choice(TABLE_FORMATS), default="text", show_default=True)
@online("the owner, for a private one", required=False)
def standings(tournament_id: str, form: str, client: Client, as_json: bool) -> None:
    """Print the current or final standings and crosstable of TOURNAMENT."""
    form = "json" if as_json else form
    text = client.standings(tournament_id, form)
    if form == "text":
        text = fitting(text, lambda: client.standings(tournament_id, "csv"))
    if form == "text" and (view := client.tournament(tournament_id)) and not view["progress"]["done"]:
        text = f"no group of {view['name']} is over; it is {view['state']}\n"
    click.echo(text, nl=not text.endswith("\n"))


@tournament.command(
    examples=("botequim tournament watch TOURNAMENT", "botequim tournament watch TOURNAMENT --json")
)
@click.argument("tournament_id", metavar="TOURNAMENT")
@online("the owner, for a private one", required=False)
def watch(tournament_id: str, client: Client, as_json: bool) -> None:
    """Show the progress of TOURNAMENT until it is over, then its standings."""
    over = watch_tournament(client, tournament_id)
    if over["state"] == "cancelled":
        raise ArenaError(f"{over['name']} was cancelled: {over['reason']}", code="tournament_cancelled")
    text = client.standings(tournament_id, "json" if as_json else "text")
    if not as_json:
        text = fitting(text, lambda: client.standings(tournament_id, "csv"))
    click.echo(text, nl=not text.endswith("\n"))


__all__ = ["spec_of", "tournament", "what_to_play"]
