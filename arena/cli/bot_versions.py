"""The commands of ``botequim bot`` for versions, sources, uploads, qualifications, logs and notes."""

from __future__ import annotations

import base64
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.commands import Command
from arena.cli.online import online
from arena.cli.output import Columns, details, moment, named, show, show_rows
from arena.cli.params import out_option
from arena.cli.terminal import escaped
from arena.client import Client
from arena.inputs.files import encode_source
from arena.text import printable_lines

if TYPE_CHECKING:
    from arena.client.types import Qualification, SeatLog, Upload

_name = click.argument("name")
_version = click.option("--version", "label", help="The version's label. [default: the current one]")


def version_of(client: Client, name: str, label: str | None) -> str:
    """Return the version ``label`` of a bot, by default the current one. Raises :class:`click.UsageError` if
    there is none.
    """
    version = label or client.bot(name)["version"]
    if version is None:
        raise click.UsageError(f"{name} has no version yet; 'botequim bot uploads {name}' shows why")
    return str(version)


@click.command(
    "add-version",
    cls=Command,
    examples=(
        "botequim bot add-version my-hook 2 --webhook https://bots.example/v2",
        "botequim bot add-version my-bot 2",
    ),
    fields={"url": "--webhook", "transport": "--webhook"},
)
@_name
@click.argument("label")
@click.option("--webhook", metavar="URL", help="Post turns to URL. [default: the bot polls]")
@click.option(
    "--secret",
    envvar="BOTEQUIM_WEBHOOK_SECRET",
    help="With --webhook: your signing secret, if the bot has none. [default: generated]",
)
@click.option("--rights", is_flag=True, help="With --webhook: post optional turns as well.")
@online("the owner")
def add_version(
    name: str,
    label: str,
    webhook: str | None,
    secret: str | None,
    rights: bool,
    client: Client,
    as_json: bool,
) -> None:
    """Add the version LABEL to the bot NAME, which runs elsewhere. New games use it.

    To add a version that the arena runs, use 'bot submit'.
    """
    if webhook is None and (rights or secret):
        raise click.UsageError("--secret and --rights require --webhook")
    fields: dict[str, Any] = {}
    if webhook is not None:
        fields = {"transport": "webhook", "url": webhook, "rights": rights}
        if secret:
            fields["secret"] = secret
    made = client.add_version(name, label, **fields)
    show(made, as_json, f"{name} {made['label']}: added, {made['transport']}")
    if made.get("webhook_secret") and not as_json:
        click.echo(f"the signing secret, shown once: {made['webhook_secret']}", err=True)


@click.command(cls=Command, examples=("botequim bot uploads my-bot", "botequim bot uploads my-bot --json"))
@_name
@online("the owner or an admin")
def uploads(name: str, client: Client, as_json: bool) -> None:
    """List the uploads of the bot NAME that are being checked."""
    columns: Columns[Upload] = {
        **named("id", "version", "state", "language"),
        "bytes": "size",
        "received": moment("received_ms"),
    }
    show_rows("uploads", client.uploads(name), columns, as_json)


@click.command(cls=Command, examples=("botequim bot upload my-bot u4525d024c6b57abb --wait 20",))
@_name
@click.argument("upload_id", metavar="UPLOAD")
@click.option("--wait", type=click.FloatRange(0, 60), help="Wait this many seconds for the outcome.")
@online("the owner or an admin")
def upload(name: str, upload_id: str, wait: float | None, client: Client, as_json: bool) -> None:
    """Show the outcome of UPLOAD of the bot NAME."""
    found = client.upload(name, upload_id, wait=wait)
    columns: Columns[Upload] = {
        **named("id", "bot", "version", "state", "code", "reason"),
        "bytes": "size",
        "received": moment("received_ms"),
    }
    show(found, as_json, lambda: details(found, columns))


@click.command(
    cls=Command,
    examples=("botequim bot source my-bot", "botequim bot source my-bot --version 2 --out bot.py"),
)
@_name
@_version
@out_option
@online("the owner, unless the source is published", required=False)
def source(name: str, label: str | None, out: Path | None, client: Client, as_json: bool) -> None:
    """Print the source of a version of the uploaded bot NAME, or write it to a file.

    Unprintable characters are escaped when the source is printed; --out saves it unchanged.
    """
    found = client.source(name, version_of(client, name, label))
    if as_json:
        show(found, as_json)
        return
    text = found["source"]
    if text is None:
        data = base64.b64decode(found["module"] or "")
    else:
        data = text.encode() if found["language"] == "javascript" else encode_source(text, "source")
    if out is not None:
        out.write_bytes(data)
        click.echo(f"{out}: {len(data)} bytes", err=True)
    elif text is not None:
        click.echo(text, nl=not text.endswith("\n"))
        if escaped(text) != text:
            click.echo("unprintable characters are escaped; --out FILE saves the source unchanged", err=True)
    elif sys.stdout.isatty():
        raise click.UsageError("this version is a WebAssembly module; use --out FILE to save it")
    else:
        sys.stdout.buffer.write(data)


@click.command(cls=Command, examples=("botequim bot publish my-bot", "botequim bot publish my-bot --hide"))
@_name
@_version
@click.option("--hide", is_flag=True, help="Hide the source instead.")
@online("the owner")
def publish(name: str, label: str | None, hide: bool, client: Client, as_json: bool) -> None:
    """Publish or hide the source of a version of the bot NAME."""
    changed = client.publish_version(name, version_of(client, name, label), not hide)
    word = "published" if changed["published"] else "hidden"
    show(changed, as_json, f"{name} {changed['label']}: the source is {word}")


@click.command(
    cls=Command,
    examples=("botequim bot qualifications my-bot", "botequim bot qualifications my-bot --version 2 --json"),
)
@_name
@_version
@online("the owner or an admin")
def qualifications(name: str, label: str | None, client: Client, as_json: bool) -> None:
    """List the games in which a version of the bot NAME has qualified, and the reasons for failures."""
    columns: Columns[Qualification] = {
        "game": "kind",
        "preset": "preset",
        "state": "state",
        "since": moment("at_ms"),
        "tournament": "tournament",
        "reason": lambda one: one["detail"] or one["reason"],
    }
    found = client.qualifications(name, version_of(client, name, label))
    show_rows("qualifications", found, columns, as_json)


@click.command(cls=Command, examples=("botequim bot log my-bot GAME", "botequim bot log my-bot GAME --json"))
@_name
@click.argument("game_id", metavar="GAME")
@online("the owner or an admin")
def log(name: str, game_id: str, client: Client, as_json: bool) -> None:
    """Show the output, thinking times, faults and tracebacks of the uploaded bot NAME in GAME."""
    found = client.game_log(name, game_id)
    show(found, as_json, lambda: "\n".join(_seat_log(seat) for seat in found["seats"]))


@click.command(
    cls=Command, examples=("botequim bot notes my-bot GAME", "botequim bot notes my-bot GAME --publish")
)
@_name
@click.argument("game_id", metavar="GAME")
@click.option(
    "--publish/--hide", "published", default=None, help="Publish or hide the notes before showing them."
)
@online("the owner, for unpublished notes", required=False)
def notes(name: str, game_id: str, client: Client, published: bool | None, as_json: bool) -> None:
    """Show the notes of the bot NAME on its moves in the finished GAME."""
    if published is not None:
        client.publish_notes(name, game_id, published)
    found = client.notes(name, game_id)
    state = "public" if found["published"] else "only for the owner"
    lines = [f"The notes are {state}."]
    for one in found["notes"]:
        lines.append(f"{one['after']}, seat {one['seat']}, {one['action']}: {' '.join(one['note'].split())}")
    show(found, as_json, lambda: printable_lines("\n".join(lines)) + "\n")


def _seat_log(seat: SeatLog) -> str:
    times = [one["ms"] for one in seat["decisions"] if one["ms"] is not None]
    longest = f", the longest of {max(times):.1f} ms" if times else ""
    lines = [f"seat {seat['seat']}, version {seat['version']}: {len(seat['decisions'])} decisions{longest}"]
    if seat["output"]:
        lines.append(printable_lines(seat["output"].rstrip("\n")))
        if seat["cut"]:
            lines.append("(the rest of the output was cut)")
    for fault in seat["faults"]:
        text = ", ".join(f"{name}: {value}" for name, value in fault.items() if value is not None)
        lines.append(printable_lines(f"fault: {text}"))
    return "\n".join(lines) + "\n"
