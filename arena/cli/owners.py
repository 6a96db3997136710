"""``botequim signup``, ``web`` and ``owner ...``: owners and their tokens."""

from __future__ import annotations

import json
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.commands import Command, Commands
from arena.cli.online import service, token_option, url_option
from arena.cli.output import Columns, details, json_option, moment, show

if TYPE_CHECKING:
    from arena.client.types import Owner


@click.command(cls=Command, examples=("botequim signup ana", "botequim signup ana | botequim login"))
@click.argument("name")
@click.option("--invitation", metavar="CODE", help="The code of an invitation.")
@url_option
@json_option
def signup(name: str, invitation: str | None, url: str, as_json: bool) -> None:
    """Sign up as the owner NAME and print the owner's token, which is shown only once."""
    made: Any = service(url).call("sign_up", name=name, invitation=invitation)
    show(made, as_json, made["token"])


@click.command(cls=Command, examples=("botequim web", "botequim web --no-browser"))
@url_option
@token_option("the owner")
@click.option("--browser/--no-browser", default=True, show_default=True, help="Open the link in a browser.")
@json_option
def web(url: str, token: str, browser: bool, as_json: bool) -> None:
    """Print a link that signs a browser in as the owner, and open it.

    The link works once, for five minutes.
    """
    made: Any = service(url, token).call("create_sign_in_link")
    show(made, as_json, made["url"])
    if browser:
        webbrowser.open(made["url"])


@click.group(cls=Commands, examples=("botequim owner show ana", "botequim owner rotate | botequim login"))
def owner() -> None:
    """Show owners, replace or revoke your own token, export or delete your account."""


@owner.command("show", examples=("botequim owner show ana", "botequim owner show ana --json"))
@click.argument("name")
@url_option
@json_option
def show_owner(name: str, url: str, as_json: bool) -> None:
    """Show the public data of the owner NAME."""
    found = service(url).owner(name)
    columns: Columns[Owner] = {"name": "name", "signed up": moment("created_ms"), "admin": "admin"}
    show(found, as_json, lambda: details(found, columns))


@owner.command(examples=("botequim owner rotate | botequim login",))
@url_option
@token_option("the owner")
@json_option
def rotate(url: str, token: str, as_json: bool) -> None:
    """Replace your token and print the new one, which is shown only once.

    The old token stops working within five seconds.
    """
    new = service(url, token).replace_owner_token()
    show({"token": new}, as_json, new)


@owner.command(examples=("botequim owner revoke --yes",))
@url_option
@token_option("the owner")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@json_option
def revoke(url: str, token: str, yes: bool, as_json: bool) -> None:
    """Revoke your token; only an admin can issue another."""
    if not yes:
        click.confirm("Only an admin can issue another token. Revoke it?", abort=True, err=True)
    service(url, token).revoke_owner_token()
    show({"revoked": True}, as_json, "the token is revoked")


@owner.command(examples=("botequim owner export", "botequim owner export --out account.json"))
@url_option
@token_option("the owner")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write. [default: standard output]",
)
def export(url: str, token: str, out: Path | None) -> None:
    """Print everything that the service stores about you, as JSON.

    This includes bots, versions with sources, settings, logs, tournaments and the ids of games.
    """
    text = json.dumps(service(url, token).export_owner(), indent=2, ensure_ascii=False)
    if out is None:
        click.echo(text)
    else:
        out.write_text(text + "\n", encoding="utf-8")


@owner.command(examples=("botequim owner delete", "botequim owner delete --confirm ana"))
@url_option
@token_option("the owner")
@click.option("--confirm", metavar="NAME", help="Your name. [default: you are asked for it]")
@json_option
def delete(url: str, token: str, confirm: str | None, as_json: bool) -> None:
    """Delete your account and all its bots; this cannot be undone.

    Bots leave their tournaments and resign their games; tokens, sources and logs are erased. Records remain,
    but in them names such as deleted-1f2e3d4c replace yours and those of your bots.
    """
    if confirm is None:
        confirm = click.prompt("Type the name of the account to delete it", err=True)
    shown = service(url, token).delete_owner(confirm)
    show({"shown": shown}, as_json, f"deleted; {shown} is shown in its place")
