"""``botequim signup``, ``web`` and ``owner ...``: manage owners, their tokens and recovery codes."""

from __future__ import annotations

import json
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.commands import Command, Commands
from arena.cli.online import online
from arena.cli.output import Columns, details, moment, show
from arena.cli.params import out_option
from arena.client import Client
from arena.client.replies import InvalidReply

if TYPE_CHECKING:
    from arena.client.types import Owner


@click.command(cls=Command, examples=("botequim signup ana", "botequim signup ana | botequim login"))
@click.argument("name")
@click.option("--invitation", metavar="CODE", help="The code of an invitation.")
@online()
def signup(name: str, invitation: str | None, client: Client, as_json: bool) -> None:
    """Sign up as the owner NAME and print the owner's token, which is shown only once.

    The recovery code goes to standard error. With it, 'botequim owner recover' replaces a lost token.
    """
    _show_keys(client.call("sign_up", name=name, invitation=invitation), as_json)


def _show_keys(made: Any, as_json: bool) -> None:
    """Print the token on standard output, for 'botequim login', and the recovery code on standard error."""
    show(made, as_json, made["token"])
    if not as_json:
        click.echo(f"the recovery code, shown once: {made['recovery_code']}", err=True)


@click.command(cls=Command, examples=("botequim web", "botequim web --no-browser"))
@click.option("--browser/--no-browser", default=True, show_default=True, help="Open the link in a browser.")
@online("the owner")
def web(client: Client, browser: bool, as_json: bool) -> None:
    """Print and open a link that signs a browser in as the owner.

    The link works once, within five minutes.
    """
    made: Any = client.call("create_sign_in_link")
    if made["url"].startswith("/"):
        made["url"] = client.url + made["url"]
    if not made["url"].startswith(("https://", "http://")):
        raise InvalidReply(f"{client.url} sent a link that is not the URL of a page", field="url")
    show(made, as_json, made["url"])
    if browser:
        webbrowser.open(made["url"])


@click.group(cls=Commands, examples=("botequim owner show ana", "botequim owner rotate | botequim login"))
def owner() -> None:
    """Show owners, replace, recover or revoke your token, and export or delete your account."""


@owner.command("show", examples=("botequim owner show ana", "botequim owner show ana --json"))
@click.argument("name")
@online()
def show_owner(name: str, client: Client, as_json: bool) -> None:
    """Show the public data of the owner NAME."""
    found = client.owner(name)
    columns: Columns[Owner] = {"name": "name", "signed up": moment("created_ms"), "admin": "admin"}
    show(found, as_json, lambda: details(found, columns))


@owner.command(examples=("botequim owner rotate | botequim login",))
@online("the owner")
def rotate(client: Client, as_json: bool) -> None:
    """Replace your token and print the new one, which is shown only once.

    The old token stops working within five seconds. The recovery code is replaced too, and goes to standard
    error.
    """
    _show_keys(client.call("replace_owner_token"), as_json)


@owner.command(examples=("botequim owner recover | botequim login",))
@click.option(
    "--recovery-code",
    metavar="CODE",
    help="The recovery code, which begins with btq_r_ and works once. [default: you are asked for it]",
)
@online()
def recover(recovery_code: str | None, client: Client, as_json: bool) -> None:
    """Replace a lost token and print the new one, with a recovery code that works once.

    The old token and all sessions in browsers end. A new recovery code goes to standard error.
    """
    if recovery_code is None:
        recovery_code = click.prompt("Recovery code", err=True)
    _show_keys(client.call("recover_owner", recovery_code=recovery_code), as_json)


@owner.command("recovery-code", examples=("botequim owner recovery-code",))
@online("the owner")
def replace_recovery_code(client: Client, as_json: bool) -> None:
    """Replace your recovery code and print the new one, which is shown only once."""
    new = client.replace_recovery_code()
    show({"recovery_code": new}, as_json, new)


@owner.command(examples=("botequim owner unlink",))
@online("the owner")
def unlink(client: Client, as_json: bool) -> None:
    """Unlink the identity with which you sign in at the service's OpenID Connect provider."""
    client.unlink_identity()
    show({"unlinked": True}, as_json, "no identity is linked")


@owner.command(examples=("botequim owner revoke --yes",))
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@online("the owner")
def revoke(client: Client, yes: bool, as_json: bool) -> None:
    """Revoke your token. Only an admin can issue another."""
    if not yes:
        click.confirm("Only an admin can issue another token. Revoke it?", abort=True, err=True)
    client.revoke_owner_token()
    show({"revoked": True}, as_json, "the token is revoked")


@owner.command(examples=("botequim owner export", "botequim owner export --out account.json"))
@out_option
@online("the owner", json=False)
def export(client: Client, out: Path | None) -> None:
    """Print everything that the service stores about you, as JSON.

    The service writes it first, which can take a while. This includes bots, versions with sources, settings,
    logs, tournaments and the ids of games. Large exports only fit into a file: use --out.
    """
    if out is None:
        click.echo(json.dumps(client.export_owner(), indent=2, ensure_ascii=False))
        return
    part = out.with_name(f"{out.name}.part")
    try:
        with part.open("wb") as file:
            client.save_export(file)
        part.replace(out)
    finally:
        part.unlink(missing_ok=True)


@owner.command(examples=("botequim owner delete", "botequim owner delete --confirm ana"))
@click.option("--confirm", metavar="NAME", help="Your owner name. [default: you are asked for it]")
@online("the owner")
def delete(client: Client, confirm: str | None, as_json: bool) -> None:
    """Delete your account and all its bots. This cannot be undone.

    Bots leave their tournaments and resign their games; tokens, sources and logs are erased. Records remain,
    but names such as deleted-1f2e3d4c replace your name and the names of your bots.
    """
    if confirm is None:
        confirm = click.prompt("Type the name of the account to delete it", err=True)
    shown = client.delete_owner(confirm)
    show({"shown": shown}, as_json, f"deleted; {shown} is shown instead")
