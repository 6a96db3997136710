"""``botequim signup``, ``web`` and ``owner ...``: owners and their tokens."""

from __future__ import annotations

import webbrowser

import click

from arena.cli.commands import Command, Commands
from arena.cli.online import service, token_option, url_option
from arena.cli.output import Columns, details, json_option, moment, show
from arena.client.http import given, path


@click.command(cls=Command, examples=("botequim signup ana", "botequim signup ana | botequim login"))
@click.argument("name")
@click.option("--invitation", metavar="CODE", help="The code of an invitation.")
@url_option
@json_option
def signup(name: str, invitation: str | None, url: str, as_json: bool) -> None:
    """Sign up as the owner NAME and print the owner's token, which is shown only once."""
    body = given(name=name, invitation=invitation)
    made = service(url).request("POST", path("owners"), body, repeatable=False)
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
    made = service(url, token).request("POST", path("owners", "me", "sign-in-links"), repeatable=False)
    show(made, as_json, made["url"])
    if browser:
        webbrowser.open(made["url"])


@click.group(cls=Commands, examples=("botequim owner show ana", "botequim owner rotate | botequim login"))
def owner() -> None:
    """Show owners, and replace or revoke your own token."""


@owner.command("show", examples=("botequim owner show ana", "botequim owner show ana --json"))
@click.argument("name")
@url_option
@json_option
def show_owner(name: str, url: str, as_json: bool) -> None:
    """Show the public data of the owner NAME."""
    found = service(url).owner(name)
    columns: Columns = {"name": "name", "signed up": moment("created_ms"), "admin": "admin"}
    show(found, as_json, lambda: details(found, columns))


@owner.command(examples=("botequim owner rotate | botequim login",))
@url_option
@token_option("the owner")
@json_option
def rotate(url: str, token: str, as_json: bool) -> None:
    """Replace your token and print the new one, which is shown only once.

    The old one ends within five seconds.
    """
    new = service(url, token).replace_owner_token()
    show({"token": new}, as_json, new)


@owner.command(examples=("botequim owner revoke --yes",))
@url_option
@token_option("the owner")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def revoke(url: str, token: str, yes: bool, as_json: bool) -> None:
    """Revoke your token; only an admin can issue another."""
    if not yes:
        click.confirm("Only an admin can issue another token. Revoke it?", abort=True, err=True)
    service(url, token).revoke_owner_token()
    show({"revoked": True}, as_json, "the token is revoked")
