"""``botequim admin ...``: operations for the admins of a service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import click

from arena.cli.commands import Commands
from arena.cli.online import online
from arena.cli.output import Columns, details, moment, named, show, show_rows, table
from arena.cli.params import KIND, limit_option
from arena.client import Client
from arena.inputs.names import OF, TEXTS
from arena.play.players import DIVISIONS

if TYPE_CHECKING:
    from arena.client.types import AuditEntry, HiddenText, SuspendedBot, SuspicionList

_admin = online("an admin")


@click.group(cls=Commands, examples=("botequim admin audit --limit 20", "botequim admin suspensions"))
def admin() -> None:
    """Manage the owners, bots and games of a service, as an admin."""


@admin.command(examples=("botequim admin token ana",))
@click.argument("owner")
@_admin
def token(owner: str, client: Client, as_json: bool) -> None:
    """Issue a new token for OWNER, who has lost the old one, and print it."""
    new = client.issue_owner_token(owner)
    show({"token": new}, as_json, new)


@admin.command(examples=("botequim admin grant ana",))
@click.argument("owner")
@_admin
def grant(owner: str, client: Client, as_json: bool) -> None:
    """Make OWNER an admin."""
    show(client.set_admin(owner, True), as_json, f"{owner} is an admin")


@admin.command(examples=("botequim admin withdraw ana",))
@click.argument("owner")
@_admin
def withdraw(owner: str, client: Client, as_json: bool) -> None:
    """Revoke OWNER's admin rights."""
    show(client.set_admin(owner, False), as_json, f"{owner} is no longer an admin")


@admin.command(examples=("botequim admin audit --limit 20", "botequim admin audit --json"))
@limit_option("entries", 50)
@_admin
def audit(limit: int, client: Client, as_json: bool) -> None:
    """List the actions of admins, newest first."""
    columns: Columns[AuditEntry] = {
        "at": moment("at_ms"),
        **named("admin", "action", "subject", "detail"),
    }
    found = client.audit(limit=min(limit, 100))
    show_rows("entries", islice(found, limit), columns, as_json)


@admin.command(
    examples=(
        'botequim admin annul GAME --reason "The hall was on fire."',
        'botequim admin annul --owners ana bia --reason "Arranged results."',
    ),
)
@click.argument("game_id", metavar="GAME", required=False)
@click.option(
    "--owners",
    nargs=2,
    metavar="OWNER OWNER",
    help="Two owners. All rated groups between their bots are annulled.",
)
@click.option("--reason", required=True, help="The reason, which is public.")
@_admin
def annul(
    game_id: str | None, owners: tuple[str, str] | None, reason: str, client: Client, as_json: bool
) -> None:
    """Annul the group of GAME, so that it counts in no standings and on no leaderboard.

    With --owners, annul all rated groups that are over between bots of two owners. If it is interrupted,
    repeat it.
    """
    if (game_id is None) == (owners is None):
        raise click.UsageError("expected either GAME or --owners")
    if owners is None:
        made = client.annul_game(str(game_id), reason)
        show(made, as_json, f"group {made['group']} is annulled: {made['reason']}")
        return
    found = client.annul_between(list(owners), reason)
    count = found["annulled"]
    while found["cursor"]:
        found = client.annul_between(list(owners), reason, cursor=found["cursor"])
        count += found["annulled"]
    groups = "1 group" if count == 1 else f"{count} groups"
    show({"annulled": count}, as_json, f"{groups} between {' and '.join(owners)} annulled: {reason}")


@admin.command(examples=("botequim admin suspicions truco open",))
@click.argument("kind", type=KIND)
@click.argument("division", type=click.Choice(DIVISIONS), metavar="DIVISION")
@click.option("--preset", help="The preset of the board. [default: the game's first]")
@_admin
def suspicions(kind: str, division: str, preset: str | None, client: Client, as_json: bool) -> None:
    """List bots of a board whose results or sources suggest collusion.

    KIND (truco or toepen) and DIVISION (sealed, open or models) select the board.
    """
    found = client.suspicions(kind, division, preset=preset)
    show(found, as_json, lambda: _suspected(found))


def _suspected(found: SuspicionList) -> str:
    parts: Mapping[str, Sequence[Mapping[str, object]]] = {
        "suspicions": found["suspicions"],
        "copies": found["copies"],
    }
    text = ""
    for title, rows in parts.items():
        if not rows:
            text += f"no {title}\n"
            continue
        flat = [{name: _flat(value) for name, value in row.items()} for row in rows]
        text += table(flat, named(*flat[0]))
    return text


def _flat(value: object) -> object:
    if isinstance(value, list):
        return ", ".join(str(_flat(one)) for one in value)
    if isinstance(value, dict):
        return " ".join(str(_flat(one)) for one in value.values())
    return value


@admin.command(examples=("botequim admin suspensions --json",))
@_admin
def suspensions(client: Client, as_json: bool) -> None:
    """List the suspended bots."""
    columns: Columns[SuspendedBot] = {
        "bot": "name",
        "owner": "owner",
        "since": lambda one: moment("at_ms")(one["suspended"]),
        "reason": lambda one: one["suspended"]["reason"],
        "tournament": lambda one: one["suspended"]["tournament"],
        "group": lambda one: one["suspended"]["group"],
    }
    show_rows("bots", client.suspensions(), columns, as_json)


@admin.command(examples=("botequim admin lift my-bot",))
@click.argument("bot")
@_admin
def lift(bot: str, client: Client, as_json: bool) -> None:
    """Lift the suspension of BOT."""
    client.lift_suspension(bot)
    show({"lifted": bot}, as_json, f"{bot} is no longer suspended")


@admin.command(examples=("botequim admin health",))
@online()
def health(client: Client, as_json: bool) -> None:
    """Show whether the API answers and can reach its database."""
    found = {"alive": client.is_alive(), "ready": client.is_ready()}
    statuses = {name: reply["status"] for name, reply in found.items()}
    show(found, as_json, lambda: details(statuses, named(*statuses)))


@admin.command(examples=("botequim admin metrics | grep botequim_requests_total",))
@online(json=False)
def metrics(client: Client) -> None:
    """Print the metrics of an API process in the Prometheus text format."""
    click.echo(client.metrics(), nl=False)


@admin.command(examples=('botequim admin suspend ana --reason "Two accounts of one person."',))
@click.argument("owner")
@click.option("--reason", required=True, help="The reason, which is shown to the owner.")
@_admin
def suspend(owner: str, reason: str, client: Client, as_json: bool) -> None:
    """Suspend OWNER, so that its tokens are refused and its bots are not seated."""
    suspended = client.suspend_owner(owner, reason)
    show(suspended, as_json, f"{owner} is suspended")


@admin.command(examples=("botequim admin unsuspend ana",))
@click.argument("owner")
@_admin
def unsuspend(owner: str, client: Client, as_json: bool) -> None:
    """Lift the suspension of OWNER."""
    client.unsuspend_owner(owner)
    show({"lifted": owner}, as_json, f"{owner} is no longer suspended")


@admin.command(
    "cancel-games", examples=('botequim admin cancel-games ana --reason "They kept all workers busy."',)
)
@click.argument("owner")
@click.option("--reason", required=True, help="The reason, which is public.")
@_admin
def cancel_games(owner: str, reason: str, client: Client, as_json: bool) -> None:
    """Cancel all unfinished games that OWNER created, except those of tournaments."""
    games = client.cancel_games(owner, reason)
    show({"games": games}, as_json, f"cancelled {len(games)} game{'s' if len(games) != 1 else ''}")


_of = click.argument("of", type=click.Choice(OF))
_text = click.argument("text", type=click.Choice(TEXTS))


@admin.command(examples=('botequim admin hide bot anas-bot description --reason "It insults others."',))
@_of
@click.argument("id")
@_text
@click.option("--reason", required=True, help="The reason, which only admins see.")
@_admin
def hide(of: str, id: str, text: str, reason: str, client: Client, as_json: bool) -> None:
    """Hide the name or description of an owner, a bot or a tournament."""
    hidden = client.hide_text(of, id, text, reason)
    show(hidden, as_json, f"{hidden['shown'] or 'nothing'} is shown instead")


@admin.command(examples=("botequim admin unhide bot anas-bot description",))
@_of
@click.argument("id")
@_text
@_admin
def unhide(of: str, id: str, text: str, client: Client, as_json: bool) -> None:
    """Unhide a text."""
    client.show_text(of, id, text)
    show({"shown": id}, as_json, "the text is shown again")


@admin.command(examples=("botequim admin hidden",))
@_admin
def hidden(client: Client, as_json: bool) -> None:
    """List the hidden texts with the reasons."""
    columns: Columns[HiddenText] = {"of": "of", "id": "id", "text": "text", "by": "by", "reason": "reason"}
    show_rows("texts", client.hidden_texts(), columns, as_json)
