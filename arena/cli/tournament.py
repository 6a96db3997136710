"""``botequim tournament ...``: announce, enter and watch tournaments online."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final, TypeVar

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from arena.cli.online import say, service, token_option, url_option
from arena.client import Client
from arena.errors import ArenaError
from arena.games import game_of
from arena.text import plain_table
from arena.tournaments.formats import FORMATS, TIMED_FORMATS

TABLE_FORMATS: Final = ("text", "csv", "json")

_POLL: Final = 20.0
"""Seconds for which the service may hold a request while a tournament does not change."""

_BREATH: Final = 0.25
_OVER: Final = ("finished", "cancelled")
_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400}

Function = TypeVar("Function", bound=Callable[..., Any])


def seconds(text: str) -> float:
    """A time such as ``90``, ``90s``, ``5m``, ``2h`` or ``1d``, in seconds."""
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([smhd]?)", text)
    if not found:
        raise click.BadParameter(f"{text!r} is not a duration; expected for instance 90s, 5m, 2h or 1d")
    return float(found[1]) * _UNITS[found[2] or "s"]


def moment(text: str) -> int:
    """A time: ``+5m`` (from now) or ``2026-12-31T20:00`` (UTC by default), in Unix milliseconds."""
    if text.startswith("+"):
        return round(1000 * (time.time() + seconds(text[1:])))
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise click.BadParameter(
            f"{text!r} is not a time; expected for instance +5m or 2026-12-31T20:00"
        ) from None
    return round(1000 * (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp())


def what_to_play(command: Function) -> Function:
    """The arguments and options of a command that describe a tournament; see :func:`spec_of`."""
    options = (
        click.argument("kind"),
        click.option(
            "--format",
            "form",
            type=click.Choice(tuple(FORMATS)),
            default="round_robin",
            show_default=True,
            help=" ".join(f"{name}: {format.doc}." for name, format in FORMATS.items()),
        ),
        click.option(
            "--rule", "rules", multiple=True, metavar="NAME=VALUE", help="A rule option; may be repeated."
        ),
        click.option("--preset", help="The rules by the name of a preset, such as duel@1, without --rule."),
        click.option("--groups", type=int, help="Groups per pairing."),
        click.option(
            "--rounds",
            type=int,
            help=" ".join(f"{name}: {format.rounds}." for name, format in FORMATS.items() if format.rounds),
        ),
        click.option("--partners", type=click.Choice(("same", "mixed")), help="Truco: who partners whom."),
        click.option("--turn-seconds", type=seconds, help="Time per decision."),
        click.option("--bank-seconds", type=seconds, help="Bank per game."),
        click.option("--max-entries", type=int, help="The maximum number of bots."),
        click.option("--per-owner", type=int, help="The maximum number of bots of one owner."),
        click.option(
            "--invite", "invited", multiple=True, metavar="BOT", help="Only for BOT; may be repeated."
        ),
        click.option(
            "--house", multiple=True, metavar="BOT", help="A house bot that takes part; may be repeated."
        ),
        click.option(
            "--division",
            type=click.Choice(("open", "sealed")),
            help="sealed: for uploaded bots. [default: open, for bots that run elsewhere]",
        ),
        click.option(
            "--auto-enter", is_flag=True, help="Enter every qualified bot that is online, or uploaded."
        ),
        click.option(
            "--unrated",
            is_flag=True,
            help="Not for the leaderboards, for which only tournaments of admins count.",
        ),
        click.option("--games-per-bot", type=int, help="The maximum number of games of one bot at once."),
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
    turn_seconds: float | None,
    bank_seconds: float | None,
    invited: tuple[str, ...],
    house: tuple[str, ...],
    auto_enter: bool,
    unrated: bool,
    tie_breaks: tuple[str, ...],
    **numbers: Any,
) -> dict[str, Any]:
    """The request body of a tournament, from the options of :func:`what_to_play`."""
    spec: dict[str, Any] = {"kind": kind, "format": form}
    if rules:
        spec["rules"] = game_of(kind).options.parse(rules)
    clock = {
        name: round(1000 * seconds)
        for name, seconds in (("per_turn_ms", turn_seconds), ("bank_ms", bank_seconds))
        if seconds is not None
    }
    if clock:
        spec["clock"] = clock
    if invited:
        spec.update(who="invited", invited=list(invited))
    if house:
        spec["house"] = list(house)
    if auto_enter:
        spec["auto_enter"] = True
    if unrated:
        spec["rated"] = False
    if tie_breaks:
        spec["tie_breaks"] = list(tie_breaks)
    return {**spec, **{name: value for name, value in numbers.items() if value is not None}}


@click.group()
def tournament() -> None:
    """Announce, enter and watch tournaments."""


@tournament.command()
@click.argument("name")
@what_to_play
@click.option("--opens", type=moment, help="When entry opens. [default: now]")
@click.option(
    "--starts", type=moment, default="+5m", show_default=True, help="When entry is locked and play begins."
)
@click.option("--ends", type=moment, help=f"Format {' or '.join(TIMED_FORMATS)}: when it ends.")
@url_option
@token_option("the owner")
def create(
    name: str, opens: int | None, starts: int, ends: int | None, url: str, token: str, **options: Any
) -> None:
    """Announce the tournament NAME of the game KIND and print its id.

    A time is +5m (from now) or 2026-12-31T20:00 (in UTC).
    """
    times = {"opens_ms": opens, "locks_ms": starts, "ends_ms": ends}
    given = {key: value for key, value in times.items() if value is not None}
    made = service(url, token).create_tournament(name=name, **spec_of(**options), **given)
    click.echo(made["id"])


@tournament.command()
@click.argument("tournament_id", metavar="TOURNAMENT")
@click.argument("bot")
@click.option("--nonce", default="", help="A text of your own, mixed into every shuffle.")
@url_option
@token_option("the bot or its owner")
def enter(tournament_id: str, bot: str, nonce: str, url: str, token: str) -> None:
    """Enter BOT with its current version, which first plays a qualification group if it has not yet."""
    entry = service(url, token).enter_tournament(tournament_id, bot, nonce)
    click.echo(f"{entry['bot']} {entry['version']}: {_status(entry)}")


def _status(entry: Mapping[str, Any]) -> str:
    reason = entry.get("reason")
    return f"{entry['status']} ({reason})" if reason else str(entry["status"])


@tournament.command()
@click.argument("tournament_id", metavar="TOURNAMENT")
@click.argument("bot")
@url_option
@token_option("the bot or its owner")
def leave(tournament_id: str, bot: str, url: str, token: str) -> None:
    """Withdraw BOT; once play has begun it plays its round to the end."""
    service(url, token).leave_tournament(tournament_id, bot)


@tournament.command()
@click.argument("tournament_id", metavar="TOURNAMENT")
@click.option("--reason", required=True, help="The reason, which is public.")
@url_option
@token_option("the owner that announced it, or an admin")
def cancel(tournament_id: str, reason: str, url: str, token: str) -> None:
    """Cancel TOURNAMENT."""
    service(url, token).cancel_tournament(tournament_id, reason)


@tournament.command("list")
@click.option("--state", help="Only in this state.")
@click.option("--kind", help="Only this game.")
@click.option("--limit", type=click.IntRange(1, 100), default=20, show_default=True)
@url_option
def list_tournaments(state: str | None, kind: str | None, limit: int, url: str) -> None:
    """List the tournaments, the newest first."""
    found = service(url).tournaments(state=state, kind=kind, limit=limit)
    rows = [
        (
            one["id"],
            one["name"],
            one["kind"],
            one["format"],
            one["state"],
            f"{datetime.fromtimestamp(one['locks_ms'] / 1000, UTC):%Y-%m-%d %H:%M:%S}",
        )
        for one in found
    ]
    headings = ("id", "name", "game", "format", "state", "starts (UTC)")
    click.echo(plain_table(headings, rows, left=len(headings)), nl=False)


@tournament.command()
@click.argument("tournament_id", metavar="TOURNAMENT")
@click.option("--format", "form", type=click.Choice(TABLE_FORMATS), default="text", show_default=True)
@url_option
def standings(tournament_id: str, form: str, url: str) -> None:
    """Print the current or final standings and crosstable of TOURNAMENT."""
    click.echo(service(url).standings(tournament_id, form), nl=False)


@tournament.command()
@click.argument("tournament_id", metavar="TOURNAMENT")
@url_option
def watch(tournament_id: str, url: str) -> None:
    """Show the progress of TOURNAMENT until it is over, then its standings."""
    client = service(url)
    console = Console(stderr=True)
    over = (
        _watch_bar(client, tournament_id, console)
        if console.is_terminal
        else _watch_lines(client, tournament_id)
    )
    if over["state"] == "cancelled":
        raise ArenaError(f"{over['name']} was cancelled: {over['reason']}", code="tournament_cancelled")
    click.echo(client.standings(tournament_id, "text"), nl=False)


def _watch_bar(client: Client, tournament_id: str, console: Console) -> dict[str, Any]:
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[more]}", markup=False),
    )
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("", total=None, more="")
        return _follow(
            client,
            tournament_id,
            lambda view: bar.update(
                task,
                description=f"{view['name']}: {view['state']}",
                completed=view["progress"]["done"],
                total=view["progress"]["planned"] or None,
                more=_pace(view),
            ),
        )


def _watch_lines(client: Client, tournament_id: str) -> dict[str, Any]:
    def show(view: Mapping[str, Any]) -> None:
        progress = view["progress"]
        groups = f", {progress['done']} of {progress['planned']} groups" if progress["planned"] else ""
        say(f"{view['name']}: {view['state']}{groups} {_pace(view)}".rstrip())

    return _follow(client, tournament_id, show)


def _follow(
    client: Client, tournament_id: str, show: Callable[[Mapping[str, Any]], object]
) -> dict[str, Any]:
    """Show every observed state of the tournament until it is over; returns the last."""
    version = None
    while True:
        view = client.tournament(tournament_id, since=version, wait=_POLL)
        if view is None:
            continue
        version = view["version"]
        show(view)
        if view["state"] in _OVER:
            return view
        # Groups may end many times per second.
        time.sleep(_BREATH)


def _pace(view: Mapping[str, Any]) -> str:
    """The speed and the remaining time, while it runs."""
    progress = view["progress"]
    if view["state"] in ("announced", "entry"):
        return f"{len(view['entries'])} entries"
    if view["state"] != "running" or not progress["games_per_s"]:
        return ""
    left = "" if progress["left_s"] is None else f", {progress['left_s']:.0f} s left"
    return f"{progress['games_per_s']:.3g} games/s{left}"
