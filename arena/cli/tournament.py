"""``botequim tournament ...``: announces, enters and watches tournaments online."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import click
from rich.progress import Progress

from arena.cli.commands import Commands
from arena.cli.derived import fields_of, options
from arena.cli.online import online, say
from arena.cli.organise import OPTIONS, accept, clone, edit, follow, invitations, invite, organisers, results
from arena.cli.output import Columns, fitting, show, show_rows
from arena.cli.output import moment as moment_of
from arena.cli.params import (
    KIND,
    Function,
    clock_options,
    limit_option,
    now_ms,
    preset_in_place,
    rules_option,
)
from arena.cli.progress import Lines, Pace, bar_columns, left_text
from arena.cli.terminal import console
from arena.cli.tournament_views import bracket, groups, records, show_tournament
from arena.client import Client
from arena.declarations import settings_of
from arena.errors import ArenaError
from arena.games import game_of
from arena.text import relative
from arena.tournaments.settings import MAX_ENTRIES, HouseBots, InvitedOwners, OneOffSettings, SharedSettings

if TYPE_CHECKING:
    from arena.client.types import Entry, Tournament, TournamentSummary


TABLE_FORMATS: Final = ("text", "csv", "json")


def what_to_play(command: Function) -> Function:
    """Add arguments and options that describe a tournament to a command; see :func:`spec_of`."""
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


def spec_of(kind: str, rules: tuple[str, ...], **settings: Any) -> dict[str, Any]:
    """Return the request body for a tournament from the options of :func:`what_to_play`."""
    spec = {"kind": kind, **fields_of(settings)}
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
    invitations,
    results,
):
    tournament.add_command(_command)


@tournament.command(
    examples=(
        'botequim tournament create "Friday cup" toepen --rule seats=2 --groups 10 --starts +1h',
        'botequim tournament create "Night" truco --format swiss --rounds 5 --house rookie --json',
    )
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
@click.option("--by-invitation", is_flag=True, help="Only for owners whom you invite later.")
@click.option(
    "--dry-run",
    is_flag=True,
    help="Only check the tournament, and print how many games it would have and how long it would take.",
)
@click.option(
    "--entrants",
    type=click.IntRange(2, MAX_ENTRIES),
    help="With --dry-run: the number of bots that enter. [default: the maximum]",
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

    A time is +5m (from now), 18:00 (the next one) or '2026-12-31 20:00', in local time unless it has an
    offset. With --invite, --invite-owner, --by-invitation or --hidden, only those invited can enter.
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
            text += f"\nbudget: {budget['groups']} of the {budget['left']} groups left today"
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
@click.option("--nonce", default="", help="Any text of yours, mixed into every shuffle.")
@click.option("--version", help="The version's label. [default: the current one]")
@online("the bot or its owner")
def enter(
    tournament_id: str, bot: str, nonce: str, version: str | None, client: Client, as_json: bool
) -> None:
    """Enter BOT in TOURNAMENT. It first plays a qualification group if it has not qualified yet."""
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
    """Withdraw BOT from TOURNAMENT. If play has begun, it finishes its current round."""
    entry = client.leave_tournament(tournament_id, bot)
    show(entry, as_json, f"{entry['bot']} {entry['version']}: {_status(entry)}")


@tournament.command(examples=('botequim tournament cancel TOURNAMENT --reason "Fire alarm."',))
@click.argument("tournament_id", metavar="TOURNAMENT")
@click.option("--reason", required=True, help="The reason, which is public.")
@online("the owner who announced it, or an admin")
def cancel(tournament_id: str, reason: str, client: Client, as_json: bool) -> None:
    """Cancel TOURNAMENT."""
    view = client.cancel_tournament(tournament_id, reason)
    show(view, as_json, f"{tournament_id}: {view['state']}: {view['reason']}")


@tournament.command(
    "list",
    examples=("botequim tournament list --state running", "botequim tournament list --bot my-bot --json"),
)
@click.option("--state", help="Only tournaments in this state.")
@click.option("--kind", type=KIND, help="Only this game.")
@click.option("--bot", help="Only tournaments in which this bot has played.")
@limit_option("tournaments", 20)
@online("the owner, for private tournaments", required=False)
def list_tournaments(
    state: str | None, kind: str | None, bot: str | None, limit: int, client: Client, as_json: bool
) -> None:
    """List tournaments, newest first."""
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
@online("the owner, for a private tournament", required=False)
def standings(tournament_id: str, form: str, client: Client, as_json: bool) -> None:
    """Print the current or final standings and crosstable of TOURNAMENT."""
    form = "json" if as_json else form
    text = _standings(client, tournament_id, form)
    if form == "text" and (view := client.tournament(tournament_id)) and not view["progress"]["done"]:
        text = f"{view['name']} has no finished groups; it is {view['state']}\n"
    click.echo(text, nl=not text.endswith("\n"))


@tournament.command(
    examples=("botequim tournament watch TOURNAMENT", "botequim tournament watch TOURNAMENT --json")
)
@click.argument("tournament_id", metavar="TOURNAMENT")
@online("the owner, for a private tournament", required=False)
def watch(tournament_id: str, client: Client, as_json: bool) -> None:
    """Show the progress of TOURNAMENT until it is over, and then its standings."""
    over = watch_tournament(client, tournament_id)
    if over["state"] == "cancelled":
        raise ArenaError(f"{over['name']} was cancelled: {over['reason']}", code="tournament_cancelled")
    text = _standings(client, tournament_id, "json" if as_json else "text")
    click.echo(text, nl=not text.endswith("\n"))


def _standings(client: Client, tournament_id: str, form: str) -> str:
    text = client.standings(tournament_id, form)
    return fitting(text, lambda: client.standings(tournament_id, "csv")) if form == "text" else text


_POLL: Final = 20.0
"""Seconds for which the service can hold a request while a tournament does not change."""

_BREATH: Final = 0.25
_OVER: Final = ("finished", "cancelled")


def watch_tournament(client: Client, tournament_id: str) -> Tournament:
    """Show the progress of a tournament on stderr until it is over, and return its last state."""
    screen = console()
    pace = Pace()
    if not screen.is_terminal:
        lines = Lines(say)
        return _follow(client, tournament_id, pace, lambda view: _line(lines, view, pace))
    with Progress(*bar_columns(), console=screen, redirect_stdout=False) as bar:
        task = bar.add_task("", total=None, more="")
        return _follow(
            client,
            tournament_id,
            pace,
            lambda view: bar.update(
                task,
                description=f"{view['name']}: {view['state']}",
                completed=view["progress"]["done"],
                total=view["progress"]["planned"] or None,
                more=more_of(view, pace),
            ),
        )


def _line(lines: Lines, view: Tournament, pace: Pace) -> None:
    progress = view["progress"]
    groups = f", {progress['done']} of {progress['planned']} groups" if progress["planned"] else ""
    event = (view["state"], progress["round"])
    lines.show(event, lambda: f"{view['name']}: {view['state']}{groups} {more_of(view, pace)}".rstrip())


def _follow(
    client: Client, tournament_id: str, pace: Pace, show: Callable[[Tournament], object]
) -> Tournament:
    """Show every observed state of the tournament until it is over, and return the last state."""
    version = None
    while True:
        view = client.tournament(tournament_id, since=version, wait=_POLL)
        if view is None:
            continue
        version = view["version"]
        if view["state"] == "running":
            pace.add(view["progress"]["done"])
        show(view)
        if view["state"] in _OVER:
            return view
        # Groups can end many times per second.
        time.sleep(_BREATH)


def more_of(view: Tournament, pace: Pace) -> str:
    """Return the number of entries before play begins, and the remaining time while the tournament runs."""
    progress = view["progress"]
    if view["state"] in ("announced", "entry"):
        return f"{len(view['entries'])} entries, locks {relative(view['locks_ms'], now_ms())}"
    if view["state"] != "running":
        return ""
    return left_text(pace.left(progress["planned"] - progress["done"]))
