"""``botequim tournament ...``: announce, enter and watch tournaments online."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import click

from arena.cli.commands import Commands
from arena.cli.following import watch_tournament
from arena.cli.online import service, token_option, url_option
from arena.cli.organise import accept, clone, edit, follow, invite, organisers, results
from arena.cli.output import Columns, fitting, json_option, show, show_rows
from arena.cli.output import moment as moment_of
from arena.cli.params import KIND, Function, clock_of, clock_options, rules_option
from arena.cli.times import future, seconds
from arena.cli.tournament_views import bracket, groups, records, show_tournament
from arena.client.http import given
from arena.errors import ArenaError
from arena.games import game_of
from arena.play.players import DIVISION_TEXT, DIVISIONS
from arena.tournaments.formats import FORMATS, TIMED_FORMATS
from arena.tournaments.spec import MAX_ENTRIES, PARTNERS, Spec

TABLE_FORMATS: Final = ("text", "csv", "json")

WHAT_FIELDS: Final = {
    "format": "--format",
    "rules": "--rule",
    "who": "--invite",
    "invited": "--invite",
    "invited_owners": "--invite-owner",
    "rated": "--unrated",
    "tie_breaks": "--tie-break",
    "locks_ms": "--starts",
    "opens_ms": "--opens",
    "ends_ms": "--ends",
}
"""Fields of tournaments with the options of :func:`what_to_play` and of the times."""


def what_to_play(command: Function) -> Function:
    """The arguments and options of a command that describe a tournament; see :func:`spec_of`."""
    options = (
        click.argument("kind", type=KIND),
        click.option("--description", help="Plain text about it."),
        click.option("--link", help="The address of a web page about it."),
        click.option(
            "--format",
            "form",
            type=click.Choice(tuple(FORMATS)),
            default="round_robin",
            show_default=True,
            help=" ".join(f"{name}: {format.doc}." for name, format in FORMATS.items()),
        ),
        rules_option,
        click.option("--preset", help="The rules by the name of a preset, such as duel@1, without --rule."),
        click.option("--groups", type=click.IntRange(1), help="Groups per pairing."),
        click.option(
            "--rounds",
            type=click.IntRange(1),
            help=" ".join(f"{name}: {format.rounds}." for name, format in FORMATS.items() if format.rounds),
        ),
        click.option("--partners", type=click.Choice(PARTNERS), help="Truco: who partners whom."),
        clock_options,
        click.option(
            "--max-entries", type=click.IntRange(2, MAX_ENTRIES), help="The maximum number of bots."
        ),
        click.option(
            "--per-owner",
            type=click.IntRange(1, MAX_ENTRIES),
            help="The maximum number of bots of one owner.",
        ),
        click.option(
            "--invite", "invited", multiple=True, metavar="BOT", help="Only for BOT; may be repeated."
        ),
        click.option(
            "--house", multiple=True, metavar="BOT", help="A house bot that takes part; may be repeated."
        ),
        click.option(
            "--baseline",
            multiple=True,
            metavar="BOT",
            help="A bot of your own, or a house bot, that takes no place; may be repeated.",
        ),
        click.option(
            "--division",
            type=click.Choice(DIVISIONS),
            help=f"{DIVISION_TEXT.replace('`', '')} [default: {Spec.division}]",
        ),
        click.option(
            "--auto-enter", is_flag=True, help="Enter every qualified bot that is online, or uploaded."
        ),
        click.option(
            "--unrated",
            is_flag=True,
            help="Not for the leaderboards, for which only tournaments of admins count.",
        ),
        click.option(
            "--games-per-bot", type=click.IntRange(1), help="The maximum number of games of one bot at once."
        ),
        click.option(
            "--max-repeats",
            type=click.IntRange(1, 10_000),
            help="Open only: in how many pairings two bots may meet.",
        ),
        click.option(
            "--tie-break", "tie_breaks", multiple=True, help="A tie-break, in order; may be repeated."
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def spec_of(
    kind: str,
    form: str,
    rules: tuple[str, ...],
    clock: str | None,
    turn_seconds: float | None,
    bank_seconds: float | None,
    invited: tuple[str, ...],
    house: tuple[str, ...],
    baseline: tuple[str, ...],
    auto_enter: bool,
    unrated: bool,
    tie_breaks: tuple[str, ...],
    **numbers: Any,
) -> dict[str, Any]:
    """The request body of a tournament, from the options of :func:`what_to_play`."""
    spec: dict[str, Any] = {"kind": kind, "format": form}
    if rules:
        spec["rules"] = game_of(kind).options.parse(rules)
    times = clock_of(clock, turn_seconds, bank_seconds)
    if times:
        spec["clock"] = times
    if invited:
        spec.update(who="invited", invited=list(invited))
    if house:
        spec["house"] = list(house)
    if baseline:
        spec["baseline"] = list(baseline)
    if auto_enter:
        spec["auto_enter"] = True
    if unrated:
        spec["rated"] = False
    if tie_breaks:
        spec["tie_breaks"] = list(tie_breaks)
    return {**spec, **{name: value for name, value in numbers.items() if value is not None}}


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
    fields=WHAT_FIELDS,
)
@click.argument("name")
@what_to_play
@click.option(
    "--invite-owner",
    "owners",
    multiple=True,
    metavar="OWNER",
    help="Only for bots of OWNER, and of those who are invited later; may be repeated.",
)
@click.option("--by-invitation", is_flag=True, help="Only for owners who are invited later.")
@click.option("--hidden", is_flag=True, help="Only organisers and invited owners see it.")
@click.option("--opens", type=future, help="When entry opens. [default: now]")
@click.option(
    "--starts", type=future, default="+5m", show_default=True, help="When entry is locked and play begins."
)
@click.option("--ends", type=future, help=f"Format {' or '.join(TIMED_FORMATS)}: when it ends.")
@click.option(
    "--dry-run", is_flag=True, help="Check it, and print how many games it has and how long it takes."
)
@click.option(
    "--entrants",
    type=click.IntRange(2, MAX_ENTRIES),
    help="With --dry-run: how many bots enter. [default: as many as may]",
)
@url_option
@token_option("the owner")
@json_option
def create(
    name: str,
    owners: tuple[str, ...],
    by_invitation: bool,
    hidden: bool,
    opens: int | None,
    starts: int,
    ends: int | None,
    dry_run: bool,
    entrants: int | None,
    url: str,
    token: str,
    as_json: bool,
    **options: Any,
) -> None:
    """Announce the tournament NAME of the game KIND (truco or toepen) and print its id.

    A time is +5m (from now), 18:00 (the next one) or '2026-12-31 20:00', here unless it has an offset.
    """
    if opens is not None and starts <= opens:
        raise click.BadParameter("it is not after --opens", param_hint="'--starts'")
    if ends is not None and ends <= starts:
        raise click.BadParameter("it is not after --starts", param_hint="'--ends'")
    more: dict[str, Any] = given(opens_ms=opens, locks_ms=starts, ends_ms=ends)
    if owners or by_invitation or hidden:
        more.update(who="invited", invited_owners=list(owners), hidden=hidden)
    fields = {"name": name, **spec_of(**options), **more}
    if dry_run:
        planned = service(url, token).plan_tournament(entrants, **fields)
        budget = planned["budget"]
        text = planned["text"]
        if budget is not None:
            text += f"\nbudget: {budget['groups']} groups of the {budget['left']} that are left today"
        show(planned, as_json, text)
        return
    if entrants is not None:
        raise click.UsageError("--entrants is for --dry-run")
    made = service(url, token).create_tournament(**fields)
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
@url_option
@token_option("the bot or its owner")
@json_option
def enter(
    tournament_id: str, bot: str, nonce: str, version: str | None, url: str, token: str, as_json: bool
) -> None:
    """Enter BOT, which first plays a qualification group if it has not yet."""
    entry = service(url, token).enter_tournament(tournament_id, bot, nonce, version)
    show(entry, as_json, f"{entry['bot']} {entry['version']}: {_status(entry)}")


def _status(entry: Mapping[str, Any]) -> str:
    reason = entry["reason"]
    status = f"{entry['status']} ({reason})" if reason else str(entry["status"])
    return f"{status}, baseline" if entry["baseline"] else status


@tournament.command(examples=("botequim tournament leave TOURNAMENT my-bot",))
@click.argument("tournament_id", metavar="TOURNAMENT")
@click.argument("bot")
@url_option
@token_option("the bot or its owner")
@json_option
def leave(tournament_id: str, bot: str, url: str, token: str, as_json: bool) -> None:
    """Withdraw BOT; once play has begun it plays its round to the end."""
    entry = service(url, token).leave_tournament(tournament_id, bot)
    show(entry, as_json, f"{entry['bot']} {entry['version']}: {_status(entry)}")


@tournament.command(examples=('botequim tournament cancel TOURNAMENT --reason "Fire alarm."',))
@click.argument("tournament_id", metavar="TOURNAMENT")
@click.option("--reason", required=True, help="The reason, which is public.")
@url_option
@token_option("the owner that announced it, or an admin")
@json_option
def cancel(tournament_id: str, reason: str, url: str, token: str, as_json: bool) -> None:
    """Cancel TOURNAMENT."""
    view = service(url, token).cancel_tournament(tournament_id, reason)
    show(view, as_json, f"{tournament_id}: {view['state']}: {view['reason']}")


@tournament.command(
    "list",
    examples=("botequim tournament list --state running", "botequim tournament list --bot my-bot --json"),
)
@click.option("--state", help="Only in this state.")
@click.option("--kind", type=KIND, help="Only this game.")
@click.option("--bot", help="Only those in which this bot has played.")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="The most tournaments.")
@url_option
@token_option("the owner, for private ones", required=False)
@json_option
def list_tournaments(
    state: str | None,
    kind: str | None,
    bot: str | None,
    limit: int,
    url: str,
    token: str | None,
    as_json: bool,
) -> None:
    """List the tournaments, the newest first."""
    columns: Columns = {
        "id": "id",
        "name": "name",
        "game": "kind",
        "format": "format",
        "state": "state",
        "starts": moment_of("locks_ms"),
    }
    found = service(url, token).tournaments(state=state, kind=kind, bot=bot, limit=limit)
    show_rows("tournaments", found, columns, as_json)


@tournament.command(
    examples=(
        "botequim tournament standings TOURNAMENT",
        "botequim tournament standings TOURNAMENT --format csv > standings.csv",
    )
)
@click.argument("tournament_id", metavar="TOURNAMENT")
@click.option("--format", "form", type=click.Choice(TABLE_FORMATS), default="text", show_default=True)
@url_option
@token_option("the owner, for a private one", required=False)
@json_option
def standings(tournament_id: str, form: str, url: str, token: str | None, as_json: bool) -> None:
    """Print the current or final standings and crosstable of TOURNAMENT."""
    client = service(url, token)
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
@url_option
@token_option("the owner, for a private one", required=False)
@json_option
def watch(tournament_id: str, url: str, token: str | None, as_json: bool) -> None:
    """Show the progress of TOURNAMENT until it is over, then its standings."""
    client = service(url, token)
    over = watch_tournament(client, tournament_id)
    if over["state"] == "cancelled":
        raise ArenaError(f"{over['name']} was cancelled: {over['reason']}", code="tournament_cancelled")
    text = client.standings(tournament_id, "json" if as_json else "text")
    if not as_json:
        text = fitting(text, lambda: client.standings(tournament_id, "csv"))
    click.echo(text, nl=not text.endswith("\n"))


__all__ = ["WHAT_FIELDS", "seconds", "spec_of", "tournament", "what_to_play"]
