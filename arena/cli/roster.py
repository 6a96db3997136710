"""``botequim roster ...``: invites a class or a club to sign up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import IO, Any

import click

from arena.cli.commands import Commands
from arena.cli.online import online
from arena.cli.output import narrow
from arena.cli.output import show as show_one
from arena.cli.params import future
from arena.cli.tournament import TABLE_FORMATS
from arena.client import Client
from arena.inputs.files import decode_table
from arena.inputs.reading import read_all
from arena.inputs.roster import MAX_BYTES, MAX_PEOPLE, InvalidRoster, parse_roster
from arena.text import csv_text, plain_table, printable

_NEW = ("name", "handle", "email", "code", "url")
_SHOWN = ("id", "roster", "name", "handle", "email", "state", "owner")
_LONGEST = 300
"""Codes and addresses are shown in full."""

_format = click.option(
    "--format", "form", type=click.Choice(TABLE_FORMATS), default="text", show_default=True
)
_roster = click.option(
    "--roster", default="", help="A name for all these invitations, such as the name of a class."
)
_expires = click.option(
    "--expires", type=future, help="When the invitations expire, such as +14d. [default: 30 days]"
)


@click.group(
    cls=Commands,
    examples=("botequim roster import class.csv --roster 7b", "botequim roster show --roster 7b"),
)
def roster() -> None:
    """Invite people to sign up, and see who has signed up.

    Each invitation is for one owner, whose sign-up does not count against the limit per address. Only you see
    the names.
    """


@roster.command(
    "import",
    examples=(
        "botequim roster import class.csv --roster 7b --expires +14d",
        "botequim roster import class.csv --format csv > codes.csv",
    ),
    fields={"people": "FILE", "expires_ms": "--expires"},
)
@click.argument("file", type=click.File("rb"))
@_roster
@_expires
@_format
@online("the owner")
def import_roster(
    file: IO[bytes], roster: str, expires: int | None, form: str, client: Client, as_json: bool
) -> None:
    """Create an invitation for each line of FILE (CSV), and print the codes, which are shown only once.

    The first line names the columns: name, and optionally handle (the proposed owner name) and email. Other
    columns are ignored. - reads from standard input.
    """
    data = read_all(file, file.name, "people", InvalidRoster, most=MAX_BYTES)
    text, notice = decode_table(data, "people", InvalidRoster)
    if notice:
        click.echo(f"{printable(file.name)}: {notice}", err=True)
    people = parse_roster(text)
    sent: Any = [{key: text for key, text in person._asdict().items() if text} for person in people]
    made = client.invite(people=sent, roster=roster or None, expires_ms=expires)
    _print(_NEW, made, "json" if as_json else form)


@roster.command(examples=("botequim roster invite 60 --format csv",), fields={"expires_ms": "--expires"})
@click.argument("count", type=click.IntRange(1, MAX_PEOPLE))
@_roster
@_expires
@_format
@online("the owner")
def invite(count: int, roster: str, expires: int | None, form: str, client: Client, as_json: bool) -> None:
    """Create COUNT invitations for anybody, and print the codes, which are shown only once."""
    made = client.invite(count=count, roster=roster or None, expires_ms=expires)
    _print(("code", "url"), made, "json" if as_json else form)


@roster.command(examples=("botequim roster show --roster 7b",))
@click.option("--roster", help="Only invitations with this roster name.")
@_format
@online("the owner")
def show(roster: str | None, form: str, client: Client, as_json: bool) -> None:
    """Show your invitations, and who has signed up with them."""
    _print(_SHOWN, client.invitations(roster, limit=100), "json" if as_json else form)


@roster.command(examples=("botequim roster revoke INVITATION",))
@click.argument("invitations", metavar="INVITATION...", nargs=-1, required=True)
@online("the owner")
def revoke(invitations: tuple[str, ...], client: Client, as_json: bool) -> None:
    """Revoke invitations by their ids, unless they have been used."""
    revoked = [client.revoke_invitation(invitation) for invitation in invitations]
    text = "".join(f"{one['id']}: {one['state']}\n" for one in revoked)
    show_one({"invitations": revoked}, as_json, text)


@roster.command(examples=("botequim roster allow teacher 100",))
@click.argument("owner")
@click.argument("most", type=click.IntRange(0))
@online("an admin")
def allow(owner: str, most: int, client: Client, as_json: bool) -> None:
    """Allow OWNER to create up to MOST invitations in total."""
    quota = client.allow_invitations(owner, most)
    show_one(quota, as_json, f"{owner}: {quota['used']} of {quota['most']} invitations")


def _print(columns: tuple[str, ...], rows: Iterable[Mapping[str, Any]], form: str) -> None:
    found = list(rows)
    lines = [[row[column] for column in columns] for row in found]
    if form == "json":
        show_one({"invitations": found}, True)
    elif form == "csv":
        click.echo(csv_text(columns, lines), nl=False)
    elif not found:
        click.echo("no invitations")
    else:
        used = [n for n, _ in enumerate(columns) if any(line[n] not in (None, "") for line in lines)]
        shown = [[line[n] for n in used] for line in lines]
        table = plain_table(
            [columns[n] for n in used], shown, left=len(used), longest=_LONGEST, most=narrow()
        )
        click.echo(table, nl=False)
